"""The evidence, one file a question: what was found is a fact, and what it says in words is told elsewhere."""
