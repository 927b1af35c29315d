"""tools/check_labels.py finds labels that are missing, defined twice or cited nowhere."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_labels  # noqa: E402


class CheckLabels(unittest.TestCase):
    def findings(self, theory, code):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"docs/theory/a.md": theory, "src/math/a.cpp": code}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check_labels.check(root)[0]

    def test_cited_labels_are_fine(self):
        theory = "    x = 1        [AA-1]\n\n**[AA-2]** y = 2\n\n| [AA-3] | z |\n| w | [AA-4] |\n[AA-5]: v\n"
        self.assertEqual(self.findings(theory, "// [AA-1..3], [AA-4] and [AA-5]\n"), [])

    def test_missing(self):
        found = self.findings("    x = 1        [AA-1]\n", "// [AA-1]\n// [AA-2]\n")
        self.assertEqual(found, ["src/math/a.cpp:2: [AA-2] is defined in no page of docs/theory"])

    def test_twice(self):
        found = self.findings("    x = 1    [AA-1]\n    y = 2    [AA-1]\n", "// [AA-1]\n")
        self.assertEqual(found, ["docs/theory/a.md:2: [AA-1] is defined at docs/theory/a.md:1 already"])

    def test_nowhere(self):
        found = self.findings("    x = 1    [AA-1]\n", "")
        self.assertEqual(found, ["docs/theory/a.md:1: [AA-1] is cited nowhere"])

    def test_a_sentence_cites(self):
        found = self.findings("    x = 1    [AA-1]\n\nBecause of [AA-1] it is.\n", "")
        self.assertEqual(found, [])

    def test_end_of_a_sentence_defines_nothing(self):
        found = self.findings("This follows from [AA-1]\n", "")
        self.assertEqual(found, ["docs/theory/a.md:1: [AA-1] is defined in no page of docs/theory"])


if __name__ == "__main__":
    unittest.main()
