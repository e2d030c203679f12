"""Everything the program says, as an outsider would read it: numbers with their precision, sentences, tables, lines."""

import csv
import io
import json
import math
import re
import zipfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np

NUMBER = re.compile(r"(?<![\w.,<])[-−+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE)
# Places on a screen, which the script of the page needs: they repeat what is drawn, in pixels.
PIXELS = {"narrow", "wide"}
# So many digits are the number itself, and not what it was rounded to.
FULL = 6


class Written(float):
    """A number that remembers how it was written."""

    def __new__(cls, text):
        written = super().__new__(cls, text.replace(",", "").replace("−", "-"))
        written.text = text
        return written


@dataclass(frozen=True)
class Number:
    """A number, where it stands, and between which values the exact one lies."""

    where: str
    value: float
    digits: int
    low: float
    high: float

    @property
    def is_full(self):
        return self.digits >= FULL

    @property
    def is_count(self):
        return self.value == round(self.value) and self.low == self.high

    def times(self, factor):
        """Between which values a multiple lies."""
        return self.low * factor, self.high * factor


def read_number(where, written, scale=1.0):
    """A number from how it was written: rounded to its last decimal, unless it has all digits or is whole."""
    text = getattr(written, "text", None) or repr(written)
    mantissa, _, exponent = text.lower().replace(",", "").replace("−", "-").lstrip("+-").partition("e")
    value = float(Written(text)) * scale
    digits = len(mantissa.replace(".", "").lstrip("0"))
    whole = "." not in mantissa and not exponent and scale == 1.0
    decimals = len(mantissa.partition(".")[2])
    half = 0.0 if whole or digits >= FULL else 0.5 * 10.0 ** (int(exponent or 0) - decimals) * scale
    return Number(where, value, digits, value - half, value + half)


@dataclass
class Document:
    """One file that the program wrote.

    `numbers` and `objects` come from JSON (an object is the numbers that stand side by side), `texts` are sentences,
    `tables` are rows of cells with the header first, `pictures` are drawings, `data` is the JSON itself.
    """

    name: str
    numbers: list = field(default_factory=list)
    objects: list = field(default_factory=list)
    texts: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    pictures: list = field(default_factory=list)
    data: list = field(default_factory=list)

    def add_json(self, data):
        """Take in a JSON value."""
        self.data.append(data)
        self._walk(data, self.name)

    def _walk(self, value, where):
        if isinstance(value, dict):
            beside = {}
            for key, inner in value.items():
                if key in PIXELS:
                    continue
                if _is_number(inner):
                    beside[key] = read_number(f"{where}.{key}", inner)
                self._walk(inner, f"{where}.{key}")
            self.objects.append((where, beside))
        elif isinstance(value, list):
            for i, inner in enumerate(value):
                self._walk(inner, f"{where}[{i}]")
        elif isinstance(value, str):
            self.texts.append((where, value))
        elif _is_number(value) and math.isfinite(value):
            self.numbers.append(read_number(where, value))


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Page(HTMLParser):
    """Text, tables and drawings of a page. Every block of text is a sentence or more."""

    BLOCKS = frozenset({"p", "li", "td", "th", "dd", "dt", "div", "h1", "h2", "h3", "h4", "summary", "figcaption"})

    def __init__(self, source):
        super().__init__()
        self.blocks, self.tables = [""], []
        self._hidden = 0
        self._cell = None
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self._hidden += tag in ("script", "style", "svg")
        label = dict(attributes).get("aria-label") or dict(attributes).get("title")
        if tag in self.BLOCKS:
            self.blocks.append("")
        if label:
            self.blocks += [label, ""]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        self._hidden -= tag in ("script", "style", "svg")
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(_clean(self._cell))
            self._cell = None

    def handle_data(self, data):
        if not self._hidden:
            self.blocks[-1] += data
            if self._cell is not None:
                self._cell += data


def _clean(text):
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ").replace("\u202f", " ")).strip()


def _read_page(path):
    source = path.read_text(encoding="utf-8")
    page, document = Page(source), Document(path.name)
    blocks = [_clean(block) for block in page.blocks]
    # A term and what is said of it are one sentence: "people in the cohort", "312".
    document.texts = [(path.name, block) for block in blocks if block]
    document.texts += [(path.name, f"{b} {a}") for a, b in pairwise(blocks) if b[:1].isdigit()]
    document.tables = page.tables
    document.pictures = re.findall(r"<svg.*?</svg>", source, re.DOTALL)
    for found in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', source, re.DOTALL):
        document.add_json(json.loads(found, parse_float=Written))
    return document


def _read_model(path):
    """A model file: its JSON, and each of its arrays."""
    document = Document(path.name)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                document.add_json(json.loads(archive.read(name), parse_float=Written))
            elif name.endswith(".npy"):
                values = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                if values.dtype.kind == "f":
                    document.numbers += [
                        read_number(f"{path.name}:{name}[{i}]", float(value))
                        for i, value in enumerate(values.ravel())
                        if np.isfinite(value)
                    ]
    return document


def _read_table(path):
    """A table of a publication: its cells, and each row as a sentence under the head of its column."""
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    rows = [[_clean(cell) for cell in row] for row in rows]
    sentences = [
        (path.name, f"{row[0]} {head}: {cell}") for row in rows for head, cell in zip(header[1:], row[1:], strict=True)
    ]
    return Document(path.name, texts=sentences, tables=[[header, *rows]])


def read_folder(folder):
    """Everything in a folder that may be shown, and the model files, which are read for single persons only."""
    shown, models = [], []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            document = Document(path.name)
            document.add_json(json.loads(path.read_text(encoding="utf-8"), parse_float=Written))
            shown.append(document)
        elif path.suffix == ".html":
            shown.append(_read_page(path))
        elif path.suffix == ".txt":
            text = _clean(path.read_text(encoding="utf-8"))
            shown.append(Document(path.name, texts=[(path.name, text)]))
        elif path.name.startswith("table-"):
            shown.append(_read_table(path))
        elif path.suffix == ".svg":
            shown.append(Document(path.name, pictures=[path.read_text(encoding="utf-8")]))
        elif path.suffix == ".whether":
            models.append(_read_model(path))
    return shown, models


def clauses(document):
    """Parts of sentences, each with where it stands; a clause is about one thing."""
    for where, text in document.texts:
        for clause in re.split(r"(?<=[^\d])[.;:](?:\s|$)|(?<=\d)[.;:]\s|[()]|, (?=[a-z])", text):
            if clause.strip():
                yield where, clause.strip()
