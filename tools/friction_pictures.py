#!/usr/bin/env python3
"""Draws the pictures of docs/howto/friction_in_joints.md: friction_laws.svg (coefficient over speed) and
friction_creep.svg (a loaded joint at rest). Run in the root of the project; standard library only."""

import math
import pathlib

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 300, 62, 18, 14, 46
COLOURS = {"Brown-McPhee": "#4477aa", "Ambrósio": "#cc6677", "Gonthier": "#117733", "small": "#88aadd"}
MU_S, MU_D = 0.4, 0.3


def brown_mcphee(x):
    """[BF-1] at x = v/v_s."""
    hump = x * x / 4 + 0.75
    return MU_D * math.tanh(4 * x) + (MU_S - MU_D) * x / hump**2


def ambrosio(x):
    """[BF-2] without a rest speed."""
    s = min(x, 1.0)
    return MU_D * s * s * (3 - 2 * s)


def gonthier_steady(x):
    """The most that [BF-9] holds at a constant speed: ż = 0 in [BF-7], s_d = s in [BF-8]."""
    s = math.exp(-x * x)
    return MU_D + (MU_S - MU_D) * s


def solve_speed(load):
    """x below the peak with brown_mcphee(x) = load."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if brown_mcphee(middle) < load else (low, middle)
    return low


class Plot:
    def __init__(self, x_label, y_label, x_range, y_range, x_ticks, y_ticks):
        self.x_range, self.y_range = x_range, y_range
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="13">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        ]
        for value in x_ticks:
            x = self.x(value)
            self.line(x, TOP, x, HEIGHT - BOTTOM, "#dddddd")
            self.text(x, HEIGHT - BOTTOM + 17, f"{value:g}", "middle")
        for value in y_ticks:
            y = self.y(value)
            self.line(LEFT, y, WIDTH - RIGHT, y, "#dddddd")
            self.text(LEFT - 6, y + 4, f"{value:g}", "end")
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, "middle")
        self.parts.append(
            f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
            f'text-anchor="middle">{y_label}</text>'
        )

    def x(self, value):
        low, high = self.x_range
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.y_range
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def line(self, x1, y1, x2, y2, colour):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
        )

    def text(self, x, y, words, anchor="start", colour="black"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
        )

    def curve(self, points, colour, dashed=False):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        )

    def write(self, name):
        path = pathlib.Path("docs/images") / name
        path.write_text("\n".join(self.parts + ["</svg>\n"]), encoding="utf-8")


def laws():
    plot = Plot("sliding speed / slip_speed", "friction force / normal force", (0, 5), (0, 0.45),
                range(6), (0, 0.1, 0.2, 0.3, 0.4))
    grid = [k / 100 for k in range(501)]
    plot.curve([(x, brown_mcphee(x)) for x in grid], COLOURS["Brown-McPhee"])
    plot.curve([(x, ambrosio(x)) for x in grid], COLOURS["Ambrósio"])
    plot.curve([(0, 0)] + [(x, gonthier_steady(x)) for x in grid], COLOURS["Gonthier"], True)
    plot.text(plot.x(1.35), plot.y(0.405), "brown-mcphee", colour=COLOURS["Brown-McPhee"])
    plot.text(plot.x(0.62), plot.y(0.16), "ambrosio", colour=COLOURS["Ambrósio"])
    plot.text(plot.x(0.05), plot.y(0.42), "gonthier, the most it holds", colour=COLOURS["Gonthier"])
    plot.write("friction_laws.svg")


def creep():
    """A load of 80 % of the static friction acts on a joint at rest."""
    plot = Plot("time [s]", "displacement [mm]", (0, 1), (0, 2), (0, 0.2, 0.4, 0.6, 0.8, 1),
                (0, 0.5, 1, 1.5, 2))
    x = solve_speed(0.8 * MU_S)
    for v_s, colour, at in ((10e-3, COLOURS["Brown-McPhee"], 0.22), (1e-3, COLOURS["small"], 0.62)):
        end = min(1.0, 2e-3 / (x * v_s))
        plot.curve([(0, 0), (end, 1e3 * x * v_s * end)], colour)
        plot.text(plot.x(at) + 8, plot.y(1e3 * x * v_s * at) + 18,
                  f"brown-mcphee, slip_speed {1e3 * v_s:g} mm/s", colour=colour)
    rest = 0.8 * MU_S / 4000
    plot.curve([(k / 200, 1e3 * rest * (1 - math.exp(-k / 4))) for k in range(201)],
               COLOURS["Gonthier"])
    plot.text(plot.x(0.5), plot.y(1e3 * rest) - 8, "gonthier, bristle_stiffness 4000 / m",
              colour=COLOURS["Gonthier"])
    plot.write("friction_creep.svg")


if __name__ == "__main__":
    laws()
    creep()
