#!/usr/bin/env python3
"""Write examples/buggy/*.yaml: the buggy and its manoeuvres from one source.

    tools/make_buggy.py [folder]        the folder is examples/buggy unless another is named
"""
import pathlib
import sys

FRONT, REAR = 1.35, -0.75  # axles
RADIUS = 0.30253

PARAMETERS = """\
  k_f: {value: 16000, unit: N/m, bounds: [8000, 40000], description: front springs}
  c_f: {value: 10000, unit: N s/m, bounds: [200, 20000], description: front dampers}
  k_r: {value: 10595, unit: N/m, bounds: [5000, 30000], description: rear springs}
  c_r: {value: 6000, unit: N s/m, bounds: [200, 20000], description: rear dampers}
  m_c: {value: 470, unit: kg, bounds: [350, 700], description: "chassis with engine and driver"}
"""


def sides():
    return [("l", ""), ("r", "-")]


def bodies():
    out = f"""\
  chassis:
    mass: m_c
    inertia: [70, 260, 280]
    placement: {{position: [0, 0, 0.5]}}
    vectors: {{ahead: [1, 0, 0], left: [0, 1, 0], up: [0, 0, 1]}}
    points:
      rack_middle: [1.23, 0, -0.178]
"""
    for s, y in sides():
        out += f"      seat_f{s}: [{FRONT}, {y}0.27, 0.34]     # spring and damper on the chassis\n"
        out += f"      seat_r{s}: [{REAR}, {y}0.47, 0.33]     # upper end of the strut\n"
    out += """\
    shapes:
      - {type: box, size: [2.5, 0.4, 0.25], center: [0.2, 0, 0.05], color: "#cc7733"}
      - {type: box, size: [0.8, 0.6, 0.5], center: [-0.3, 0, 0.4], color: "#888888"}
  rack: {mass: 1.5, inertia: [0.02, 0.001, 0.02], placement: {position: [1.23, 0, 0.322]}, points: {rack_center: [0, 0, 0]}, shape: {type: cylinder, from: [0, -0.26, 0], to: [0, 0.26, 0], radius: 0.015, color: "#222222"}}
"""
    for s, y in sides():
        out += f"""\
  # front {"left" if s == "l" else "right"}: double wishbone
  low_f{s}: {{mass: 3, com: [0, {y}0.17, -0.03], inertia: [0.04, 0.02, 0.06], placement: {{position: [{FRONT}, {y}0.25, 0.28]}}, points: {{foot_f{s}: [0, {y}0.23, -0.03]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}0.35, -0.06], radius: 0.02, color: "#4477aa"}}}}
  high_f{s}: {{mass: 2, com: [0, {y}0.13, -0.025], inertia: [0.02, 0.01, 0.03], placement: {{position: [{FRONT}, {y}0.3, 0.5]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}0.27, -0.05], radius: 0.015, color: "#4477aa"}}}}
  hub_f{s}: {{mass: 7, com: [0, {y}0.03, 0.1], inertia: [0.08, 0.07, 0.05], placement: {{position: [{FRONT}, {y}0.6, 0.22]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}(-0.03), 0.23], radius: 0.02, color: "#888888"}}}}
  wheel_f{s}: {{mass: 14, inertia: [0.45, 0.8, 0.45], placement: {{position: [{FRONT}, {y}0.7, 0.285]}}, points: {{center_f{s}: [0, 0, 0]}}, shape: {{type: cylinder, from: [0, -0.09, 0], to: [0, 0.09, 0], radius: {RADIUS}, color: "#333333"}}}}
  tie_{s}: {{mass: 0.5, com: [0, {y}0.165, -0.0285], inertia: [0.004, 0.0001, 0.004], placement: {{position: [1.23, {y}0.26, 0.322]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}0.33, -0.057], radius: 0.01, color: "#cc6677"}}}}
  # rear {"left" if s == "l" else "right"}: McPherson strut
  arm_r{s}: {{mass: 3, com: [0, {y}0.17, -0.03], inertia: [0.04, 0.02, 0.06], placement: {{position: [{REAR}, {y}0.25, 0.27]}}, points: {{ball_r{s}: [0, {y}0.35, -0.06]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}0.35, -0.06], radius: 0.02, color: "#4477aa"}}}}
  hub_r{s}: {{mass: 9, com: [0, 0, 0.1], inertia: [0.15, 0.14, 0.06], placement: {{position: [{REAR}, {y}0.6, 0.21]}}, points: {{pin_r{s}: [0, 0, 0], foot_r{s}: [0, {y}(-0.02), 0.03]}}, vectors: {{strut_r{s}: [0, {y}(-0.11), 0.59]}}, shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}(-0.08), 0.4], radius: 0.025, color: "#888888"}}}}
  wheel_r{s}: {{mass: 15, inertia: [0.5, 0.9, 0.5], placement: {{position: [{REAR}, {y}0.7, 0.274]}}, points: {{center_r{s}: [0, 0, 0]}}, shape: {{type: cylinder, from: [0, -0.11, 0], to: [0, 0.11, 0], radius: {RADIUS}, color: "#333333"}}}}
"""
    return out


def joints():
    out = "  drive: {type: floating, bodies: [ground, chassis], point: [0, 0, 0.5]}\n"
    out += "  rack: {type: prismatic, bodies: [chassis, rack], point: [1.23, 0, 0.322], axis: y, reference: x}\n"
    for s, y in sides():
        out += f"""\
  low_f{s}: {{type: revolute, bodies: [chassis, low_f{s}], point: [{FRONT}, {y}0.25, 0.28], axis: x, reference: y}}
  high_f{s}: {{type: revolute, closure: redundant, bodies: [chassis, high_f{s}], point: [{FRONT}, {y}0.3, 0.5], axis: x, reference: y}}
  low_ball_f{s}: {{type: spherical, bodies: [low_f{s}, hub_f{s}], point: [{FRONT}, {y}0.6, 0.22], cut: false}}
  high_ball_f{s}: {{type: spherical, bodies: [high_f{s}, hub_f{s}], point: [{FRONT}, {y}0.57, 0.45]}}
  wheel_f{s}: {{type: revolute, closure: redundant, bodies: [hub_f{s}, wheel_f{s}], point: [{FRONT}, {y}0.7, 0.285], axis: y, reference: x}}
  tie_{s}: {{type: universal, bodies: [rack, tie_{s}], point: [1.23, {y}0.26, 0.322], axis: x, axis2: z}}
  tie_ball_{s}: {{type: spherical, bodies: [tie_{s}, hub_f{s}], point: [1.23, {y}0.59, 0.265]}}
  arm_r{s}: {{type: revolute, closure: redundant, bodies: [chassis, arm_r{s}], point: [{REAR}, {y}0.25, 0.27], axis: x, reference: y}}
  plane_r{s}: {{type: planar, closure: redundant, bodies: [chassis, hub_r{s}], point: [{REAR}, {y}0.6, 0.21], axis: x, reference: y}}
  wheel_r{s}: {{type: revolute, bodies: [hub_r{s}, wheel_r{s}], point: [{REAR}, {y}0.7, 0.274], axis: y, reference: x}}
"""
    return out


def constraints(rack):
    out = f"  steer: {{type: point-on-plane, point: rack_center, through: rack_middle, normal: left, offset: {rack}}}\n"
    for s, _ in sides():
        out += f"  ball_r{s}: {{type: coincident, points: [ball_r{s}, pin_r{s}]}}\n"
        out += f"  strut_r{s}: {{type: point-on-line, point: seat_r{s}, through: foot_r{s}, along: strut_r{s}}}\n"
    return out


def forces(road=""):
    out = "  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n"
    for a, k in (("f", "f"), ("r", "r")):
        for s, _ in sides():
            length = 0.71 if a == "f" else 0.741
            out += f"  spring_{a}{s}: {{type: spring-damper, points: [seat_{a}{s}, foot_{a}{s}], stiffness: k_{k}, damping: c_{k}, length: {length}}}\n"
            out += (f"  tyre_{a}{s}: {{type: tyre, bodies: [ground, wheel_{a}{s}], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: {RADIUS}, "
                    f"stiffness: 60430, damping: 100, friction: 0.7, slip: 0.8, slip_angle: 0.2{road}}}\n")
    return out


def wheel_speeds():
    return "".join(f"  wheel_{a}{s}.v: v/{RADIUS}\n" for a in "fr" for s, _ in sides())


def readings():
    out = "".join(f"  turn_r{s}: {{value: wheel_r{s}.q, unit: rad, description: of the wheel}}\n" for s, _ in sides())
    out += "".join(f"  wishbone_{s}: {{value: low_f{s}.q, unit: rad, description: of the lower wishbone}}\n" for s, _ in sides())
    out += "".join(f"  rod_angle_{s}: {{value: tie_{s}.q1, unit: rad, description: of the tie rod against the rack}}\n" for s, _ in sides())
    out += "  rack_travel: {value: rack.q, unit: m}\n"
    out += "".join(f'  rod_{s}: {{value: "reaction(tie_ball_{s}, fy)", unit: N, description: "across the vehicle, what the tie rod does to the hub"}}\n' for s, _ in sides())
    return out


BODY_SIGNALS = """\
  way: {value: chassis.com.x, unit: m}
  left_by: {value: chassis.com.y, unit: m, description: to the left}
  height: {value: chassis.com.z, unit: m}
  roll: {value: "atan2(left.z, hypot(left.x, left.y))", unit: rad, description: to the right}
  roll_rate: {value: "chassis.wx*ahead.x + chassis.wy*ahead.y + chassis.wz*ahead.z", unit: rad/s}
  jolt: {value: chassis.com.az, unit: m/s^2, description: vertical acceleration of the chassis}
"""

ABOUT = """\
  A buggy of ours with the topology of the thesis of A. Lopez Varela (2022), 7.3: chassis, rack and tie rods, double wishbones in front, McPherson struts in the rear; its springs
  (table 7.14) and tyres (table 7.15). Masses, points and the road are ours: the thesis does not print them. 18 bodies; 36 joint coordinates and 26 equations with 4 spherical
  cuts, 180 natural coordinates and 178 equations, 14 degrees of freedom. The struts move in planes across the vehicle, which makes four equations redundant."""


def vehicle(name, description, *, v, rack="0", splines="", place="", more_forces="", signals="", objectives="", analysis="", optimize=""):
    text = f"""\
# yaml-language-server: $schema=../../schema/kinegrad-model.schema.json
# Written by tools/make_buggy.py, which has the vehicle once for all of its manoeuvres.
name: {name}
description: >-
{description}
parameters:
{PARAMETERS}  v: {{value: {v}, unit: m/s, description: speed at the start}}
"""
    text += f"splines:\n{splines}" if splines else ""
    text += f"bodies:\n{bodies()}joints:\n{joints()}constraints:\n{constraints(rack)}forces:\n{forces()}{more_forces}"
    text += f"initial:\n{place}  drive.v1: v\n{wheel_speeds()}signals:\n{readings()}{BODY_SIGNALS}{signals}objectives:\n{objectives}analysis: {{{analysis}}}\n"
    text += f"optimize:\n{optimize}" if optimize else ""
    return text


def main_file():
    return vehicle("buggy", ABOUT, v=3, objectives="""\
  height_end: {terminal: height, unit: m}
  shake: {integral: jolt^2, unit: m^2/s^3, description: while it settles}
""", analysis="step: 1e-3, end: 1, tolerance: 1e-9")


def step_descent():
    """A step down of 1 cm: a wheel of 0.3 m rolls off its edge over 8 cm."""
    signals, fall = "", ""
    for a in "fr":
        for s, _ in sides():
            w = f"wheel_{a}{s}.com"
            signals += f'  over_{a}{s}: "min(max(({w}.x - 5.5)/0.08, 0), 1)"\n'
            signals += (f'  fall_{a}{s}: {{value: "-60430*0.01*over_{a}{s}^3*(10 - 15*over_{a}{s} + 6*over_{a}{s}^2)'
                        f' - 100*0.01*30*over_{a}{s}^2*(1 - over_{a}{s})^2/0.08*{w}.vx", unit: N, description: what the tyre loses where the road is lower}}\n')
            fall += f"  fall_{a}{s}: {{type: point-force, point: center_{a}{s}, force: [0, 0, fall_{a}{s}]}}\n"
    return vehicle("buggy, step descent", """\
  The buggy (buggy.yaml) rolls at 3 m/s down a step of 1 cm, which its front wheels meet after 2 s. It starts as drawn, 16 mm above its equilibrium, and settles before. The road
  is lower by what a wheel falls over the edge; the load of the tyres follows it, the direction of the load does not. Which springs and dampers shake it least?""",
        v=3, place="  drive.q1: -1.85\n", signals=signals, more_forces=fall,
        objectives="""\
  shake: {integral: jolt^2, unit: m^2/s^3, description: "(7.33) of the thesis"}
""", analysis="step: 1e-3, end: 4.5, tolerance: 1e-9",
        optimize="  minimize: shake\n  parameters: [k_f, c_f, k_r, c_r]\n  tolerance: 1e-6\n")


RACK = [8e-05, -0.00086, -0.00243, -0.00312, -0.00236, -0.00034, 0.00181, 0.00297, 0.00273, 0.00153, 0.00035, 4e-05, 0.00082, 0.00215, 0.00301, 0.00256, 0.00075,
        -0.00153, -0.0031, -0.00326, -0.00222, -0.00082, 0.00023, 0.00063, 0.00053, 0.00025, 2e-05, -7e-05, -4e-05, 0.0, 3e-05]


def lane_change():
    """ISO 3888-1 for a width of 1.625 m; the curve of the rack leads through the middle of the lanes."""
    width = 1.625
    lanes = [1.1 * width + 0.25, 1.2 * width + 0.25, 1.3 * width + 0.25]
    second, third = 3.5 + (lanes[1] - lanes[0]) / 2, (lanes[2] - lanes[0]) / 2
    x = "chassis.com.x"
    path = f"smooth_step({x}, 12, 0, 48, {second:g}) - smooth_step({x}, 67, 0, 98, {second - third:g})"
    values = "[" + ", ".join(f"{u:g}" for u in RACK) + "]"
    return vehicle("buggy, double lane change", """\
  The buggy (buggy.yaml) through the double lane change of ISO 3888-1 for a width of 1.625 m, at 11.9 m/s without traction. The curve of the rack is ours: found by
  kinegrad optimize as 31 parameters that lead the chassis along the middle of the lanes.""",
        v=11.9, splines=f"  curve: {{nodes: {{from: 0, to: 12, count: 31}}, values: {values}, unit: m}}\n", rack="curve(t)",
        signals=f'  aside: {{value: "chassis.com.y - ({path})", unit: m, description: from the middle of the lanes}}\n',
        objectives="""\
  rolling: {integral: 100000*roll_rate^2, description: "(7.34) of the thesis, with its factor"}
  astray: {integral: aside^2, unit: m^2 s}
""", analysis="step: 0.01, end: 12, tolerance: 1e-9")


FILES = {"buggy": main_file, "step_descent": step_descent, "lane_change": lane_change}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "examples" / "buggy")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / f"{name}.yaml").write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
