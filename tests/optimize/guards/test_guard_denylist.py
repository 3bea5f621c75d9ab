"""G2: what a body may not use; what the original uses stays allowed."""

from __future__ import annotations

import pytest
from source_support import BODY_START, Project, said

from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.guards.source_check import check_source

pytestmark = pytest.mark.native

REFUSED = {
    "  goto end; end:;\n": "jump",
    "  int* p = new int(1); out[0] = *p;\n": "side-effect",
    "  if (n < 0) abort();\n": "side-effect",
    "  static int count = 0; count += 1;\n": "state",
    "  if (calls > 1) return;\n": "state",
    "  float* p = (float*)0x1000ul; out[0] = *p;\n": "address",
    "  float* p = (float*)(size_t(out) + n); out[0] = *p;\n": "address",
    "  out[0] = __LINE__;\n": "outside-world",
    "  __builtin_amdgcn_s_sleep(1);\n": "builtin",
    "  using t = decltype(_Float16(1)); out[0] = t(in[0]);\n": "precision",
    "  out[0] = __builtin_amdgcn_rsqf(in[0]);\n": "precision",
    '  auto wait = [&] { asm("s_nop 0"); }; wait();\n': "assembly",
    '  [[clang::annotate("x")]] int y = 1; out[0] = y;\n': "attribute",
    "  __builtin_assume(n > 8);\n": "builtin",
    "  if (__builtin_constant_p(n)) out[0] = 1.0f;\n": "builtin",
    "  if (n == 7) __builtin_unreachable();\n": "builtin",
    "  in = (const float*)__builtin_assume_aligned(in, 64);\n": "builtin",
    "  [[assume(n > 8)]];\n": "attribute",
    "  __attribute__((assume(n > 8)));\n": "attribute",
    "  if (((int*)__builtin_amdgcn_dispatch_ptr())[12]) n = 1;\n": "builtin",
    "  auto of = [] { return __builtin_amdgcn_queue_ptr(); }; if (!of()) n = 1;\n": "builtin",
    "  if (__builtin_amdgcn_dispatch_id() > 2) n = 1;\n": "builtin",
    "  n = ((int*)__builtin_amdgcn_implicitarg_ptr())[50];\n": "builtin",
    "  n = ((int*)__builtin_amdgcn_kernarg_segment_ptr())[90];\n": "builtin",
    "  n = __builtin_amdgcn_s_getreg(2068);\n": "builtin",
    "  n = __builtin_return_address(0) != nullptr;\n": "builtin",
    "  n = STEADY();\n": "clock",
    "  if (n == 12345) while (1);\n": "endless",
    "  if (n == 12345) for (;;) {}\n": "endless",
    "  for (int k = 0;; ++k) out[k & 3] = k;\n": "endless",
    "  while (n == 12345) { int twice = n * 2; (void)twice; }\n": "endless",
    "  do { n += 1; } while (true);\n": "endless",
    "#pragma clang optimize off\n": "preprocessor",
    "#if 1\n  out[0] = 1;\n#endif\n": "preprocessor",
    "#pragma unroll 4 \\\n  junk\n": "preprocessor",
}


@pytest.mark.parametrize("lines", REFUSED)
def test_each_is_refused_by_name(project: Project, lines: str) -> None:
    verdict = project.insert(lines)
    assert ("G2", REFUSED[lines]) in said(verdict), verdict.refusals
    assert verdict.kernel is None


ALLOWED = (
    "  static const float table[2] = {1.0f, 2.0f}; out[0] = table[n & 1];\n",
    "  static constexpr int kSteps = 4; out[0] = kSteps;\n",
    "  static __shared__ float more[8]; more[0] = 1.0f; out[0] = more[0];\n",
    "  out[0] = kRed + kTable[1] + SIZE(1) + warpSize + INFINITY;\n",
    "  const bool aligned = reinterpret_cast<size_t>(in) % 16 == 0; out[0] = aligned;\n",
    "  const float4 four = *reinterpret_cast<const float4*>(in); out[0] = four.x;\n",
    "  out[0] = __shfl_xor(in[0], 1) + __popcll(__ballot(n)) + half_of(1.0f);\n",
    "  if (n > 1) [[likely]] out[0] = __expf(in[0]);\n",
    "#pragma unroll 4\n  for (int k = 0; k < 4; ++k) out[k] = 1.0f;\n",
    "#pragma unroll(2)\n  for (int k = 0; k < 4; ++k) out[k] = 1.0f;\n",
    "#pragma clang loop unroll(full)\n  for (int k = 0; k < 4; ++k) out[k] = 1.0f;\n",
    "  atomicAdd(out, 1.0f); __threadfence();\n",
    "  out[0] = __builtin_amdgcn_readfirstlane(n);\n",
    "  if (__builtin_expect_with_probability(n > 1, 1, 0.9)) out[0] = 1.0f;\n",
    "  if (__builtin_expect(n > 1, 1)) out[0] = __builtin_amdgcn_workgroup_size_x();\n",
    "  do { out[0] = 1.0f; } while (0);\n",
    "  do { out[0] = 1.0f; } while (false);\n",
    "  for (;;) { if (n-- < 4) break; out[n] = 1.0f; }\n",
    "  while (true) { if (n-- < 4) return; out[n] = 1.0f; }\n",
    "  for (int k = n;; k /= 2) { out[0] = k; if (k < 4) break; }\n",
    "  for (int k = 0; k < n; ++k);\n",
    "  for (int k = 0; k < n; ++k) { }\n",
    "  volatile float own = in[0]; while (own < 1.0f) { }\n",
    "  int unreachable_rows = n, assumed = 4; out[0] = unreachable_rows + assumed;\n",
)


def test_what_optimisations_need_is_allowed(project: Project) -> None:
    """All in one body: a parse takes longer than all the questions about it."""
    lines = "".join(f"  {{\n{text}  }}\n" for text in ALLOWED)
    verdict = project.insert(lines)
    assert [str(refusal) for refusal in verdict.refusals] == []
    assert verdict.changed


def test_everything_that_is_wrong_is_listed_in_the_order_of_the_source(project: Project) -> None:
    verdict = project.insert('  calls = 1;\n  asm("s_nop 0");\n  out[0] = _Float16(1);\n')
    assert [reason for _, reason in said(verdict)] == ["state", "assembly", "precision"]
    assert [refusal.location.line for refusal in verdict.refusals] == [14, 15, 16]


def test_precision_and_assembly_are_allowed_when_asked_for(project: Project) -> None:
    lines = '  asm("s_nop 0");\n  out[0] = _Float16(1) + __logf(in[0]);\n'
    assert len(said(project.insert(lines))) >= 2
    assert said(project.insert(lines, Allowances(precision=True))) == [("G2", "assembly")]
    assert said(project.insert(lines, Allowances(precision=True, assembly=True))) == []


def test_volatile_must_stay(project: Project) -> None:
    verdict = project.check("volatile float seen", "float seen")
    assert said(verdict) == [("G2", "volatile")]
    assert verdict.refusals[0].message == "volatile stood 1 times, now 0"


def test_new_volatile_is_refused_however_it_is_written(project: Project) -> None:
    text = project.text.replace("volatile float seen", "float seen")
    before = project.parse(text)
    work = before.kernels_named("work")[0]
    hidden = "  app_volatile* p = (app_volatile*)&tile[0]; p[0] = 1.0f;\n"
    for lines in ("  volatile int k = n; n = k;\n", hidden):
        place = text.index("__shared__ float tile[64];\n") + len("__shared__ float tile[64];\n")
        verdict = check_source(before, work, project.parse(text[:place] + lines + text[place:]))
        assert said(verdict) == [("G2", "volatile")], lines
        assert verdict.refusals[0].message == (
            "volatile: it keeps the compiler from optimising and changes no result"
        )


def test_messages_say_what_is_wrong_with_it(project: Project) -> None:
    for lines, message in (
        ("  __builtin_assume(n > 8);\n", "promises the compiler what nothing checks"),
        (
            "  if (__builtin_amdgcn_dispatch_id()) n = 1;\n",
            "__builtin_amdgcn_dispatch_id tells one launch from another, and nothing that "
            "results need",
        ),
        ("  if (n == 12345) while (1);\n", "nothing changes in this loop: it never ends"),
        ("  do { n += 1; } while (1);\n", "this loop has no end and no way out"),
    ):
        assert message in project.insert(lines).refusals[0].message


def test_a_loop_that_the_original_has_stays_allowed(project: Project) -> None:
    text = project.text.replace(BODY_START, BODY_START + "  if (n < 0) while (1);\n")
    before = project.parse(text)
    work = before.kernels_named("work")[0]
    same = project.parse(text.replace("n /= 2", "n /= 4"))
    assert said(check_source(before, work, same)) == []


@pytest.mark.parametrize(
    "lines",
    [
        "  if (reinterpret_cast<size_t>(in) % 16 == 0) n += 0;\n",
        "  if (((size_t)out & 15) == 0) n += 0;\n",
        "  if (out < in) n += 0;\n",
        "  n += (out - in) & 0;\n",
        "  n += (__builtin_bit_cast(size_t, in) >> 60) & 0;\n",
        "  size_t bits; __builtin_memcpy(&bits, &out, 8); n += bits >> 63;\n",
        "  union { const float* p; size_t n; } both; both.p = in; n += both.n >> 63;\n",
    ],
)
def test_addresses_as_numbers_oblige_the_proof(project: Project, lines: str) -> None:
    verdict = project.insert(lines)
    assert said(verdict) == []
    assert verdict.obligations == ("addresses",)


def test_pointers_that_stay_pointers_oblige_to_nothing(project: Project) -> None:
    verdict = project.insert(
        "  const float* p = in + n; if (p != nullptr && in) out[0] = p[0] + (size_t)n;\n"
        "  const float4 four = *reinterpret_cast<const float4*>(in); out[0] = four.x;\n"
    )
    assert (said(verdict), verdict.obligations) == ([], ())


def test_a_body_that_does_not_compile_has_the_compilers_words(project: Project) -> None:
    verdict = project.insert("  undeclared += 1;\n")
    assert said(verdict) == [("build", "does-not-compile")]
    assert verdict.refusals[0].message == "use of undeclared identifier 'undeclared'"
    assert verdict.refusals[0].location.line == 14


def test_directives_of_the_original_must_stay_as_they_are(project: Project) -> None:
    text = project.text.replace(BODY_START, BODY_START + "#ifdef A\n  n = 1;\n#endif\n")
    before = project.parse(text)
    work = before.kernels_named("work")[0]
    kept = project.parse(text.replace("n = 1;", "n = 2;"))
    assert said(check_source(before, work, kept)) == []
    gone = project.parse(text.replace("#ifdef A\n  n = 1;\n#endif\n", ""))
    assert said(check_source(before, work, gone)) == [("G2", "preprocessor")]
    other = project.parse(text.replace("#ifdef A", "#ifndef A"))
    assert said(check_source(before, work, other))[0] == ("G2", "preprocessor")
