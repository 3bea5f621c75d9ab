"""What the benchmark of autotune is made of: the peers, the picture, the models compared."""

from pathlib import Path


def kernel_tuner_runs_path() -> Path:
    """It is run by another Python, never imported here."""
    return Path(__file__).parent / "kernel_tuner_runs.py"
