"""Ways to a single person: a value that is somebody's, a rare cell quoted, a coefficient of very few."""

import re

import numpy as np

from tests.disclosure.reading import NUMBER, Written, read_number

SAME = 1e-9
# A number of so many digits points at one person among some hundreds; the extremes are told by fewer.
POINTED, POINTED_EXTREME = 5, 4


def find_values(truth, documents):
    """A number that is the value of somebody in the table, to the digits it is written with."""
    columns = {name: np.sort(values) for name, values in truth.values.items() if values.size}
    for document in documents:
        for number in _all_numbers(document):
            if number.digits < POINTED_EXTREME:
                continue
            for name, values in columns.items():
                value = _whose(number, values)
                if value is not None:
                    yield f"a person's {name}", value, number.where, f"{number.value:.10g}"
                    break
            else:
                for name, value in truth.extremes.items():
                    if number.low <= value <= number.high and abs(value) > 0:
                        yield f"the {name}", value, number.where, f"{number.value:.10g}"
                        break


def _whose(number, values):
    """The value that a number is, in full or rounded to enough digits."""
    i = np.searchsorted(values, number.value)
    for value in values[max(0, i - 1) : i + 1]:
        digits = len(f"{value:.12g}".replace(".", "").lstrip("0"))
        same = abs(number.value - value) <= SAME * abs(value)
        rounded = number.digits >= POINTED and number.low <= value <= number.high
        if digits >= POINTED_EXTREME and (same or rounded):
            return float(value)
    return None


def _all_numbers(document):
    yield from document.numbers
    for where, text in document.texts:
        for found in NUMBER.findall(text):
            yield read_number(f"{where}: {text[:60]}", Written(found))


def find_words(truth, documents):
    """A cell that fewer than 11 people share, in a sentence, a name or a table."""
    if not truth.words:
        return
    pattern = re.compile(r"(?<!\w)(" + "|".join(re.escape(word) for word in truth.words) + r")(?!\w)")
    for document in documents:
        for where, text in document.texts:
            for found in pattern.findall(text):
                yield f"a cell of {truth.words[found]}", found, where, text[:90]


def find_coefficients(truth, documents):
    """A coefficient, or a row of a table, of a feature that few have."""
    for document in documents:
        for data in document.data:
            for where, term in _terms(data, document.name):
                if term in truth.rare:
                    yield f"coefficient of {term}", term, where, "estimated from few"
        for table in document.tables:
            for row in table[1:]:
                if row and row[0] in truth.rare and any(re.search(r"\d", cell) for cell in row[1:]):
                    yield f"coefficient of {row[0]}", row[0], f"{document.name}: {' | '.join(row)[:80]}", "in a table"


def _terms(value, where):
    if isinstance(value, dict):
        if "term" in value and value.get("estimate") is not None:
            yield f"{where}.{value.get('part', '')}", value["term"]
        for key, inner in value.items():
            yield from _terms(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _terms(inner, where)


RULES = (find_values, find_words, find_coefficients)
