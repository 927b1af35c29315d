#!/usr/bin/env python3
"""Curves of signals as an SVG, for the pages in docs/examples.

    plot_signals.py OUT.svg --title TEXT --x t --unit-x s --unit-y mm --scale 1000 LABEL=FILE.csv:COLUMN ...
    options: --x COLUMN (t), --unit-x, --unit-y, --scale FACTOR of the ordinate, --mark X0,Y0,X1,Y1 (a line, repeatable: cones, limits)
"""

import argparse
import csv
import math
import pathlib

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 64, 16, 34, 44
COLOURS = ["#4477aa", "#cc6677", "#117733", "#aa7744", "#882255", "#666666"]


def ticks(low, high):
    """About six round numbers from low to high."""
    rough = (high - low) / 6 or 1
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def read(source, abscissa, scale):
    path, column = source.rsplit(":", 1)
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keep = max(1, len(rows) // 400)
    return [(float(r[abscissa]), scale * float(r[column])) for r in rows[::keep]]


def picture(arguments):
    curves = []
    for word in arguments.curves:
        label, source = word.split("=", 1)
        curves.append((label, read(source, arguments.x, arguments.scale)))
    marks = [[float(n) for n in mark.split(",")] for mark in arguments.mark]
    xs = [x for _, c in curves for x, _ in c]
    ys = [y for _, c in curves for _, y in c] + [y for m in marks for y in (m[1], m[3])]
    x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
    margin = 0.06 * (y1 - y0) or 1
    y0, y1 = y0 - margin, y1 + margin
    across = lambda x: LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
    up = lambda y: HEIGHT - BOTTOM - (y - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', f'<text x="{LEFT}" y="18" font-size="14" fill="#222222">{arguments.title}</text>']
    for x in ticks(x0, x1):
        out.append(f'<line x1="{across(x):.1f}" x2="{across(x):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>'
                   f'<text x="{across(x):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#555555">{x:g}</text>')
    for y in ticks(y0, y1):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(y):.1f}" y2="{up(y):.1f}" stroke="#e4e4e4"/>'
                   f'<text x="{LEFT - 6}" y="{up(y) + 4:.1f}" text-anchor="end" fill="#555555">{y:g}</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 10}" text-anchor="end" fill="#555555">{arguments.unit_x}</text>')
    out.append(f'<text x="12" y="{TOP + 10}" fill="#555555">{arguments.unit_y}</text>')
    for mark in marks:
        out.append(f'<line x1="{across(mark[0]):.1f}" y1="{up(mark[1]):.1f}" x2="{across(mark[2]):.1f}" y2="{up(mark[3]):.1f}" stroke="#dd7700" stroke-width="2" stroke-dasharray="2 4"/>')
    for k, (label, curve) in enumerate(curves):
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in curve)
        out.append(f'<polyline fill="none" stroke="{COLOURS[k % 6]}" stroke-width="1.6" points="{points}"/>')
        out.append(f'<text x="{LEFT + 10 + 190 * k}" y="{HEIGHT - 8}" fill="{COLOURS[k % 6]}">{label}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("curves", nargs="+")
    parser.add_argument("--title", default="")
    parser.add_argument("--x", default="t")
    parser.add_argument("--unit-x", default="s")
    parser.add_argument("--unit-y", default="")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--mark", action="append", default=[])
    arguments = parser.parse_args()
    pathlib.Path(arguments.out).write_text(picture(arguments), encoding="utf-8")


if __name__ == "__main__":
    main()
