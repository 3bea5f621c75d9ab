"""What a cause costs, measured: times of one kernel with mechanisms of the device made free.

Decides what to measure next and what it means; never runs anything and never guesses a time.
"""
