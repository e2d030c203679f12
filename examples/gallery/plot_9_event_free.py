"""
No event so far: what now?
==========================

In the clinic the question is rarely asked at the beginning. Somebody has been watched for some time without the event,
and every month makes it less likely that it is still to come. How quickly depends on when the event tends to come.
"""

import matplotlib.pyplot as plt
import numpy as np

import whether as wh

cohort = wh.simulate("partially-dependent", seed=0)
model = wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up)

# Three people with nearly the same risk at the beginning, whose events tend to come early, in between, and late.
risk = model.predict_proba(cohort.X)[:, 1]
similar = np.flatnonzero(np.abs(risk - 0.6) < 0.02)
early = model.predict_survival(cohort.X[similar], [1.0])[:, 0]
chosen = similar[np.argsort(early)[[0, similar.size // 2, -1]]]

times = np.geomspace(0.05, 50, 60)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8))
for person, style, name in zip(chosen, ("-", "--", ":"), ("early", "in between", "late"), strict=True):
    x = np.repeat(cohort.X[[person]], times.size, axis=0)
    axes[0].plot(times, model.predict_survival(cohort.X[[person]], times)[0], style, label=name)
    axes[1].plot(times, model.predict_proba_event_free(x, times), style, label=name)
    print(f"{name}: {risk[person]:.2f} at the beginning, {model.predict_proba_event_free(x[:1], 1.0)[0]:.2f} at time 1")
axes[0].set(xscale="log", xlabel="time", ylabel="probability of no event by then", ylim=(0, 1.02))
axes[1].set(xscale="log", xlabel="time without the event", ylabel="probability that it still comes", ylim=(0, 1.02))
axes[0].legend(title="events come")
plt.show()

# %%
# The left curves level off at the same height, one minus the risk. On the right, the probability that the event is
# still to come falls soon for the person whose event would have come early.
