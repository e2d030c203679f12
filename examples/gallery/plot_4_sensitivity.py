"""
How far the risk moves with the assumption
==========================================

Four things are assumed and then moved, one at a time: the restriction itself, the share of positives that is labeled,
the share of people that is positive, and the length of follow-up.
"""

import matplotlib.pyplot as plt

import whether as wh

cohort = wh.simulate("partially-dependent", n=2000, seed=0)
moved = wh.sensitivity(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
print(moved)

# %%
moved.plot()
plt.show()

# %%
# The line is the risk by the recommended method, people in order; the band is where the risk of the same people goes
# under the other assumptions. What a clock decides, labels alone leave wide open: see the two panels in the middle.
lower, upper = moved.band("restriction")
print(f"median width of a person's band over restrictions: {sorted(upper - lower)[cohort.y.size // 2]:.2f}")
