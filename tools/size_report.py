#!/usr/bin/env python3
"""Lists files of more than 500 lines and functions of more than 80. A report: it never fails."""

import pathlib
import re
import statistics

import cpp_text

MAX_FILE, MAX_FUNCTION = 500, 80
NOT_A_FUNCTION = re.compile(r"^\s*(?:inline\s+)?(?:namespace|extern|enum)\b")
CLASS = re.compile(r"(?:^|[\s>])(?:class|struct|union|concept)\s+\w")


def functions(code, start=0, end=None):
    """Yields (name, first position, last position) of each function body."""
    for head, first, last in cpp_text.bodies(code, start, end):
        is_class = CLASS.search(re.sub(r"template\s*<[^{]*?>", "", head)) and "(" not in head
        if NOT_A_FUNCTION.match(head) or is_class:
            yield from functions(code, first + 1, last)
        elif name := re.search(r"([~\w:]+)\s*\(", head):
            yield name.group(1), first, last


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    lengths, files = [], 0
    for top in ("include", "src", "apps", "tests", "bench", "examples", "tools"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".py"):
                continue
            files += 1
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
            if text.count("\n") > MAX_FILE:
                print(f"{name}: {text.count(chr(10))} lines")
            if path.suffix == ".py":
                continue
            for function, first, last in functions(cpp_text.code_only(text)):
                lines = text.count("\n", first, last) + 1
                lengths.append(lines)
                if lines > MAX_FUNCTION:
                    print(f"{name}:{cpp_text.line_of(text, first)}: {function} has {lines} lines")
    if lengths:
        print(f"{files} files, {len(lengths)} functions, median {statistics.median(lengths):.0f} lines, "
              f"longest {max(lengths)}")


if __name__ == "__main__":
    main()
