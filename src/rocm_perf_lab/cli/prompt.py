"""``rocm-perf prompt``: what ``llm-optimize`` would send to a model first. Nothing is sent."""

from __future__ import annotations

import argparse

from rocm_perf_lab.cli import options, search_options
from rocm_perf_lab.errors import EXIT_DONE

EXAMPLES = """\
examples:
  rocm-perf prompt saxpy.hip -- ./saxpy 1000
  rocm-perf prompt saxpy.hip "./saxpy 1000" --compact
"""


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "prompt",
        help="show what llm-optimize would send to a model, without sending it",
        description=__doc__,
        epilog=EXAMPLES,
    )
    search_options.add_search_arguments(parser)
    search_options.add_style_arguments(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rocm_perf_lab.optimize.llm.first_prompt import first_prompt
    from rocm_perf_lab.optimize.prompt import PromptStyle
    from rocm_perf_lab.reporters.decisions.prompt import render_prompt

    style = PromptStyle(arguments.compact, arguments.full_source)
    document = first_prompt(search_options.request_of(arguments), style)
    options.show(arguments, document, render_prompt)
    return EXIT_DONE
