"""What is measured, against whom. ``python -m benchmarks`` runs every module here."""
