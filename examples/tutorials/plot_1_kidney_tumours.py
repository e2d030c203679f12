"""
Relapse of kidney tumours, two years into the study
===================================================

Children with Wilms tumour, a tumour of the kidney, are treated and then watched for a relapse. Most relapses come
within three years, and who is event-free after six stays so: this event has a *whether*. The two studies behind the
table, with 3,915 children, are long over. We put ourselves back into the time when they were under way: children
have entered over the last two years, half of the relapses are still to come, and somebody asks which child will
ever relapse.

What we then answer can be compared with what became of the same children.

.. only:: without_tables

   .. note::

      The table was not found when this page was built. What is printed below was computed from a **simulated
      stand-in** with the same columns: the steps are the same, and numbers in the text are about the real children.
      Set ``WHETHER_DATA`` to the folder of the real tables and run ``make docs``.

The table is ``nwtsco`` of the R package ``addhazard`` with times in years (D'Angio et al., Cancer 64, 1989; Green
et al., Journal of Clinical Oncology 16, 1998).
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import whether as wh
from whether.evaluate import censored_calibration_curve, evaluate_risks, impose_staggered_endpoint, kaplan_meier
from whether.simulation import tutorial_cohort

children = tutorial_cohort("nwts")
print(children.attrs["source"])
# Stage 1 to 4, unfavourable histology, age in years, weight of the tumour in g and its diameter in cm.
X = children[["stage", "histol", "age", "specwgt", "tumdiam"]].astype(float)
print(f"{len(children):,} children, {children.event.sum()} relapses, longest follow-up {children.time.max():.1f} years")

# %%
# Put the clock back
# ------------------
#
# ``impose_staggered_endpoint`` draws for every child how long ago it had entered, hides what happened later, and keeps
# who can be scored with what is known today: those with a relapse, and those event-free for six years.
then = impose_staggered_endpoint(children.event, children.time, stagger=2, horizon=6, rng=np.random.default_rng(0))
print(
    f"relapses seen then: {then.y.sum()} of {children.event.sum()}; children who can be scored: {then.scorable.sum():,}"
)

# %%
# Examine
# -------
#
# What do the data of that day allow? ``examine`` fits only simple models and says what it finds, topic by topic.
evidence = wh.examine(X, then.y, time=then.time, follow_up=then.follow_up)
print(evidence)

# %%
# Three findings matter most. Whether the curve of events has levelled off is *unclear*, so how many will relapse is in
# part extrapolated. The recorded times agree with labels and follow-up: nothing speaks against using them. And the
# features have something to do with *when*, so a model of labels alone would in part learn who relapses early.
evidence.plot()
plt.show()

# %%
# The third picture has those features: a high stage brings the relapse forward.
#
# Ask for advice
# --------------
advice = wh.recommend(evidence)
print(advice)

# %%
# Fit, and read the coefficients
# ------------------------------
#
# The recommended classifier comes ready to fit. It warns that a part of the expected relapses lies beyond the longest
# follow-up, which is what the examination found too.
model = advice.estimator.fit(X, then.y, **advice.fit_parameters)
print(model.summary())

# %%
# Rows called *outcome* are about whether a child ever relapses, rows called *location* about when, if it does. The odds
# ratio of ``histol`` says: with unfavourable histology the odds of a relapse are more than five times as high, other
# features equal. The time ratio below it says that those relapses come sooner as well, in about two thirds of the time.
# Age, weight and diameter of the tumour have intervals that include 1.
#
# The last lines say what the table is conditional on. One index drives both parts here, as far as the data let it:
# see :doc:`/mathematics`.
#
# A child without a relapse so far is a different question from a child at diagnosis:
typical = pd.DataFrame([[3.0, 1.0, 4.0, 600.0, 12.0]], columns=X.columns)
print(f"stage 3, unfavourable histology, at diagnosis: {model.predict_proba(typical)[0, 1]:.2f}")
for years in (0.5, 1.0, 2.0):
    print(f"... event-free for {years:g} years: {model.predict_proba_event_free(typical, time=years)[0]:.2f}")

# %%
# Was it right?
# -------------
#
# Now today's knowledge comes in. First the question of how many: beside each method's mean risk, the Kaplan-Meier
# curve of the full data at 17 years.
today = kaplan_meier(children.event, children.time)
print(f"share with a relapse by 17 years, full data: {1 - float(today.at(17.0)):.3f}")
models = {
    "labels alone (LR)": wh.LabelClassifier(),
    "constant propensity (ENPU)": wh.ElkanNotoClassifier(),
    "follow-up (FUMC)": wh.FollowUpCureClassifier(),
    "event times (AFTMC), advised": wh.MixtureCureClassifier(),
}
risks = {}
for name, candidate in models.items():
    candidate.fit(X, then.y, time=then.time, follow_up=then.follow_up)
    risks[name] = candidate.predict_proba(X)[:, 1]
    scored = then.positive[then.scorable], risks[name][then.scorable]
    found = evaluate_risks(*scored, sample_weight=then.weight[then.scorable])
    print(f"{name:30s} mean risk {risks[name].mean():.3f}, AUC {found['auc']:.3f}, Brier {found['brier']:.3f}")

# %%
# All rank the children about equally well. The numbers differ: labels alone give half of the true share, because a
# relapse that has not come yet is counted as none, and a constant propensity gives far too many. The two models with a
# clock come close, and the first of them has not read a single relapse time.
#
# A child has to be event-free for six years to be scored as negative, and a child with a relapse can be scored at once.
# The weights make up for that. For the picture of calibration, the Kaplan-Meier curve in groups of children with
# similar risks needs no such choice.
figure, axes = plt.subplots(1, len(risks), figsize=(11, 3.4), sharey=True)
for ax, (name, risk) in zip(axes, risks.items(), strict=True):
    curve = censored_calibration_curve(children.event, risk, time=children.time, horizon=17.0, n_groups=6)
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    error = [curve.observed - curve.lower, curve.upper - curve.observed]
    ax.errorbar(curve.predicted, curve.observed, error, fmt="o", capsize=2, markersize=4)
    ax.set_title(name, fontsize=9)
    ax.set(xlim=(0, 0.8), ylim=(0, 0.8), xlabel="predicted risk")
axes[0].set_ylabel("observed share")
plt.show()

# %%
# Repeat it, with held-out children
# ---------------------------------
#
# One draw proves little, and the scores above were computed on children the models had seen. ``backtest`` repeats the
# exercise with new draws, holds children out, and gives intervals for the differences.
record = wh.backtest(
    X,
    children.event,
    time=children.time,
    stagger=2,
    horizon=6,
    methods=["LR", "ENPU", "FUMC-F", "AFTMC-F"],
    advice=False,
    n_splits=5,
)
print(record)

# %%
# How far does the answer move?
# -----------------------------
#
# No backtest shows what happens if an assumption is wrong. ``sensitivity`` fits under other restrictions, other label
# frequencies, and shorter follow-up.
moved = wh.sensitivity(X, then.y, time=then.time, follow_up=then.follow_up)
print(moved)

# %%
moved.plot()
plt.show()

# %%
# The ranking hardly moves (the last column), the mean risk moves a lot. It is nailed down by follow-up or times alone;
# whoever does without a clock may choose nearly any number.
#
# What may be concluded, and what not
# -----------------------------------
#
# A clinician may conclude
#
# - that unfavourable histology and a high stage go with more relapses, and not only with earlier ones;
# - that about one child in six or seven of such a cohort will relapse at some time, with the caution that the curve had
#   not clearly levelled off, and that the true share turned out a little higher;
# - how the chance of a relapse falls for a child who stays event-free.
#
# A clinician may not conclude
#
# - that a feature *causes* relapses: treatment followed stage and histology, and is not in the table;
# - that a risk of a few percent is safe: calibration was checked on groups, not on single children;
# - anything about children who would not have entered such a study;
# - that times need not be recorded well. They agreed with the labels *here*; :doc:`/gallery/plot_5_wrong_times` shows
#   what happens where they do not.
