"""The report: one HTML file that opens without a network. A template prints what was told and computes nothing."""
