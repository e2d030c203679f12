"""Ways to a small count: what is said outright, complements, shares of totals, limits that betray their size."""

import re
from itertools import combinations

import numpy as np
from scipy.stats import beta, chi2, norm

from tests.disclosure.reading import Written, clauses, read_number
from tests.disclosure.truth import is_small

EXACT = 1e-9
CLOSE = 1e-6
PERSON = (
    r"people|persons?|patients?|rows?|events?|gaps?|cells?|missing values?|unlabeled|labeled|"
    r"with(?:out)? (?:the|an|a recorded) event"
)
COUNTED = re.compile(rf"(?<![\d.,<\w])(\d+(?:,\d{{3}})*) (?:more )?(?:[a-z-]+ ){{0,2}}?(?:{PERSON})\b")
# Counts of people, by their key in JSON. What is about the computation (starts, splits, parameters) is none.
PEOPLE_KEY = re.compile(
    r"(^|_)(n|people|persons|events|unlabeled|labeled|positives?|negatives?|training|test|at_risk|left|selected|gaps|"
    r"missing|after_last_event)$"
)
SHARE_OF_EVENTS = re.compile(r"\.(lowest|lowest_by_times_limit|seen_share|label_share|event_share|labeled_share)$")
PARAMETER_KEY = re.compile(r"per_(parameter|coefficient)")
PER_PARAMETER = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) (?:events )?per (?:coefficient|parameter)")
# Words of an estimate: it may fall on a count by chance, and says nothing about it.
ESTIMATE = re.compile(
    r"expected|estimate|risk|would|model|figure|interval|about|predicted|chance|assume|assuming|if all|rank|cured|never"
)
RISK_KEY, UNSEEN_KEY = re.compile(r"mean_risk(\.estimate)?$"), re.compile(r"unseen(\.estimate)?$")
RISK_TEXT = re.compile(r"mean risk[^.%]{0,50}? (?:is|between|and) (\d+(?:\.\d+)?)(?: %| and)")
UNSEEN_TEXT = re.compile(r"(?:[Aa]bout (\d[\d,]*) of the|[Bb]etween (\d[\d,]*) and|and (\d[\d,]*) of the)")


def only_integer(low, high):
    """The one whole number between two values, or None where there is none or more than one."""
    first, last = int(np.ceil(low - CLOSE)), int(np.floor(high + CLOSE))
    return first if first == last else None


def nearest_small(value, tolerance=EXACT):
    """The small count that a number is, or None."""
    count = round(value)
    return count if is_small(count) and abs(value - count) <= tolerance * count else None


def totals(truth, documents):
    """Numbers of people that anybody knows: all of them, and those of a kind where they are told."""
    told = {number.value for document in documents for number in document.numbers if number.is_count}
    told |= {int(found.replace(",", "")) for d in documents for _, text in d.texts for found in COUNTED.findall(text)}
    kinds = {"events": truth.n_events, "unlabeled": truth.n_unlabeled}
    return {"people": truth.n_people} | {k: v for k, v in kinds.items() if not is_small(v) and v in told}


def name_group(truth, count):
    """Which small groups have so many people."""
    return " or ".join(name for name, size in truth.groups.items() if size == count) or "some group"


def find_stated(truth, documents):
    """A count that stands there."""
    for document in documents:
        for number in document.numbers:
            key = re.sub(r"\[\d+\]", "", number.where).rpartition(".")[2]
            if number.is_count and is_small(number.value) and PEOPLE_KEY.search(key):
                yield name_group(truth, number.value), int(number.value), number.where, "stated"
        for where, clause in clauses(document):
            for found in COUNTED.findall(clause):
                count = int(found.replace(",", ""))
                if count in truth.groups.values() and not ESTIMATE.search(clause):
                    yield name_group(truth, count), count, where, f"stated: {clause[:90]}"


def find_complements(truth, documents):
    """All people less those of the other kind."""
    for kind in {"events", "unlabeled"} & set(truth.groups):
        rest = truth.n_people - truth.groups[kind]
        for document in documents:
            told = [n.where for n in document.numbers if n.is_count and n.value == rest]
            told += [
                f"{where}: {text[:80]}"
                for where, text in document.texts
                if any(int(found.replace(",", "")) == rest for found in COUNTED.findall(text))
            ]
            for where in told:
                yield kind, truth.groups[kind], where, f"{truth.n_people} - {rest}"


def find_shares(truth, documents):
    """A number to all its digits that is a share of a total, its complement, or a ratio to it."""
    known = totals(truth, documents)
    for document in documents:
        for number in (n for n in document.numbers if n.is_full and abs(n.value - round(n.value)) > CLOSE):
            for name, total in known.items():
                ways = {"x": number.value * total, "(1 - x)": (1 - number.value) * total}
                if number.value:
                    ways["1/x"] = total / number.value
                for way, product in ways.items():
                    count = nearest_small(product, CLOSE / 10)
                    if count:
                        group = name_group(truth, count)
                        yield group, count, number.where, f"{way} times {total} {name}, x = {number.value:.9g}"


def find_rounded_shares(truth, documents):
    """A rounded share of the events that only one count can have given."""
    kinds = {"events", "unlabeled", "dead", "never", "late", "from the start"} & set(truth.groups)
    for where, number in _shares_of_events(documents):
        for kind in kinds:
            count = truth.groups[kind]
            for low, high in (number.times(truth.n_people), (1 - number.high, 1 - number.low)):
                scale = 1 if low == number.times(truth.n_people)[0] else truth.n_people
                if only_integer(low * scale, high * scale) == count:
                    yield kind, count, where, f"{number.value:.4g} of {truth.n_people} people"


def _shares_of_events(documents):
    for document in documents:
        yield from ((n.where, n) for n in document.numbers if SHARE_OF_EVENTS.search(n.where))
        for value in document.data:
            yield from _label_models(value, document.name)
        for where, clause in clauses(document):
            if not ESTIMATE.search(clause):
                for found in re.findall(r"(?<![\d.,])(\d+(?:\.\d+)?) %", clause):
                    yield f"{where}: {clause[:80]}", read_number(where, Written(found), 0.01)


def _label_models(value, where):
    """Mean risks of the model that takes every event for seen: their mean is the share of the events."""
    if isinstance(value, dict):
        if value.get("value") == "LR" and isinstance(value.get("mean_risk"), float):
            yield f"{where}: mean risk of LR", read_number(where, value["mean_risk"])
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _label_models(inner, where)


def find_ratios(truth, documents):
    """Events, or people without one, per parameter of a model whose parameters can be counted."""
    for document in documents:
        numbers = [n for n in document.numbers if PARAMETER_KEY.search(n.where)]
        numbers += [
            read_number(f"{where}: {text[:60]}", Written(found))
            for where, text in document.texts
            for found in PER_PARAMETER.findall(text)
        ]
        for number in numbers:
            for features in _count_features(documents):
                parameters = 2 * (features + 1)
                count = only_integer(*number.times(parameters))
                if count is not None and count in (truth.groups.get("events"), truth.groups.get("unlabeled")):
                    yield name_group(truth, count), count, number.where, f"{number.value:g} times {parameters}"


def _count_features(documents):
    return {int(n.value) for d in documents for n in d.numbers if n.where.endswith(".n_features")}


def find_score_equation(truth, documents):
    """Expected positives less expected unseen positives: by the score equation, the events."""
    risks, unseen = [], []
    for document in documents:
        risks += [n for n in document.numbers if RISK_KEY.search(n.where) and "variants" not in n.where]
        unseen += [n for n in document.numbers if UNSEEN_KEY.search(n.where)]
        for where, text in document.texts:
            risks += [read_number(where, Written(found), 0.01) for found in RISK_TEXT.findall(text)]
            for found in UNSEEN_TEXT.findall(text):
                told = float("".join(found).replace(",", ""))
                unseen.append(type(risks[0])(where, told, 2, told - 0.5, told + 0.5) if risks else None)
    for risk in risks:
        for rest in filter(None, unseen):
            low, high = risk.times(truth.n_people)
            slack = EXACT * truth.n_people
            count = only_integer(low - rest.high - slack, high - rest.low + slack)
            exact = count is not None and (risk.low < risk.high or abs(low - rest.low - count) < 1e-4)
            if exact and count == truth.groups.get("events"):
                yield "events", count, f"{risk.where} and {rest.where}", f"mean risk x {truth.n_people} - unseen"


def find_limits(truth, documents):
    """An estimate whose limits or standard error only so few events can give."""
    for document in documents:
        for where, beside in document.objects:
            if {"estimate", "lower", "upper"} <= set(beside):
                values = {name: number.value for name, number in beside.items()}
                count = _poisson_size(values) or _binomial_size(truth, values)
                if count:
                    yield name_group(truth, count), count, where, "limits of a rate or a share"
            pairs = [(name, name.replace("probability", "limit")) for name in beside if "probability" in name]
            for share, limit in (pair for pair in pairs if pair[1] in beside):
                count = _one_sided_size(truth, beside[share].value, beside[limit].value)
                if count:
                    yield name_group(truth, count), count, f"{where}.{share}", "share with its limit"


def _poisson_size(values):
    rate, tail = values["estimate"], (1 - values.get("level", 0.95)) / 2
    if rate <= 0:
        return None
    for count in range(1, 11):
        limits = chi2.ppf([tail, 1 - tail], [2 * count, 2 * count + 2]) / 2 / count * rate
        if np.allclose(limits, [values["lower"], values["upper"]], rtol=CLOSE, atol=0):
            return count
    return None


def _binomial_size(truth, values):
    share, tail = values["estimate"], (1 - values.get("level", 0.95)) / 2
    if not 0 < share < 1:
        return None
    for count in range(1, 11):
        for part in (share, 1 - share):
            size = count / part
            if abs(size - round(size)) > CLOSE * size or size > truth.n_people:
                continue
            low, high = (
                (1 - values["upper"], 1 - values["lower"]) if part != share else (values["lower"], values["upper"])
            )
            if any(np.allclose((low, high), limits, rtol=CLOSE) for limits in _limits(count, size, tail)):
                return count
    return None


def _one_sided_size(truth, share, limit):
    if not 0 < share < 1:
        return None
    for count in range(1, 11):
        size = count / share
        if abs(size - round(size)) > CLOSE * size or size > truth.n_people:
            continue
        for tail in (0.05, 0.025):
            if any(abs(low - limit) < CLOSE * limit for low, _ in _limits(count, size, tail)):
                return count
    return None


def _limits(count, size, tail):
    """Wilson's limits and the exact ones."""
    z, share = norm.ppf(1 - tail), count / size
    center, half = share + z**2 / (2 * size), z * np.sqrt(share * (1 - share) / size + (z / size) ** 2 / 4)
    yield (center - half) / (1 + z**2 / size), (center + half) / (1 + z**2 / size)
    yield beta.ppf(tail, count, size - count + 1), beta.ppf(1 - tail, count + 1, size - count)


def find_pairs(truth, documents):
    """Sums, differences, products and ratios of numbers that stand side by side, and of the total."""
    counts = set(truth.groups.values())
    for document in documents:
        for where, beside in document.objects:
            if "ratio" in beside:  # the exponential of a small number is the number plus one
                continue
            numbers = [(name, n) for name, n in beside.items() if n.is_full or (n.is_count and n.value >= 11)]
            for (one, a), (other, b) in combinations(numbers, 2):
                if a.is_count and b.is_count and not (PEOPLE_KEY.search(one) and PEOPLE_KEY.search(other)):
                    continue
                ways = _combine(a.value, b.value)
                # How many times one count is another is no count.
                for way, value in (w for w in ways if w[0] in "+-" or not (a.is_count and b.is_count)):
                    count = nearest_small(value)
                    if count in counts:
                        yield name_group(truth, count), count, where, f"{one} {way} {other}"


def _combine(a, b):
    yield from (("+", a + b), ("-", a - b), ("-", b - a), ("x", a * b))
    if a and b and a != b:
        yield from (("/", a / b), ("/", b / a))


RULES = (
    find_stated, find_complements, find_shares, find_rounded_shares, find_ratios, find_score_equation, find_limits,
    find_pairs,
)  # fmt: skip
