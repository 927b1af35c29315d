#!/usr/bin/env python3
"""Prints a chain of N identical links as a model file.

Link i turns relative to link i-1 by q_i about z (planar), or about z and y in turn (--spatial). The
links have mass 1, length 1, the centre of mass at 0.5 and inertia diag(0.001, 1/12, 1/12) about it;
q_i = 0.3 sin(0.7 i + 0.1) and v_i = 0.2 cos(0.5 i) at the start, i from 0.

    make_chain.py --links 8 > examples/chain.yaml
"""

import argparse


def body(i):
    return f"""\
  link{i}:
    mass: m
    com: [L/2, 0, 0]
    inertia: [0.001, 1/12, 1/12]
    points: {{P{i}: [L, 0, 0]}}
    shape: {{type: cylinder, from: [0, 0, 0], to: [L, 0, 0], radius: 0.03}}
"""


def joint(i, axis):
    parent, point = ("ground", "[0, 0, 0]") if i == 0 else (f"link{i - 1}", f"P{i - 1}")
    return f"""\
  J{i}:
    type: revolute
    bodies: [{parent}, link{i}]
    points: [{point}, [0, 0, 0]]
    axes: [{axis}, {axis}]
    references: [x, x]
"""


def model(links, spatial):
    axes = ["y" if spatial and i % 2 else "z" for i in range(links)]
    kind = "spatial" if spatial else "planar"
    option = " --spatial" if spatial else ""
    out = [
        f"""\
# yaml-language-server: $schema=../schema/kinegrad-model.schema.json
# Made by tools/make_chain.py --links {links}{option}
name: chain of {links} links
description: >-
  A {kind} chain of {links} identical links that falls from a curved position, the model of the
  speed measurements. The data are our own.
parameters:
  m: {{value: 1, unit: kg, description: mass of a link}}
  L: {{value: 1, unit: m, description: length of a link}}
bodies:                             # x along the link, origin at its first joint
"""
    ]
    out += [body(i) for i in range(links)]
    out.append("joints:                             # angles are zero when the links are aligned\n")
    out += [joint(i, axes[i]) for i in range(links)]
    out.append("forces:\n  weight: {type: gravity, acceleration: [0, -9.81, 0]}\ninitial:\n")
    out += [f"  J{i}.q: 0.3*sin(0.7*{i} + 0.1)\n" for i in range(links)]
    out += [f"  J{i}.v: 0.2*cos(0.5*{i})\n" for i in range(links)]
    last = f"P{links - 1}"
    out.append(
        f"""\
signals:
  tip_x: {{value: {last}.x, unit: m}}
  tip_y: {{value: {last}.y, unit: m}}
objectives:
  height: {{integral: {last}.y, unit: m s, description: height of the tip over time}}
analysis: {{formulation: fully-recursive, integrator: rk4, step: 1e-3, end: 1, tolerance: 1e-10}}
"""
    )
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=8, help="number of links (default 8)")
    parser.add_argument("--spatial", action="store_true", help="axes z and y in turn")
    arguments = parser.parse_args()
    if arguments.links < 1:
        parser.error("--links must be at least 1")
    print(model(arguments.links, arguments.spatial), end="")


if __name__ == "__main__":
    main()
