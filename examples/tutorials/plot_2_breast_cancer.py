"""
Breast cancer: when follow-up is too short for the question
===========================================================

Will the tumour ever come back? For breast cancer that question is harder than for most: recurrences go on for
decades. The women of the Rotterdam tumour bank were operated on from 1978 to 1993 and followed for up to nineteen
years, and even that did not show the end of it. An honest analysis has to say so, and to keep what can be said: a
range, a ranking of the women, and what goes with early and with late recurrence.

.. only:: without_tables

   .. note::

      The table was not found when this page was built. What is printed below was computed from a **simulated
      stand-in** with the same columns: the steps are the same, and numbers in the text are about the real women.
      Set ``WHETHER_DATA`` to the folder of the real tables and run ``make docs``.

The table is ``rotterdam`` of the R package ``survival`` with times in years (Foekens et al., Cancer Research 60,
2000; Royston and Altman, BMC Medical Research Methodology 13, 2013). The event is recurrence; deaths without one
are censored.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import whether as wh
from whether.simulation import tutorial_cohort

women = tutorial_cohort("rotterdam")
print(women.attrs["source"])
size = women["size"].astype(str)
X = pd.DataFrame(
    {
        "age": women.age,
        "size 20-50 mm": size == "20-50",
        "size > 50 mm": size == ">50",
        "grade 3": women.grade == 3,
        # Counts and concentrations are very skewed: a few women would otherwise decide the slopes.
        "log nodes": np.log1p(women.nodes),
        "log pgr": np.log1p(women.pgr),
        "log er": np.log1p(women.er),
        "hormone therapy": women.hormon,
        "chemotherapy": women.chemo,
    }
).astype(float)
print(f"{len(women):,} women, {women.event.sum():,} recurrences, longest follow-up {women.time.max():.1f} years")

# %%
# Examine
# -------
evidence = wh.examine(X, women.event, time=women.time, entry=women.entry_year)
print(evidence.follow_up)
evidence.plot()
plt.show()

# %%
# The curve goes on falling: in the second half of follow-up about five women in a hundred had a recurrence each
# year. Note the first lines, too. Dates of entry were given, but they do not say how long a woman *with* a
# recurrence would have been followed: women left the study at all kinds of dates, not at one common end. So the
# follow-up model cannot be used on these data. Filling in ``follow_up`` with the time of the recurrence instead
# would be a mistake, and is refused:
try:
    wh.FollowUpCureClassifier().fit(X, women.event, follow_up=women.time)
except ValueError as error:
    print(error)

# %%
# Who is lost early matters as well. Whether follow-up depends on features:
print(evidence.dependence)

# %%
# Ask for advice
# --------------
#
# The advice settles on no single number. It still names a method: a range and a ranking are worth having.
advice = wh.recommend(evidence)
print(advice)

# %%
# Fit, and read the coefficients with care
# ----------------------------------------
model = advice.estimator.fit(X, women.event, **advice.fit_parameters)
print(model.summary())

# %%
# Two kinds of sentences can be read off this table, and only one of them is safe here.
#
# *When*, given that it happens: hormone receptors (``log pgr``, ``log er``) and treatment go with **later** recurrence,
# nodes and grade with earlier. Times are observed, so this part rests on data.
#
# *Whether*: "treated women have about half the odds of ever having a recurrence" is **not** safe. A recurrence put off
# beyond the end of follow-up looks just like one prevented. Whoever reads the outcome rows has to read the time row of
# the same feature beside it; where a feature delays, its effect on whether is the less certain one.
slopes = [row for row in model.summary().coefficients if row.ratio_kind]
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
titles = {"odds ratio": "odds ratio of ever", "time ratio": "time ratio, if ever"}
ticks = {"odds ratio": [0.5, 1, 2, 4], "time ratio": [0.5, 0.7, 1, 1.5]}
for ax, kind in zip(axes, titles, strict=True):
    shown = [row for row in slopes if row.ratio_kind == kind]
    ratio = np.array([row.ratio for row in shown])
    reach = [ratio - [row.ratio_lower for row in shown], [row.ratio_upper for row in shown] - ratio]
    ax.errorbar(ratio, range(len(shown)), xerr=reach, fmt="o", capsize=2)
    ax.axvline(1, color="0.7", linewidth=1)
    ax.set(xscale="log", title=titles[kind], yticks=range(len(shown)), yticklabels=[row.term for row in shown])
    ax.minorticks_off()
    ax.set_xticks(ticks[kind], [f"{tick:g}" for tick in ticks[kind]])
plt.show()

# %%
# Would advice have held up in 1988?
# ----------------------------------
#
# Dates allow a real test: what was known on 1 January 1988, scored with what is known now. Negative means
# event-free for ten years, which for this disease is not "never".
record = wh.backtest(
    X,
    women.event,
    time=women.time,
    entry=women.entry_year,
    endpoint=1988,
    horizon=10,
    methods=["LR", "ENPU", "FUMC-F", "AFTMC-F"],
    advice=False,
    n_splits=5,
)
print(record)

# %%
# Read the columns separately. **AUC**: the models with a clock rank women better than logistic regression on the
# labels of 1988 if the interval of the difference excludes zero. **Mean risk minus share**: logistic regression
# expects far too few recurrences, and the models with a clock still too few, as where follow-up is too short. A
# constant propensity (ENPU) happens to come near the mean here; two wrong assumptions can cancel, and on the children
# of the other tutorial the same method expected more than twice as many as there were.
#
# How far does the answer move?
# -----------------------------
moved = wh.sensitivity(X, women.event, time=women.time)
print(moved)

# %%
moved.plot()
plt.show()

# %%
# The horizon panel is the one to look at. Had follow-up ended earlier, the same method would have given lower risks to
# nearly everybody; nothing in the data says that this stops where follow-up happens to end today.
#
# What may be concluded, and what not
# -----------------------------------
#
# A clinician may conclude
#
# - that *at least* about two thirds of such women have a recurrence at some time;
# - which women are at higher risk than others: rankings agree over most assumptions;
# - that receptor-positive tumours come back later, so that short studies will flatter them.
#
# A clinician may not conclude
#
# - that the rest are cured: no method can say so from these data, and the advice says that it cannot;
# - that treatment halves the odds of ever having a recurrence. Treatment was not given at random, and delay looks like
#   prevention;
# - that women who died of something else would never have had a recurrence: they are treated as lost.
