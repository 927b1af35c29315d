#!/usr/bin/env python3
"""Write examples/iltis/*.yaml: the Iltis and its manoeuvres from one source.

    tools/make_iltis.py [folder]        the folder is examples/iltis unless another is named

Model files have no includes; what the manoeuvres share is here once. `tests/tools/generated_examples_test.py` compares the files with what this writes.
"""
import pathlib
import random
import sys

CORNERS = ["fl", "fr", "rl", "rr"]


def is_front(c):
    return c[0] == "f"


def side(c):
    """'' on the left (y > 0), '-' on the right."""
    return "" if c[1] == "l" else "-"


def axle(c):
    return 0.97 if is_front(c) else -1.047


def along(c, offset):
    """x of a point that lies `offset` outwards (in x) of the axle."""
    return round(axle(c) + (offset if is_front(c) else -offset), 6)


PARAMETERS = """\
  k_leaf: {value: 35906, unit: N/m, bounds: [20000, 80000], description: stiffness of the leaf springs}
  r_leaf: {value: 1, bounds: [0.5, 2], description: stiffness of the rear leaf springs over that of the front ones}
  l_leaf: {value: 0.152, unit: m, bounds: [0.12, 0.2], description: free length of the leaf springs}
  c_front: {value: 1, bounds: [0.3, 3], description: force of the front dampers over that of the benchmark}
  c_rear: {value: 1, bounds: [0.3, 3], description: the same of the rear dampers}
  p_front: {value: 0, unit: N, bounds: [-2000, 2000], description: pull added to the springs of the front dampers}
  p_rear: {value: 0, unit: N, bounds: [-2000, 2000], description: the same of the rear dampers}
  m_cabin: {value: 1260, unit: kg, bounds: [900, 1800]}
  k_tyre: {value: 460000, unit: N/m, bounds: [100000, 1000000], description: of a tyre against the road}
  # hard points: y from the middle outwards and height, as drawn; the same on all corners
  arm_y: {value: 0.259, unit: m, bounds: [0.2, 0.32], description: hinge of the A-arm on the cabin}
  arm_z: {value: 0.302, unit: m, bounds: [0.26, 0.34]}
  leaf_y: {value: 0.1585, unit: m, bounds: [0.12, 0.2], description: hinge of the leaf rod on the cabin}
  leaf_z: {value: 0.6, unit: m, bounds: [0.56, 0.64]}
  top_y: {value: 0.488, unit: m, description: ball joint of leaf rod and hub}
  top_z: {value: 0.531, unit: m}
  low_y: {value: 0.572, unit: m, description: ball joint of A-arm and hub}
  low_z: {value: 0.229, unit: m}
  damper_y: {value: 0.297, unit: m, bounds: [0.27, 0.33], description: damper on the cabin}
  damper_z: {value: 0.632, unit: m}
  foot_y: {value: 0.5, unit: m, description: damper on the A-arm}
  foot_z: {value: 0.241, unit: m}
  tie_y: {value: 0.448, unit: m, description: tie rod on the hub}
  tie_z: {value: 0.531, unit: m}
  rack_y: {value: 0.07, unit: m, description: tie rod on the rack}
  rack_z: {value: 0.6, unit: m, bounds: [0.56, 0.64]}
"""


def bodies():
    out = """\
  cabin:
    mass: m_cabin
    inertia: [130, 1620, 1670]
    placement: {position: [0, 0, 0.57]}
    vectors: {ahead: [1, 0, 0], left: [0, 1, 0], up: [0, 0, 1]}
    points:
      rack_middle: [0.83, 0, rack_z - 0.57]
"""
    for c in CORNERS:
        y = side(c)
        out += f"      plane_{c}: [{axle(c)}, {y}top_y, 0.137]\n"
        out += f"      mount_{c}: [{along(c, 0.075)}, {y}damper_y, damper_z - 0.57]\n"
        if not is_front(c):
            out += f"      rack_{c}: [{along(c, -0.14)}, {y}rack_y, rack_z - 0.57]\n"
    out += '    shapes:\n      - {type: box, size: [3.3, 1.1, 0.18], center: [-0.1, 0, 0.24], color: "#667755"}\n'
    out += '      - {type: box, size: [1.7, 1.3, 0.5], center: [-0.8, 0, 0.58], color: "#889977"}\n'
    out += '  rack: {mass: 0, placement: {position: [0.83, 0, rack_z]}, points: {rack_center: [0, 0, 0]}, shape: {type: cylinder, from: [0, -0.07, 0], to: [0, 0.07, 0], radius: 0.02, color: "#222222"}}\n'
    for c in CORNERS:
        y, x = side(c), axle(c)
        name = ("front " if is_front(c) else "rear ") + ("left" if c[1] == "l" else "right")
        out += f"  # {name}\n"
        reach = f"{y}(top_y - leaf_y)"
        out += (f'  leaf_{c}: {{mass: 0, placement: {{position: [{x}, {y}leaf_y, leaf_z]}}, '
                f'shape: {{type: cylinder, from: [0, 0, 0], to: [0, {reach}, top_z - leaf_z], radius: 0.02, color: "#aa7744"}}}}\n')
        reach = f"{y}(low_y - arm_y)"
        out += f"  arm_{c}:\n    mass: 6\n    com: [0, {reach}/2, (low_z - arm_z)/2]\n"
        # principal axes: y along the arm
        angle = f"{y}atan2(low_z - arm_z, low_y - arm_y)"
        out += f'    inertia: {{xx: 0.052099, yy: 0.023235, zz: 0.068864, axes: {{axis: x, angle: "{angle}"}}}}\n'
        out += f"    placement: {{position: [{x}, {y}arm_y, arm_z]}}\n"
        out += f"    points: {{foot_{c}: [{along(c, 0.075) - x:.3f}, {y}(foot_y - arm_y), foot_z - arm_z]}}\n"
        out += f'    shape: {{type: cylinder, from: [0, 0, 0], to: [0, {reach}, low_z - arm_z], radius: 0.025, color: "#4477aa"}}\n'
        out += f"  hub_{c}:\n    mass: 0\n    placement: {{position: [{x}, {y}low_y, low_z]}}\n"
        tie = f"[{along(c, -0.14) - x:.3f}, {y}(tie_y - low_y), tie_z - low_z]"
        extra = "" if is_front(c) else f", tie_{c}: {tie}"
        out += f"    points: {{top_{c}: [0, {y}(top_y - low_y), top_z - low_z]{extra}}}\n"
        out += f'    shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}(top_y - low_y), top_z - low_z], radius: 0.025, color: "#888888"}}\n'
        out += f"  wheel_{c}:\n    mass: 57.35\n    inertia: [1.2402, 1.908, 1.2402]\n"
        out += f"    placement: {{position: [{x}, {y}0.615, 0.356]}}\n    vectors: {{axle_{c}: [0, 1, 0]}}\n    points: {{center_{c}: [0, 0, 0]}}\n"
        out += f'    shape: {{type: cylinder, from: [0, -0.09, 0], to: [0, 0.09, 0], radius: {radius(c)}, color: "#333333"}}\n'
        if is_front(c):
            out += (f"  tie_{c}: {{mass: 0, placement: {{position: [0.83, {y}rack_y, rack_z]}}, vectors: {{side_{c}: [1, 0, 0]}}, "
                    f'shape: {{type: cylinder, from: [0, 0, 0], to: [0, {y}(tie_y - rack_y), tie_z - rack_z], radius: 0.012, color: "#cc6677"}}}}\n')
    return out


def radius(c):
    return 0.36432522 if is_front(c) else 0.36381217


def joints():
    out = "  drive: {type: floating, bodies: [ground, cabin], point: [0, 0, 0.57]}\n"
    out += "  rack: {type: prismatic, bodies: [cabin, rack], point: [0.83, 0, rack_z], axis: y, reference: x}\n"
    for c in CORNERS:
        y, x = side(c), axle(c)
        twice = "" if is_front(c) else ", closure: redundant"
        out += f"  arm_{c}: {{type: revolute, bodies: [cabin, arm_{c}], point: [{x}, {y}arm_y, arm_z], axis: x, reference: y{twice}}}\n"
        out += f"  leaf_{c}: {{type: revolute, bodies: [cabin, leaf_{c}], point: [{x}, {y}leaf_y, leaf_z], axis: x, reference: y{twice}}}\n"
        out += f"  low_{c}: {{type: spherical, bodies: [arm_{c}, hub_{c}], point: [{x}, {y}low_y, low_z], cut: false}}\n"
        out += f"  top_{c}: {{type: spherical, bodies: [leaf_{c}, hub_{c}], point: [{x}, {y}top_y, top_z]}}\n"
        out += f"  wheel_{c}: {{type: revolute, bodies: [hub_{c}, wheel_{c}], point: [{x}, {y}0.615, 0.356], axis: y, reference: x{twice}}}\n"
        if is_front(c):
            out += f"  tie_{c}: {{type: spherical, bodies: [rack, tie_{c}], point: [0.83, {y}rack_y, rack_z], cut: false}}\n"
            out += f"  end_{c}: {{type: spherical, bodies: [tie_{c}, hub_{c}], point: [0.83, {y}tie_y, tie_z]}}\n"
    return out


def constraints(rack):
    out = f"  steer: {{type: point-on-plane, point: rack_center, through: rack_middle, normal: left, offset: {rack}}}\n"
    for c in CORNERS:
        if is_front(c):
            out += f"  spin_{c}: {{type: dot, directions: [side_{c}, up]}}   # the tie rod does not turn about itself\n"
        else:
            out += f'  tie_{c}: {{type: distance, points: [rack_{c}, tie_{c}], length: "hypot(tie_y - rack_y, tie_z - rack_z)"}}\n'
    return out


def geometry_signals():
    """Lengths of leaf springs and dampers, and the forces of both (negative pushes apart)."""
    out = ""
    for c in CORNERS:
        r = "" if is_front(c) else "*r_leaf"
        a = "front" if is_front(c) else "rear"
        out += f'  L_{c}: {{value: "up.x*(plane_{c}.x - top_{c}.x) + up.y*(plane_{c}.y - top_{c}.y) + up.z*(plane_{c}.z - top_{c}.z) - 0.1", unit: m, description: length of the leaf spring}}\n'
        out += f'  leaf_{c}: {{value: "k_leaf{r}*(max(L_{c}, 0.006) - l_leaf) + 1e7*min(L_{c} - 0.006, 0)", unit: N}}\n'
        d = [f"(foot_{c}.{k} - mount_{c}.{k})" for k in "xyz"]
        v = [f"(foot_{c}.v{k} - mount_{c}.v{k})" for k in "xyz"]
        out += f'  Z_{c}: {{value: "sqrt({" + ".join(k + "^2" for k in d)})", unit: m, description: length of the damper}}\n'
        out += f'  Zv_{c}: {{value: "({" + ".join(a + "*" + b for a, b in zip(d, v))})/Z_{c}", unit: m/s}}\n'
        out += f'  inside_{c}: "min(max(Zv_{c}, -0.2), 0.21)"\n'
        out += f'  spring_{c}: {{value: "((52796000*Z_{c} - 67061000)*Z_{c} + 28397000)*Z_{c} - 4009200 + p_{a}", unit: N, description: spring and buffer of the damper}}\n'
        out += (f'  damping_{c}: {{value: "c_{a}*((((-395651*inside_{c} - 59832.25)*inside_{c} + 33955.72)*inside_{c} + 9945.627)*inside_{c}'
                f' + 1844.3*min(Zv_{c} + 0.2, 0) + 1634.727*max(Zv_{c} - 0.21, 0))", unit: N}}\n')
    return out


def suspension_forces():
    out = "  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n"
    for c in CORNERS:
        out += (f"  leaf_{c}: {{type: bushing, bodies: [cabin, hub_{c}], point: [{axle(c)}, {side(c)}top_y, top_z], axis: z, "
                f"stiffness: [0, 0, 0, 0, 0, 0], force: [0, 0, leaf_{c}]}}\n")
        out += f'  damper_{c}: {{type: actuator, points: [mount_{c}, foot_{c}], force: "-spring_{c} - damping_{c}"}}\n'
    return out


def road_signals(road):
    """Loads, slips and lateral forces of the tyres. `road` gives (height, slope) under a wheel at c as expressions, or None on a plane."""
    out = ""
    for c in CORNERS:
        w, u, n = f"center_{c}", f"axle_{c}", None
        if road is None:
            out += f'  load_{c}: {{value: "k_tyre*max({radius(c)} - {w}.z, 0)", unit: N, description: of the tyre}}\n'
            out += f'  upright_{c}: "hypot({u}.x, {u}.y)"\n'
            out += f'  along_{c}: {{value: "({u}.y*{w}.vx - {u}.x*{w}.vy)/upright_{c}", unit: m/s}}\n'
            out += f'  across_{c}: {{value: "({u}.x*{w}.vx + {u}.y*{w}.vy)/upright_{c}", unit: m/s}}\n'
            lean = f"{u}.z"
        else:
            height, slope = road(c)
            out += f'  road_{c}: {{value: "{height}", unit: m, description: height of the road}}\n'
            out += f'  slope_{c}: "{slope}"\n'
            out += f'  nz_{c}: "1/sqrt(1 + slope_{c}^2)"\n'
            out += f'  nx_{c}: "-slope_{c}*nz_{c}"\n'
            out += f'  load_{c}: {{value: "k_tyre*max({radius(c)} - {w}.z + road_{c}, 0)*nz_{c}", unit: N, description: of the tyre}}\n'
            out += f'  lean_{c}: "{u}.x*nx_{c} + {u}.z*nz_{c}"\n'
            lean = f"lean_{c}"
            out += f'  upright_{c}: "sqrt(1 - lean_{c}^2)"\n'
            out += f'  lx_{c}: "({u}.x - lean_{c}*nx_{c})/upright_{c}"\n'
            out += f'  ly_{c}: "{u}.y/upright_{c}"\n'
            out += f'  lz_{c}: "({u}.z - lean_{c}*nz_{c})/upright_{c}"\n'
            out += f'  bx_{c}: "ly_{c}*nz_{c}"\n'
            out += f'  by_{c}: "lz_{c}*nx_{c} - lx_{c}*nz_{c}"\n'
            out += f'  bz_{c}: "-ly_{c}*nx_{c}"\n'
            out += f'  along_{c}: {{value: "bx_{c}*{w}.vx + by_{c}*{w}.vy + bz_{c}*{w}.vz", unit: m/s}}\n'
            out += f'  across_{c}: {{value: "lx_{c}*{w}.vx + ly_{c}*{w}.vy + lz_{c}*{w}.vz", unit: m/s}}\n'
        # below 0.1 m/s slip counts as velocity; camber thrust arises where a wheel rolls
        out += f'  rolling_{c}: {{value: "sqrt(along_{c}^2 + 0.01)", unit: m/s}}\n'
        out += f'  counted_{c}: "min(load_{c}, 12930)"\n'
        out += f'  peak_{c}: "(-0.464e-4*load_{c} + 1.216 + 2.18e-11*load_{c}^2)*1.0274"\n'
        out += (f'  slip_{c}: "((14.47*counted_{c}*(counted_{c} - 12930) - 2625*12930)*atan(across_{c}/rolling_{c})'
                f' - 12930*2.29*(18175 - counted_{c})*counted_{c}*asin({lean})*(along_{c}/rolling_{c})^2/18175)/(12930*peak_{c}*max(load_{c}, 1))"\n')
        out += f'  limited_{c}: "min(max(slip_{c}, -3), 3)"\n'
        out += f'  side_{c}: {{value: "peak_{c}*load_{c}*(limited_{c} - limited_{c}*abs(limited_{c})/3 + limited_{c}^3/27)", unit: N, description: lateral force of the tyre}}\n'
        out += f'  aligning_{c}: {{value: "(-0.171e-4*load_{c} + 0.171e-4*abs(side_{c}))*side_{c}", unit: N m}}\n'
    return out


def tyres(road):
    out = ""
    for c in CORNERS:
        w, u = f"center_{c}", f"axle_{c}"
        if road is None:
            out += f'  tyre_{c}: {{type: point-force, point: {w}, force: ["side_{c}*{u}.x/upright_{c}", "side_{c}*{u}.y/upright_{c}", load_{c}]}}\n'
            out += (f'  twist_{c}: {{type: body-torque, body: wheel_{c}, torque: ["{w}.z*side_{c}*{u}.y/upright_{c}", '
                    f'"-{w}.z*side_{c}*{u}.x/upright_{c}", aligning_{c}]}}\n')
        else:
            out += (f'  tyre_{c}: {{type: point-force, point: {w}, force: ["load_{c}*nx_{c} + side_{c}*lx_{c}", "side_{c}*ly_{c}", '
                    f'"load_{c}*nz_{c} + side_{c}*lz_{c}"]}}\n')
            lever = f"({w}.z - road_{c})*nz_{c}*side_{c}"
            out += (f'  twist_{c}: {{type: body-torque, body: wheel_{c}, torque: ["{lever}*bx_{c} + aligning_{c}*nx_{c}", '
                    f'"{lever}*by_{c}", "{lever}*bz_{c} + aligning_{c}*nz_{c}"]}}\n')
    return out


def wheel_speeds():
    return "".join(f"  wheel_{c}.v: v/{radius(c)}\n" for c in CORNERS)


BODY_SIGNALS = """\
  way: {value: cabin.com.x, unit: m}
  aside: {value: cabin.com.y, unit: m, description: to the left}
  yaw: {value: "atan2(ahead.y, ahead.x)", unit: rad, description: to the left}
  sink: {value: cabin.com.z - 0.57, unit: m, description: displacement of the cabin from the drawn pose}
  pitch: {value: "atan2(-ahead.z, hypot(ahead.x, ahead.y))", unit: rad, description: nose down}
  roll: {value: "atan2(left.z, hypot(left.x, left.y))", unit: rad, description: to the right}
  roll_rate: {value: "cabin.wx*ahead.x + cabin.wy*ahead.y + cabin.wz*ahead.z", unit: rad/s}
  jolt: {value: cabin.com.az, unit: m/s^2, description: vertical acceleration of the cabin}
"""


def travel():
    """Eighth powers: small as long as no damper moves by more than 6 cm and no leaf spring comes as near as 3 cm to its lower end (its stop is at 6 mm)."""
    return '"' + " + ".join(f"((Z_{c} - 0.44056)/0.06)^8 + (0.03/L_{c})^8" for c in CORNERS) + '"'


def vehicle(name, description, *, parameters="", v=0, extra_bodies=None, splines="", rack="0", held=False, road="plane", more_constraints="",
            more_forces="", states="", place="", signals="", objectives="", analysis="", optimize="", steered=False):
    """A model file of the vehicle on `road` ("plane", a function as in road_signals(), or None where posts hold the wheels)."""
    tyre_signals, tyre_forces = "", ""
    if road is not None:
        ground = None if road == "plane" else road
        tyre_signals, tyre_forces = road_signals(ground), tyres(ground)
    rods = constraints(rack)
    if steered:  # the rack follows forces, not a prescribed motion
        rods = rods[rods.index("\n") + 1:]
    text = f"""\
# yaml-language-server: $schema=../../schema/kinegrad-model.schema.json
# Written by tools/make_iltis.py, which has the vehicle once for all of its manoeuvres.
name: {name}
description: >-
{description}
parameters:
{PARAMETERS}  v: {{value: {v}, unit: m/s, description: speed at the start}}
{parameters}"""
    text += f"splines:\n{splines}" if splines else ""
    text += f"bodies:\n{bodies()}joints:\n{joints()}constraints:\n{rods}{more_constraints}"
    text += f"states:\n{states}" if states else ""
    text += f"forces:\n{suspension_forces()}{tyre_forces}{more_forces}initial:\n  drive.v1: v\n{place}{wheel_speeds()}"
    text += f"signals:\n{geometry_signals()}{tyre_signals}{BODY_SIGNALS}{signals}objectives:\n{objectives}analysis: {{{analysis}}}\n"
    text += f"optimize:\n{optimize}" if optimize else ""
    return text


ABOUT = """\
  The vehicle of the IAVSD benchmark (Frik, Leister and Schwartz, Vehicle System Dynamics 22, 1993, 215-253): on each corner a leaf spring above an A-arm, a damper
  in which a buffer is, and a Calspan tyre. x is forward, z up, left is y > 0 (the public model of the benchmark calls that the right side).
  Sizes are those of Zhu (2014): 20 bodies, in cartesian coordinates 140 coordinates and 132 equations of which 6 are redundant, 14 degrees of freedom. There the rear
  hubs are hinged and have no tie rods; here they have those of the benchmark, as distances, since its equilibrium shows them (0.1 N in the tyres), and the rear
  hinges bring the redundant equations. Rods, hubs and rack have no mass. Tyre radii are those which carry 3829.6 and 3593.6 N as drawn. The load of a tyre is that of its centre's height; a tyre
  that stands has no camber thrust; below 0.1 m/s slip counts as velocity. The three parts of the damper's law meet to 0.01 N and are joined without a jump: the speed
  inside is limited to its range, what is beyond adds to it."""


def main_file():
    return vehicle("Iltis", ABOUT, objectives="""\
  cabin_z: {terminal: sink, unit: m}
  cabin_pitch: {terminal: pitch, unit: rad}
  tyre_front: {terminal: load_fl, unit: N}
  tyre_rear: {terminal: load_rl, unit: N}
  damper_front: {terminal: spring_fl, unit: N}
  damper_rear: {terminal: spring_rl, unit: N}
  leaf_front: {terminal: leaf_fl, unit: N}
  leaf_rear: {terminal: leaf_rl, unit: N}
""", analysis="step: 1e-3, end: 1")


def noise(kind, seed, count, scale):
    """Seeded numbers: white, or red (sums of white ones that forget half in eight)."""
    generator = random.Random(seed)
    values, last = [], 0.0
    for k in range(count):
        step = generator.gauss(0, scale)
        last = step if kind == "white" else last * 0.917 + step
        values.append(0.0 if k < 2 else round(last, 6))
    return "[" + ", ".join(f"{x:g}" for x in values) + "]"


COMFORT = """\
  comfort: {integral: jolt^4, unit: m^4/s^7, description: "after Zhu (2014), (5.13)"}
"""
RIDE_PARAMETERS = "k_leaf, r_leaf, c_front, c_rear, leaf_y, damper_y"


def posts(kind):
    if kind == "white":
        splines = "".join(f"  post_{c}: {{nodes: {{from: 0, to: 2, count: 51}}, values: {noise('white', 10 + k, 51, 0.004)}, unit: m}}\n" for k, c in enumerate(CORNERS))
        height = {c: f"post_{c}(t)" for c in CORNERS}
        text, end = "four posts that move the axles by white noise, one number every 0.04 s on each", 2
    else:
        splines = "".join(f"  post_{c}: {{nodes: {{from: -0.5, to: 8, count: 171}}, values: {noise('red', 20 + k, 171, 0.004)}, unit: m}}\n" for k, c in enumerate(["l", "r"]))
        height = {c: f"post_{c[1]}({'t' if is_front(c) else 't - 2.017/10'})" for c in CORNERS}
        text, end = "four posts that move the axles by red noise, left and right independent, the rear as the front at 10 m/s", 8
    more = "".join(f'  post_{c}: {{type: point-on-plane, point: center_{c}, through: [0, 0, 0], normal: z, offset: "0.356 + {height[c]}"}}\n' for c in CORNERS)
    return vehicle(f"Iltis on posts, {kind} noise", f"""\
  The Iltis (iltis.yaml) on {text}; tyres are bypassed. The noise is ours, seeded.
  Which springs, dampers and hinges shake the cabin least, if the dampers keep their travel?""",
        splines=splines, road=None, more_constraints=more,
        objectives=COMFORT + f"  travel: {{integral: {travel()}, unit: s, description: dampers beyond 6 cm and leaf springs below 3 cm}}\n",
        analysis=f"step: 4e-3, end: {end}",
        optimize=f"  minimize: comfort\n  parameters: [{RIDE_PARAMETERS}]\n  constraints: {{travel: {{at_most: 0.05}}}}\n  tolerance: 1e-4\n")


def bump(anti):
    def road(c):
        s = f"min(max((center_{c}.x - 0.97)/5, 0), 1)"
        sign = "-" if anti and c[1] == "r" else ""
        return f"{sign}0.1*(1 - cos(2*pi*{s}))", f"{sign}0.04*pi*sin(2*pi*{s})"
    phase = "anti-phase (downwards on the right)" if anti else "phase"
    return vehicle(f"Iltis on bumps in {'anti-phase' if anti else 'phase'}", f"""\
  The Iltis (iltis.yaml) over a bump of 0.2 m that is 5 m long, in {phase}, from equilibrium (--start equilibrium)
  at 5 m/s; --set v=10 --end 1.5 for the other speed of the benchmark.""",
        v=5, road=road, objectives=COMFORT + "  swing: {integral: roll_rate^2 + cabin.wy^2, unit: rad^2/s}\n  height_end: {terminal: sink, unit: m}\n",
        analysis="step: 4e-3, end: 2.5, tolerance: 1e-9")


HANDLING = """\
  rolling: {integral: roll_rate^2, unit: rad^2/s, description: "after Zhu (2014), (5.19)"}
  heading: {terminal: "atan2(ahead.y, ahead.x)", unit: rad}
  sideways: {terminal: cabin.com.y, unit: m}
"""


def rack_ramp():
    return vehicle("Iltis, rack ramp", """\
  The Iltis (iltis.yaml) at 10 m/s; the rack goes 4 mm/s to the right for 0.5 s, rounded over 0.02 s at the end. --set v=20 and v=30 are the other speeds of the
  benchmark. Start it with --start equilibrium.""",
        v=10, rack='"-0.004*smooth_min(t, 0.5, 0.02)"', objectives=HANDLING, analysis="step: 2e-3, end: 3")


def rack_sine():
    return vehicle("Iltis, sinusoidal rack", """\
  The Iltis (iltis.yaml) at 20 m/s, the rack moves by a sine of 1 Hz; amplitude 1, 2 or 4 mm (--set amplitude=0.004). Start it with --start equilibrium.""",
        v=20, parameters="  amplitude: {value: 0.002, unit: m, description: of the rack}\n", rack='"amplitude*sin(2*pi*t)"', objectives=HANDLING,
        analysis="step: 2e-3, end: 3")


def lane_change():
    """ISO 3888-1: lanes of 15, 25 and 15 + 15 m, 30 and 25 m between them, the second one 3.5 m to the left."""
    width = 1.8
    lanes = [1.1 * width + 0.25, 1.2 * width + 0.25, 1.3 * width + 0.25]
    second = 3.5 + (lanes[1] - lanes[0]) / 2  # middle of the second lane over that of the first: right edges are 3.5 m apart
    third = (lanes[2] - lanes[0]) / 2
    def middle(x):
        return f"(smooth_step({x}, 12, 0, 48, {second:g}) - smooth_step({x}, 67, 0, 98, {second - third:g}))"
    def inside(x):  # half the room beside the vehicle; wide open between the lanes
        return (f"({(lanes[0] - width) / 2:g} + smooth_step({x}, 15, 0, 20, 4) - smooth_step({x}, 40, 0, 45, {4 - 0.09:g})"
                f" + smooth_step({x}, 70, 0, 75, 4) - smooth_step({x}, 90, 0, 95, {4 - 0.09:g}))")
    def lane(x):  # middle of the lane at x, steps where the lanes are wide open
        return f"(smooth_step({x}, 25, 0, 35, {second:g}) - smooth_step({x}, 77, 0, 88, {second - third:g}))"
    signals = f"""\
  error: {{value: "{middle('preview.x')} - preview.y", unit: m, description: of the point that the driver looks at}}
  off_front: {{value: "nose.y - {lane('nose.x')}", unit: m, description: from the middle of the lane}}
  off_rear: {{value: "tail.y - {lane('tail.x')}", unit: m}}
  room_front: {{value: "{inside('nose.x')}", unit: m}}
  room_rear: {{value: "{inside('tail.x')}", unit: m}}
  wheel: {{value: hand, unit: m, description: what the driver asks of the rack}}
"""
    text = vehicle("Iltis, double lane change", """\
  The Iltis (iltis.yaml) through the double lane change of ISO 3888-1 for a vehicle 1.8 m wide, at 50 km/h (Zhu 2014, 5.2.4): lanes of 2.23, 2.41 and 2.59 m, the
  second 3.5 m to the left (right edges). The driver looks at a point ahead, compares it with a path through the middle of the lanes and turns the rack by what is
  missing, with a lag. Driver and path are ours. `cones` is how far nose and tail leave the lanes. Which springs, dampers and hinges roll least? Start it with
  --start equilibrium.""",
        v=13.889, parameters="""\
  gain: {value: 0.0104, bounds: [0.001, 0.03], description: metres of the rack per metre that the driver misses}
  ahead_by: {value: 13.7, unit: m, bounds: [5, 25], description: where the driver looks}
  lag: {value: 0.14, unit: s, bounds: [0.05, 0.5], description: of the driver}
""", steered=True,
        states='  hand: {rate: "(-gain*error - hand)/lag"}\n',
        more_forces='  steering: {type: joint-force, joint: rack, value: "200000*(hand - rack.q) - 4000*rack.v"}\n',
        signals=signals,
        objectives=HANDLING + f"  cones: {{integral: \"max(abs(off_front) - room_front, 0)^2 + max(abs(off_rear) - room_rear, 0)^2\", unit: m^2 s}}\n"
        + f"  travel: {{integral: {travel()}, unit: s, description: dampers beyond 6 cm and leaf springs below 3 cm}}\n",
        analysis="step: 0.01, end: 9.5",
        optimize=f"  minimize: rolling\n  parameters: [{RIDE_PARAMETERS}]\n  constraints: {{travel: {{at_most: 0.2}}}}\n  tolerance: 1e-4\n")
    return text.replace("      rack_middle:", "      preview: [ahead_by, 0, 0]\n      nose: [1.7, 0, 0]\n      tail: [-1.9, 0, 0]\n      rack_middle:")


FILES = {
    "iltis": main_file,
    "posts_white": lambda: posts("white"),
    "posts_red": lambda: posts("red"),
    "bump": lambda: bump(False),
    "bump_anti_phase": lambda: bump(True),
    "rack_ramp": rack_ramp,
    "rack_sine": rack_sine,
    "lane_change": lane_change,
}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "examples" / "iltis")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / f"{name}.yaml").write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
