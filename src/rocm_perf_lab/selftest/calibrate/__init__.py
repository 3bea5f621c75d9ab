"""Microbenchmarks on a chip and on the virtual device, by one path, row by row.

It says how far apart the two are. It judges neither, and names no machine in what is to be sent.
"""
