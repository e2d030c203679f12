"""
Trees under the restriction
===========================

In this world the risk is a wave in one feature and a valley in another, which no straight line follows. Trees
trained on the labels follow the labels. Trees under the follow-up restriction follow the risk.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

import whether as wh

world = "nonlinear-risk"
train, fresh = wh.simulate(world, n=3000, seed=0), wh.simulate(world, n=10_000, seed=1)
models = {
    "linear, follow-up": wh.FollowUpCureClassifier(),
    "boosted, labels": wh.LabelClassifier(learner="boosted", random_state=0),
    "boosted, follow-up": wh.FollowUpCureClassifier(learner="boosted", random_state=0),
}

# %%
# The risk along the first feature, averaged over people with everything else as they have it:
figure, ax = plt.subplots(figsize=(7, 4))
axis = np.linspace(-1.7, 1.7, 60)
grid = np.repeat(fresh.X[None, :200], axis.size, axis=0)
grid[:, :, 0] = axis[:, None]
rows = grid.reshape(-1, grid.shape[2])
for (name, model), style in zip(models.items(), (":", "--", "-"), strict=True):
    model.fit(train.X, train.y, follow_up=train.follow_up)
    print(f"{name:20s} AUC for the true outcome {roc_auc_score(fresh.positive, model.decision_function(fresh.X)):.3f}")
    ax.plot(axis, model.predict_proba(rows)[:, 1].reshape(axis.size, -1).mean(axis=1), style, label=name)
truth = 1 / (1 + np.exp(-train.world.outcome(rows) - train.world.outcome_intercept))
ax.plot(axis, truth.reshape(axis.size, -1).mean(axis=1), color="black", linewidth=1, label="truth")
ax.set(xlabel="first feature", ylabel="probability that the event ever happens", ylim=(0, 1))
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=4)
plt.show()

# %%
# Trees make steps, and the ones trained on labels lie too low throughout: an event that was not seen counts as none.
