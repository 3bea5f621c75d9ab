"""The source model: what clang says about a translation unit, and how a body is replaced in it."""

from rocm_perf_lab.optimize.source.command import CompileCommand, compile_command
from rocm_perf_lab.optimize.source.model import (
    Diagnostic,
    Kernel,
    MacroUse,
    Node,
    Parameter,
    Referent,
    SourceFile,
    Span,
    Token,
    TranslationUnit,
)
from rocm_perf_lab.optimize.source.parser import Parser
from rocm_perf_lab.optimize.source.parser_process import ParserProcess
from rocm_perf_lab.optimize.source.splice import splice_body

__all__ = [
    "CompileCommand",
    "Diagnostic",
    "Kernel",
    "MacroUse",
    "Node",
    "Parameter",
    "Parser",
    "ParserProcess",
    "Referent",
    "SourceFile",
    "Span",
    "Token",
    "TranslationUnit",
    "compile_command",
    "splice_body",
]
