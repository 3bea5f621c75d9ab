"""Questions to cursors of libclang, answered in Python's types."""

from __future__ import annotations

import ctypes
from ctypes import c_uint, c_void_p
from typing import Any, Optional

from rocm_perf_lab.optimize.source.clang_library import (
    STORAGE_CLASSES,
    VISIT_CONTINUE,
    VISITOR,
    ClangLibrary,
)
from rocm_perf_lab.optimize.source.model import Referent, Span
from rocm_perf_lab.optimize.source.tokens import offset_of

_SCOPES = frozenset({"TranslationUnit", "Namespace", "LinkageSpec", "UnexposedDecl"})
_NAMED_SCOPES = frozenset({"Namespace", "StructDecl", "ClassDecl", "UnionDecl", "ClassTemplate"})


class Cursors:
    """All questions are about one translation unit; cursors must not outlive it."""

    def __init__(self, library: ClangLibrary, unit: c_void_p) -> None:
        self.library = library
        self.unit = unit
        self._kinds: dict[int, str] = {}
        self._paths: dict[int, str] = {}

    def kind(self, cursor: Any) -> str:
        number = cursor.kind
        if number not in self._kinds:
            self._kinds[number] = self.library.text(self.library.getCursorKindSpelling(number))
        return self._kinds[number]

    def name(self, cursor: Any) -> str:
        return self.library.text(self.library.getCursorSpelling(cursor))

    def children(self, cursor: Any) -> list[Any]:
        found: list[Any] = []

        def visit(child: Any, _parent: Any, _data: object) -> int:
            found.append(child)  # ctypes has made a copy of it
            return VISIT_CONTINUE

        self.library.visitChildren(cursor, VISITOR(visit), None)
        return found

    def in_system_header(self, cursor: Any) -> bool:
        location = self.library.getCursorLocation(cursor)
        return bool(self.library.Location_isInSystemHeader(location))

    def place(self, cursor: Any) -> tuple[Optional[str], int]:
        return self.file_and_offset(self.library.getCursorLocation(cursor))

    def file_and_offset(self, location: Any) -> tuple[Optional[str], int]:
        """Where a macro is used, for what a macro made."""
        file, offset = c_void_p(), c_uint()
        self.library.getExpansionLocation(
            location, ctypes.byref(file), None, None, ctypes.byref(offset)
        )
        return self._path(file), offset.value

    def span(self, cursor: Any) -> Span:
        extent = self.library.getCursorExtent(cursor)
        start = offset_of(self.library, self.library.getRangeStart(extent))
        return Span(start, offset_of(self.library, self.library.getRangeEnd(extent)))

    def in_macro(self, cursor: Any) -> bool:
        """Its first or last token was not written where it stands."""
        extent = self.library.getCursorExtent(cursor)
        ends = (self.library.getRangeStart(extent), self.library.getRangeEnd(extent))
        return any(self._spelled(end) != self.file_and_offset(end) for end in ends)

    def _spelled(self, location: Any) -> tuple[Optional[str], int]:
        file, offset = c_void_p(), c_uint()
        self.library.getSpellingLocation(
            location, ctypes.byref(file), None, None, ctypes.byref(offset)
        )
        return self._path(file), offset.value

    def type_name(self, cursor: Any) -> str:
        return self.library.text(self.library.getTypeSpelling(self.library.getCursorType(cursor)))

    def canonical_type(self, cursor: Any) -> str:
        kind = self.library.getCanonicalType(self.library.getCursorType(cursor))
        return self.library.text(self.library.getTypeSpelling(kind))

    def storage(self, cursor: Any) -> str:
        return STORAGE_CLASSES.get(self.library.Cursor_getStorageClass(cursor), "")

    def operator(self, cursor: Any, kind: str) -> str:
        library = self.library
        if kind in ("BinaryOperator", "CompoundAssignOperator"):
            number = library.getCursorBinaryOperatorKind(cursor)
            return library.text(library.getBinaryOperatorKindSpelling(number))
        if kind == "UnaryOperator":
            number = library.getCursorUnaryOperatorKind(cursor)
            return library.text(library.getUnaryOperatorKindSpelling(number))
        return ""

    def referent(self, cursor: Any) -> Optional[Referent]:
        target = self.library.getCursorReferenced(cursor)
        if self.library.Cursor_isNull(target):
            return None
        kind = self.kind(target)
        path, _ = self.place(target)
        parent = self.library.getCursorSemanticParent(target)
        constant = kind == "EnumConstantDecl" or self._is_constant(target)
        return Referent(
            kind, self.qualified_name(target), path, self.kind(parent) in _SCOPES, constant
        )

    def qualified_name(self, cursor: Any) -> str:
        names = [self.name(cursor)]
        parent = self.library.getCursorSemanticParent(cursor)
        while (
            not self.library.Cursor_isNull(parent) and self.kind(parent) in _SCOPES | _NAMED_SCOPES
        ):
            if self.kind(parent) in _NAMED_SCOPES:
                names.append(self.name(parent) or "(anonymous)")
            parent = self.library.getCursorSemanticParent(parent)
        return "::".join(reversed(names))

    def _is_constant(self, cursor: Any) -> bool:
        """Arrays are constant when their elements are."""
        kind = self.library.getCanonicalType(self.library.getCursorType(cursor))
        while True:
            if self.library.isConstQualifiedType(kind):
                return True
            kind = self.library.getArrayElementType(kind)
            if kind.kind == 0:  # no array
                return False

    def _path(self, file: c_void_p) -> Optional[str]:
        if not file.value:
            return None
        if file.value not in self._paths:
            self._paths[file.value] = self.library.text(self.library.getFileName(file))
        return self._paths[file.value]
