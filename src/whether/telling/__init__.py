"""Facts told: as text, as data for programs, as figures, and as a page that opens offline.

Whatever leaves goes through one rule, `whether.telling.disclosure`, which is applied to facts and not to sentences.
"""

from __future__ import annotations

from typing import Any

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity
from whether.analysis import Analysis
from whether.facts import FEWEST
from whether.files.table import TableCheck
from whether.telling.advice_words import AdviceWords
from whether.telling.answer_words import AnswerWords
from whether.telling.check_words import backtest_text, sensitivity_text
from whether.telling.disclosure import Disclosure, disclose
from whether.telling.evidence_words import evidence_sentences
from whether.telling.figures import draw
from whether.telling.group_words import group_lines, told_columns
from whether.telling.look_words import look_data, look_text
from whether.telling.page.write import write_report
from whether.telling.plain import advice_data, analysis_data, backtest_data, evidence_data, sensitivity_data
from whether.telling.publication.paragraphs import paragraph_lines
from whether.telling.publication.writing import write_tables
from whether.telling.window_words import window_lines
from whether.telling.words import as_rows, rows_sentence, wrap

__all__ = ["draw", "to_dict", "to_paragraphs", "to_text", "write_report", "write_tables"]


def to_text(fact: Any, width: int, suppress_below: int) -> str:
    """Return a fact in words; see `whether.facts.Told`."""
    rule = disclose(fact, suppress_below)
    return "\n".join(_TEXT[type(fact)](fact, rule, width))


def to_paragraphs(analysis: Analysis, *, suppress_below: int = FEWEST) -> dict[str, str]:
    """Return a paragraph for a methods section and one for results, under "Methods" and "Results", ready to paste.

    Parameters
    ----------
    analysis : Analysis
    suppress_below : int
        Smallest number of people that is shown.
    """
    return dict(paragraph_lines(AnswerWords(analysis, disclose(analysis, suppress_below))))


def to_dict(fact: Any, suppress_below: int) -> dict[str, Any]:
    """Return a fact as plain data; see `whether.facts.Told`."""
    return _DATA[type(fact)](fact, disclose(fact, suppress_below))


def _evidence_text(evidence: Evidence, rule: Disclosure, width: int) -> list[str]:
    return _under_titles(evidence_sentences(rule.tell(evidence)).items(), width)


def _advice_text(advice: Recommendation, rule: Disclosure, width: int) -> list[str]:
    named = "" if advice.features is None else f", features [{', '.join(advice.features)}]"
    called = type(advice.estimator).__name__
    head = f"Recommended: {called} ({advice.method}{named}, learner={advice.learner!r})"
    return [head, *_under_titles(AdviceWords(advice, rule).parts(), width)]


def _under_titles(parts: Any, width: int) -> list[str]:
    lines: list[str] = []
    for title, sentences in parts:
        if sentences:
            lines.append(title)
        for sentence in sentences:
            lines += wrap(sentence, width, "  ")
    return lines


def _answer_text(analysis: Analysis, rule: Disclosure, width: int) -> list[str]:
    words, persons = AnswerWords(analysis, rule), analysis.origin.n_persons
    sentences = [as_rows(text) for text in words.sentences()] if persons else words.sentences()
    sentences = [rows_sentence(persons), *sentences] if persons else sentences
    lines = [line for text in sentences for line in wrap(text, width, hanging="  ")]
    columns, is_range = told_columns(words.told.by_group), analysis.kind != "estimate"
    groups = group_lines(columns, analysis.kind)
    groups += window_lines(columns, analysis.origin.unit, is_range=is_range)
    return lines + ([as_rows(line) for line in groups] if persons else groups)


_TEXT: dict[type, Any] = {
    Evidence: _evidence_text,
    Recommendation: _advice_text,
    Backtest: lambda record, rule, width: backtest_text(rule.tell(record), width),
    Sensitivity: lambda moved, rule, width: sensitivity_text(rule.tell(moved), width),
    Analysis: _answer_text,
    TableCheck: look_text,
}
_DATA: dict[type, Any] = {
    Evidence: evidence_data,
    Recommendation: lambda advice, rule: {
        **advice_data(advice, rule),
        "evidence": evidence_data(advice.evidence, rule),
    },
    Backtest: backtest_data,
    Sensitivity: sensitivity_data,
    Analysis: analysis_data,
    TableCheck: look_data,
}
