"""Usage: unity_groups.py SIZE FILE…: prints FILE;GROUP for each file.

Tests that are compiled together share one unnamed namespace. So two files with a function, type or constant of the same
name in theirs never go into one group. Groups hold neighbours, at most SIZE of them.
"""

import pathlib
import re
import sys

FUNCTION = re.compile(r"^[\w:<>,&*\s]+?[\s&*](\w+)\(", re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|using) (\w+)", re.M)
CONSTANTS = re.compile(r"^(?:constexpr|const|static|inline)\b[^(]*$|^(?:constexpr|const)\b.*;$", re.M)
CONSTANT = re.compile(r"(\w+)(?:\{|\[|\s*=)")
NOT_NAMES = {"TEST", "TEST_P", "TEST_F", "TYPED_TEST", "INSTANTIATE_TEST_SUITE_P"}


def top_level(body):
    """The lines of `body` that stand outside of all braces."""
    lines, depth = [], 0
    for line in body.split("\n"):
        if depth == 0:
            lines.append(line)
        depth += line.count("{") - line.count("}")
    return "\n".join(lines)


def internal_names(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    names = set(re.findall(r"^#define (\w+)", text, re.M))
    for body in re.findall(r"\nnamespace \{\n(.*?)\n\}  // namespace\n", text, re.S):
        lines = top_level(body)
        for pattern in (FUNCTION, TYPE):
            names |= set(pattern.findall(lines))
        for line in CONSTANTS.findall(lines):
            names |= set(CONSTANT.findall(line))
    # tests of one suite and name would be one class
    names |= {"_".join(test) for test in re.findall(r"^TEST\w*\((\w+),\s*(\w+)\)", text, re.M)}
    return names - NOT_NAMES


def main():
    size = int(sys.argv[1])
    groups = []  # (names, number of files)
    for path in sys.argv[2:]:
        names = internal_names(path)
        for number, (taken, count) in enumerate(groups):
            if count < size and not names & taken:
                break
        else:
            groups.append((set(), 0))
            number = len(groups) - 1
        taken, count = groups[number]
        groups[number] = (taken | names, count + 1)
        print(f"{path};{number}")


main()
