"""A paragraph for a methods section and one for results, with the numbers in them, ready to paste."""

from __future__ import annotations

from importlib.metadata import version

from whether.advise.evidence.material import LIFETIME
from whether.analysis import Analysis
from whether.telling.answer_words import AnswerWords
from whether.telling.disclosure import is_told
from whether.telling.event_words import event_name
from whether.telling.words import as_rows, name, percent, plural, rows_sentence, unit_text

TITLES = ("Methods", "Results")
_QUESTIONS = {
    LIFETIME: "before death; people who died without it count as never having it, with a model of their own for the "
    "time of death",
    "net": "in a world without other deaths; deaths without the event count as the end of follow-up",
}
_ERRORS = {
    "intervals from refits": "from {refits} refits to randomly weighted people (Bayesian bootstrap)",
    "too large to refit": "not available for this learner on a cohort of this size",
}


def paragraphs(words: AnswerWords) -> tuple[str, str]:
    """Return what was done and what came out, as they may be told."""
    both = _methods(words), _results(words)
    n_persons = words.analysis.origin.n_persons
    if not n_persons:
        return both
    methods, results = map(as_rows, both)
    return methods, f"{rows_sentence(n_persons)} {results}"


def _methods(words: AnswerWords) -> str:
    analysis = words.analysis
    n_features = analysis.evidence.counts.n_features
    asked = _QUESTIONS.get(analysis.question)
    having = "a recorded event" if analysis.kind == "ranking" else "the event"
    when = "" if analysis.kind == "ranking" else f" {asked or 'at some time'}"
    said = [
        f"We estimated each person’s probability of having {having}{_called(words)}{when}.",
        f"The estimate uses {words.advice.method} ({analysis.recommendation.method}; {_learner(analysis)}) with "
        f"{plural(n_features, 'feature')}, as implemented in whether {version('whether')}. {words.advice.assumes}",
        "The method was chosen by what the data support.",
    ]
    if analysis.origin.time and analysis.origin.unit:
        said.append(f"Times are in {unit_text(analysis.origin.unit)}.")
    return " ".join([*said, _intervals(words), *_checks(analysis)])


def _called(words: AnswerWords) -> str:
    """Name of the event, where the column has one."""
    event = event_name(words.analysis.origin, words.fewest).short
    return "" if event.casefold() == "event" else f" ({event})"


def _learner(analysis: Analysis) -> str:
    chosen = analysis.model.selection_
    found = str(analysis.model.learner if chosen is None else chosen.chosen)
    return {"linear": "linear in the features", "boosted": "boosted trees", "neural": "a neural network"}.get(
        found, f"learner {name(found).short}"
    )


def _intervals(words: AnswerWords) -> str:
    analysis = words.analysis
    notes = {note.name: note.values for note in analysis.notes}
    how = next((text.format(**notes[key]) for key, text in _ERRORS.items() if key in notes), "")
    how = how or "from the covariance of the coefficients (delta method)"
    if analysis.kind == "ranking":
        return "We do not estimate how many people have the event: recorded events alone do not say it."
    if analysis.kind == "range" and not words.headline.tells_ends:
        return "We give no number, since too few people have, or do not have, a recorded event."
    if analysis.kind == "range":
        shown = words.headline.lower_end_is_shown
        lower = "the lower confidence limit of the curve of events" if shown else "the recorded events alone"
        return (
            f"Instead of an estimate we give a range, from {lower} to the most that the models allow that the data do "
            "not rule out."
        )
    said = f"{100 * analysis.mean_risk.level:g} % intervals are {how}"
    if "intervals reach to other models" in notes:
        models = notes["intervals reach to other models"]["models"]
        said += (
            f", and reach as far as {models} models with other shapes of event times, weighted by how well they predict"
        )
    if "left open by the curve" in notes:
        said += "; upper ends reach as far as the curve of events leaves open"
    return f"{said}."


def _checks(analysis: Analysis) -> list[str]:
    said = []
    if analysis.backtest is not None:
        said.append("As a check, follow-up was cut at an earlier date and the method was scored by what is known now.")
    if analysis.sensitivity is not None:
        said.append("As a sensitivity analysis, other methods with other assumptions were fitted to the same people.")
    return said


def _results(words: AnswerWords) -> str:
    analysis, counts = words.analysis, words.told.evidence.counts
    said = [f"The cohort has {analysis.n_people:,} people."]
    if words.tells_events:
        share = percent(analysis.n_events / analysis.n_people, 1)
        said = [f"Of {analysis.n_people:,} people, {analysis.n_events:,} ({share}) had a recorded event."]
    if analysis.question and is_told(counts.n_died):
        said.append(f"{counts.n_died:,} died without it.")
    headline = words.headline
    lead = headline.lead() if analysis.kind != "estimate" else []
    said += [headline.first(), *lead, *words.when(), headline.mean_risk()]
    if analysis.backtest is not None:
        said.append(words.backtest())
    if analysis.sensitivity is not None:
        said.append(words.sensitivity())
    return " ".join(text for text in said if text)


def paragraph_lines(words: AnswerWords) -> list[tuple[str, str]]:
    """Both, each under its title."""
    return list(zip(TITLES, paragraphs(words), strict=True))
