"""The dictionary of the fuzzer of model files has every key and every word of the schema: what it does not know it hardly ever writes."""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema" / "kinegrad-model.schema.json").read_text(encoding="utf-8"))
DICTIONARY = (ROOT / "tests" / "fuzz" / "model.dict").read_text(encoding="utf-8")


def vocabulary(node):
    """(keys, words) of a schema."""
    keys, words = set(), set()
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    if isinstance(node, dict):
        keys |= set(node.get("properties", {}))
        values = node.get("enum", []) + [node.get("const")]
        words |= {value for value in values if isinstance(value, str)}
    for child in children:
        more_keys, more_words = vocabulary(child)
        keys |= more_keys
        words |= more_words
    return keys, words


class FuzzDictionary(unittest.TestCase):
    def test_it_has_the_words_of_the_schema(self):
        known = set(re.findall(r'^"(.*)"$', DICTIONARY, re.M))
        keys, words = vocabulary(SCHEMA)
        keys = {key for key in keys if re.fullmatch(r"\w+", key)}
        self.assertGreater(len(keys), 100)
        self.assertEqual({key for key in keys if f"{key}: " not in known}, set())
        self.assertEqual({word for word in words if len(word) > 2 and word not in known}, set())


if __name__ == "__main__":
    unittest.main()
