"""Recorded times of real kernels, held against the times that a prefix gives for the same programs.

    python -m benchmarks.truth TABLE [--programs DIR] [--half fitted] [--sample 36] [--jobs 2]

A table is one file (``tables/*.json``): where the rows are, which columns say what ran, which one
holds the recorded time. A program is an executable ``DIR/TABLE/run`` that takes the columns of a
row as ``name=value`` arguments and prints the time in the unit of the table, last. This package
knows neither how programs are built nor what they compute. A bundle of ``rocm-perf selftest
--calibrate`` is a table, too (``bundle.py``).
"""
