"""
Nothing yet
===========

To come.
"""

print("to come")
