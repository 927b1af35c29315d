"""Usage: vehicles.py COMMAND [Iltis|Buggy|Files]. Sizes, equilibria and gradients of the vehicles in examples/iltis and examples/buggy by the command."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import iltis_energy

ROOT = pathlib.Path(__file__).resolve().parents[2]
ILTIS = ROOT / "examples" / "iltis"
BUGGY = ROOT / "examples" / "buggy"
COMMAND = sys.argv.pop(1) if len(sys.argv) > 1 else str(ROOT / "build/release/kinegrad")


def run(*arguments):
    """The JSON that the command writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [COMMAND, *map(str, arguments), "--out", str(out)]
        if arguments[0] == "simulate":
            command.append("--no-motion")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(out.read_text(encoding="utf-8"))


def distance(a, b):
    """Largest difference of two gradients: over the largest change that a parameter of its own size makes in the objective."""
    worst = 0
    for name, expected in b["objectives"].items():
        change = {p: abs(d * (b["parameters"][p] or 1)) for p, d in expected["gradient"].items()}
        largest = max(change.values()) or 1
        for p, d in expected["gradient"].items():
            off = abs(a["objectives"][name]["gradient"][p] - d) * abs(b["parameters"][p] or 1)
            worst = max(worst, off / largest)
    return worst


class Iltis(unittest.TestCase):
    def test_sizes_are_those_of_the_source(self):
        info = run("info", ILTIS / "iltis.yaml")
        self.assertEqual(len(info["bodies"]), 20)
        sets = info["coordinate_sets"]
        self.assertEqual(sets["joint"]["degrees_of_freedom"], 14)
        self.assertEqual(sets["cartesian"]["coordinates"], 140)
        equations = sets["cartesian"]["rows"] + sets["cartesian"]["normalisations"]
        self.assertEqual(equations, 132)
        self.assertEqual(equations - (140 - 14), 6)  # redundant

    def test_forces_as_drawn(self):
        """Printed: leaf 2728.9 N, damper 128.0 N, tyres 3829.6 and 3593.6 N (Zhu 2014, tables 5.5 and 5.6)."""
        final = run("simulate", ILTIS / "iltis.yaml", "--end", "1e-9", "--step", "1e-9")["final"]
        for corner in ("fl", "fr", "rl", "rr"):
            self.assertAlmostEqual(final[f"leaf_{corner}"], -2728.9, delta=0.05)
            self.assertAlmostEqual(final[f"spring_{corner}"], -128.0, delta=0.05)
            self.assertAlmostEqual(final[f"load_{corner}"], 3829.6 if corner[0] == "f" else 3593.6, delta=0.05)

    def test_equilibrium_and_its_gradient(self):
        """The equilibrium of the benchmark, recomputed by others to these digits."""
        printed = {"cabin_z": (-7.083e-3, 5e-7), "cabin_pitch": (0.1465 * 0.0174532925, 5e-5 * 0.0174532925),
                   "tyre_front": (3831.31, 6e-3), "tyre_rear": (3591.91, 6e-3), "damper_front": (-335.29, 6e-3),
                   "damper_rear": (-241.64, 6e-3), "leaf_front": (-3068.62, 6e-3), "leaf_rear": (-2885.51, 6e-3)}
        results = {m: run("gradient", ILTIS / "iltis.yaml", "--statics", "--method", m) for m in ("forward", "adjoint", "complex-step")}
        exact = results["complex-step"]
        for name, (value, digits) in printed.items():
            self.assertAlmostEqual(exact["objectives"][name]["value"], value, delta=digits, msg=name)
        for m in ("forward", "adjoint"):
            self.assertLessEqual(distance(results[m], exact), 1e-8, m)
        for p in ("k_leaf", "m_cabin", "k_tyre", "l_leaf", "arm_y"):
            self.assertIn(p, exact["objectives"]["cabin_z"]["gradient"])

    def test_equilibrium_is_the_minimum_of_an_energy(self):
        """Values, and differences of them, of an energy that shares no code with the command. Its own differences leave 1e-9 of values, 1e-5 of slopes."""
        ours = run("gradient", ILTIS / "iltis.yaml", "--statics", "--parameters", "k_leaf,l_leaf")["objectives"]
        other = iltis_energy.equilibrium()
        for name, value in other.items():
            self.assertAlmostEqual(ours[name]["value"], value, delta=1e-8*abs(value), msg=name)
        for parameter, step in (("k_leaf", 50), ("l_leaf", 1e-4)):
            value = {"k_leaf": 35906, "l_leaf": 0.152}[parameter]
            high, low = (iltis_energy.equilibrium(**{parameter: value + s}) for s in (step, -step))
            for name in other:
                slope = (high[name] - low[name])/(2*step)
                self.assertAlmostEqual(ours[name]["gradient"][parameter], slope, delta=2e-5*abs(slope), msg=f"{name} {parameter}")

    def test_gradients_of_manoeuvres(self):
        """Short runs from equilibrium with speed; some springs, dampers and hard points."""
        for name, end, step in (("posts_white", 0.03, 3e-3), ("bump_anti_phase", 0.03, 3e-3), ("lane_change", 1.0, 0.05)):
            with self.subTest(name):
                fixed = ["--start", "equilibrium", "--end", end, "--step", step, "--tolerance", "1e-11", "--parameters", "k_leaf,leaf_z"]
                results = {m: run("gradient", ILTIS / f"{name}.yaml", *fixed, "--method", m) for m in ("forward", "adjoint", "complex-step")}
                for m in ("forward", "adjoint"):
                    self.assertLessEqual(distance(results[m], results["complex-step"]), 1e-8, m)


class Buggy(unittest.TestCase):
    def test_sizes_are_those_of_the_source(self):
        info = run("info", BUGGY / "buggy.yaml")
        self.assertEqual(len(info["bodies"]), 18)
        joint, natural = info["coordinate_sets"]["joint"], info["coordinate_sets"]["natural"]
        self.assertEqual((joint["coordinates"], joint["rows"] + joint["normalisations"], joint["closure_rows"]), (36, 26, 12))
        self.assertEqual((natural["coordinates"], natural["rows"] + natural["normalisations"]), (180, 178))
        self.assertEqual(joint["degrees_of_freedom"], 14)
        self.assertEqual([loop["cut"] for loop in info["loops"]], ["high_ball_fl", "tie_ball_l", "high_ball_fr", "tie_ball_r"])

    def test_equilibrium_carries_the_weight(self):
        final = run("simulate", BUGGY / "buggy.yaml", "--statics")["final"]
        self.assertAlmostEqual(final["height"], 0.5 - 0.016, delta=1e-3)
        self.assertAlmostEqual(final["rod_l"], -final["rod_r"], delta=1e-6)

    def test_gradients(self):
        for name, end, step in (("step_descent", 2.2, 0.02), ("lane_change", 1.0, 0.02)):
            with self.subTest(name):
                fixed = ["--end", end, "--step", step, "--tolerance", "1e-11", "--parameters", "k_f,c_f,k_r,c_r,m_c"]
                results = {m: run("gradient", BUGGY / f"{name}.yaml", *fixed, "--method", m) for m in ("forward", "adjoint", "complex-step")}
                for m in ("forward", "adjoint"):
                    self.assertLessEqual(distance(results[m], results["complex-step"]), 1e-8, m)

    def test_coordinate_sets_agree(self):
        """What differs between them is of second order in the step."""
        for c in ("joint-origin", "cartesian", "natural"):
            off = []
            for step in (0.02, 0.01):
                ours, other = (run("simulate", BUGGY / "lane_change.yaml", "--end", 0.4, "--step", step, "--coordinates", k)["final"] for k in ("joint-com", c))
                off.append(max(abs(ours[signal] - other[signal]) for signal in ("height", "roll", "aside", "wishbone_l")))
            self.assertLessEqual(off[0], 1e-4, c)
            self.assertLessEqual(off[1], 0.4*off[0] + 1e-9, c)


class Files(unittest.TestCase):
    def test_they_are_those_of_the_generators(self):
        for name, there in (("iltis", ILTIS), ("buggy", BUGGY)):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, "-B", str(ROOT / f"tools/make_{name}.py"), folder], check=True)
                written = {p.name: p.read_text(encoding="utf-8") for p in pathlib.Path(folder).glob("*.yaml")}
                self.assertEqual(written, {p.name: p.read_text(encoding="utf-8") for p in there.glob("*.yaml")})


if __name__ == "__main__":
    unittest.main()
