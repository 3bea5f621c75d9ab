"""Why a kernel or an application is slow, how sure that is, and what to try.

Rules are data, decided from figures that were computed before; nothing is measured here."""
