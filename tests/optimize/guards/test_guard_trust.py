"""G0: sealed files stay as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_perf_lab.optimize.guards.trust import check_trust, clean_copy, seal


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "part").mkdir(parents=True)
    (root / "main.hip").write_text("int main() {}")
    (root / "part" / "build.sh").write_text("make")
    (root / "link").symlink_to("main.hip")
    return root


def test_an_untouched_tree_passes_also_when_read_again(tree: Path) -> None:
    sealed = seal([tree])
    assert len(sealed.files) == 3
    (tree / "main.hip").touch()
    assert check_trust(sealed) is None
    assert seal([tree]).digest == sealed.digest


SAYS = {"file-changed": "changed", "file-missing": "is gone", "file-new": "is new"}
CHANGES = {
    "bytes": ("file-changed", lambda t: (t / "main.hip").write_text("int main( {}")),
    "deep": ("file-changed", lambda t: (t / "part" / "build.sh").write_text("true")),
    "gone": ("file-missing", lambda t: (t / "part" / "build.sh").unlink()),
    "new": ("file-new", lambda t: (t / "part" / "GNUmakefile").write_text("all:")),
    "executable": ("file-changed", lambda t: os.chmod(t / "main.hip", 0o755)),
    "link": ("file-changed", lambda t: ((t / "link").unlink(), (t / "link").symlink_to("part"))),
    "link instead of a file": (
        "file-changed",
        lambda t: (
            (t / "main.hip").rename(t / "part" / "x"),
            (t / "main.hip").symlink_to("part/x"),
        ),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_seen(tree: Path, name: str) -> None:
    reason, change = CHANGES[name]
    sealed = seal([tree])
    change(tree)
    refusal = check_trust(sealed)
    assert refusal is not None
    assert (refusal.stage.value, refusal.reason) == ("G0", reason)
    assert refusal.message.startswith(str(tree))
    assert f" {SAYS[reason]} since the baseline was sealed" in refusal.message
    assert seal([tree]).digest != sealed.digest


def test_the_candidates_own_file_may_change(tree: Path) -> None:
    sealed = seal([tree])
    (tree / "main.hip").write_text("other")
    assert check_trust(sealed, may_change=[tree / "main.hip"]) is None


def test_a_clean_copy_has_the_sealed_files_only(tree: Path, tmp_path: Path) -> None:
    sealed = seal([tree])
    (tree / "stray.o").write_text("not sealed")
    copy = tmp_path / "copy"
    assert clean_copy(sealed, tree, copy) is None
    names = {str(p.relative_to(copy)) for p in copy.rglob("*") if not p.is_dir()}
    assert names == {"main.hip", "part/build.sh", "link"}
    assert os.readlink(copy / "link") == "main.hip"
    (tree / "main.hip").write_text("changed since")
    refusal = clean_copy(sealed, tree, tmp_path / "again")
    assert refusal is not None
    assert refusal.message.endswith("main.hip changed while it was copied")
