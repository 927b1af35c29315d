#!/usr/bin/env python3
"""Lists what has grown: files of more than 500 lines, functions of more than 80, classes of more than 30 functions or 20
members, friends, comments that state a call order, and casts between kinds of integers. A report: it never fails."""

import pathlib
import re
import statistics

import cpp_text

MAX_FILE, MAX_FUNCTION, MAX_METHODS, MAX_MEMBERS = 500, 80, 30, 20
NOT_A_FUNCTION = re.compile(r"^\s*(?:inline\s+)?(?:namespace|extern|enum)\b")
CLASS = re.compile(r"(?:^|[\s>])(?:class|struct|union|concept)\s+(\w+)")
CAST = re.compile(r"static_cast<(?:std::)?(?:size_t|int|Eigen::Index|Index|std::ptrdiff_t|long|unsigned(?: \w+)?)>")
FRIEND = re.compile(r"^\s*friend\b(?!.*\boperator\b)", re.M)
# "the state of the last evaluate()", "where it was taken last": results that a class keeps in memory
ORDER = re.compile(r"//[^\n]*(?:\b(?:of|at|by) the last \w+\(|\btaken last\b|\bof the last (?:run|p)\b|"
                   r"\bmust be called\b|\bcall \w+\(\) first\b)")
FOLDERS = ("include", "src", "apps", "tests", "bench", "examples", "tools")
LIBRARY = ("include", "src", "apps")


def without_templates(head):
    return re.sub(r"template\s*<[^{]*?>", "", head)


def is_class(head):
    return bool(CLASS.search(without_templates(head))) and "(" not in head


def functions(code, start=0, end=None):
    """Yields (name, first position, last position) of each function body."""
    for head, first, last in cpp_text.bodies(code, start, end):
        if NOT_A_FUNCTION.match(head) or is_class(head):
            yield from functions(code, first + 1, last)
        elif name := re.search(r"([~\w:]+)\s*\(", head):
            yield name.group(1), first, last


def classes(code, start=0, end=None):
    """Yields (name, position, functions, members) of each class, nested ones as well."""
    for head, first, last in cpp_text.bodies(code, start, end):
        if NOT_A_FUNCTION.match(head):
            yield from classes(code, first + 1, last)
        elif is_class(head):
            yield CLASS.search(without_templates(head)).group(1), first, *counts(code[first + 1:last])
            yield from classes(code, first + 1, last)


def counts(body):
    """How many functions and data members the body of a class declares; an estimate by the look of its statements."""
    methods, flat, end = 0, "", 0
    for head, first, last in cpp_text.bodies(body):
        flat += body[end:first] + ";"
        end = last + 1
    flat += body[end:]
    members = 0
    for statement in re.sub(r"\b(?:public|private|protected)\s*:", "", flat).split(";"):
        statement = re.sub(r"=.*", "", without_templates(statement), flags=re.S).strip()
        if not statement or re.match(r"(?:using|friend|static|typedef|enum|class|struct|template)\b", statement):
            continue
        if re.search(r"\w\s*\(", statement):
            methods += 1
        elif re.search(r"\w\s+[*&]?\w|>\s*\w", statement):
            members += 1 + re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", statement).count(",")
    return methods, members


def sources(root):
    for top in FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".py"):
                yield path, path.relative_to(root)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    lengths, files, lines, casts, friends, orders, large = [], 0, 0, 0, 0, 0, []
    for path, name in sources(root):
        files += 1
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_FILE:
            print(f"{name}: {text.count(chr(10))} lines")
        if path.suffix == ".py":
            continue
        code = cpp_text.code_only(text)
        for function, first, last in functions(code):
            length = text.count("\n", first, last) + 1
            lengths.append(length)
            if length > MAX_FUNCTION:
                print(f"{name}:{cpp_text.line_of(text, first)}: {function} has {length} lines")
        if name.parts[0] not in LIBRARY:
            continue
        lines += text.count("\n")
        casts += len(CAST.findall(code))
        friends += len(FRIEND.findall(code))
        for match in ORDER.finditer(text):
            orders += 1
            print(f"{name}:{cpp_text.line_of(text, match.start())}: a comment that states a call order")
        for match in FRIEND.finditer(code):
            print(f"{name}:{cpp_text.line_of(text, match.start())}: a friend")
        large += [(methods, members, f"{name}:{cpp_text.line_of(text, at)}: {kind}")
                  for kind, at, methods, members in classes(code)
                  if methods > MAX_METHODS or members > MAX_MEMBERS]
    for methods, members, where in sorted(large, reverse=True):
        print(f"{where} has {methods} functions and {members} members")
    print(f"{files} files, {len(lengths)} functions, median {statistics.median(lengths):.0f} lines, "
          f"longest {max(lengths)}")
    print(f"library: {lines} lines, {len(large)} large classes, {friends} friends, {orders} comments on call order, "
          f"{casts} casts between integers (one line in {lines // max(casts, 1)})")


if __name__ == "__main__":
    main()
