#!/usr/bin/env python3
"""Compare an optimum with random designs.

    random_designs.py COMMAND MODEL.yaml RESULT.json [--count 200] [--seed 1] [-- options of simulate]

Draws designs between the bounds of the parameters that RESULT.json of `kinegrad optimize` has changed, simulates each and counts those that
hold the constraints of the model, until there are as many as asked for. Exit 0 if none of them is cheaper than the optimum.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import yaml


def simulate(command, model, design, options):
    """Objectives of a design, or None if it cannot be simulated."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.json"
        sets = [word for name, value in design.items() for word in ("--set", f"{name}={value!r}")]
        done = subprocess.run([command, "simulate", model, *sets, *options, "--no-motion", "--quiet", "--out", str(out)],
                              capture_output=True, check=False)
        if done.returncode:
            return None
        found = json.loads(out.read_text(encoding="utf-8"))["objectives"]
        return {name: entry["value"] if isinstance(entry, dict) else entry for name, entry in found.items()}


def holds(objectives, constraints):
    return all(objectives[name] <= limit.get("at_most", float("inf")) and objectives[name] >= limit.get("at_least", float("-inf"))
               for name, limit in constraints.items())


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        cut = words.index("--")
        words, options = words[:cut], words[cut + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("model")
    parser.add_argument("result")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(words)
    model = yaml.safe_load(pathlib.Path(asked.model).read_text(encoding="utf-8"))
    optimum = json.loads(pathlib.Path(asked.result).read_text(encoding="utf-8"))["optimum"]
    goal, constraints = model["optimize"]["minimize"], model["optimize"].get("constraints", {})
    bounds = {name: model["parameters"][name]["bounds"] for name in model["optimize"]["parameters"]}
    reached = optimum["objectives"][goal]
    reached = reached["value"] if isinstance(reached, dict) else reached
    generator = random.Random(asked.seed)
    feasible, drawn, failed, best = 0, 0, 0, float("inf")
    while feasible < asked.count:
        design = {name: generator.uniform(*map(float, limits)) for name, limits in bounds.items()}
        drawn += 1
        objectives = simulate(asked.command, asked.model, design, options)
        if objectives is None:
            failed += 1
        elif holds(objectives, constraints):
            feasible += 1
            best = min(best, objectives[goal])
    print(f"{goal}: optimum {reached:.6g}; best of {feasible} feasible designs {best:.6g} ({drawn} drawn, {failed} could not be simulated)")
    return 0 if reached <= best else 1


if __name__ == "__main__":
    sys.exit(main())
