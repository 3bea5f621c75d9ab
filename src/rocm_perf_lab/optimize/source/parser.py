"""Reads HIP source with the compiler that builds it, device side, into the source model."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from ctypes import c_char_p, c_ulong, c_void_p
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import ToolFailed
from rocm_perf_lab.optimize.source.clang_library import (
    KEEP_MACROS,
    PREAMBLE,
    SEVERITIES,
    ClangLibrary,
    UnsavedFile,
    load_library,
)
from rocm_perf_lab.optimize.source.command import CompileCommand
from rocm_perf_lab.optimize.source.cursors import Cursors
from rocm_perf_lab.optimize.source.kernels import kernels_of
from rocm_perf_lab.optimize.source.macros import MacroWords
from rocm_perf_lab.optimize.source.model import Diagnostic, SourceFile, TranslationUnit
from rocm_perf_lab.optimize.source.tokens import read_tokens

_CONTAINERS = frozenset({"Namespace", "LinkageSpec", "UnexposedDecl"})


class Parser:
    """Parses one main file again and again, each time with other contents; nothing is written.

    The leading includes are compiled once, so that a second parse takes a seventh of the first.
    Not for several threads at a time.
    """

    def __init__(self, command: CompileCommand, source: Path) -> None:
        self.path = os.path.abspath(source)
        self._library = load_library(command.compiler)
        self._arguments = tuple(command.arguments)
        self._index = self._library.createIndex(0, 0)
        self._unit: Optional[c_void_p] = None

    def parse(self, contents: Optional[Mapping[str, bytes]] = None) -> TranslationUnit:
        """``contents`` by absolute path stand in place of what is on disk."""
        given = {os.path.abspath(path): data for path, data in (contents or {}).items()}
        unsaved = (UnsavedFile * len(given))(
            *(UnsavedFile(path.encode(), data, len(data)) for path, data in given.items())
        )
        if self._unit is None:
            self._unit = self._first(unsaved, len(given))
        else:
            self._check(self._library.reparseTranslationUnit(self._unit, len(given), unsaved, 0))
        return _Reading(self._library, self._unit, self.path).model()

    def close(self) -> None:
        if self._unit is not None:
            self._library.disposeTranslationUnit(self._unit)
            self._unit = None
        if self._index is not None:
            self._library.disposeIndex(self._index)
            self._index = None

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _first(self, unsaved: object, count: int) -> c_void_p:
        unit = c_void_p()
        words = (c_char_p * len(self._arguments))(*(word.encode() for word in self._arguments))
        code = self._library.parseTranslationUnit2(
            self._index,
            self.path.encode(),
            words,
            len(self._arguments),
            unsaved,
            count,
            KEEP_MACROS | PREAMBLE,
            ctypes.byref(unit),
        )
        self._check(code)
        return unit

    def _check(self, code: int) -> None:
        if code == 0:
            return
        self._unit = None  # libclang says that such a unit can only be thrown away
        what = "crashed" if code == 2 else f"failed with code {code}"
        raise ToolFailed(
            f"libclang {what} on {self.path}", f"see what the compiler says: hipcc -c {self.path}"
        )


class _Reading:
    """One parsed unit, turned into plain data."""

    def __init__(self, library: ClangLibrary, unit: c_void_p, path: str) -> None:
        self._library = library
        self._unit = unit
        self._path = path
        self._cursors = Cursors(library, unit)

    def model(self) -> TranslationUnit:
        cursors = self._cursors
        declarations: list[Any] = []
        definitions: list[Any] = []
        uses: list[Any] = []
        files = dict.fromkeys([self._path])
        for cursor in self._top():
            kind = cursors.kind(cursor)
            if kind == "macro definition":
                definitions.append(cursor)
            elif not cursors.in_system_header(cursor):
                (uses if kind == "macro expansion" else declarations).append(cursor)
                path = cursors.place(cursor)[0]
                if path is not None:
                    files.setdefault(path, None)
        sources = {path: self._file(path) for path in files}
        macros = MacroWords(cursors, definitions, uses)
        return TranslationUnit(
            self._path,
            sources,
            tuple(kernels_of(cursors, declarations, macros, sources)),
            tuple(self._diagnostics()),
        )

    def _top(self) -> Iterator[object]:
        """Declarations at namespace scope in the order of the source, and what macros did."""
        waiting = [self._library.getTranslationUnitCursor(self._unit)]
        while waiting:
            for child in self._cursors.children(waiting.pop()):
                kind = self._cursors.kind(child)
                if kind in _CONTAINERS and not self._cursors.in_system_header(child):
                    waiting.append(child)
                yield child

    def _file(self, path: str) -> SourceFile:
        file = self._library.getFile(self._unit, path.encode())
        size = c_ulong()
        address = self._library.getFileContents(self._unit, file, ctypes.byref(size))
        data = ctypes.string_at(address, size.value) if address else b""
        return SourceFile(path, data, read_tokens(self._library, self._unit, file, data))

    def _diagnostics(self) -> Iterator[Diagnostic]:
        for index in range(self._library.getNumDiagnostics(self._unit)):
            handle = self._library.getDiagnostic(self._unit, index)
            severity = SEVERITIES[self._library.getDiagnosticSeverity(handle)]
            text = self._library.text(self._library.getDiagnosticSpelling(handle))
            location = self._library.getDiagnosticLocation(handle)
            path, offset = self._cursors.file_and_offset(location)
            self._library.disposeDiagnostic(handle)
            yield Diagnostic(severity, text, path, offset)
