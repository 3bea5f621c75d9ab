"""The one fenced block of a reply; malformed replies are also cases of tests/adversarial."""

from __future__ import annotations

import pytest

from rocm_perf_lab.optimize.gate.reply import MAX_REPLY, read_reply
from rocm_perf_lab.optimize.refusal import Refusal, Stage

KERNEL = "__global__ void k(float* out) {\n  out[0] = 1.0f;\n}\n"


@pytest.mark.parametrize("tag", ["cpp", "c++", "C++", "hip", "cuda", "", "cpp title=k.hip"])
@pytest.mark.parametrize("fence", ["```", "~~~", "`````", "   ```"])
def test_a_unique_block_of_a_known_language_is_taken(tag: str, fence: str) -> None:
    assert read_reply(f"Faster now:\n\n{fence}{tag}\n{KERNEL}{fence}\nDone.\n") == KERNEL


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_and_a_mark_at_the_start_do_not_matter(ending: str) -> None:
    reply = f"\ufeff```cpp\n\ufeff{KERNEL}```\n".replace("\n", ending)
    assert read_reply(reply) == KERNEL


def test_a_longer_fence_holds_a_shorter_one_only_inside_of_code() -> None:
    inner = KERNEL.replace("}\n", "  // ```\n}\n")
    assert read_reply(f"```cpp\n{inner}```\n") == inner


REFUSED = {
    "no-block": "The kernel is memory bound.\n",
    "unclosed": f"```cpp\n{KERNEL}",
    "several-blocks": f"```cpp\n{KERNEL}```\n\n```\nmake\n```\n",
    "wrong-tag": f"```python\n{KERNEL}```\n",
    "diff": f"```cpp\n@@ -1,3 +1,3 @@\n {KERNEL}```\n",
    "nested": f"````cpp\n```cpp\n{KERNEL}```\n````\n",
    "control-characters": f"```cpp\n{KERNEL}// \x1b[8m\n```\n",
    "empty": "```cpp\n  \n```\n",
    "no-kernel": "```cpp\nvoid k() {}\n```\n",
    "too-long": "x" * (MAX_REPLY + 1),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_the_contract_is_refused_by_name(reason: str) -> None:
    refusal = read_reply(REFUSED[reason])
    assert isinstance(refusal, Refusal)
    assert (refusal.stage, refusal.reason) == (Stage.REPLY, reason)


def test_a_nested_fence_of_the_same_length_ends_the_block() -> None:
    """As in CommonMark; what remains is a second, open block."""
    refusal = read_reply(f"```cpp\n```cpp\n{KERNEL}```\n```\n")
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "unclosed"


def test_the_message_names_what_was_found() -> None:
    assert "marked 'rust'" in str(read_reply("```rust\nfn main() {}\n```"))
    assert "has 3 fenced blocks" in str(read_reply("```\n```\n" * 3))


@pytest.mark.parametrize("hides", ["\x1b[2K", "\b", "\x7f", "\x9b8m", "\u202e", "\u2066"])
def test_what_hides_code_from_a_reader_is_refused_anywhere_in_the_block(hides: str) -> None:
    header = KERNEL.replace("(float", f"(/* {hides} */ float")
    refusal = read_reply(f"```cpp\n{header}```\n")
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "control-characters"
    assert read_reply(f"{hides}\n```cpp\n{KERNEL}```\n") == KERNEL  # prose is not kept
