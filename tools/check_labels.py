#!/usr/bin/env python3
"""Checks the labels of equations.

An equation of docs/theory carries a label, [ST-3]: at the end of its line after a gap, in bold or before a gap at the beginning
of its paragraph, or alone in a cell of a table. Code and documents cite it in the same brackets. Three things are findings:

    a label that is cited, in code or in a document, and defined nowhere;
    a label that is defined twice;
    a label that is defined and cited nowhere, neither in code or tests nor in another line of the documents.

Ranges are cited as [RL-1..3].
"""

import argparse
import pathlib
import re
import sys

LABEL = re.compile(r"\[([A-Z][A-Z0-9]{0,3})-(\d+)(?:(?:\.\.|–|-)(\d+))?\]")
NAME = r"\[([A-Z][A-Z0-9]{0,3}-\d+)\]"
AT_END = re.compile(r"\s{2,}" + NAME + r"[.,;:]?$")
AT_BEGINNING = re.compile(r"^(?:\*\*" + NAME + r"\*\*|" + NAME + r"(?:  |:))")
IN_CELL = re.compile(r"^\|\s*" + NAME + r"\s*\||\|\s*" + NAME + r"\s*\|$")
CODE = ("include", "src", "apps", "tests", "bench")
CODE_SUFFIXES = {".hpp", ".cpp", ".mjs"}


def labels_in(text):
    """The labels of a line, with ranges written out."""
    for match in LABEL.finditer(text):
        family, first, last = match.groups()
        for number in range(int(first), int(last or first) + 1):
            yield f"{family}-{number}"


def definitions(line):
    """The labels that a line of a theory page defines."""
    line = line.rstrip()
    found = []
    for pattern in (AT_END, AT_BEGINNING, IN_CELL):
        if match := pattern.search(line):
            found += [label for label in match.groups() if label]
    return found


def lines_of(root, folders, suffixes):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in suffixes or "node_modules" in path.parts:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield path.relative_to(root), number, line


def check(root):
    """The findings as FILE:LINE: text, and how many labels there are."""
    defined, cited, findings = {}, {}, []
    for path, number, line in lines_of(root, ["docs/theory"], {".md"}):
        for label in definitions(line):
            if label in defined:
                findings.append(f"{path}:{number}: [{label}] is defined at {defined[label]} already")
            else:
                defined[label] = f"{path}:{number}"
    documents = list(lines_of(root, ["docs"], {".md"})) + list(lines_of(root, CODE, CODE_SUFFIXES))
    for path, number, line in documents:
        own = definitions(line) if path.parts[:2] == ("docs", "theory") else []
        for label in labels_in(line):
            if label not in own:
                cited.setdefault(label, f"{path}:{number}")
    for label, place in sorted(cited.items()):
        if label not in defined:
            findings.append(f"{place}: [{label}] is defined in no page of docs/theory")
    for label, place in sorted(defined.items()):
        if label not in cited:
            findings.append(f"{place}: [{label}] is cited nowhere")
    return findings, len(defined)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent,
                        type=pathlib.Path)
    findings, count = check(parser.parse_args().root)
    print("\n".join(findings) if findings else f"labels: {count} are defined once and cited")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
