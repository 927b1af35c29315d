"""tools/check_layers.py accepts what the layers allow and refuses what they forbid."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers  # noqa: E402


class CheckLayers(unittest.TestCase):
    def findings(self, files):
        """The findings on a tree of files given as {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layers.check(root)[0]

    def including(self, path, *headers):
        files = {f"include/{h}": "#pragma once\n" for h in headers}
        files[path] = "".join(f'#include "{h}"\n' for h in headers)
        return self.findings(files)

    def test_left_is_allowed(self):
        self.assertEqual(self.including("src/joints/a.cpp", "kinegrad/base/b.hpp",
                                        "kinegrad/math/m.hpp", "kinegrad/model/n.hpp",
                                        "kinegrad/joints/j.hpp"), [])
        self.assertEqual(self.including("apps/kinegrad/kinegrad.cpp", "kinegrad/io/x.hpp",
                                        "kinegrad/kinegrad.hpp"), [])

    def test_right_is_refused_with_file_and_line(self):
        found = self.including("include/kinegrad/math/a.hpp", "kinegrad/base/b.hpp",
                               "kinegrad/model/m.hpp")
        self.assertEqual(len(found), 1)
        self.assertIn("include/kinegrad/math/a.hpp:2: math must not include model", found[0])

    def test_elements_stand_apart(self):
        for first in check_layers.RANKS[3]:
            for second in check_layers.RANKS[3]:
                found = self.including(f"src/{first}/a.cpp", f"kinegrad/{second}/b.hpp")
                self.assertEqual(len(found), 0 if first == second else 1, (first, second))

    def test_no_layer_sees_the_umbrella(self):
        self.assertEqual(len(self.including("src/io/a.cpp", "kinegrad/kinegrad.hpp")), 1)

    def test_a_private_header_counts(self):
        found = self.findings({"src/io/detail.hpp": "", "src/base/a.cpp":
                               '#include "io/detail.hpp"\n'})
        self.assertEqual(len(found), 1)

    def test_a_new_folder_needs_a_place(self):
        self.assertEqual(len(self.findings({"src/misc/a.cpp": ""})), 1)

    def test_an_unknown_header_is_refused(self):
        self.assertEqual(len(self.findings({"src/base/a.cpp": '#include "kinegrad/x.hpp"\n'})), 1)

    def test_version_header_is_free(self):
        self.assertEqual(self.findings({"src/base/a.cpp": '#include "kinegrad/version.hpp"\n'}), [])


if __name__ == "__main__":
    unittest.main()
