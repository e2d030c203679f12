"""Measurements that are not tests: speed, memory, and tables that take minutes.

Run one with ``python -m benchmarks NAME``; ``python -m benchmarks`` lists them.
"""
