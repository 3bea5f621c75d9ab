"""Symbolic proofs: a changed kernel does the same as the original for all inputs."""

from rocm_perf_lab.prove.symbolic.device_ir import device_ir
from rocm_perf_lab.prove.symbolic.prove import prove_equal
from rocm_perf_lab.prove.symbolic.report import SymbolicReport

__all__ = ["SymbolicReport", "device_ir", "prove_equal"]
