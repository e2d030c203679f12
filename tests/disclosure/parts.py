"""Ways to a small kind of people through the others: any sum of kinds that is told, solved for the small one."""

import re
from itertools import combinations

import numpy as np

from tests.disclosure.counting import COUNTED
from tests.disclosure.truth import FEWEST, is_small

CLOSE = 1e-7
SLID = re.compile(r"\.selected\[[1-9]\d*\]$")


def find_parts(truth, documents):
    """A kind of people that follows from sums of kinds that are told, all of them together being known."""
    for name, partitions in truth.partitions.items():
        counts = _of_everybody if name == "everybody" else _of_level(name.partition("=")[2])
        for sizes in partitions:
            told = _told_sums(sizes, documents, counts, truth.n_people)
            rows = np.array([[kind in kinds for kind in sizes] for kinds in [tuple(sizes), *told]], dtype=float)
            for i, (kind, size) in enumerate(sizes.items()):
                if is_small(size) and _follows(np.eye(len(sizes))[i], rows):
                    how = "; ".join(f"{' + '.join(kinds)} in {where}" for kinds, where in told.items())
                    yield f"{kind} of {name}", size, next(iter(told.values()), ""), how


def _follows(kind, rows):
    """Whether a kind is a combination of sums."""
    return np.linalg.matrix_rank(np.vstack([rows, kind])) == np.linalg.matrix_rank(rows)


def _told_sums(sizes, documents, counts, n_people):
    """Which sums of kinds, but not all of them, are told, and where."""
    total, numbers = sum(sizes.values()), {}
    for document in documents:
        # A share of everybody may fall on a whole number of the people of a level.
        of_all = {place for _, place in _shares(document, n_people)} if total < n_people else set()
        shares = [found for found in _shares(document, total) if found[1] not in of_all]
        for number, where in (*counts(document), *shares):
            numbers.setdefault(number, where)
    sums = [kinds for n in range(1, len(sizes)) for kinds in combinations(sizes, n)]
    found = {kinds: sum(sizes[kind] for kind in kinds) for kinds in sums}
    return {kinds: numbers[size] for kinds, size in found.items() if size >= FEWEST and size in numbers}


def _of_everybody(document):
    """Counts of people; none of bins, and of a slider only the first, who are all that it selects from."""
    numbers = [number for number in document.numbers if _is_whole(number) and not SLID.search(number.where)]
    yield from ((int(number.value), number.where) for number in numbers)
    for where, text in ((where, text) for where, text in document.texts if ".figures." not in where):
        yield from ((int(found.replace(",", "")), f"{where}: {text[:60]}") for found in COUNTED.findall(text))


def _of_level(level):
    """Function that finds counts in what is said of a level, in JSON and in tables."""

    def counts(document):
        for where, beside in document.objects:
            if any(f"{where}.level" == place and text == level for place, text in document.texts):
                yield from ((int(n.value), n.where) for n in beside.values() if _is_whole(n))
                inner = [n for n in document.numbers if n.where.startswith(f"{where}.") and _is_whole(n)]
                yield from ((int(n.value), n.where) for n in inner)
        cells = [cell for rows in document.tables for row in rows if row and row[0] == level for cell in row[1:]]
        for found in (found for cell in cells for found in re.findall(r"(?<![\d.,])\d[\d,]*(?![\d.,]| ?%)", cell)):
            yield int(found.replace(",", "")), f"{document.name}: {level}"

    return counts


def _is_whole(number):
    """Whether a number is a count, or the end of a range that is one."""
    return number.value == round(number.value)


def _shares(document, total):
    """Whole numbers of people that a number to all its digits is a share of."""
    for number in document.numbers:
        product = number.value * total
        if number.is_full and 0 < number.value < 1 and abs(product - round(product)) < CLOSE * total:
            yield from ((round(product), number.where), (total - round(product), number.where))


RULES = (find_parts,)
