"""
Outcome and propensity can change places
========================================

From labels alone only the product of two probabilities is known: that of being positive, and that of being seen. With
the same features in both, the factors can be exchanged and the likelihood does not change. Naming one feature that
belongs to one part only settles it; so does a clock.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import whether as wh

cohort = wh.simulate("baseline", seed=0)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    free = wh.SARPUClassifier().fit(cohort.X, cohort.y)  # all features in both parts
print(said[0].message)
restricted = wh.SARPUClassifier(propensity_features=[2, 3]).fit(cohort.X, cohort.y)
clock = wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up)

# %%
# The two ends of the exchange, and the two ways out, against the truth. Both points of view of the first model have the
# same likelihood.
shown = {
    "all features: p": free.predict_proba(cohort.X)[:, 1],
    "all features: p and e exchanged": free.predict_propensity(cohort.X),
    "features named": restricted.predict_proba(cohort.X)[:, 1],
    "follow-up": clock.predict_proba(cohort.X)[:, 1],
}
figure, axes = plt.subplots(1, 4, figsize=(11, 3.2), sharex=True, sharey=True)
for ax, (title, risk) in zip(axes, shown.items(), strict=True):
    agreement = np.corrcoef(risk, cohort.outcome_proba)[0, 1]
    ax.scatter(cohort.outcome_proba[::4], risk[::4], s=4, alpha=0.4, edgecolors="none")
    ax.set(title=f"{title}\ncorrelation {agreement:.2f}", xlabel="true risk", aspect="equal")
    ax.title.set_fontsize(9)
axes[0].set_ylabel("estimated risk")
plt.show()
