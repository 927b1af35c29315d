#!/usr/bin/env python3
"""Forbids calls that are not analytic in code that runs on complex numbers.

With std::complex, Eigen's dot, cross, norm, llt, … conjugate, and abs and max drop the imaginary
part: the complex step then reports a wrong derivative without a word. kinegrad::la has analytic
twins. This check looks at include/kinegrad and src and treats as scalar-templated

  * the body of every template with a type parameter, functions and classes alike,
  * the body of every other function that names Complex or Dual or has an `auto` parameter.

There it refuses the member calls in MEMBERS, the types in TYPES, and the functions in FUNCTIONS
unless every name in their arguments is plainly real: a number, a size, real_part(…), a constant
k…, or a name declared double, int or bool in the same body.

A line that is right for a reason the check cannot see carries it:  // holomorphic: reason
"""

import argparse
import pathlib
import re
import sys

import cpp_text

MEMBERS = """adjoint adjointInPlace blueNorm colPivHouseholderQr conjugate cross cross3 cwiseAbs
cwiseAbs2 cwiseMax cwiseMin dot fullPivHouseholderQr householderQr hypotNorm isApprox jacobiSvd ldlt
llt lpNorm maxCoeff minCoeff norm normalize normalized selfadjointView squaredNorm stableNorm
stableNormalize stableNormalized""".split()
FUNCTIONS = "abs conj copysign fabs fmax fmin hypot max min norm".split()
TYPES = """Quaternion Quaterniond AngleAxis AngleAxisd LLT LDLT SimplicialLLT SimplicialLDLT HouseholderQR
ColPivHouseholderQR FullPivHouseholderQR JacobiSVD BDCSVD SelfAdjointEigenSolver""".split()

MEMBER_CALL = re.compile(
    r"(?:\.|->)\s*(?:template\s+)?(" + "|".join(MEMBERS) + r")\s*(?:<[^;(){}]*>\s*)?\(")
FUNCTION_CALL = re.compile(r"(?<![\w.>])((?:\w+::)*)(" + "|".join(FUNCTIONS) + r")\s*(?:<[^;(){}]*>\s*)?\(")
TYPE_NAME = re.compile(r"\bEigen::(" + "|".join(TYPES) + r")\b")
OWN_NORM = re.compile(r"\bnamespace kinegrad::la\b|\busing la::norm\b")
WAIVER = re.compile(r"//\s*holomorphic:\s*\S")

TEMPLATE_HEAD = re.compile(r"\btemplate\s*<")
SCOPE_HEAD = re.compile(r"^\s*(?:inline\s+)?(?:namespace\b|extern\b|export\b)")
CLASS_HEAD = re.compile(r"(?:^|[\s>])(?:class|struct|union)\s+(?:\w|:)")
COMPLEX_NAME = re.compile(r"\b(?:Complex|Dual|std::complex)\b")
GENERIC = re.compile(r"[(,]\s*(?:const\s+)?auto\b")
REAL_DECLARATION = re.compile(
    r"\b(?:double|float|int|long|bool|(?:std::)?size_t|(?:Eigen::)?Index)\b\s*[&*]?\s*(\w[^;{}]*)")
REAL_CALLS = re.compile(r"\b(?:real_part|sizeof|static_cast\s*<\s*(?:double|int|std::size_t)\s*>)\s*\(")
REAL_MEMBERS = re.compile(r"(?:\b\w+(?:\.|->))*\b\w+(?:\.|->)(?:size|rows|cols|nq|length)\(\)")


def has_type_parameter(head):
    """Whether a template head in front of a body has a type parameter."""
    for match in TEMPLATE_HEAD.finditer(head):
        start = match.end() - 1
        parameters = head[start + 1:cpp_text.closing(head, start)]
        for parameter in re.split(r",(?![^<]*>)", parameters):
            words = re.sub(r"=.*|<.*>", " ", parameter).replace("...", " ").split()
            if words and words[0] not in ("int", "bool", "std::size_t", "auto", "unsigned"):
                return True
    return False


def scalar_regions(code, start=0, end=None):
    """Yields (start, end) of the text that may run on complex numbers."""
    for head, first, last in cpp_text.bodies(code, start, end):
        signature = head[head.rfind("template") if "template" in head else 0:]
        if has_type_parameter(head):
            yield first, last
        elif SCOPE_HEAD.match(head) or (CLASS_HEAD.search(signature) and "(" not in signature):
            yield from scalar_regions(code, first + 1, last)
        elif COMPLEX_NAME.search(head + code[first:last]) or GENERIC.search(head + code[first:last]):
            yield first, last


def without_brackets(text):
    """The text up to the first bracket it does not open, without what stands in brackets."""
    before = None
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)", "", text)
    return text.split(")")[0]


def declared_real(region):
    """Names declared with a real type in the region; several per declaration are understood."""
    names = set()
    for match in REAL_DECLARATION.finditer(region):
        declarators = without_brackets(match.group(1))
        for declarator in declarators.split(","):
            name = re.match(r"\s*[&*]?\s*(\w+)\s*(?:=|\[|$|:|\))", declarator)
            if name:
                names.add(name.group(1))
    return names


def plainly_real(arguments, names):
    """Whether nothing in the arguments of a call can be complex."""
    while match := REAL_CALLS.search(arguments):
        end = cpp_text.closing(arguments, match.end() - 1)
        arguments = arguments[:match.start()] + "0" + arguments[end + 1:]
    arguments = REAL_MEMBERS.sub("0", arguments)
    for word in re.findall(r"(?<![\w.])[A-Za-z_][\w:]*", arguments):
        known = word in names or re.fullmatch(r"(?:\w+::)*k[A-Z]\w*", word)
        if not known and word not in FUNCTIONS and word.removeprefix("std::") not in FUNCTIONS:
            return False
    return True


def findings_in(text):
    """(line, message) of every forbidden call in the text of a file."""
    code, lines = cpp_text.code_only(text), text.split("\n")
    found = set()
    for start, end in scalar_regions(code):
        region = code[start:end]
        names = declared_real(region)
        for match in MEMBER_CALL.finditer(region):
            found.add((start + match.start(1), f".{match.group(1)}() is not analytic"))
        for match in TYPE_NAME.finditer(region):
            found.add((start + match.start(), f"Eigen::{match.group(1)} is not analytic"))
        for match in FUNCTION_CALL.finditer(region):
            own = match.group(1) == "" and match.group(2) == "norm" and OWN_NORM.search(code)
            if own or match.group(1) not in ("", "std::", "Eigen::numext::"):
                continue
            last = cpp_text.closing(region, match.end() - 1)
            if not plainly_real(region[match.end():last], names):
                found.add((start + match.start(), f"{match.group(2)}() is not analytic"))
    for position, message in sorted(found):
        line = cpp_text.line_of(text, position)
        above = lines[line - 2].strip() if line > 1 else ""
        if not WAIVER.search(lines[line - 1]) and not (above.startswith("//") and WAIVER.match(above)):
            yield line, message


def check(root):
    """All findings under root, and the number of files looked at."""
    findings, count = [], 0
    for top in ("include/kinegrad", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                count += 1
                text = path.read_text(encoding="utf-8")
                findings += [f"{path.relative_to(root)}:{line}: {message}; see kinegrad/math/linear_algebra.hpp"
                             for line, message in findings_in(text)]
    return findings, count


def main():
    parser = argparse.ArgumentParser(description="Forbids non-analytic calls in templated code.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    findings, count = check(parser.parse_args().root)
    print("\n".join(findings) if findings else f"holomorphic: {count} files, no finding")
    return 1 if findings or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
