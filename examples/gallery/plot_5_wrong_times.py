"""
When recorded event times are wrong
===================================

Diagnoses are often entered late, or at the next visit. The event-time model takes the record at its word. The follow-up
model does not read it. Everybody's true outcome is known here, so calibration can be looked at directly.
"""

import matplotlib.pyplot as plt

import whether as wh
from whether.evaluate import calibration_curve, evaluate_risks

records = {
    "partially-dependent": "times as they were",
    "late-reporting": "reported late",
    "batch-reporting": "reported at the end",
}
figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), sharey=True)
for ax, (world, title) in zip(axes, records.items(), strict=True):
    cohort, fresh = wh.simulate(world, seed=0), wh.simulate(world, n=10_000, seed=1)
    for model, color, marker in (
        (wh.MixtureCureClassifier(), "C1", "s"),
        (wh.FollowUpCureClassifier(), "C0", "o"),
    ):
        model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
        risk = model.predict_proba(fresh.X)[:, 1]
        curve = calibration_curve(fresh.positive, risk)
        name = "event times" if "Mixture" in type(model).__name__ else "follow-up"
        ax.plot(curve.predicted, curve.observed, marker=marker, color=color, label=name)
        found = evaluate_risks(fresh.positive, risk)
        print(
            f"{title:20s} {name:12s} mean risk {risk.mean():.3f}, true share {fresh.positive.mean():.3f}, "
            f"calibration error {found['calibration_error']:.3f}, AUC {found['auc']:.3f}"
        )
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
    ax.set(title=title, xlabel="predicted risk", aspect="equal")
axes[0].set_ylabel("share with the event")
axes[0].legend(loc="upper left")
plt.show()

# %%
# Can one know? With follow-up, yes: recorded times have to agree with how the share of labels rises with follow-up.
cohort = wh.simulate("late-reporting", seed=0)
advice = wh.recommend(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
print(advice.evidence.trust)
print("recommended:", advice.method)
