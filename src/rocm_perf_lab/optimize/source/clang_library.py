"""The few functions of libclang that the source model needs, through ctypes.

libclang is installed with clang; its C interface is stable from version to version, so that the
library beside the compiler that builds the code also reads it. Python packages of it bring a
library of another version, which does not know that compiler's headers.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_uint, c_ulong, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import ToolMissing

KEEP_MACROS = 0x01  # CXTranslationUnit_DetailedPreprocessingRecord
PREAMBLE = 0x04 | 0x100  # precompile the leading includes, already at the first parse
VISIT_CONTINUE = 1
SEVERITIES = ("ignored", "note", "warning", "error", "fatal")
TOKEN_KINDS = ("punctuation", "keyword", "identifier", "literal", "comment")
STORAGE_CLASSES = {2: "extern", 3: "static"}


class CxString(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class Cursor(ctypes.Structure):
    _fields_ = (("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3))


class Type(ctypes.Structure):
    _fields_ = (("kind", c_int), ("data", c_void_p * 2))


class SourceLocation(ctypes.Structure):
    _fields_ = (("data", c_void_p * 2), ("offset", c_uint))


class SourceRange(ctypes.Structure):
    _fields_ = (("data", c_void_p * 2), ("begin", c_uint), ("end", c_uint))


class CxToken(ctypes.Structure):
    _fields_ = (("numbers", c_uint * 4), ("data", c_void_p))


class UnsavedFile(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("contents", c_char_p), ("length", c_ulong))


VISITOR = ctypes.CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
_PLACE = (POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint))

_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "createIndex": (c_void_p, (c_int, c_int)),
    "disposeIndex": (None, (c_void_p,)),
    "parseTranslationUnit2": (
        c_int,
        (
            c_void_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            POINTER(UnsavedFile),
            c_uint,
            c_uint,
            POINTER(c_void_p),
        ),
    ),
    "reparseTranslationUnit": (c_int, (c_void_p, c_uint, POINTER(UnsavedFile), c_uint)),
    "disposeTranslationUnit": (None, (c_void_p,)),
    "getTranslationUnitCursor": (Cursor, (c_void_p,)),
    "visitChildren": (c_uint, (Cursor, VISITOR, c_void_p)),
    "getCursorLocation": (SourceLocation, (Cursor,)),
    "getCursorExtent": (SourceRange, (Cursor,)),
    "getRangeStart": (SourceLocation, (SourceRange,)),
    "getRangeEnd": (SourceLocation, (SourceRange,)),
    "getExpansionLocation": (None, (SourceLocation, *_PLACE)),
    "getSpellingLocation": (None, (SourceLocation, *_PLACE)),
    "Location_isInSystemHeader": (c_int, (SourceLocation,)),
    "getCursorSpelling": (CxString, (Cursor,)),
    "getCursorKindSpelling": (CxString, (c_int,)),
    "getCursorReferenced": (Cursor, (Cursor,)),
    "getCursorSemanticParent": (Cursor, (Cursor,)),
    "Cursor_isNull": (c_int, (Cursor,)),
    "Cursor_isMacroBuiltin": (c_uint, (Cursor,)),
    "Cursor_getStorageClass": (c_int, (Cursor,)),
    "getCursorBinaryOperatorKind": (c_int, (Cursor,)),
    "getBinaryOperatorKindSpelling": (CxString, (c_int,)),
    "getCursorUnaryOperatorKind": (c_int, (Cursor,)),
    "getUnaryOperatorKindSpelling": (CxString, (c_int,)),
    "getCursorType": (Type, (Cursor,)),
    "getCanonicalType": (Type, (Type,)),
    "getArrayElementType": (Type, (Type,)),
    "getTypeSpelling": (CxString, (Type,)),
    "isConstQualifiedType": (c_uint, (Type,)),
    "getFile": (c_void_p, (c_void_p, c_char_p)),
    "getFileName": (CxString, (c_void_p,)),
    "getFileContents": (c_void_p, (c_void_p, c_void_p, POINTER(c_ulong))),
    "getLocationForOffset": (SourceLocation, (c_void_p, c_void_p, c_uint)),
    "getRange": (SourceRange, (SourceLocation, SourceLocation)),
    "tokenize": (
        None,
        (c_void_p, SourceRange, POINTER(POINTER(CxToken)), POINTER(c_uint)),
    ),
    "disposeTokens": (None, (c_void_p, POINTER(CxToken), c_uint)),
    "getTokenKind": (c_int, (CxToken,)),
    "getTokenSpelling": (CxString, (c_void_p, CxToken)),
    "getTokenExtent": (SourceRange, (c_void_p, CxToken)),
    "getNumDiagnostics": (c_uint, (c_void_p,)),
    "getDiagnostic": (c_void_p, (c_void_p, c_uint)),
    "disposeDiagnostic": (None, (c_void_p,)),
    "getDiagnosticSeverity": (c_int, (c_void_p,)),
    "getDiagnosticSpelling": (CxString, (c_void_p,)),
    "getDiagnosticLocation": (SourceLocation, (c_void_p,)),
    "getCString": (c_char_p, (CxString,)),
    "disposeString": (None, (CxString,)),
}


class ClangLibrary:
    """Every ``clang_name`` of the table above as an attribute ``name``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            try:
                function = getattr(library, f"clang_{name}")
            except AttributeError:
                raise ToolMissing(
                    f"{path} has no clang_{name}: it is older than clang 17",
                    "install clang 17 or later",
                ) from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # what mypy sees of the attributes set above
        raise AttributeError(name)

    def text(self, string: CxString) -> str:
        value: Optional[bytes] = self.getCString(string)
        self.disposeString(string)
        return (value or b"").decode("utf-8", "replace")


@cache
def load_library(compiler: Path) -> ClangLibrary:
    """The libclang that was installed with a compiler. Raises ``ToolMissing``."""
    folder = compiler.resolve().parent.parent / "lib"
    found = sorted(folder.glob("libclang.so*")) + sorted(folder.glob("libclang-[0-9]*.so*"))
    troubles = []
    for path in found:
        try:
            return ClangLibrary(path)
        except OSError as error:
            troubles.append(str(error))
    raise ToolMissing(
        f"there is no libclang in {folder}" + "".join(f"; {trouble}" for trouble in troubles),
        "install it with the compiler: apt-get install libclang1-19 (Debian), rocm-llvm-dev (ROCm)",
    )
