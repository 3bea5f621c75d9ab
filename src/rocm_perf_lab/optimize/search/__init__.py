"""What to try next: kernels by what they cost, combinations of rules, and what it all came to.
It never lets a change by that the gate has not accepted."""
