#!/usr/bin/env python3
"""Checks the direction of the includes.

Each folder of include/kinegrad and src is a layer. A file may include its own layer and those
to its left:

    base → math → model → {joints, constraints, forces, objectives} → catalogue → tree → ports →
    assembly → signals → formulations → integrators → simulation → sensitivity → optimization → io → apps

The layers in braces stand side by side and never include each other. Headers directly in
include/kinegrad (the umbrella) stand right of io; the generated version header left of base.
Tests, benchmarks and examples may include anything. An include that names no file of ours and is
not a system header is an error too.
"""

import argparse
import pathlib
import re
import sys

RANKS = [
    ["base"], ["math"], ["model"],
    ["joints", "constraints", "forces", "objectives"],
    ["catalogue"], ["tree"], ["ports"], ["assembly"], ["signals"], ["formulations"], ["integrators"], ["simulation"],
    ["sensitivity"], ["optimization"], ["io"], ["umbrella"], ["apps"],
]
RANK = {layer: rank for rank, layers in enumerate(RANKS) for layer in layers}
GENERATED = {"kinegrad/version.hpp"}
SUFFIXES = {".hpp", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(kinegrad/[^>]+)>)')


def layer_of(path):
    """The layer of a file given relative to the root, or None where anything goes."""
    parts = path.parts
    if parts[0] == "apps":
        return "apps"
    if parts[:2] == ("include", "kinegrad"):
        return parts[2] if len(parts) > 3 else "umbrella"
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else "umbrella"
    return None


def may_include(layer, other):
    return layer == other or RANK[other] < RANK[layer]


def target_of(root, path, name):
    """The file that `#include name` in `path` means, relative to the root; None if not ours."""
    for candidate in (path.parent / name, pathlib.Path("include") / name, pathlib.Path("src") / name):
        if (root / candidate).is_file():
            return pathlib.Path((root / candidate).resolve().relative_to(root.resolve()))
    return None


def check_file(root, path):
    layer = layer_of(path)
    if layer not in RANK:
        yield f"{path}:1: \"{layer}\" is not a layer; tools/check_layers.py has the list"
        return
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match.group(1) or match.group(2)
        if name in GENERATED:
            continue
        target = target_of(root, path, name)
        if target is None:
            yield f"{path}:{number}: \"{name}\" is not a file of the project"
            continue
        other = layer_of(target)
        if other is None or other not in RANK or not may_include(layer, other):
            yield f"{path}:{number}: {layer} must not include {other or target} ({name})"


def check(root):
    """All findings under root, and the number of files looked at."""
    findings, count = [], 0
    for top in ("include/kinegrad", "src", "apps"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES:
                count += 1
                findings += check_file(root, path.relative_to(root))
    return findings, count


def main():
    parser = argparse.ArgumentParser(description="Checks the direction of the includes.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    findings, count = check(parser.parse_args().root)
    print("\n".join(findings) if findings else f"layers: {count} files, no finding")
    return 1 if findings or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
