#!/usr/bin/env python3
"""Checks that the recipes of docs/howto say what is so.

Behind a line <!-- tests/recipes/NAME.hpp --> a page shows the code of that file, which the tests compile: the code is
what stands inside of its namespace. And whatever a recipe names in backticks exists:

    a path with a slash, src/ports/all.cpp, is a file or folder of the project (capitals stand for a name: NAME.hpp);
    a function with its brackets, place(), and a name with a capital or an underscore, kIntegrators, occur in the code.

    tools/check_recipes.py [--write]       with --write the shown code is brought up to date
"""

import argparse
import pathlib
import re
import sys

SHOWN = re.compile(r"<!-- (tests/recipes/\S+) -->\n```cpp\n(.*?)```\n", re.S)
FENCED = re.compile(r"```.*?```", re.S)
TICKED = re.compile(r"`([^`\n]+)`")
FOLDERS = ("include", "src", "apps", "tests", "tools", "docs", "schema", "cmake", "bench", "examples", "build")
FUNCTION = re.compile(r"^(?:\w+::)*(\w+)\([^)]*\)$")
IDENTIFIER = re.compile(r"^(?:k[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[a-z]+(?:_[a-z]+)+)$")


def code_of(path):
    """What stands inside the namespace of a recipe."""
    text = path.read_text(encoding="utf-8")
    return re.search(r"namespace kinegrad \{\n\n(.*)\n\}  // namespace kinegrad", text, re.S).group(1)


def pages(root):
    return sorted((root / "docs/howto").glob("add_a*.md"))


def shown_code(root, page, write):
    text = page.read_text(encoding="utf-8")

    def renewed(match):
        return f"<!-- {match.group(1)} -->\n```cpp\n{code_of(root / match.group(1))}```\n"
    new = SHOWN.sub(renewed, text)
    if write:
        page.write_text(new, encoding="utf-8")
    elif new != text:
        yield f"{page.relative_to(root)}:1: shows other code than its file has; tools/check_recipes.py --write renews it"


def missing_names(root, page, code):
    text = page.read_text(encoding="utf-8")
    prose = FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in TICKED.finditer(prose):
        name = match.group(1).strip()
        where = f"{page.relative_to(root)}:{prose.count(chr(10), 0, match.start()) + 1}"
        if name.split("/")[0] in FOLDERS and "/" in name:
            if name.startswith("build/") or " " in name or re.search(r"[A-Z]{3}", name) or "…" in name:
                continue
            if not (root / name).exists() and not made_by_reader(name):
                yield f"{where}: {name} does not exist"
        elif call := FUNCTION.match(name):
            if not re.search(rf"\b{call.group(1)}\b", code):
                yield f"{where}: no function {name} exists"
        elif IDENTIFIER.match(name) and not re.search(rf"\b{name}\b", code):
            yield f"{where}: nothing is called {name}"


def made_by_reader(name):
    """Files that the reader of the page writes: those of the recipe's own element."""
    return any(word in name for word in ("pin_slot", "ramp", "cubic_spring", "heun3", "descent", "central_difference"))


def check(root, write=False):
    code = "\n".join(path.read_text(encoding="utf-8") for folder in ("include", "src", "apps", "tests", "cmake")
                     for path in sorted((root / folder).rglob("*")) if path.suffix in (".hpp", ".cpp", ".cmake"))
    code += "\n".join(path.name for path in (root / "tests").rglob("*_test.cpp")).replace(".cpp", "")
    return [finding for page in pages(root)
            for finding in [*shown_code(root, page, write), *missing_names(root, page, code)]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = check(root, parser.parse_args().write)
    print("\n".join(findings) if findings else f"recipes: {len(pages(root))} pages name what exists")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
