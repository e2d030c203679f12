"""The paper's experiments rerun, and ours: resumable, on one machine or many.

`plan` lists studies and their cells, `lineup` the methods they compare; `samples` and `real_cohorts` make the data of a
cell, and `cell` runs it. `backends` spreads cells over processes, `store` keeps what comes back in one SQLite file, and
`runner` ties these together. `metrics` has the names of scores; `score_tables` and `render` put ours beside those
of the paper, and `figures` draws.
"""
