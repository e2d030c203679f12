"""Figures of stored results, for one column of a paper and for its full width."""

from whether.study.figures.gallery import draw_all

__all__ = ["draw_all"]
