"""Every model the project shows validates against the schema, and the schema refuses what is wrong."""

import copy
import json
import pathlib
import re
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema" / "kinegrad-model.schema.json").read_text(encoding="utf-8"))
Validator = jsonschema.validators.validator_for(SCHEMA)


def shown_models():
    """(name, model) of every example and of every model in a fenced block of the README."""
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        yield path.name, yaml.safe_load(path.read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for text in re.findall(r"^```yaml\n(.*?)^```", readme, re.S | re.M):
        yield "README.md", yaml.safe_load(text)


def errors(model):
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
            for e in Validator(SCHEMA).iter_errors(model)]


class ModelSchema(unittest.TestCase):
    def test_the_schema_is_a_schema(self):
        Validator.check_schema(SCHEMA)

    def test_every_model_shown_validates(self):
        models = list(shown_models())
        self.assertGreaterEqual(len(models), 8)
        for name, model in models:
            with self.subTest(name):
                self.assertEqual(errors(model), [])

    def test_wrong_models_are_refused(self):
        good = dict(shown_models())["README.md"]
        changes = {
            "unknown section": lambda m: m.update(boddies={}),
            "no bodies": lambda m: m.pop("bodies"),
            "unknown key of a body": lambda m: m["bodies"]["rod"].update(mas=1),
            "unknown joint": lambda m: m["joints"]["hinge"].update(type="revolut"),
            "a joint on one body": lambda m: m["joints"]["hinge"].update(bodies=["rod"]),
            "unknown force": lambda m: m["forces"]["spring"].update(type="sprung"),
            "attribute of another force": lambda m: m["forces"]["weight"].update(stiffness=1),
            "a vector where a number belongs": lambda m: m["bodies"]["rod"].update(mass=[1, 2, 3]),
            "a vector of two": lambda m: m["bodies"]["rod"].update(com=[1, 2]),
            "a map where a number belongs": lambda m: m["parameters"]["k"].update(value={}),
        }
        for name, change in changes.items():
            with self.subTest(name):
                model = copy.deepcopy(good)
                change(model)
                self.assertNotEqual(errors(model), [])


if __name__ == "__main__":
    unittest.main()
