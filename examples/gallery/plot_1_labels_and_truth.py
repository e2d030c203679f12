"""
Who was seen is not who is positive
===================================

Logistic regression on the labels learns who was *seen* to have the event. Judged by the labels it looks good. Judged by
the truth, which a simulated world knows, it loses to a model that also describes who is seen.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import roc_auc_score, roc_curve

import whether as wh

train, fresh = wh.simulate("baseline", seed=0), wh.simulate("baseline", n=20_000, seed=1)
labels_only = wh.LabelClassifier().fit(train.X, train.y)
follow_up = wh.FollowUpCureClassifier().fit(train.X, train.y, follow_up=train.follow_up)

# %%
# The same predictions, scored twice: against the label, and against whether the event ever happens.
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
judges = {"judged by the labels": fresh.y, "judged by the truth": fresh.positive}
for ax, (title, outcome) in zip(axes, judges.items(), strict=True):
    for name, model, line in (("labels alone", labels_only, "--"), ("with follow-up", follow_up, "-")):
        risk = model.predict_proba(fresh.X)[:, 1]
        auc = roc_auc_score(outcome, risk)
        rate, hits, _ = roc_curve(outcome, risk)
        ax.plot(rate, hits, line, label=f"{name}: AUC {auc:.3f}")
        print(f"{title}, {name}: AUC {auc:.3f}")
    ax.set(title=title, xlabel="false positive rate", aspect="equal")
    ax.legend(loc="lower right")
axes[0].set_ylabel("true positive rate")
plt.show()

# %%
# On the left the model of labels wins, as it should: labels are what it was trained on. On the right it loses. A
# held-out AUC against labels therefore cannot choose between the two; see :doc:`/howto/metrics`.
