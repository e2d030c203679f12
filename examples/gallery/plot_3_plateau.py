"""
Does the curve of events level off?
===================================

``examine`` puts several pieces of evidence beside each other instead of one test. Two worlds: in the first the events
were over before follow-up ended, in the second they were not.
"""

import matplotlib.pyplot as plt

import whether as wh

long = wh.simulate("low-susceptibility", seed=0)
evidence = wh.examine(long.X, long.y, time=long.time, follow_up=long.follow_up)
print(evidence.follow_up)
evidence.plot()
plt.show()

# %%
# The same kind of people, followed for so short a time that most events were still to come:
short = wh.simulate("short-follow-up", seed=0)
evidence = wh.examine(short.X, short.y, time=short.time, follow_up=short.follow_up)
print(evidence.follow_up)
evidence.plot()
plt.show()

# %%
# The second picture of each row is a check that needs no model: people who were followed for longer should have the
# event more often, and by as much as the recorded event times say.
