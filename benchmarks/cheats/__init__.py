"""An adversary of the proof: faults made at random that it must refuse, honest changes that it must
accept. ``python -m benchmarks.cheats fuzz`` and ``python -m benchmarks.cheats honest``."""
