#!/usr/bin/env python3
"""Prints the walker of examples/walker/walker.yaml with feet of three points: heel, middle and toe of a flat sole.

    make_walker.py > examples/walker/walker_three_points.yaml
"""

import pathlib

PLAIN = pathlib.Path(__file__).resolve().parents[1] / "examples" / "walker" / "walker.yaml"
PLACES = {"heel": "-sole", "foot": "0", "toe": "sole"}


def replaced(text, old, new):
    if old not in text:
        raise SystemExit(f"make_walker.py: {PLAIN} has no longer: {old}")
    return text.replace(old, new)


def three_points(text):
    text = replaced(text, "name: passive walker with knees\n", "# Made by tools/make_walker.py\nname: passive walker with knees and feet of three points\n")
    text = replaced(text, "point masses and point feet walk", "point masses and feet of three points walk")
    text = replaced(text, "  mu: {value", "  sole: {value: 0.02, unit: m, description: from the middle of a foot to heel and toe}\n  mu: {value")
    for leg in "ab":
        text = replaced(text, f"points: {{foot_{leg}: [0, 0, -a1 - b1]}}", f"points: {{heel_{leg}: [-sole, 0, -a1 - b1], foot_{leg}: [0, 0, -a1 - b1], toe_{leg}: [sole, 0, -a1 - b1]}}")
        lines = text.splitlines(keepends=True)
        ground = next(line for line in lines if line.startswith(f"  ground_{leg}:"))
        text = text.replace(ground, "".join(ground.replace(f"ground_{leg}:", f"{p}_ground_{leg}:").replace(f"foot_{leg}]", f"{p}_{leg}]") for p in PLACES))
        load = next(line for line in lines if line.startswith(f"  load_{leg}:"))
        parts = "".join(f'  {p}_load_{leg}: {{value: "0.5 - 0.5*tanh(({p}_{leg}.z - release)/touch)"}}\n' for p in PLACES)
        product = "*".join(f"(1 - {p}_load_{leg})" for p in PLACES)
        text = text.replace(load, parts + f'  load_{leg}: {{value: "1 - {product}", description: near 1 where the foot carries load}}\n')
    return text


if __name__ == "__main__":
    print(three_points(PLAIN.read_text(encoding="utf-8")), end="")
