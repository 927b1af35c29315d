#!/usr/bin/env python3
"""Validates model files against the JSON Schema.

    validate_examples.py SCHEMA.json MODEL.yaml...

Exit code 0 if every file is valid, 1 with a message per mistake if not.
"""

import json
import sys

import jsonschema
import yaml


def mistakes(validator, path):
    try:
        with open(path, encoding="utf-8") as file:
            model = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        return [f"{path}: {error}"]
    found = sorted(validator.iter_errors(model), key=lambda e: [str(k) for k in e.path])
    return [f"{path}: {'.'.join(str(k) for k in e.path) or 'model'}: {e.message}" for e in found]


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 1
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    found = [mistake for path in arguments[1:] for mistake in mistakes(validator, path)]
    for mistake in found:
        print(mistake, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
