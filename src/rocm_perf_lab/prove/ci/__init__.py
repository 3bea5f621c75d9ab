"""Base against head of a change, as a CI job asks: builds both, compares them, looks for faults.

It never judges by itself: times are judged by ``prove.compare``, faults found by the device.
"""

KINDS = ("memory", "uninit", "race", "waitcnt", "divide")  # of VROCM_CHECK
