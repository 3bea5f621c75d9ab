"""Nothing outside of the roots: not by parents, absolute names or links."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocm_perf_lab.agent.roots import Roots
from rocm_perf_lab.errors import UsageError


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    for name in ("one", "two", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app").write_text("")
    (tmp_path / "one" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "one" / "beside").symlink_to(tmp_path / "two" / "app")
    return Roots.of([tmp_path / "one", tmp_path / "two"])


@pytest.mark.parametrize("named", ["app", "./app", "new/folder", ".", "../two/app", "beside"])
def test_inside(roots: Roots, named: str) -> None:
    place = roots.inside(named)
    assert any(folder == place or folder in place.parents for folder in roots.folders)


def test_absolute_names_inside(roots: Roots) -> None:
    assert roots.inside(str(roots.folders[1] / "app")) == roots.folders[1] / "app"


@pytest.mark.parametrize(
    "named", ["..", "../outside/app", "/etc/passwd", "link/app", "link", "../one-more", "~/app"]
)
def test_outside(roots: Roots, named: str) -> None:
    if named == "~/app":  # no shell: a folder of that name
        assert roots.inside(named) == roots.folders[0] / "~" / "app"
        return
    with pytest.raises(UsageError, match="outside of the folders") as caught:
        roots.inside(named)
    assert str(roots.folders[0]) in caught.value.cause


def test_commands_are_programs_of_the_roots(roots: Roots) -> None:
    assert roots.command(["app", "/etc/passwd"]) == [str(roots.folders[0] / "app"), "/etc/passwd"]
    with pytest.raises(UsageError, match="outside"):
        roots.command(["/bin/sh", "-c", "true"])
    with pytest.raises(UsageError, match="sh is not there"):
        roots.command(["sh"])  # never from PATH
    with pytest.raises(UsageError, match="empty"):
        roots.command([])


def test_the_compiler_may_be_named_alone(roots: Roots) -> None:
    assert roots.build(["hipcc", "a.hip"]) == ["hipcc", "a.hip"]
    with pytest.raises(UsageError, match="outside"):
        roots.build(["/usr/bin/make"])
    with pytest.raises(UsageError, match="empty"):
        roots.build([])


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        Roots.of([tmp_path / "nowhere"])
