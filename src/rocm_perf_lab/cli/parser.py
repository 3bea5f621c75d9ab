"""The parser of every verb: wrong usage is one readable error that knows what was meant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NoReturn, Optional

from rocm_perf_lab import errors

_ALIKE = 0.6  # difflib's own default: "prfile" and "tune" find their verb, "xyz" finds none


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Sentences fit the terminal; indented lines, which are commands to copy, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # only help needs it

        del indent  # of the whole text: there is none
        text = _spoken(text)
        blocks = []
        for is_raw, lines in groupby(text.strip().splitlines(), _is_raw):
            block = "\n".join(lines)
            blocks.append(block if is_raw else textwrap.fill(block, width, break_on_hyphens=False))
        return "\n".join(blocks)


def grouped(groups: Mapping[str, Sequence[str]]) -> type[argparse.HelpFormatter]:
    """Help that lists the verbs of the program under the names of their groups."""

    class Grouped(_HelpFormatter):
        def _format_action(self, action: argparse.Action) -> str:
            if not isinstance(action, argparse._SubParsersAction):
                return super()._format_action(action)
            listed = {one.dest: one for one in action._choices_actions}
            lines = []
            for title, verbs in groups.items():
                shown = [listed[verb] for verb in verbs if verb in listed]
                lines.append(f"{'':{self._current_indent}}{title}:\n" if shown else "")
                self._indent()
                lines += [super(Grouped, self)._format_action(one) for one in shown]
                self._dedent()
            return "".join(lines)

    return Grouped


def _spoken(text: str) -> str:
    """A verb's docstring without its own name, which the line above says, and without markup."""
    if text.startswith("``") and "``: " in text:
        text = text.partition("``: ")[2]
        text = text[:1].upper() + text[1:]
    return text.replace("``", "")


def _is_raw(line: str) -> bool:
    return not line or line.startswith(" ")


class Parser(argparse.ArgumentParser):
    """Reports wrong usage the way every other failure is reported."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _HelpFormatter)
        super().__init__(**settings)

    def print_help(self, file: Optional[Any] = None) -> None:
        """argparse hides it when nothing can be written."""
        (sys.stdout if file is None else file).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        raise errors.UsageError(message, f"{self.prog} --help")

    def parse_known_args(  # type: ignore[override] # overloads that nothing here needs
        self, args: Optional[Sequence[str]] = None, namespace: Optional[Any] = None
    ) -> tuple[Any, list[str]]:
        """What is left over is refused here, by the parser whose options it was meant to be."""
        found, left = super().parse_known_args(args, namespace)
        if left:
            raise self._unknown(left)
        return found, left

    def _unknown(self, left: Sequence[str]) -> errors.UsageError:
        options = [word.partition("=")[0] for word in left if word.startswith("-")]
        cause = f"unrecognized arguments: {' '.join(left)}"
        meant = [match for word in options for match in _meant(word, self._option_string_actions)]
        if meant:
            cause += f"; did you mean {' '.join(meant)}?"
        hint = f"options of the application go after --, or see {self.prog} --help"
        return errors.UsageError(cause, hint)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        meant = _meant(str(value), known)
        tail = f"did you mean {meant[0]}?" if meant else f"choose from {', '.join(known)}"
        raise argparse.ArgumentError(action, f"invalid choice: '{value}'; {tail}")


def _meant(word: str, known: Iterable[str]) -> list[str]:
    import difflib  # only a mistake needs it

    return difflib.get_close_matches(word, list(known), n=1, cutoff=_ALIKE)
