#!/usr/bin/env python3
"""What a computation passes on its way, from a profile of valgrind --tool=callgrind: functions and files of the library that are reached from a
root, and how many objects of some classes are made. A report for architects: it never fails.

  valgrind --tool=callgrind --callgrind-out-file=P build/release/kinegrad gradient examples/five_bar.yaml --method adjoint --end 0.1
  tools/path_report.py P [--root 'kinegrad::gradient('] [--made LoadedTree,TreeConstraints,JointSystem]
"""

import argparse
import collections
import pathlib
import re

import cpp_text

MADE = ("LoadedTree,TreeParameters,TreeConstraints,JointSystem,JointPartials,LinearizedTree,LinearizedForces,TreeTangent,TreeTangents,"
        "SignalEvaluator,SignalPartials,TreeDynamics,TreePartials")


def calls_of(profile):
    """(caller, callee) → calls."""
    names, calls, function, callee = {}, collections.Counter(), None, None

    def name(text):
        number, given = re.match(r"\((\d+)\)(?: (.*))?$", text).groups()
        if given:
            names[number] = given
        return names[number]

    for line in profile.open(encoding="utf-8", errors="replace"):
        if line.startswith("fn="):
            function = name(line[3:].rstrip("\n"))
        elif line.startswith("cfn="):
            callee = name(line[4:].rstrip("\n"))
        elif line.startswith("calls="):
            calls[function, callee] += int(line[6:].split()[0])
    return calls


def reached(calls, root):
    follow = collections.defaultdict(set)
    for caller, callee in calls:
        follow[caller].add(callee)
    seen, todo = set(), [f for f in follow if root in f]
    while todo:
        function = todo.pop()
        if function in seen:
            continue
        seen.add(function)
        todo += follow[function]
    return seen


def plain(function):
    """kinegrad::Class<T>::name(…) without arguments and templates; None if it is not of the library."""
    text = re.sub(r"\(anonymous namespace\)::", "", function)
    text = re.sub(r"\s*\[clone.*|'\d+$", "", text)
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    match = re.search(r"(?:^|\s)kinegrad::((?:\w+::)*~?\w+)\(", text)
    return match.group(1) if match and "lambda" not in match.group(1) else None


def files_by_function(root):
    """Where bodies stand: name → files, with and without their class."""
    homes = collections.defaultdict(set)
    for top in ("include", "src"):
        for path in sorted((root / top).rglob("*.?pp")):
            code = cpp_text.code_only(path.read_text(encoding="utf-8"))
            for match in re.finditer(r"\b((?:\w+(?:<[^<>]*>)?::)*~?\w+)\s*\([^;{}]*\)[^;{}]*\{", code):
                homes[re.sub(r"<[^<>]*>", "", match.group(1)).split("::")[-1]].add((match.group(1), path.relative_to(root)))
    return homes


def home_of(function, homes):
    """The file of a function: that which names its class as well, if several have the name."""
    owner, _, name = function.rpartition("::")
    found = homes.get(name, set())
    if not found:
        return None
    kind = owner.rpartition("::")[2]
    named = [path for full, path in found if kind and kind in re.sub(r"<[^<>]*>", "", full)]
    return sorted(named or [path for _, path in found])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profile", type=pathlib.Path)
    parser.add_argument("--root", default="kinegrad::gradient(")
    parser.add_argument("--made", default=MADE)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    calls = calls_of(arguments.profile)
    functions = {name for f in reached(calls, arguments.root) if (name := plain(f))}
    homes = files_by_function(arguments.source)
    files = {home for name in functions if (home := home_of(name, homes))}
    print(f"functions reached: {len(functions)}, in {len(files)} files")
    made = collections.Counter()
    for (caller, callee), count in calls.items():
        name = plain(callee)
        owner, _, last = (name or "").rpartition("::")
        if owner and owner.split("::")[-1] == last and last in arguments.made.split(","):
            caller_name = plain(caller) or ""
            if caller_name != name:  # a constructor that hands on to another one
                made[last] += count
    for name in arguments.made.split(","):
        if made[name]:
            print(f"{name}: {made[name]} made")


if __name__ == "__main__":
    main()
