"""From a stranger's file to a cohort, and back: tables, model files, and writing whole files or none."""
