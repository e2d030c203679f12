"""Tables that people bring: reading them, telling what their columns are, and turning these into features.

Nothing is guessed in silence: whatever is done to a table is a `Finding`.
"""

from whether.files.table.check import SeenColumn, TableCheck, check_table
from whether.files.table.conversion_log import ConversionLog, read_conversion_log
from whether.files.table.encoder import Encoder
from whether.files.table.findings import Finding, TableError
from whether.files.table.proposal import Hurdle, Obstacle
from whether.files.table.table_cohort import TableCohort, read_cohort
from whether.files.table.table_file import OpenTable, check_format, open_table, write_table

__all__ = [
    "ConversionLog", "Encoder", "Finding", "Hurdle", "Obstacle", "OpenTable", "SeenColumn", "TableCheck", "TableCohort",
    "TableError", "check_format", "check_table", "open_table", "read_cohort", "read_conversion_log", "write_table",
]  # fmt: skip
