"""Ways to a small count through tables and pictures: bins, steps of a curve, points with their bars."""

import re
from itertools import pairwise

import numpy as np

from tests.disclosure.counting import only_integer
from tests.disclosure.reading import Written, read_number
from tests.disclosure.truth import is_small

PEOPLE_HEADER = re.compile(r"people|recorded|selected|observation")
SEEN_HEADER = re.compile(r"^(?!predicted).*(recorded event|with the event|event seen)")
# How near a drawn point has to lie to what it is taken for: coordinates have six decimals.
DRAWN = 2e-6
POINT = re.compile(r"([ML])\s*(-?[\d.]+)[ ,](-?[\d.]+)")
TICK = re.compile(
    r'<use [^>]*?x="([\d.]+)" y="([\d.]+)"(?:(?!<use ).){0,900}?(?:<!-- ([^>]*?) -->|<text[^>]*>([^<]*)</text>)',
    re.DOTALL,
)


# ---------------------------------------------------------------- tables


def find_cells(truth, documents):
    """A small count in a table, or one that the columns of its row give together."""
    for document in documents:
        for rows in document.tables:
            header = rows[0] if rows else []
            for row in rows[1:]:
                where = f"{document.name}: {' | '.join(row)[:80]}"
                counts = {
                    name: int(cell.replace(",", ""))
                    for name, cell in zip(header, row, strict=False)
                    if PEOPLE_HEADER.search(name) and re.fullmatch(r"\d[\d,]*", cell)
                }
                yield from (("a cell", count, where, name) for name, count in counts.items() if is_small(count))
                people = next((count for name, count in counts.items() if name.startswith("people")), None)
                if people:
                    yield from _share_cells(people, header, row, where)


def _share_cells(people, header, row, where):
    observed = any("recorded event" in name for name in header)
    for name, cell in zip(header, row, strict=False):
        found = re.fullmatch(r"(\d+(?:\.\d+)?) %", cell)
        if found and (SEEN_HEADER.search(name) or (observed and name == "observed")):
            low, high = read_number("", Written(found[1]), 0.01).times(people)
            count = only_integer(low, high)
            if count is not None and (is_small(count) or is_small(people - count)):
                yield "a cell", count, where, f"{cell} of {people}"


def find_at_risk(truth, documents):
    """Few events, few ends without one, or few entries between two times at which people are counted."""
    if truth.time is None:
        return
    entry = np.zeros(truth.n_people) if truth.entry_time is None else truth.entry_time
    happened = {"events": truth.labeled, "ends of observation": ~truth.labeled}
    for document in documents:
        for told in _counted_times(document, truth.time, entry):
            for low, high in pairwise([-np.inf, *told, np.inf]):
                counts = {k: np.sum(who & (truth.time > low) & (truth.time <= high)) for k, who in happened.items()}
                if truth.entry_time is not None:
                    counts["entries"] = np.sum((entry > low) & (entry <= high))
                for what, count in counts.items():
                    if is_small(count):
                        yield f"{what} by time", int(count), document.name, f"people counted at {low:g} and {high:g}"


def _counted_times(document, time, entry):
    """Times at which a table says how many people are still there, where that is what they are."""
    for rows in document.tables:
        place = [i for i, title in enumerate(rows[0]) if "under observation" in title] if rows else []
        if not (place and rows[0][0].startswith("time")):
            continue
        told = [(float(row[0]), row[place[0]].replace(",", "")) for row in rows[1:]]
        yield [t for t, count in told if count.isdigit() and int(count) == np.sum((time > t) & (entry <= t))]


def find_thresholds(truth, documents):
    """People between two thresholds, where thresholds and bins of the same risk are put together."""
    for document in documents:
        for key, tails in _sweeps(document).items():
            yield from _between(sorted(tails.items()), document.name, key)
        yield from _between(sorted(tails_of_risks(document).items()), document.name, "bins and thresholds together")


def tails_of_risks(document):
    """How many of all people lie at or above a risk, by thresholds and by bins."""
    sweeps = list(_sweeps(document).values())
    largest = max((sweep[0.0] for sweep in sweeps if 0.0 in sweep), default=0)
    tails = {}
    for sweep in sweeps:
        if sweep.get(0.0) == largest:
            tails |= sweep
    for rows in document.tables:
        if rows and rows[0][0] == "risk" and any("no event recorded" in name for name in rows[0]):
            tails |= _bins_to_tails(rows[1:])
    return tails


def _sweeps(document):
    """Numbers of people selected by each threshold."""
    return {
        sweep.get("key", str(i)): dict(zip(map(float, sweep["thresholds"]), sweep["selected"], strict=True))
        for data in document.data
        if isinstance(data, dict)
        for i, sweep in enumerate(data.get("sweeps", []))
    }


def _bins_to_tails(rows):
    """From bins of the risk to how many people lie at or above the start of each."""
    found, tails = [], {}
    for row in rows:
        edges = re.match(r"(\d+) to (\d+) %", row[0])
        cells = [cell.replace(",", "") for cell in row[1:3]]
        if not edges or not all(cell.isdigit() for cell in cells):
            return {}
        found.append((int(edges[1]) / 100, sum(map(int, cells))))
    above = 0
    for start, count in reversed(found):
        above += count
        tails[start] = above
    return tails


def _between(tails, name, what):
    for (low, more), (high, fewer) in pairwise(tails):
        if is_small(abs(more - fewer)):
            yield "people between risks", abs(more - fewer), name, f"{low:.2f} to {high:.2f}: {more} - {fewer}, {what}"


# ---------------------------------------------------------------- pictures


def find_steps(truth, documents):
    """Steps of a Kaplan-Meier curve that stand for few events, or few ends of follow-up."""
    if truth.time is None and truth.follow_up is None:
        return
    for document in documents:
        for picture in document.pictures:
            for axes in _axes(picture):
                yield from _steps(truth, document.name, axes)


def _steps(truth, name, axes):
    reading = _scales(axes)
    if reading is None:
        return
    for line in _lines(axes):
        for what, happened, times, curve in _curves(truth):
            at, share = reading(line)
            # The share just before, or at, a point of the line: both ends of a step are drawn.
            for drawn in (share, 1 - share):
                fits = np.minimum(abs(drawn - curve(at, "right")), abs(drawn - curve(at, "left"))) < 1e-4
                if fits.mean() < 0.9 or len(at) < 6 or len(np.unique(np.round(share, 6))) < 3:
                    continue
                edges = np.unique(np.round(at[np.append(np.abs(np.diff(share)) > DRAWN, False)], 6))
                held = [np.sum(happened & (times > a + 1e-3) & (times <= b + 1e-3)) for a, b in pairwise([0.0, *edges])]
                small = [int(count) for count in held if is_small(count)]
                if small:
                    yield what, small[0], name, f"{len(small)} steps of a curve stand for at most {max(small)} each"


def _curves(truth):
    """Curves that a line may be: what happens, to whom, when, and the share to whom it has not by then."""
    everybody = np.ones(truth.n_people, dtype=bool)
    if truth.time is not None:
        happened = {"events by time": truth.labeled}
        if truth.died is not None:
            happened |= {"deaths by time": truth.died, "events or deaths by time": truth.labeled | truth.died}
            curve = _curve(truth.time, truth.labeled, truth.labeled | truth.died, truth.entry_time)
            yield "events before death by time", truth.labeled, truth.time, curve
        for what, rows in happened.items():
            yield what, rows, truth.time, _curve(truth.time, rows, rows, truth.entry_time)
    if truth.follow_up is not None:
        yield "ends of follow-up", everybody, truth.follow_up, _curve(truth.follow_up, everybody, everybody)
    elif truth.time is not None:
        yield "ends of follow-up", ~truth.labeled, truth.time, _curve(truth.time, ~truth.labeled, ~truth.labeled)


def _curve(times, happened, ends, entry=None):
    """The share without it by Aalen and Johansen's method, which is Kaplan and Meier's where nothing else ends it."""
    entry = np.full(times.size, -np.inf) if entry is None else entry
    steps = np.unique(times[ends])
    at_risk = np.array([np.sum((times >= t) & (entry < t)) for t in steps])
    gone, own = (np.array([np.sum(rows & (times == t)) for t in steps]) for rows in (ends, happened))
    before = np.concatenate([[1.0], np.cumprod(1 - gone / at_risk)])[:-1]
    level = 1 - np.concatenate([[0.0], np.cumsum(before * own / at_risk)])

    def curve(at, side):
        # Coordinates are rounded, so a time is looked up a little before or after it.
        shift = 1e-5 * times.max() * (1 if side == "right" else -1)
        return level[np.searchsorted(steps, at + shift, side)]

    return curve


def find_points(truth, documents):
    """Points that are shares of groups of known size."""
    for document in documents:
        for picture in document.pictures:
            for axes in _axes(picture):
                reading = _scales(axes)
                for points in _markers(axes) if reading is not None else ():
                    yield from _group_points(truth, document.name, reading(points)[1])


def _group_points(truth, name, shares):
    sizes = {truth.n_people // len(shares), -(-truth.n_people // len(shares))}
    for size in sizes:
        counts = shares[shares > 1e-6] * size
        whole = np.abs(counts - np.round(counts)) < 1e-4
        small = [int(count) for count in np.round(counts[whole]) if is_small(count)]
        # All groups have one of two sizes: where half come out whole, these are the groups.
        if small and whole.mean() >= 0.5:
            yield "a group by follow-up", small[0], name, f"{len(small)} points are shares of {size} people"


def can_be_read(picture):
    """Whether a picture has axes with numbers on them."""
    return any(_scales(axes) is not None for axes in _axes(picture))


def _axes(picture):
    """Parts of a drawing with axes of their own."""
    parts = re.split(r'(?=<g id="axes_)', picture)
    return parts[1:] if len(parts) > 1 else parts


def _scales(axes):
    """From places to what the axes say, by the ticks; None where an axis has no numbers or is not straight."""
    ticks = [(float(x), float(y), _tick(a or b)) for x, y, a, b in TICK.findall(axes)]
    ticks = [tick for tick in ticks if tick[2] is not None]
    if len(ticks) < 4:
        return None
    left, bottom = (max(set(line), key=line.count) for line in ([t[0] for t in ticks], [t[1] for t in ticks]))
    sides = [(y, value) for x, y, value in ticks if x == left]
    across, up = _fit([(x, value) for x, y, value in ticks if y == bottom and x != left]), _fit(sides)
    if across is None or up is None:
        return None
    percent = 0.01 if max(abs(value) for _, value in sides) > 2 else 1
    return lambda points: (np.polyval(across, points[:, 0]), np.polyval(up, points[:, 1]) * percent)


def _tick(text):
    try:
        return float(text.replace("−", "-").replace(",", "").replace("%", ""))
    except ValueError:
        return None


def _fit(pairs):
    if len(pairs) < 2:
        return None
    place, value = np.array(pairs).T
    line = np.polyfit(place, value, 1)
    return line if np.allclose(np.polyval(line, place), value, atol=1e-4 * np.ptp(value)) else None


def _lines(axes):
    for path in re.findall(r'<path [^>]*?d="([^"]*)"', axes):
        points = np.array([(float(x), float(y)) for _, x, y in POINT.findall(path)])
        if len(points) >= 6:
            yield points * [1, np.sign(points[:, 1].mean()) or 1]


def _markers(axes):
    """Places of signs that are not ticks, a set for each kind of sign."""
    ticks = {(x, y) for x, y, a, b in TICK.findall(axes) if _tick(a or b) is not None}
    by_sign = {}
    for attributes in re.findall(r"<use ([^>]*)>", axes.partition('id="legend')[0]):
        found = dict(re.findall(r'(href|x|y)="([^"]*)"', attributes))
        if {"href", "x", "y"} <= set(found) and (found["x"], found["y"]) not in ticks:
            by_sign.setdefault(found["href"], set()).add((float(found["x"]), float(found["y"])))
    return [np.array(sorted(points)) for points in by_sign.values() if len(points) >= 3]


RULES = (find_cells, find_at_risk, find_thresholds, find_steps, find_points)
