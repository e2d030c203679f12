"""Facts told: as text, as data for programs, as figures, and as a page that opens offline.

Whatever leaves goes through one rule, `whether.telling.disclosure`, which is applied to facts and not to sentences.
"""

from whether.telling.figures import draw
from whether.telling.page.write import write_report

__all__ = ["draw", "write_report"]
