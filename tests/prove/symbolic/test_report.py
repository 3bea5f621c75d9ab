"""What a report says: what is relied on, what is missing, and where."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from rocm_perf_lab.prove.symbolic import SymbolicReport, prove_equal
from rocm_perf_lab.prove.symbolic.prove import COMPILER, CONTRACTION, RACES

HEAD = "define amdgpu_kernel void @k(ptr addrspace(1) noundef %p, i32 noundef %n, float %x) #0 {\n"
PLAIN = 'attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx942" }\n'
LOOP = """entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %out
body:
  %wide = sext i32 %i to i64
  %at = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %wide
  store i32 %i, ptr addrspace(1) %at, align 4
  %next = add nsw i32 %i, 1
  br label %head
out:
  ret void
}
"""
UNROLLED = """entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %long = sext i32 %i to i64
  %ahead = add i64 %long, 1
  %bound = sext i32 %n to i64
  %more = icmp slt i64 %ahead, %bound
  br i1 %more, label %body, label %rest
body:
  %at = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %long
  store i32 %i, ptr addrspace(1) %at, align 4
  %second = add i32 %i, 1
  %wide2 = sext i32 %second to i64
  %at2 = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %wide2
  store i32 %second, ptr addrspace(1) %at2, align 4
  %next = add i32 %i, 2
  br label %head
rest:
  %j = phi i32 [ %i, %head ], [ %after, %one ]
  %still = icmp slt i32 %j, %n
  br i1 %still, label %one, label %out
one:
  %widej = sext i32 %j to i64
  %atj = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %widej
  store i32 %j, ptr addrspace(1) %atj, align 4
  %after = add nsw i32 %j, 1
  br label %rest
out:
  ret void
}
"""


def prove(before: str, after: str, attributes: str = PLAIN) -> SymbolicReport:
    return prove_equal(HEAD + before + PLAIN, HEAD + after + attributes, "k")


def test_a_proof_names_what_it_relies_on() -> None:
    report = prove(LOOP, LOOP)
    assert report == SymbolicReport(True, "", (COMPILER, RACES), report.stores, 1)


def test_an_unrolled_loop_needs_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, *more: Any) -> Any:
        if name == "z3":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    monkeypatch.delitem(sys.modules, "z3", raising=False)
    report = prove(LOOP, UNROLLED)
    assert not report.proven
    assert "z3-solver is not installed" in report.reason
    assert prove(LOOP, LOOP).proven, "what needs no inequalities is proven all the same"


def test_an_unrolled_loop() -> None:
    pytest.importorskip("z3")
    assert prove(LOOP, UNROLLED).proven
    assert not prove(LOOP, UNROLLED.replace("store i32 %second", "store i32 %i")).proven
    assert not prove(LOOP, UNROLLED.replace("%i, 2", "%i, 3")).proven
    assert not prove(LOOP, UNROLLED.replace("%long, 1", "%long, 0")).proven


def test_a_poison_value_of_the_changed_kernel_is_not_overlooked() -> None:
    """32 bits may overflow in the test where the original computes nothing."""
    pytest.importorskip("z3")
    narrow = UNROLLED.replace("%ahead = add i64 %long, 1", "%ahead = add nsw i32 %i, 1").replace(
        "icmp slt i64 %ahead, %bound", "icmp slt i32 %ahead, %n"
    )
    assert not prove(LOOP, narrow).proven
    wrapping = narrow.replace("%ahead = add nsw", "%ahead = add")
    assert not prove(LOOP, wrapping).proven


def test_launch_bounds_are_a_promise() -> None:
    smaller = PLAIN.replace("1,1024", "1,256")
    report = prove(LOOP, LOOP, smaller)
    assert report.proven
    assert any("1,256" in text for text in report.assumptions)


def test_other_attributes_are_refused() -> None:
    other = PLAIN.replace("gfx942", "gfx90a")
    assert "attributes" in prove(LOOP, LOOP, other).reason


def test_contraction_is_named() -> None:
    body = """  %a = fmul contract float %x, %x
  %b = fadd contract float %a, %x
  store float %b, ptr addrspace(1) %p, align 4
  ret void
}
"""
    assert CONTRACTION in prove(body, body).assumptions
    assert not prove(body, body.replace("fadd contract float %a, %x", "fadd float %a, %x")).proven


def test_a_promise_about_parameters_is_no_proof() -> None:
    restrict = HEAD.replace("noundef %p", "noalias noundef %p")
    report = prove_equal(HEAD + LOOP + PLAIN, restrict + LOOP + PLAIN, "k")
    assert "parameters" in report.reason
