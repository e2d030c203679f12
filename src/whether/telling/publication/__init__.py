"""What a publication takes over: tables of cohort, coefficients and results, and paragraphs of methods and results."""
