"""Facts as plain data that JSON can have: numbers about the cohort and the model, no individual-level data."""

from __future__ import annotations

import dataclasses
import math
from importlib.metadata import version
from typing import Any

import numpy as np

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity
from whether.analysis import Analysis, Origin
from whether.learners import LinearFit
from whether.telling.advice_words import AdviceWords
from whether.telling.answer_words import AnswerWords, warning_sentence
from whether.telling.check_words import worth_sentence
from whether.telling.disclosure import Disclosure, Withheld, is_told
from whether.telling.evidence_words import evidence_sentences
from whether.telling.group_words import told_columns
from whether.telling.publication.paragraphs import paragraph_lines
from whether.telling.table_words import word_all

SCHEMA = "whether analysis"
SCHEMA_VERSION = 3


def to_plain(value: Any) -> Any:
    """Turn facts and arrays into what JSON can have; what it cannot have, and what is withheld, becomes None."""
    if isinstance(value, Withheld):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [part for part in dataclasses.fields(value) if part.repr]
        return {part.name: to_plain(getattr(value, part.name)) for part in shown}
    if isinstance(value, dict):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, np.generic):
        return to_plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def evidence_data(evidence: Evidence, rule: Disclosure) -> dict[str, Any]:
    """Return the numbers of the evidence, and its sentences by topic."""
    told = rule.tell(evidence)
    return {**to_plain(told), "sentences": evidence_sentences(told)}


def advice_data(advice: Recommendation, rule: Disclosure) -> dict[str, Any]:
    """Return the recommendation: names of findings with their sentences."""
    words = AdviceWords(advice, rule)

    def findings(names: tuple[str, ...], sentences: list[str]) -> list[dict[str, str]]:
        return [{"name": name, "text": text} for name, text in zip(names, sentences, strict=True)]

    return {
        **to_plain(rule.tell(advice)),
        "classifier": type(advice.estimator).__name__,
        "refused": advice.refused,
        "assumption": words.assumption,
        "reasons": findings((advice.rule, *advice.reasons), words.reasons),
        "refusals": findings(advice.refusals, words.refusals),
        "flags": findings(advice.flags, words.flags),
        "changes": findings(advice.changes, words.changes),
    }


def backtest_data(record: Backtest, rule: Disclosure) -> dict[str, Any]:
    """Return scores, means with intervals, the answer and settings."""
    told = rule.tell(record)
    further: dict[str, Any] = {"failed": list(record.failed), "table": None, "worth_of_times": None, "answer": None}
    if is_told(told.scores):
        further |= {"table": to_plain(record.rows()), "worth_of_times": to_plain(record.worth_of_times()),
                    "answer": worth_sentence(record)}  # fmt: skip
    return {**to_plain(told), **further}


def sensitivity_data(moved: Sensitivity, rule: Disclosure) -> dict[str, Any]:
    """Return the mean risks."""
    told = rule.tell(moved)
    tells = all(is_told(variant.mean_risk) for variant in told.variants)
    variants = [
        {**to_plain(shown), "failed": variant.failed}
        for shown, variant in zip(told.variants, moved.variants, strict=True)
    ]
    return {
        **to_plain(told),
        "mean_risk": moved.own_mean if tells else None,
        "range": list(moved.range) if tells else None,
        "left_out": {str(variant.value): variant.objection for variant in moved.left_out},
        "variants": variants,
    }


def _origin_data(origin: Origin, rule: Disclosure) -> dict[str, Any]:
    """Return where the data came from; how many rows single persons have is nobody's business."""
    told = {name: value for name, value in to_plain(origin).items() if name != "rows_each"}
    return {**told, "notes": word_all(origin.findings, rule.fewest)}


def analysis_data(analysis: Analysis, rule: Disclosure) -> dict[str, Any]:
    """Return the whole answer."""
    words = AnswerWords(analysis, rule)
    told, counts = words.told, words.told.evidence.counts
    return to_plain(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "whether_version": version("whether"),
            "origin": _origin_data(analysis.origin, rule),
            "cohort": {
                "people": counts.n,
                "events": counts.n_events,
                "unlabeled": analysis.n_unlabeled if words.tells_events else None,
                "open": analysis.n_open if words.tells_events else None,
                "features": list(analysis.evidence.material.cohort.names),
            },
            "answer": _answer(analysis, words),
            "paragraphs": {title.lower(): text for title, text in paragraph_lines(words)},
            "by_group": [level for levels in told_columns(told.by_group).values() for level in levels],
            "recommendation": advice_data(analysis.recommendation, rule),
            "model": _model(analysis, rule),
            "evidence": evidence_data(analysis.evidence, rule),
            "backtest": None if analysis.backtest is None else backtest_data(analysis.backtest, rule),
            "no_backtest": analysis.no_backtest,
            "sensitivity": None if analysis.sensitivity is None else sensitivity_data(analysis.sensitivity, rule),
            "no_sensitivity": analysis.no_sensitivity,
            "cautions": [{"name": name, "text": words.caution(name)} for name in analysis.cautions],
            "warnings": [{**to_plain(one), "plain": warning_sentence(one)} for one in analysis.warnings],
            "notes": analysis.notes,
        }
    )


def _answer(analysis: Analysis, words: AnswerWords) -> dict[str, Any]:
    told = words.told
    tells_past = told.backtest is not None and is_told(told.backtest.scores)
    return {
        "kind": analysis.kind,
        "question": analysis.question,
        "badge": words.headline.badge,
        "headline": words.headline.first(),
        "sentences": words.sentences(),
        "unseen": told.unseen,
        "at_least": analysis.at_least if words.headline.tells_ends else None,
        "mean_risk": told.mean_risk,
        "share_from_elsewhere": told.share,
        "windows": told.windows,
        "past_error": analysis.past_error if tells_past else None,
    }


def _model(analysis: Analysis, rule: Disclosure) -> dict[str, Any]:
    model = analysis.model
    coefficients = None
    if isinstance(model.model_, LinearFit):
        rows = model.summary(analysis.mean_risk.level).coefficients
        coefficients = [row for row in rows if rule.allows_feature(row.term)]
    return {
        "classifier": type(model).__name__,
        "learner": str(model.learner),
        "chosen": None if model.selection_ is None else model.selection_.chosen,
        "distribution": getattr(model, "distribution_", None),
        "converged": bool(model.converged_),
        "log_likelihood": float(model.fit_result_.log_likelihood),
        "coefficients": coefficients,
    }
