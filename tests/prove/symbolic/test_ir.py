"""Reading IR: types and their sizes, lines of the source, what is not read is said."""

from __future__ import annotations

import pytest

from rocm_perf_lab.prove.symbolic.ir.parse import parse_module
from rocm_perf_lab.prove.symbolic.ir.tokens import Tokens
from rocm_perf_lab.prove.symbolic.ir.types import field_offset, size_of
from rocm_perf_lab.prove.symbolic.reasons import NotProven

MODULE = """
%struct.pair = type { i8, %struct.inner }
%struct.inner = type { double, i16 }
@table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4

define protected amdgpu_kernel void @_Z4copyPi(ptr addrspace(1) noundef align 4 %0) #0 !dbg !5 {
  %2 = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !7, !range !9
  switch i32 %2, label %5 [
    i32 1, label %3
    i32 2, label %3
  ]

3:                                                ; preds = %1, %1
  %4 = getelementptr inbounds %struct.pair, ptr addrspace(1) %0, i64 1, i32 1, i32 1
  store i16 -1, ptr addrspace(1) %4, align 8, !tbaa !10, !dbg !8
  br label %5

5:                                                ; preds = %3, %1
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x() #1

attributes #0 = { convergent "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
!5 = distinct !DISubprogram(name: "copy", line: 3)
!6 = distinct !DILocation(line: 12, scope: !5)
!7 = !DILocation(line: 4, scope: !5)
!8 = !DILocation(line: 99, scope: !5, inlinedAt: !6)
!9 = !{i32 0, i32 1024}
!10 = !{!11, !11, i64 0}
!11 = !{!"short", !5}
"""


def test_a_kernel_is_read() -> None:
    module = parse_module(MODULE, "copy")
    function = module.functions["@_Z4copyPi"]
    assert list(function.blocks) == ["%1", "%3", "%5"]
    switch = function.blocks["%1"].end
    assert switch.labels == ("%5", "%3", "%3")
    address, store = function.blocks["%3"].body
    assert (address.op, address.flags) == ("getelementptr", ("inbounds",))
    assert (store.align, store.line) == (8, 12), "the line of the call that was inlined"
    assert "short" in store.metadata["tbaa"]
    assert function.parameters[0].attributes == {"noundef", "align4"}
    assert module.pure == {"llvm.amdgcn.workitem.id.x"}
    assert "i32 2" in module.globals["@table"].text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("i1", 1),
        ("i64", 8),
        ("<3 x float>", 16),
        ("[3 x <2 x half>]", 12),
        ("{ i8, i32, i8 }", 12),
        ("<{ i8, i32, i8 }>", 6),
        ("ptr addrspace(3)", 4),
        ("ptr", 8),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(Tokens(text, {}).type()) == size


def test_fields_of_a_struct() -> None:
    kind = Tokens("{ i8, double, i16 }", {}).type()
    assert [field_offset(kind, index) for index in range(3)] == [0, 8, 16]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("%4 = frobnicate i32 1", "frobnicate"),
        ("%4 = fadd reassoc float 1.0, 2.0", "fast math"),
        ('call void asm sideeffect "s_nop 0", ""()', "not read here|assembly|type"),
        ("%4 = load %struct.unknown, ptr %0, align 4", "unknown"),
    ],
)
def test_what_is_not_read_is_said(line: str, why: str) -> None:
    text = MODULE.replace("  br label %5", f"  {line}\n  br label %5")
    with pytest.raises(NotProven, match=why):
        parse_module(text, "copy")


def test_a_kernel_that_is_not_there() -> None:
    with pytest.raises(NotProven, match="scale is not there"):
        parse_module(MODULE, "scale")
