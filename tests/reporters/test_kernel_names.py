"""Names as they come from real recordings, cut to a column."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_perf_lab.reporters.kernel_names import short_name, short_names, shorten


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("add", 20, "add"),
        ("vector_add(float const*, float*, int)", 20, "vector_add"),
        ("void rms_norm_f32<1024, true>(float const*, int)", 30, "rms_norm_f32<1024, true>"),
        ("void rms_norm_f32<1024, true>(float const*, int)", 16, "rms_norm_f32<>"),
        ("void f<A<1>, B<2>>(int)", 8, "f<>"),
        ("ns::(anonymous namespace)::kernel_with_a_long_name(int)", 30, None),
        ("void k(void (*)(int, int), int)", 10, "k"),
        ("__amd_rocclr_fillBufferAligned", 20, "__amd_rocclr_fillB.."),
        ("operator<<weird", 8, "operat.."),
        ("_ZN5aiter9add_quantIDF16bLi256EEEvPT_", 24, "aiter::add_quant<>"),
        ("_Z6kernelILi4EEvPf", 24, "kernel<>"),
        ("_ZN5aiter900short", 24, "_ZN5aiter900short"),
        ("grün", 20, "gr?n"),
    ],
)
def test_shortening(name: str, width: int, expected: str | None) -> None:
    short = shorten(name, width)
    assert len(short) <= width
    if expected is not None:
        assert short == expected


def test_names_that_look_alike_get_back_what_tells_them_apart() -> None:
    names = ["gemm<128, 64, true>(int)", "gemm<256, 64, true>(int)", "copy(int)"]
    assert short_names(names, 14) == ["gemm<>[128]", "gemm<>[256]", "copy(int)"]
    assert short_names(names, 7)[:2] == ["gemm<#1", "gemm<#2"]  # no room for words
    three = [f"k<{a}, {b}, 0, 0>(int)" for a, b in ((10, 20), (10, 30), (40, 30))]
    assert short_names(three, 14) == ["k<>[10,20]", "k<>[10,30]", "k<>[40,30]"]
    tiles = [f"Cijk_Alik_Bljk_BBS_BH_Bias_MT{tile}_MI16x16x1_SN" for tile in ("64x32", "128x16")]
    assert short_names(tiles, 24) == ["Cijk_Alik_Bljk_[MT64x32]", "Cijk_Alik_Bljk[MT128x16]"]
    assert shorten("(anonymous namespace)::fill_elements(int)", 24) == "fill_elements"
    assert short_name(names[1], names, 14) == "gemm<>[256]"


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text("ab<>(),1 ", max_size=16), max_size=5, unique=True), st.integers(8, 14))
def test_two_names_never_become_one(names: list[str], width: int) -> None:
    shown = short_names(names, width)
    assert len(set(shown)) == len(names)


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(8, 50))
def test_any_text_fits_and_is_printable(names: list[str], width: int) -> None:
    for short in short_names(names, width):
        assert len(short) <= width
        assert all(" " <= c <= "~" for c in short)
