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


def gradients_agree(test, model, *options):
    """Forward and adjoint with the complex step, of all objectives by all parameters or by those named."""
    fixed = [*options, "--tolerance", "1e-11"]
    exact = run("gradient", model, *fixed, "--method", "complex-step")
    for m in ("forward", "adjoint"):
        test.assertLessEqual(distance(run("gradient", model, *fixed, "--method", m), exact), 1e-8, m)


def coordinates_agree(test, model, end, step, *options):
    """Gradients by two steps: what differs between the sets is of second order in the step. The two sets of joint coordinates make the same steps."""
    def found(c, h):
        return run("gradient", model, "--end", end, "--step", h, "--tolerance", "1e-11", "--coordinates", c, *options)
    steps = (step, step/2)
    expected = [found("joint-com", h) for h in steps]
    test.assertLessEqual(distance(found("joint-origin", step), expected[0]), 1e-8)
    for c in ("cartesian", "natural"):
        whole, half = (distance(found(c, h), e) for h, e in zip(steps, expected))
        test.assertLessEqual(half, 0.4*whole, c)
        test.assertLessEqual(half, 2e-3, c)


def beats_random_designs(test, model, count, *options):
    """An optimum with a projected gradient of 1e-4 of the start's is cheaper than so many random designs that hold the limits."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "optimum.json"
        subprocess.run([COMMAND, "optimize", str(model), *options, "--quiet", "--out", str(result)], check=True, capture_output=True)
        found = json.loads(result.read_text(encoding="utf-8"))
        test.assertEqual(found["status"], "converged")
        test.assertLessEqual(found["optimum"]["projected_gradient"], 1e-4*found["history"][0]["projected_gradient"])
        designs = [sys.executable, "-B", str(ROOT / "tools/random_designs.py"), COMMAND, str(model), str(result), "--count", str(count), "--", *options]
        done = subprocess.run(designs, check=False, capture_output=True, text=True)
        test.assertEqual(done.returncode, 0, done.stdout + done.stderr)


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

    def test_equilibrium_is_the_same_in_all_coordinates(self):
        """An equilibrium has no time steps."""
        expected = run("gradient", ILTIS / "iltis.yaml", "--statics", "--coordinates", "joint-com")
        for c in ("joint-origin", "cartesian", "natural"):
            self.assertLessEqual(distance(run("gradient", ILTIS / "iltis.yaml", "--statics", "--coordinates", c), expected), 1e-8, c)

    def test_gradients_of_manoeuvres(self):
        """The beginning of each, from equilibrium with speed; on the bump all springs, dampers, masses and hard points, some in the others."""
        some = ["--parameters", "k_leaf,c_front,p_rear,arm_z,rack_z,m_cabin"]
        for name, end, step, parameters in (("posts_white", 0.03, 3e-3, some), ("posts_red", 0.03, 3e-3, some), ("bump", 0.03, 3e-3, []),
                                            ("bump_anti_phase", 0.03, 3e-3, some), ("rack_ramp", 0.05, 5e-3, some),
                                            ("rack_sine", 0.05, 5e-3, some), ("lane_change", 0.2, 0.02, some)):
            with self.subTest(name):
                gradients_agree(self, ILTIS / f"{name}.yaml", "--start", "equilibrium", "--end", end, "--step", step, *parameters)

    def test_gradients_are_the_same_in_all_coordinates(self):
        fixed = ["--start", "equilibrium", "--parameters", "k_leaf,c_front,arm_z,m_cabin"]
        for name in ("posts_white", "rack_sine"):
            with self.subTest(name):
                coordinates_agree(self, ILTIS / f"{name}.yaml", 0.016, 4e-3, *fixed)

    def test_comfort_beats_random_designs(self):
        """The beginning of the white noise; the whole of it, and the other optima, are in the page."""
        beats_random_designs(self, ILTIS / "posts_white.yaml", 10, "--start", "equilibrium", "--end", "0.3")


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
            for formulation in ("ali3p", "matrix-r", "penalty"):
                with self.subTest(f"{name} {formulation}"):
                    gradients_agree(self, BUGGY / f"{name}.yaml", "--end", end, "--step", step, "--parameters", "k_f,c_f,k_r,c_r,m_c", "--formulation", formulation)

    def test_gradients_are_the_same_in_all_coordinates(self):
        coordinates_agree(self, BUGGY / "buggy.yaml", 0.1, 0.01, "--parameters", "k_f,c_f,k_r,c_r,m_c")

    def test_gradients_are_the_same_in_all_formulations(self):
        """What differs between formulations is of second order in the step."""
        fixed = ["--end", 0.5, "--parameters", "k_f,c_f,k_r,c_r,m_c", "--tolerance", "1e-11"]
        for formulation in ("matrix-r", "penalty"):
            off = []
            for step in (0.01, 0.005):
                ours, other = (run("gradient", BUGGY / "buggy.yaml", *fixed, "--step", step, "--formulation", f) for f in ("ali3p", formulation))
                off.append(distance(other, ours))
            self.assertLessEqual(off[1], 0.4*off[0] + 1e-8, formulation)
            self.assertLessEqual(off[1], 1e-3, formulation)

    def test_three_optimisers_find_the_same_springs_and_dampers(self):
        """The buggy set down beside the step, so that it is over soon; the whole descent is in the page."""
        text = (BUGGY / "step_descent.yaml").read_text(encoding="utf-8").replace("drive.q1: -1.85", "drive.q1: 2.9")
        with tempfile.TemporaryDirectory() as folder:
            model, optima = pathlib.Path(folder) / "step.yaml", {}
            model.write_text(text, encoding="utf-8")
            for optimizer in ("lbfgsb", "ipopt", "slsqp"):
                found = run("optimize", model, "--end", 1.5, "--step", 0.01, "--optimizer", optimizer)
                self.assertEqual(found["status"], "converged", optimizer)
                self.assertLessEqual(found["optimum"]["projected_gradient"], 1e-4*found["history"][0]["projected_gradient"], optimizer)
                optima[optimizer] = found["optimum"]
            best = optima["lbfgsb"]
            for optimizer, optimum in optima.items():
                self.assertAlmostEqual(optimum["cost"], best["cost"], delta=1e-6*best["cost"], msg=optimizer)
                for p, value in best["parameters"].items():
                    self.assertAlmostEqual(optimum["parameters"][p], value, delta=1e-3*value, msg=f"{optimizer} {p}")

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
