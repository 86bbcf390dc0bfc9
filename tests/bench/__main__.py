"""Measures every budget in one run: `python -m tests.bench [NAME ...]`. Exit code 1 when one is exceeded.

`--size MB` is that of the transcript that `scale` measures, `--keep FOLDER` where its transcripts stay.
"""

from __future__ import annotations

import argparse
import compileall
import os
import sys
from functools import partial
from pathlib import Path

from tests.bench.core import exact_digits, prepare_step
from tests.bench.lists import large_list
from tests.bench.picker import picker
from tests.bench.record import record
from tests.bench.roundtrip import roundtrip
from tests.bench.scale import scale
from tests.bench.startup import first_screen, help_text
from tests.bench.terminal import ROOT
from tests.bench.timing import Benchmark

BENCHMARKS: dict[str, Benchmark] = {
    "help": help_text,
    "first-screen": first_screen,
    "exact-digits": exact_digits,
    "prepare": prepare_step,
    "large-list": large_list,
    "picker": picker,
    "roundtrip": roundtrip,
    "record": record,
    "scale": scale,
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--size", type=int, default=500, metavar="MB")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args(arguments)
    benchmarks = BENCHMARKS | {"scale": partial(scale, options.size, options.keep)}
    names = options.names
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    exceeded = False
    # An installed package has its bytecode; a checkout may not.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "blockview", quiet=1)
    print(f"{'what':<45} {'budget':>9} {'figure':>9}")
    for name in names or BENCHMARKS:
        for row in benchmarks[name]():
            exceeded |= not row.ok
            budget, figure = (f"{value:.2f} {row.unit}" for value in (row.budget, row.figure))
            print(f"{row.what:<45} {budget:>9} {figure:>9}  {'ok' if row.ok else 'OVER'}  {row.detail}", flush=True)
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
