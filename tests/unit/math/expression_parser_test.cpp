#include "kinegrad/math/expression_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "support/tape_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using std::numbers::pi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// a = 2, b = 3, c = −5, L_A1 = 7, P2.x = 11, t = 0.25; `torque` is a spline; `secret` is refused.
class TestScope : public ExpressionScope {
 public:
  std::optional<NodeId> variable(std::string_view name, ExpressionGraph& graph) const override {
    const auto found = index_.find(name);
    if (found == index_.end()) return {};
    return graph.input(found->second);
  }
  std::optional<int> spline(std::string_view name) const override {
    return name == "torque" ? std::optional<int>(0) : std::nullopt;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list{"torque"};
    for (const auto& entry : index_) list.push_back(entry.first);
    return list;
  }
  std::string refusal(std::string_view name) const override {
    return name == "secret" ? "secret is not available in this field" : "";
  }
  void add(const std::string& name, int index) { index_[name] = index; }

 private:
  std::map<std::string, int, std::less<>> index_{{"a", 0},    {"b", 1},    {"c", 2},
                                                 {"L_A1", 3}, {"P2.x", 4}, {"t", 5}};
};

VecX inputs() {
  VecX x(10);
  x << 2, 3, -5, 7, 11, 0.25, 1, 3, 2, 2;  // torque: the line 1 + 2t through (0, 1), (1, 3)
  return x;
}

ExpressionGraph graph_with_spline() {
  ExpressionGraph graph;
  graph.add_spline({SplineType::kCubic, {0, 1}}, 6);
  return graph;
}

double value_of(std::string_view text) {
  ExpressionGraph graph = graph_with_spline();
  const NodeId f = parse_expression(text, graph, TestScope());
  return testing::run_tape(Tape(graph, {&f, 1}), inputs())(0);
}

/// "column: message" of the error the text causes.
std::string error_of(std::string_view text) {
  ExpressionGraph graph = graph_with_spline();
  try {
    parse_expression(text, graph, TestScope());
  } catch (const ExpressionError& error) {
    return std::to_string(error.column()) + ": " + error.what();
  }
  return "no error";
}

struct ValueCase {
  const char* text;
  double expected;
};

class ParserValue : public ::testing::TestWithParam<ValueCase> {};

TEST_P(ParserValue, IsExpected) {
  const auto [text, expected] = GetParam();
  EXPECT_NEAR(value_of(text), expected, tolerance::kElement * std::max(1.0, std::abs(expected)))
      << text;
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, ParserValue,
    ::testing::Values(ValueCase{"1", 1}, ValueCase{".5", 0.5}, ValueCase{"5.", 5},
                      ValueCase{"1e-3", 1e-3}, ValueCase{"2E+2", 200}, ValueCase{"  7\t", 7},
                      ValueCase{"4.9e-324", 4.9e-324}, ValueCase{"a+b*c", -13},
                      ValueCase{"(a+b)*c", -25}, ValueCase{"a-b-c", 4}, ValueCase{"a-(b-c)", -6},
                      ValueCase{"12/a/b", 2}, ValueCase{"12/a*b", 18}, ValueCase{"2*b^2", 18},
                      ValueCase{"-b^2", -9}, ValueCase{"(-b)^2", 9}, ValueCase{"a^b^2", 512},
                      ValueCase{"(a^b)^2", 64}, ValueCase{"a^-1", 0.5}, ValueCase{"a^-b", 0.125},
                      ValueCase{"-a^-2", -0.25}, ValueCase{"--a", 2}, ValueCase{"-+-+a", 2},
                      ValueCase{"a*-b", -6}, ValueCase{"a--b", 5}, ValueCase{"a/-b", -2.0 / 3},
                      ValueCase{"c^3", -125}, ValueCase{"c^-1", -0.2}, ValueCase{"0^0", 1},
                      ValueCase{"L_A1 + P2.x", 18}, ValueCase{"pi", pi}, ValueCase{"2*tau", 4 * pi},
                      ValueCase{"torque(t)", 1.5}, ValueCase{"2*torque(t+a)", 11},
                      ValueCase{"((((a))))", 2}));

INSTANTIATE_TEST_SUITE_P(
    Functions, ParserValue,
    ::testing::Values(
        ValueCase{"sin(a)", std::sin(2)}, ValueCase{"cos(a)", std::cos(2)},
        ValueCase{"tan(a)", std::tan(2)}, ValueCase{"asin(t)", std::asin(0.25)},
        ValueCase{"acos(t)", std::acos(0.25)}, ValueCase{"atan(c)", std::atan(-5)},
        ValueCase{"atan2(b, c)", std::atan2(3, -5)}, ValueCase{"sinh(a)", std::sinh(2)},
        ValueCase{"cosh(a)", std::cosh(2)}, ValueCase{"tanh(t)", std::tanh(0.25)},
        ValueCase{"exp(t)", std::exp(0.25)}, ValueCase{"log(a)", std::log(2)},
        ValueCase{"log10(1000)", 3}, ValueCase{"sqrt(a)", std::sqrt(2)}, ValueCase{"abs(c)", 5},
        ValueCase{"sign(c)", -1}, ValueCase{"hypot(b, 4)", 5}, ValueCase{"min(a, c)", -5},
        ValueCase{"max(a, c)", 2}, ValueCase{"pow(c, 2)", 25}, ValueCase{"deg(180)", pi},
        ValueCase{"smooth_step(a, 3, 10, 4, 20)", 10},
        ValueCase{"smooth_step(a, 0, 10, 1, 20)", 20},
        ValueCase{"smooth_step(a, 1, 10, 3, 20)", 15},
        ValueCase{"smooth_step(t, 0, 0, 1, 1)", 0.103515625}, ValueCase{"smooth_if(c, a, b, 1)", 3},
        ValueCase{"smooth_if(a, a, b, 1)", 2}, ValueCase{"smooth_if(0, 1, 3, t)", 2},
        ValueCase{"smooth_abs(b, 4)", 5}, ValueCase{"smooth_sign(b, 4)", 0.6},
        ValueCase{"smooth_max(a, c, 24)", 11}, ValueCase{"smooth_min(a, c, 24)", -14}));

TEST(ExpressionParser, EveryFunctionIsTestedAbove) {
  EXPECT_EQ(expression_functions().size(), 27u);
  for (const FunctionInfo& f : expression_functions()) {
    EXPECT_TRUE(is_expression_function(f.name));
    EXPECT_FALSE(f.summary.empty());
  }
  EXPECT_FALSE(is_expression_function("torque"));
}

TEST(ExpressionParser, SmoothStepIsTwiceDifferentiableAtItsEnds) {
  ExpressionGraph graph;
  const NodeId f = parse_expression("smooth_step(a, 1, 10, 3, 20)", graph, TestScope());
  const NodeId first = graph.derivative(f, 0), second = graph.derivative(first, 0);
  const NodeId outputs[] = {first, second};
  for (const double end : {1.0, 3.0}) {
    for (const double beside : {end - 1e-9, end, end + 1e-9}) {
      // the third derivative is 75 next to an end: 1e-9 beside it the second is below 1e-7
      EXPECT_LT(testing::run_tape<double>(Tape(graph, outputs), VecX::Constant(1, beside)).norm(),
                1e-7);
    }
  }
}

TEST(ExpressionParser, UsersNamesHideConstants) {
  ExpressionGraph graph = graph_with_spline();
  TestScope scope;
  scope.add("tau", 1);
  const NodeId f = parse_expression("tau", graph, scope);
  EXPECT_EQ(f, graph.input(1));
}

struct ErrorCase {
  const char* text;
  const char* expected;
};

class ParserError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ParserError, SaysWhatAndWhere) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().expected)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ParserError,
    ::testing::Values(
        ErrorCase{"", "1: the expression is empty"}, ErrorCase{"   ", "4: the expression is empty"},
        ErrorCase{"a+", "3: the expression ends where"}, ErrorCase{"*a", "1: expected a number"},
        ErrorCase{"a*/b", "3: expected a number or a name, found \"/\""},
        ErrorCase{"(a+b", "1: \"(\" is never closed"}, ErrorCase{"a+b)", "4: \")\" without"},
        ErrorCase{"sin(a", "4: \"(\" is never closed"}, ErrorCase{"()", "2: expected a number"},
        ErrorCase{"a b", "3: an operator is missing before \"b\""},
        ErrorCase{"2a", "2: an operator is missing between \"2\" and \"a\""},
        ErrorCase{"0x10", "2: an operator is missing"}, ErrorCase{"1.2.3", "4: an operator is"},
        ErrorCase{"a(b)", "1: \"a\" is not a function"}, ErrorCase{"(a)(b)", "4: an operator is"},
        ErrorCase{"a,b", "2: \",\" outside"}, ErrorCase{"(a,b)", "3: \",\" outside"},
        ErrorCase{"a < b", "3: comparisons are not part"}, ErrorCase{"a == b", "3: comparisons"},
        ErrorCase{"a ** b", "3: \"**\" is not an operator"},
        ErrorCase{"a # b", "3: unexpected \"#\""},
        ErrorCase{"a + \xC3\xA9", "5: expected a number or a name, found \"\xC3\xA9\""},
        ErrorCase{"a + \xFF", "5: expected a number or a name, found character 0xFF"},
        ErrorCase{"1e", "1: a number ends"}, ErrorCase{"3 + 1e+", "5: a number ends"},
        ErrorCase{".", "1: \".\" is not a number"}, ErrorCase{"a.", "2: an operator is missing"},
        ErrorCase{"[1, 2]", "1: expected a number or a name, found \"[\""}));

INSTANTIATE_TEST_SUITE_P(
    Meaning, ParserError,
    ::testing::Values(
        ErrorCase{"a + L_A2", "5: unknown name \"L_A2\" (did you mean \"L_A1\"?)"},
        ErrorCase{"zzzzzz", "1: unknown name \"zzzzzz\""}, ErrorCase{"e", "1: unknown name \"e\""},
        ErrorCase{"inf", "1: unknown name"}, ErrorCase{"nan", "1: unknown name"},
        ErrorCase{"2*secret", "3: secret is not available in this field"},
        ErrorCase{"2*secret(a)", "3: secret is not available in this field"},
        ErrorCase{"1 + sine(a)", "5: unknown function \"sine\" (did you mean \"sin\"?)"},
        ErrorCase{"sin", "1: \"sin\" is a function: write sin(...)"},
        ErrorCase{"torque", "1: \"torque\" is a spline: write torque(t)"},
        ErrorCase{"torque(a, b)", "1: torque takes 1 argument, not 2"},
        ErrorCase{"2*sin(a, b)", "3: sin takes 1 argument, not 2"},
        ErrorCase{"sin()", "1: sin takes 1 argument, not 0"},
        ErrorCase{"atan2(a)", "1: atan2 takes 2 arguments, not 1"},
        ErrorCase{"min(a,b,c,a,b,c,a)", "1: min takes 2 arguments, not 7"},
        ErrorCase{"smooth_abs(a, 0)", "1: smooth_abs: the width must be positive"},
        ErrorCase{"1+smooth_if(a, b, c, -1)", "3: smooth_if: the width must be positive"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, ParserError,
    ::testing::Values(
        ErrorCase{"1e400", "1: the number 1e400 is out of range"},
        ErrorCase{"2 + 1e-400", "5: the number 1e-400 is out of range"},
        ErrorCase{"1/0", "2: division by zero"}, ErrorCase{"a/(1-1)", "2: division by zero"},
        ErrorCase{"a + sqrt(-1)", "5: sqrt is not a real number"},
        ErrorCase{"log(0)", "1: log is infinite"}, ErrorCase{"acos(2)", "1: acos is not a real"},
        ErrorCase{"1e308*10", "6: the product is infinite"},
        ErrorCase{"1e308+1e308", "6: the sum is infinite"},
        ErrorCase{"-1e308-1e308", "7: the difference is infinite"},
        ErrorCase{"10^400", "3: the power is infinite"},
        ErrorCase{"(-8)^(1/3)", "5: the power is not a real number"},
        ErrorCase{"0^-1", "2: the power is infinite"}, ErrorCase{"exp(1000)", "1: exp is infinite"},
        ErrorCase{"smooth_step(a, b, 0, b, 1)", "1: smooth_step: x0 and x1 must differ"}));

TEST(ExpressionParser, DepthIsLimited) {
  const auto nested = [](int n, const std::string& open, const std::string& close) {
    std::string text;
    for (int k = 0; k < n; ++k) text += open;
    text += "a";
    for (int k = 0; k < n; ++k) text += close;
    return text;
  };
  EXPECT_EQ(value_of(nested(kMaxExpressionDepth, "(", ")")), 2);
  EXPECT_EQ(value_of(nested(5000, "-", "")), 2);  // signs do not nest
  for (const char* open : {"(", "sin(", "2^", "-(", "max(1,"}) {
    const std::string close = std::string(open).ends_with("^") ? "" : ")";
    EXPECT_THAT(error_of(nested(1000, open, close)), HasSubstr("nested deeper than 200 levels"));
  }
}

TEST(ExpressionParser, LengthIsLimited) {
  std::string text = "a";
  while (text.size() + 2 <= kMaxExpressionLength) text += "+a";
  EXPECT_EQ(value_of(text), 2.0 * static_cast<double>((text.size() + 1) / 2));
  EXPECT_EQ(error_of(text + std::string(20, ' ')),
            "10001: the expression has 10019 characters, more than the 10000 allowed");
}

TEST(ExpressionParser, ReferencedNamesComeInOrderAndOnce) {
  EXPECT_THAT(referenced_names("b + sin(a)*P2.x - torque(t)/b + pi"),
              ElementsAre("b", "a", "P2.x", "t", "pi"));
  EXPECT_THAT(referenced_splines("b + sin(a)*P2.x - torque(t)/b"), ElementsAre("torque"));
  EXPECT_THAT(referenced_names("1.5"), ElementsAre());
  EXPECT_THROW(referenced_names("b +"), ExpressionError);
  EXPECT_THROW(referenced_names("1/0"), ExpressionError);
}

TEST(ExpressionParser, AnyTextIsAnsweredQuickly) {
  const std::string_view pieces[] = {
      "a",    "b", "P2.x", "1", ".5",      "1e3",        "1e999", "+",
      "-",    "*", "/",    "^", "(",       ")",          ",",     "sin(",
      "max(", " ", "\xFF", "t", "torque(", "smooth_if(", "=",     std::string_view("\0", 1)};
  std::mt19937_64 random(99);
  const auto start = std::chrono::steady_clock::now();
  int good = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    const std::size_t length = 1 + random() % 12;
    for (std::size_t k = 0; k < length; ++k) text += pieces[random() % std::size(pieces)];
    good += error_of(text) == "no error";
    try {
      referenced_names(text);
    } catch (const ExpressionError& error) {
      EXPECT_GE(error.column(), 1);
      EXPECT_LE(error.column(), static_cast<int>(text.size()) + 1);
    }
  }
  EXPECT_GT(good, 100);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(ExpressionParser, ExpressionsDifferentiateAlikeInEveryWay) {
  const char* texts[] = {"L_A1*sin(a*t + b)^2/(1 + c^2)",
                         "smooth_step(t, 0, a, 1, b*c)",
                         "torque(a*t)*b^3 - c^-2",
                         "smooth_if(t - 0.2, a*b, c, 0.1)",
                         "smooth_max(a, b, 0.1) + smooth_min(c, t, a)",
                         "smooth_sign(c, b)*smooth_abs(t, a)",
                         "hypot(a, c)*atan2(b, c)",
                         "deg(a)*log10(b)*exp(-t)",
                         "min(a, b)*max(b, c) + abs(c)",
                         "a^b*b^t - pow(P2.x, t)",
                         "cosh(t)*sinh(t) - tanh(a)*tan(t)"};
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    ExpressionGraph graph = graph_with_spline();
    const NodeId f = parse_expression(text, graph, TestScope());
    const Tape tape(graph, {&f, 1});
    const MatX forward = testing::sweep_jacobian(tape, inputs(), true);
    EXPECT_GT(forward.norm(), 0);
    EXPECT_TRUE(testing::agree(testing::sweep_jacobian(tape, inputs(), false), forward,
                               tolerance::kElement));
    EXPECT_TRUE(
        testing::agree(testing::complex_jacobian(tape, inputs()), forward, tolerance::kElement));
    EXPECT_TRUE(
        testing::agree(testing::dual_jacobian_of(tape, inputs()), forward, tolerance::kElement));
  }
}

}  // namespace
}  // namespace kinegrad
