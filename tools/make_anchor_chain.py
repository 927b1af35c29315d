#!/usr/bin/env python3
"""Prints the model of a ship's anchor on its chain.

From the top: a guided link, links with a swivel between them, an end link, the shank of the anchor and its flukes. 64 bodies: 1 floating, 60 on
Cardan joints, 3 on revolute ones (swivel, end link to shank, flukes). Every body touches the hull, the plane x = 0, by a sphere.

    make_anchor_chain.py > examples/anchor_chain/anchor_chain.yaml
"""

import argparse

HEAD = """\
# yaml-language-server: $schema=../../schema/kinegrad-model.schema.json
# Made by tools/make_anchor_chain.py{options}
name: ship's anchor on its chain
description: >-
  An anchor of two parts on a chain of {links} links with a swivel is lifted along a ship's side. Its top link is led upwards; the chain hangs
  at an angle, swings towards the hull (the plane x = 0) and strikes it, with friction. Bodies and joints are as many as those of the anchor of López Varela (2022, section
  7.5), whose data are not printed: all numbers are ours. x away from the hull, z up.
parameters:
  V:     {{value: 0.5, unit: m/s, description: speed of lifting}}
  L:     {{value: 0.36, unit: m, description: pitch of a link}}
  m:     {{value: 30, unit: kg, description: mass of a link}}
  mu:    {{value: 0.3, unit: "1", description: friction on the hull}}
  angle: {{value: 0.14, unit: rad, description: of the chain from the vertical at the start}}
  gap:   {{value: 0.3, unit: m, description: of the top link from the hull}}
points: {{guide: [gap, 0, 0]}}
bodies:                             # z upwards along the chain, origin at the upper joint
"""

LINK = """\
  {name}:
    mass: {mass}
    com: [0, 0, -{length}/2]
    inertia: [{mass}*{length}^2/10, {mass}*{length}^2/10, {mass}*{length}^2/40]
    points: {{{name}_end: [0, 0, -{length}]}}
    shape: {{type: cylinder, from: [0, 0, 0], to: [0, 0, -{length}], radius: 0.05, color: "{color}"}}
"""

ANCHOR = """\
  shank:
    mass: 1500
    com: [0, 0, -0.9]
    inertia: [450, 450, 40]
    points: {crown: [0, 0, -1.8]}
    shape: {type: cylinder, from: [0, 0, 0], to: [0, 0, -1.8], radius: 0.12, color: "#4477aa"}
  flukes:
    mass: 2500
    com: [0, 0, -0.1]
    inertia: [500, 350, 600]
    points: {left_tip: [0.3, 0.8, 1.1], right_tip: [0.3, -0.8, 1.1]}
    shapes:
      - {type: box, size: [0.5, 1.6, 0.4], center: [0, 0, -0.1], color: "#cc6677"}
      - {type: cylinder, from: [0.1, 0.7, 0], to: [0.3, 0.8, 1.1], radius: 0.1, color: "#cc6677"}
      - {type: cylinder, from: [0.1, -0.7, 0], to: [0.3, -0.8, 1.1], radius: 0.1, color: "#cc6677"}
"""

CONTACT = ("  {name}_hull: {{type: sphere-on-plane, bodies: [ground, {body}], points: [[0, 0, 0], {point}], axes: [x, x], references: [z, z], "
           "radius: {radius}, stiffness: {stiffness}, exponent: 1.5, dissipation: 0.3, friction: mu}}\n")


def joint(name, kind, bodies, points, axes):
    # the second axis of a Cardan joint is across its first one
    return f"  {name}: {{type: {kind}, bodies: [{bodies}], points: [{points}], axes: [{axes}]}}\n"


def model(links, above, options=""):
    """`links` on Cardan joints, `above` of them above the swivel, whose lower half hangs on a revolute joint."""
    names = ["top"] + [f"link{i}" for i in range(1, above)] + ["swivel", "eye"] + [f"link{i}" for i in range(above, links - 1)] + ["end"]
    out = [HEAD.format(links=links, options=options)]
    for name in names:
        mass, color = ("2*m", "#888888") if name in ("swivel", "eye", "end") else ("m", "#333333")
        out.append(LINK.format(name=name, mass=mass, length="L", color=color))
    out += [ANCHOR, "joints:\n", "  hold: {type: floating, bodies: [ground, top], points: [guide, [0, 0, 0]]}\n"]
    for k in range(1, len(names)):
        pair, place = f"{names[k - 1]}, {names[k]}", f"{names[k - 1]}_end, [0, 0, 0]"
        turns = names[k] == "eye"
        # links stand across each other: the first axis is x or y of the upper one in turn, the second one is across it
        axes = "z, z" if turns else ("x, y" if k % 2 else "y, x")
        out.append(joint(f"J{k}", "revolute" if turns else "universal", pair, place, axes))
    out.append(joint("shackle", "revolute", "end, shank", "end_end, [0, 0, 0]", "y, y"))
    out.append(joint("hinge", "revolute", "shank, flukes", "crown, [0, 0, 0]", "y, y"))
    out.append("constraints:                        # the top link is led upwards, without a jerk at the start\n")
    out.append("  lead_x: {type: prescribed, coordinate: hold.q1, value: 0}\n")
    out.append("  lead_y: {type: prescribed, coordinate: hold.q2, value: 0}\n")
    out.append("  lead_z: {type: prescribed, coordinate: hold.q3, value: V*(sqrt(t^2 + 1) - 1)}\n")
    out.append("forces:\n  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n")
    out.append("  stiff: {type: torsional-spring-damper, joint: hinge, stiffness: 2e+4, damping: 3000}\n")
    out += [CONTACT.format(name=n, body=n, point="[0, 0, -L/2]", radius=0.12, stiffness="2e+6") for n in names]
    out.append(CONTACT.format(name="shank", body="shank", point="[0, 0, -0.9]", radius=0.15, stiffness="2e+7"))
    out.append(CONTACT.format(name="flukes", body="flukes", point="[0, 0, -0.1]", radius=0.3, stiffness="2e+7"))
    out.append(CONTACT.format(name="left", body="flukes", point="left_tip", radius=0.1, stiffness="2e+7"))
    out.append(CONTACT.format(name="right", body="flukes", point="right_tip", radius=0.1, stiffness="2e+7"))
    out.append("""\
initial: {hold.q: [0, 0, 0, cos(angle/2), 0, -sin(angle/2), 0]}
signals:
  x: {value: crown.x, unit: m, description: of the crown from the hull}
  z: {value: crown.z, unit: m}
  middle_x: {value: eye_end.x, unit: m, description: of the swivel from the hull}
  energy_total: {value: energy, unit: J}
objectives:
  away: {integral: crown.x, unit: m s, description: how far from the hull the anchor stays}
  height: {terminal: crown.z, unit: m}
analysis: {formulation: fully-recursive, integrator: trapezoidal, step: 5e-4, end: 20}
""")
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--links", type=int, default=60, help="on Cardan joints, swivel and end link among them (default 60)")
    parser.add_argument("--above", type=int, default=50, help="of them, above the swivel (default 50)")
    arguments = parser.parse_args()
    if not 1 <= arguments.above <= arguments.links - 1:
        parser.error("the swivel must be between the links")
    given = "" if (arguments.links, arguments.above) == (60, 50) else f" --links {arguments.links} --above {arguments.above}"
    print(model(arguments.links, arguments.above, given), end="")


if __name__ == "__main__":
    main()
