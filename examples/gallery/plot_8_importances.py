"""
What matters for whether, and what for when
===========================================

A boosted model keeps the two parts apart: how much each feature gained for the outcome, and how much for the time. In
this world features 1 and 2 drive the risk, and features 2 and 3 the times.
"""

import matplotlib.pyplot as plt
import numpy as np

import whether as wh

cohort = wh.simulate("nonlinear-both", n=4000, seed=0)
table = cohort.frame()[list(cohort.feature_names)]
model = wh.FollowUpCureClassifier(learner="boosted", random_state=0).fit(table, cohort.y, follow_up=cohort.follow_up)

figure, axes = plt.subplots(1, len(model.importances_by_part_), figsize=(8, 3), sharey=True)
for ax, (part, gain) in zip(np.atleast_1d(axes), model.importances_by_part_.items(), strict=True):
    share = gain / gain.sum()
    ax.barh(cohort.feature_names, share)
    ax.set(title=part, xlabel="share of the gain", xlim=(0, 1))
    print(part, dict(zip(cohort.feature_names, share.round(2).tolist(), strict=True)))
np.atleast_1d(axes)[0].invert_yaxis()
plt.show()
