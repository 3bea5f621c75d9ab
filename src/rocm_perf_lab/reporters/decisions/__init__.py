"""What was decided and why: comparisons, verdicts, optimizers, tuning, replay, as text."""
