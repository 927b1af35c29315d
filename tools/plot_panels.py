#!/usr/bin/env python3
"""Draws signals of `kinegrad simulate --csv` as an SVG picture.

    plot_panels.py motion.csv -o motion.svg --panel "lean, steering | rad" --panel "x > y | m"

A panel names the columns it shows over time, or over another column (`x > y`), and after a bar what its axis says. A file other than the first is
named by its number: `2:lean` is the column lean of the second file. A panel with `log` before the bar has a logarithmic axis: `error log | m`.
"""

import argparse
import csv
import math
import sys

COLORS = ["#4477aa", "#cc6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 200, 70, 20, 20, 34
MOST_POINTS = 1200  # of a curve: more cannot be seen


def columns_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = [name.strip() for name in rows[0]]
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(names)}


def ticks(low, high, count=5):
    if not high > low:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def text(x, y, words, anchor="middle", color="#444"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{words}</text>'


class Panel:
    def __init__(self, files, description):
        curves, _, self.unit = (part.strip() for part in description.partition("|"))
        self.log = curves.endswith(" log")
        curves = curves.removesuffix(" log")
        over, _, names = curves.rpartition(">")
        self.over = over.strip() or "t"
        self.names = [name.strip() for name in names.split(",")]
        self.curves = []
        for name in self.names:
            number, _, column = name.rpartition(":")
            data = files[int(number) - 1 if number else 0]
            if column not in data or self.over not in data:
                sys.exit(f"plot_panels.py: no column {column} over {self.over}; there are {', '.join(data)}")
            x, y = data[self.over], data[column]
            if self.log:
                y = [math.log10(max(abs(value), 1e-300)) for value in y]
            stride = max(1, len(x) // MOST_POINTS)
            self.curves.append((x[::stride], y[::stride]))

    def draw(self, top):
        xs = [v for x, _ in self.curves for v in x]
        ys = [v for _, y in self.curves for v in y]
        x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
        margin = 0.05 * (y1 - y0) or 0.5
        y0, y1 = y0 - margin, y1 + margin
        right, bottom = WIDTH - RIGHT, top + HEIGHT - BOTTOM

        def px(x):
            return LEFT + (right - LEFT) * (x - x0) / ((x1 - x0) or 1)

        def py(y):
            return bottom - (bottom - top - TOP) * (y - y0) / (y1 - y0)

        out = [f'<rect x="{LEFT}" y="{top + TOP}" width="{right - LEFT}" height="{bottom - top - TOP}" fill="none" stroke="#bbb"/>']
        for value in ticks(x0, x1, 8):
            out += [f'<line x1="{px(value):.1f}" x2="{px(value):.1f}" y1="{top + TOP}" y2="{bottom}" stroke="#eee"/>', text(px(value), bottom + 14, f"{value:.6g}")]
        for value in ticks(y0, y1):
            label = f"1e{value:.6g}" if self.log else f"{value:.6g}"
            out += [f'<line x1="{LEFT}" x2="{right}" y1="{py(value):.1f}" y2="{py(value):.1f}" stroke="#eee"/>', text(LEFT - 6, py(value) + 4, label, "end")]
        for k, (x, y) in enumerate(self.curves):
            points = " ".join(f"{px(a):.1f},{py(b):.1f}" for a, b in zip(x, y))
            out.append(f'<polyline points="{points}" fill="none" stroke="{COLORS[k % len(COLORS)]}" stroke-width="1.6"/>')
            out.append(text(LEFT + 130 * k, top + TOP - 4, self.names[k], "start", COLORS[k % len(COLORS)]))
        out.append(text(right, bottom + 28, f"{self.over}{' / s' if self.over == 't' else ''}", "end"))
        out.append(text(right, top + TOP - 3, self.unit, "end"))
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="of kinegrad simulate --csv")
    parser.add_argument("--panel", action="append", required=True, help='"COLUMN, … | UNIT" or "COLUMN > COLUMN | UNIT"')
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    files = [columns_of(path) for path in arguments.files]
    height = HEIGHT * len(arguments.panel)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for k, description in enumerate(arguments.panel):
        out += Panel(files, description).draw(HEIGHT * k)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>\n"]))


if __name__ == "__main__":
    main()
