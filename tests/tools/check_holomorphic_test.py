"""tools/check_holomorphic.py finds each kind of bad call, and leaves good code alone."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
import check_holomorphic  # noqa: E402


def lines_found(text):
    return [line for line, _ in check_holomorphic.findings_in(text)]


def in_template(statement):
    return f"namespace a {{\ntemplate <typename T>\nT f(const Vec<T, 3>& a, T x) {{\n{statement}\n}}\n}}\n"


class CheckHolomorphic(unittest.TestCase):
    def test_every_member_is_refused_in_a_template(self):
        for member in check_holomorphic.MEMBERS:
            self.assertEqual(lines_found(in_template(f"return a.{member}(a);")), [4], member)

    def test_every_type_is_refused_in_a_template(self):
        for name in check_holomorphic.TYPES:
            self.assertEqual(lines_found(in_template(f"Eigen::{name}<T> s(a);")), [4], name)

    def test_every_function_is_refused_on_the_scalar(self):
        for name in check_holomorphic.FUNCTIONS:
            self.assertEqual(lines_found(in_template(f"return std::{name}(x, a(0));")), [4], name)
            self.assertEqual(lines_found(in_template(f"return {name}(x);")), [4], name)

    def test_spellings(self):
        for call in ("a.template lpNorm<2>()", "p->norm()", "a.head(3) . norm ()",
                     "a\n.squaredNorm()", "m.template selfadjointView<Eigen::Lower>()"):
            self.assertEqual(len(lines_found(in_template(f"return {call};"))), 1, call)

    def test_analytic_twins_pass(self):
        for call in ("la::dot(a, a)", "la::norm(a)", "la::cross(a, a)", "la::normalized(a)",
                     "a.transpose() * a", "a.partialPivLu().solve(a)"):
            self.assertEqual(lines_found(in_template(f"return {call};")), [], call)

    def test_real_arguments_pass(self):
        for statement in ("const double u = real_part(x), w = real_part(a(0)); g(std::abs(u - w));",
                          "return T(std::max(real_part(x), 1.0));",
                          "int n = 3; int m = std::min(n, kMost); g(m);",
                          "g(std::max<int>(a.size(), 3));"):
            self.assertEqual(lines_found(in_template(statement)), [], statement)

    def test_code_on_doubles_alone_passes(self):
        self.assertEqual(lines_found("double f(const Vec3& a) { return a.norm(); }\n"), [])
        self.assertEqual(lines_found("template <int n>\ndouble f(Vec<double, n> a) { return a.norm(); }\n"), [])

    def test_class_templates_and_members(self):
        self.assertEqual(lines_found("template <Scalar T>\nclass A {\n T f() const { return v_.norm(); }\n};\n"), [3])
        self.assertEqual(lines_found("struct A {\n template <Scalar T>\n static T f(V<T> a) {\n  return a.norm();\n }\n};\n"), [4])
        self.assertEqual(lines_found("template <typename T>\nT A<T>::f() {\n return v_.dot(v_);\n}\n"), [3])
        self.assertEqual(lines_found("template <typename A, int n = 3>\nauto f(const E<A>& a) {\n return a.norm();\n}\n"), [3])

    def test_explicit_complex_and_generic_lambdas(self):
        self.assertEqual(lines_found("Complex f(const V& a) {\n return a.norm();\n}\n"), [2])
        self.assertEqual(lines_found("void f() {\n g([](const auto& a) { return a.norm(); });\n}\n"), [2])

    def test_nested_blocks_belong_to_the_template(self):
        self.assertEqual(lines_found(in_template("if (k) {\n  for (;;) { x = a.norm(); }\n}")), [5])

    def test_waiver_needs_a_reason(self):
        bad = "return a.norm();"
        self.assertEqual(lines_found(in_template(bad + "  // holomorphic: T is double here")), [])
        self.assertEqual(lines_found(in_template("// holomorphic: T is double here\n" + bad)), [])
        self.assertEqual(lines_found(in_template(bad + "  // holomorphic:")), [4])

    def test_comments_and_strings_are_not_code(self):
        self.assertEqual(lines_found(in_template('/* a.norm() */ g("a.norm()"); // a.dot(b)')), [])

    def test_the_command_fails_on_a_bad_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "src" / "bad.cpp"
            path.parent.mkdir()
            command = [sys.executable, "-B", str(TOOLS / "check_holomorphic.py"), "--root", folder]
            for statement, status in (("return a.norm();", 1), ("return la::norm(a);", 0)):
                path.write_text(in_template(statement), encoding="utf-8")
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, status, run.stdout + run.stderr)
                self.assertEqual("src/bad.cpp:4:" in run.stdout, status == 1)


if __name__ == "__main__":
    unittest.main()
