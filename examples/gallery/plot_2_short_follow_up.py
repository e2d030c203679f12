"""
Follow-up that ends too soon
============================

How many people will ever have the event? If follow-up ends while events still come, "never" and "not yet" look alike.
Here the same world is watched for a short and for a long time. The model says when it extrapolates.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import whether as wh

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
worlds = {"short-follow-up-independent": "watched briefly", "feature-independent": "watched for long"}
for ax, (world, title) in zip(axes, worlds.items(), strict=True):
    cohort = wh.simulate(world, seed=0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = wh.MixtureCureClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    print(f"{title}: longest follow-up {model.longest_follow_up_:.3g}, {cohort.y.mean():.0%} seen with the event")
    print(f"  mean risk {model.predict_proba(cohort.X)[:, 1].mean():.3f}, true share {cohort.positive.mean():.3f}")
    print(f"  positives still to come after the longest follow-up, by the model: {model.unseen_share_:.0%}")
    for entry in said:
        print(f"  {entry.category.__name__}: {entry.message}")

    times = np.geomspace(0.02, 2000, 120)
    ax.plot(times, model.predict_survival(cohort.X, times).mean(axis=0), label="model")
    happened = np.where(cohort.positive == 1, cohort.event_time, np.inf)
    ax.plot(times, [(happened > time).mean() for time in times], "--", label="truth")
    ax.axvspan(model.longest_follow_up_, times[-1], color="0.92", label="nobody was watched")
    ax.set(xscale="log", xlabel="time", title=title, ylim=(0, 1.02), xlim=(times[0], times[-1]))
axes[0].set_ylabel("share without the event")
axes[0].legend(loc="lower left")
plt.show()

# %%
# On the left most of the curve lies where nobody was watched. Its level there is the model's guess, and the number of
# positives with it. ``unseen_share_`` is the same finding for programs.
