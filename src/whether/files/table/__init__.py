"""Tables that people bring: reading them, telling what their columns are, and turning these into features.

Nothing is guessed in silence: whatever is done to a table is a sentence in `Notes`.
"""

from whether.files.table.columns import Column, as_days, guess_column, parse_day
from whether.files.table.encoder import Encoder, first_cell
from whether.files.table.learn import Observed, Wishes, learn_encoder
from whether.files.table.notes import Note, Notes, TableError, count_people, name_columns, suggest
from whether.files.table.source import read_table
from whether.files.table.write import check_format, write_table

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
