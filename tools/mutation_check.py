#!/usr/bin/env python3
"""Mutation check of the hand-derived element functions.

Flips one sign at a time in a copy of include/ (joints/*.hpp, forces/*.hpp and
math/euler_parameters.hpp), compiles the conformance tests against the copy and expects them to
fail. A mutant that passes is a derivative nobody checks.

    tools/mutation_check.py                 every sign (half an hour on one core)
    tools/mutation_check.py --limit 20      a seeded sample
    tools/mutation_check.py --per-line      one sign of each line
    tools/mutation_check.py --only planar   files whose name contains "planar"
    tools/mutation_check.py --list          show the signs, run nothing

Exit status: 0 every mutant was caught, 1 some survived, 2 the unchanged tests do not pass.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
PREFIX = pathlib.Path("include/kinegrad")
WARM_UP = "#include <gtest/gtest.h>\n#include <Eigen/Core>\n#include <complex>\n#include <random>\n"
TIMEOUT = 600  # seconds for one compilation or one run

# Only what a mutant can change is compiled: the list of elements is narrowed to these.
NARROWED = {
    "math/euler_parameters.hpp": ("joints", ["Spherical"]),
    "joints/joint_concept.hpp": ("joints", ["Universal", "Floating"]),
}


@dataclass(frozen=True)
class Mutant:
    path: str  # relative to include/kinegrad
    line: int
    column: int
    old: str
    new: str
    source: str

    def __str__(self):
        if self.old == " ":
            what = "- added"
        else:
            what = f"{self.old} → {self.new}" if self.new.strip() else f"{self.old} removed"
        return f"{self.path}:{self.line}:{self.column + 1} {what} in `{self.source}`"


def blanked(text):
    """The text with comments and string literals replaced by spaces, positions unchanged."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def mutants_of(path):
    """Every single sign flip: + ↔ −, += ↔ −=, a leading − removed, and a − put before what is
    assigned to an entry or block of a matrix."""
    text = (ROOT / PREFIX / path).read_text(encoding="utf-8")
    found = []
    sign = re.compile(r"(?<![+\-])([+\-]=?)(?![+\->])")
    for number, (line, code) in enumerate(
        zip(text.splitlines(), blanked(text).splitlines()), start=1
    ):
        if code.lstrip().startswith("#"):
            continue
        for match in sign.finditer(code):
            old, before = match.group(1), code[: match.start()].rstrip()
            if re.search(r"\d[eE]$", code[: match.start()]):
                continue  # the exponent of a number
            if old.endswith("="):
                new = "-=" if old == "+=" else "+="
            elif re.search(r"[\w\)\]\}]$", before) and not re.search(r"\breturn$", before):
                new = "-" if old == "+" else "+"
            elif before == "" and code[match.end() : match.end() + 1] == " ":
                new = "-" if old == "+" else "+"  # an operator at the start of a wrapped line
            else:
                new = " "
            if old == "+" and new == " ":
                continue  # a leading + changes nothing
            found.append(Mutant(path, number, match.start(), old, new, line.strip()))
        for match in re.finditer(r"\) = (?=[^\s\-0=])", code):
            found.append(Mutant(path, number, match.end() - 1, " ", " -", line.strip()))
    return sorted(found, key=lambda m: (m.line, m.column))


def struct_of(path):
    text = (ROOT / PREFIX / path).read_text(encoding="utf-8")
    return re.search(r"^struct (\w+) {", text, re.M).group(1)


def narrowing_of(path):
    """Which list to narrow, and to which elements."""
    if path in NARROWED:
        return NARROWED[path]
    folder = path.split("/")[0]
    if path.endswith("_concept.hpp"):
        return folder, None
    return folder, [struct_of(path)]


def target_paths(only):
    headers = ["math/euler_parameters.hpp"]
    for folder in ("joints", "forces"):
        headers += sorted(
            f"{folder}/{p.name}" for p in (ROOT / PREFIX / folder).glob("*.hpp") if p.name != "all.hpp"
        )
    return [h for h in headers if only in h]


class Runner:
    """Compiles and runs a conformance test against a changed copy of the headers."""

    def __init__(self, compiler, scratch):
        self.compiler = compiler
        self.scratch = scratch
        eigen = subprocess.run(
            ["pkg-config", "--cflags-only-I", "eigen3"], capture_output=True, text=True, check=True
        ).stdout.split()
        self.flags = ["-std=c++20", "-O0", "-w", *[f.replace("-I", "-isystem", 1) for f in eigen]]
        warm_up = scratch / "warm_up.hpp"
        warm_up.write_text(WARM_UP)
        subprocess.run(
            [compiler, *self.flags, "-x", "c++-header", str(warm_up), "-o", f"{warm_up}.gch"],
            check=True,
        )

    def verdict(self, path, mutant=None):
        """('passed' | 'failed' | 'not compiled' | 'timeout', names of the failing tests)."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            folder = pathlib.Path(folder)
            shutil.copytree(ROOT / "include", folder / "include")
            self.narrow(folder, path)
            if mutant:
                self.apply(folder, mutant)
            kind = narrowing_of(path)[0].rstrip("s")
            source = ROOT / "tests/conformance" / f"{kind}_conformance_test.cpp"
            command = [self.compiler, *self.flags, "-include", str(self.scratch / "warm_up.hpp")]
            command += [f"-I{folder}/include", f"-I{ROOT}/tests", str(source), "-o", f"{folder}/test"]
            command += ["-lgtest", "-lgtest_main", "-lpthread"]
            try:
                built = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
                if built.returncode != 0:
                    return "not compiled", [built.stderr.split("\n")[0][-200:]]
                run = subprocess.run([f"{folder}/test"], capture_output=True, text=True, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                return "timeout", []
            if run.returncode == 0:
                return "passed", []
            names = re.findall(r"^\[  FAILED  \] (\S+), where", run.stdout, re.M)
            return "failed", sorted(set(names)) or [f"exit status {run.returncode}"]

    @staticmethod
    def narrow(folder, path):
        kind, elements = narrowing_of(path)
        if elements is None:
            return
        all_hpp = folder / PREFIX / kind / "all.hpp"
        text = all_hpp.read_text(encoding="utf-8")
        all_hpp.write_text(
            re.sub(r"TypeList<.*?>;", f"TypeList<{', '.join(elements)}>;", text, flags=re.S),
            encoding="utf-8",
        )

    @staticmethod
    def apply(folder, mutant):
        target = folder / PREFIX / mutant.path
        lines = target.read_text(encoding="utf-8").splitlines(keepends=True)
        line = lines[mutant.line - 1]
        end = mutant.column + len(mutant.old)
        assert line[mutant.column : end] == mutant.old
        lines[mutant.line - 1] = line[: mutant.column] + mutant.new + line[end:]
        target.write_text("".join(lines), encoding="utf-8")


def short(names):
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--limit", type=int, default=0, help="how many mutants to try (0: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample taken by --limit")
    parser.add_argument("--per-line", action="store_true", help="only one mutant of each line")
    parser.add_argument("--only", default="", help="part of a header's name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    options = parser.parse_args()

    mutants = [m for path in target_paths(options.only) for m in mutants_of(path)]
    if options.per_line:
        mutants = list({(m.path, m.line): m for m in mutants}.values())
    if options.limit and options.limit < len(mutants):
        mutants = random.Random(options.seed).sample(mutants, options.limit)
        mutants.sort(key=lambda m: (m.path, m.line, m.column))
    if options.list:
        print(*mutants, sep="\n")
        print(f"{len(mutants)} mutants")
        return 0

    with tempfile.TemporaryDirectory(prefix="kinegrad-mutation-") as scratch:
        runner = Runner(options.compiler, pathlib.Path(scratch))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            paths = sorted({m.path for m in mutants})
            for path, (verdict, detail) in zip(paths, pool.map(runner.verdict, paths)):
                if verdict != "passed":
                    print(f"{path}: the unchanged tests did not pass ({verdict}: {short(detail)})")
                    return 2
            survivors = []
            results = pool.map(lambda m: (m, *runner.verdict(m.path, m)), mutants)
            for mutant, verdict, detail in results:
                caught = verdict != "passed"  # the compiler may refuse one, too
                print(f"{'caught  ' if caught else 'SURVIVED'} {mutant}  [{verdict}: {short(detail)}]",
                      flush=True)
                if not caught:
                    survivors.append(mutant)
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
