"""Usage: machines.py COMMAND. The anchor chain and the walker of the examples by the command: agreement of coordinate sets, steps, falls, gradients."""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = sys.argv.pop(1) if len(sys.argv) > 1 else str(ROOT / "build/release/kinegrad")
ANCHOR = ROOT / "examples" / "anchor_chain" / "anchor_chain.yaml"
WALKER = ROOT / "examples" / "walker" / "walker.yaml"
THREE_POINTS = ROOT / "examples" / "walker" / "walker_three_points.yaml"


def run(subcommand, model, *options):
    """(rows of the signals, the JSON) of a run."""
    with tempfile.TemporaryDirectory() as folder:
        out, table = pathlib.Path(folder) / "out.json", pathlib.Path(folder) / "signals.csv"
        extra = ["--csv", str(table), "--no-motion"] if subcommand == "simulate" else ["--no-motion"]
        command = [COMMAND, subcommand, str(model), *options, "--quiet", "--out", str(out), *extra]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        rows = []
        if table.exists():
            with open(table, newline="", encoding="utf-8") as file:
                rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        return rows, json.loads(out.read_text(encoding="utf-8"))


def generated(tool):
    return subprocess.run([sys.executable, str(ROOT / "tools" / tool)], capture_output=True, text=True, check=True).stdout


class AnchorChain(unittest.TestCase):
    def test_the_file_is_what_the_tool_makes(self):
        self.assertEqual(ANCHOR.read_text(encoding="utf-8"), generated("make_anchor_chain.py"))

    def test_formulations_and_coordinates_agree(self):
        """Twenty steps of a millisecond; the error of the time steps is the same in all, what is left is the constraints at acceleration level."""
        options = ("--step", "1e-3", "--end", "0.02")
        _, expected = run("simulate", ANCHOR, *options)
        for choice in (("ali3p", "joint-com"), ("ali3p", "natural"), ("ali3p", "cartesian")):
            _, actual = run("simulate", ANCHOR, *options, "--formulation", choice[0], "--coordinates", choice[1])
            for signal in ("x", "z", "middle_x"):
                self.assertAlmostEqual(actual["final"][signal], expected["final"][signal], delta=1e-6, msg=f"{choice} {signal}")


def strikes(rows):
    """(time, leg in front) where a foot comes down with its leg in front and the other one behind; times between two rows by their heights."""
    found = []
    for before, now in zip(rows, rows[1:]):
        for front, rear in (("a", "b"), ("b", "a")):
            high, low = before[f"foot_height_{front}"], now[f"foot_height_{front}"]
            late = not found or now["t"] - found[-1][0] > 0.1
            if high > 0 >= low and late and now[f"leg_{front}"] > 0.1 and now[f"leg_{rear}"] < -0.1:
                found.append((before["t"] + (now["t"] - before["t"]) * high / (high - low), front))
    return found


HIP, THIGH, SHANK = 0.5, (0.325, 0.5), (0.625, 0.05)  # kg; (m below the hip, kg)


def momenta(hip, front, rear):
    """Angular momentum about the front foot, and of the rear leg about the hip. `hip` is its velocity, a leg is (angle, rate) and straight, 1 m long."""
    foot = (math.sin(front[0]), -math.cos(front[0]))
    whole, leg = HIP * (foot[1] * hip[0] - foot[0] * hip[1]), 0
    for angle, rate in (front, rear):
        for below, mass in (THIGH, SHANK):
            x, z = below * math.sin(angle), -below * math.cos(angle)
            u, w = hip[0] + below * rate * math.cos(angle), hip[1] + below * rate * math.sin(angle)
            whole += mass * ((x - foot[0]) * w - (z - foot[1]) * u)
            leg += mass * (x * w - z * u) if (angle, rate) == rear else 0
    return whole, leg


def after_a_rigid_impact(front, rear):
    """Rates of both legs when the front foot has come to rest at once and the rear one has left the ground: the impact of the source."""
    def hip_over(leg):
        return -leg[1] * math.cos(leg[0]), -leg[1] * math.sin(leg[0])
    (a, b), (c, d) = (momenta(hip_over((front[0], f)), (front[0], f), (rear[0], r)) for f, r in ((1, 0), (0, 1)))
    whole, leg = momenta(hip_over(rear), front, rear)
    return (whole * d - c * leg) / (a * d - b * c), (a * leg - b * whole) / (a * d - b * c)


class Walker(unittest.TestCase):
    """Published (V. F. Hsu Chen 2007), after a heel strike: angles 0.1877 and -0.2884 from the vertical, rates -1.1014 and -0.0399, period about 0.56 s."""

    def test_the_feet_of_three_points_are_what_the_tool_makes(self):
        self.assertEqual(THREE_POINTS.read_text(encoding="utf-8"), generated("make_walker.py"))

    def cycle(self, *options):
        """Period, angles and rates of (front, rear) 1 ms before the strike, and rates 0.1 s after it, of the last of more than ten steps."""
        rows, _ = run("simulate", WALKER, *options)
        found = strikes(rows)
        self.assertGreaterEqual(len(found), 11)
        self.assertEqual([front for _, front in found], ["ba"[k % 2] for k in range(len(found))])
        step, (time, front) = rows[1]["t"], found[-2]  # a strike with a tenth of a second after it
        rear = "b" if front == "a" else "a"
        before, touch, later, start = (rows[round(t / step)] for t in (time - 1e-3, time, time + 0.1, 0.1))
        legs = [(before[f"leg_{k}"], before[f"leg_rate_{k}"]) for k in (front, rear)]
        period = found[-1][0] - time
        self.assertAlmostEqual(period, found[-2][0] - found[-3][0], delta=1e-3)  # the steps have become alike
        self.assertAlmostEqual(period, 0.56, delta=0.05 * 0.56)
        self.assertAlmostEqual(touch[f"leg_{front}"], 0.1877, delta=0.05 * 0.1877)
        self.assertAlmostEqual(touch[f"leg_{rear}"], -0.2884, delta=0.05 * 0.2884)
        stance, swing = after_a_rigid_impact(*legs)
        self.assertAlmostEqual(stance, -1.1014, delta=0.05 * 1.1014)
        self.assertAlmostEqual(swing, -0.0399, delta=0.1)
        # 0.1 s later the compliant impact is over; the model starts from the published state
        self.assertAlmostEqual(later[f"leg_rate_{front}"], start["leg_rate_a"], delta=0.05 * abs(start["leg_rate_a"]))
        self.assertAlmostEqual(later[f"leg_rate_{rear}"], start["leg_rate_b"], delta=0.1)
        self.assertAlmostEqual(later[f"knee_rate_{rear}"], start["knee_rate_b"], delta=0.1)
        return period, stance, swing, rows[-1]["place"]

    def test_walks_as_published_and_the_cycle_is_not_that_of_the_step(self):
        whole, half = self.cycle(), self.cycle("--step", "1.25e-4")
        for name, a, b, delta in zip(("period", "stance", "swing", "way"), whole, half, (5e-4, 5e-3, 5e-3, 1e-3)):
            self.assertAlmostEqual(a, b, delta=delta, msg=name)

    def test_walks_where_feet_never_slip(self):
        self.cycle("--set", "mu=3")

    def test_slips_and_falls_where_friction_is_low(self):
        rows, _ = run("simulate", WALKER, "--set", "mu=0.2", "--end", "2.5")
        self.assertLess(rows[-1]["height"], 0.1)

    def test_feet_of_three_points_walk_some_steps_and_fall(self):
        """As the page reports it."""
        rows, _ = run("simulate", THREE_POINTS, "--end", "3.2")
        self.assertGreater(min(row["height"] for row in rows if row["t"] < 1.8), 0.9)
        self.assertLess(rows[-1]["height"], 0.1)

    def test_the_gradient_of_the_step_length_is_that_of_the_complex_step(self):
        """Over one step, both strikes included."""
        options = ("--end", "0.65", "--step", "5e-4", "--parameters", "slope,m_hip,m_thigh,m_shank", "--objectives", "step_length")
        _, exact = run("gradient", WALKER, *options, "--method", "complex-step")
        expected = exact["objectives"]["step_length"]["gradient"]
        largest = max(abs(value) for value in expected.values())
        for method in ("forward", "adjoint"):
            _, found = run("gradient", WALKER, *options, "--method", method)
            for name, value in found["objectives"]["step_length"]["gradient"].items():
                self.assertAlmostEqual(value, expected[name], delta=1e-8 * largest, msg=name)


if __name__ == "__main__":
    unittest.main()
