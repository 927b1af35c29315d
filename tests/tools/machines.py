"""Usage: machines.py COMMAND. The anchor chain and the walker of the examples by the command: agreement of coordinate sets, steps, falls, gradients."""

import csv
import json
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
    """(time, leg in front) where a foot comes down with its leg in front and the other one behind."""
    found = []
    for before, now in zip(rows, rows[1:]):
        for front, rear in (("a", "b"), ("b", "a")):
            down = before[f"foot_height_{front}"] > 0 >= now[f"foot_height_{front}"]
            late = not found or now["t"] - found[-1][0] > 0.1
            if down and late and now[f"leg_{front}"] > 0.1 and now[f"leg_{rear}"] < -0.1:
                found.append((now["t"], front))
    return found


class Walker(unittest.TestCase):
    def test_the_feet_of_three_points_are_what_the_tool_makes(self):
        self.assertEqual(THREE_POINTS.read_text(encoding="utf-8"), generated("make_walker.py"))

    def test_walks_as_published(self):
        """Period and angles of V. F. Hsu Chen (2007) within 5 %; the rates where the impact is over, 0.1 s after it, beside those that the published state has 0.1 s later."""
        rows, _ = run("simulate", WALKER, "--end", "1.25")
        found = strikes(rows)
        self.assertEqual([front for _, front in found], ["b", "a"])
        self.assertAlmostEqual(found[1][0] - found[0][0], 0.56, delta=0.05 * 0.56)
        at = {round(row["t"] / 2.5e-4): row for row in rows}
        published = at[round(0.1 / 2.5e-4)]
        for time, front in found:
            rear = "a" if front == "b" else "b"
            touch = at[round(time / 2.5e-4)]
            self.assertAlmostEqual(touch[f"leg_{front}"], 0.1877, delta=0.05 * 0.1877)
            self.assertAlmostEqual(touch[f"leg_{rear}"], -0.2884, delta=0.05 * 0.2884)
            later = at[round((time + 0.1) / 2.5e-4)]
            self.assertAlmostEqual(later[f"leg_rate_{front}"], published["leg_rate_a"], delta=0.1 * abs(published["leg_rate_a"]))
            self.assertAlmostEqual(later[f"leg_rate_{rear}"], published["leg_rate_b"], delta=0.1)

    def test_slips_and_falls_where_friction_is_low(self):
        rows, _ = run("simulate", WALKER, "--set", "mu=0.2", "--end", "2.5")
        self.assertLess(rows[-1]["height"], 0.1)

    def test_the_gradient_of_the_step_length_is_that_of_the_complex_step(self):
        options = ("--end", "0.6", "--step", "5e-4", "--parameters", "slope,m_thigh,m_shank", "--objectives", "step_length")
        _, exact = run("gradient", WALKER, *options, "--method", "complex-step")
        _, adjoint = run("gradient", WALKER, *options)
        expected = exact["objectives"]["step_length"]["gradient"]
        largest = max(abs(value) for value in expected.values())
        for name, value in adjoint["objectives"]["step_length"]["gradient"].items():
            self.assertAlmostEqual(value, expected[name], delta=1e-7 * largest, msg=name)


if __name__ == "__main__":
    unittest.main()
