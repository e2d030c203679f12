"""Tables that people bring: reading them, telling what their columns are, and turning these into features.

Nothing is guessed in silence: whatever is done to a table is a sentence in `Notes`.
"""

from whether.tables.columns import Column, as_days, guess_column, parse_day
from whether.tables.encoder import Encoder, first_cell
from whether.tables.learn import Observed, Wishes, learn_encoder
from whether.tables.notes import Note, Notes, TableError, count_people, name_columns, suggest
from whether.tables.source import read_table
from whether.tables.write import check_format, write_table

__all__ = [
    "Column",
    "Encoder",
    "Note",
    "Notes",
    "Observed",
    "TableError",
    "Wishes",
    "as_days",
    "check_format",
    "count_people",
    "first_cell",
    "guess_column",
    "learn_encoder",
    "name_columns",
    "parse_day",
    "read_table",
    "suggest",
    "write_table",
]
