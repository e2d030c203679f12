"""The report: one HTML file that opens offline and tells nothing about single persons.

`write_report` turns an `Analysis` into a page. Numbers are made harmless in `disclosure` before they reach a figure or
a table; a template then prints them and computes nothing.
"""

from whether.report.write import write_report

__all__ = ["write_report"]
