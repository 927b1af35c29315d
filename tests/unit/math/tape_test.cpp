#include "kinegrad/math/tape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "support/allocation_counter.hpp"
#include "support/tape_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using testing::agree;
using testing::run_tape;
using Points = std::vector<std::vector<double>>;

/// One operation: how to build it from its inputs, its value, and where to look.
struct OpCase {
  const char* name;
  std::function<NodeId(ExpressionGraph&, NodeId, NodeId)> build;
  std::function<double(double, double)> value;
  Points points;
};

void PrintTo(const OpCase& c, std::ostream* out) { *out << c.name; }

OpCase unary_case(const char* name, Op op, double (*f)(double), std::vector<double> points) {
  Points at;
  for (const double x : points) at.push_back({x});
  return {name, [op](ExpressionGraph& g, NodeId a, NodeId) { return g.unary(op, a); },
          [f](double a, double) { return f(a); }, at};
}

OpCase binary_case(const char* name, Op op, double (*f)(double, double), Points points) {
  return {name, [op](ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(op, a, b); }, f,
          std::move(points)};
}

OpCase power_case(const char* name, double n, std::vector<double> points) {
  Points at;
  for (const double x : points) at.push_back({x});
  return {
      name,
      [n](ExpressionGraph& g, NodeId a, NodeId) { return g.binary(Op::kPow, a, g.constant(n)); },
      [n](double a, double) { return std::pow(a, n); }, at};
}

std::vector<OpCase> unary_cases() {
  const std::vector<double> all = {-2.7, -0.4, 1e-8, 0.3, 1.9}, unit = {-0.9, -0.2, 0.0, 0.5, 0.95};
  const std::vector<double> positive = {1e-6, 0.2, 1.0, 7.5};
  return {
      unary_case(
          "neg", Op::kNeg, [](double x) { return -x; }, all),
      unary_case(
          "sin", Op::kSin, [](double x) { return std::sin(x); }, all),
      unary_case(
          "cos", Op::kCos, [](double x) { return std::cos(x); }, all),
      unary_case(
          "tan", Op::kTan, [](double x) { return std::tan(x); }, all),
      unary_case(
          "asin", Op::kAsin, [](double x) { return std::asin(x); }, unit),
      unary_case(
          "acos", Op::kAcos, [](double x) { return std::acos(x); }, unit),
      unary_case(
          "atan", Op::kAtan, [](double x) { return std::atan(x); }, all),
      unary_case(
          "sinh", Op::kSinh, [](double x) { return std::sinh(x); }, all),
      unary_case(
          "cosh", Op::kCosh, [](double x) { return std::cosh(x); }, all),
      unary_case(
          "tanh", Op::kTanh, [](double x) { return std::tanh(x); }, all),
      unary_case(
          "exp", Op::kExp, [](double x) { return std::exp(x); }, all),
      unary_case(
          "log", Op::kLog, [](double x) { return std::log(x); }, positive),
      unary_case(
          "log10", Op::kLog10, [](double x) { return std::log10(x); }, positive),
      unary_case(
          "sqrt", Op::kSqrt, [](double x) { return std::sqrt(x); }, positive),
      unary_case("abs", Op::kAbs, [](double x) { return std::abs(x); }, {-2.5, -1e-9, 0.0, 3.0}),
      unary_case("sign", Op::kSign, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); },
                 {-2.5, 0.0, 3.0}),
  };
}

std::vector<OpCase> other_cases() {
  const Points pairs = {{0.7, 1.3}, {-2.1, 0.4}, {-0.3, -1.7}, {5.0, -3.0}};
  return {
      binary_case(
          "add", Op::kAdd, [](double a, double b) { return a + b; }, pairs),
      binary_case(
          "sub", Op::kSub, [](double a, double b) { return a - b; }, pairs),
      binary_case(
          "mul", Op::kMul, [](double a, double b) { return a * b; }, pairs),
      binary_case(
          "div", Op::kDiv, [](double a, double b) { return a / b; }, pairs),
      binary_case("pow", Op::kPow, [](double a, double b) { return std::pow(a, b); },
                  {{0.7, 1.3}, {2.1, -0.4}, {1.0, 3.0}, {5.0, 0.0}}),
      binary_case("atan2", Op::kAtan2, [](double a, double b) { return std::atan2(a, b); },
                  {{0.7, 1.3}, {-2.1, 0.4}, {-0.3, -1.7}, {5.0, -3.0}, {0.0, -1.0}, {2.0, 0.0}}),
      binary_case(
          "min", Op::kMin, [](double a, double b) { return std::min(a, b); }, pairs),
      binary_case(
          "max", Op::kMax, [](double a, double b) { return std::max(a, b); }, pairs),
      power_case("square", 2, {-3.0, 0.0, 0.4}),
      power_case("cube", 3, {-3.0, 0.0, 0.4}),
      power_case("seventh", 7, {-1.3, 0.0, 0.4}),
      power_case("inverse", -1, {-3.0, 0.4}),
      power_case("inverse_cube", -3, {-3.0, 0.4}),
      power_case("three_halves", 1.5, {0.4, 3.0}),
      {"select",
       [](ExpressionGraph& g, NodeId a, NodeId b) {
         return g.select(a, g.binary(Op::kMul, a, b), g.unary(Op::kSin, b));
       },
       [](double a, double b) { return a >= 0 ? a * b : std::sin(b); }, pairs},
  };
}

class TapeOp : public ::testing::TestWithParam<OpCase> {
 protected:
  /// Calls `check(graph, output, tape, x)` at every point of the case.
  template <typename Check>
  void at_points(const Check& check) const {
    for (const auto& point : GetParam().points) {
      ExpressionGraph graph;
      const NodeId a = graph.input(0), b = graph.input(1);
      const NodeId f = GetParam().build(graph, a, point.size() > 1 ? b : a);
      const VecX x = Eigen::Map<const VecX>(point.data(), Eigen::Index(point.size()));
      SCOPED_TRACE(::testing::Message() << "at " << x.transpose());
      check(graph, f, Tape(graph, std::span<const NodeId>(&f, 1)), x);
    }
  }
};

TEST_P(TapeOp, ValueIsThatOfTheStandardLibrary) {
  at_points([](ExpressionGraph&, NodeId, const Tape& tape, const VecX& x) {
    const double expected = GetParam().value(x(0), x(x.size() - 1));
    EXPECT_NEAR(run_tape(tape, x)(0), expected, tolerance::kElement * std::abs(expected));
  });
}

TEST_P(TapeOp, ComplexValueOnTheRealAxisIsTheRealValue) {
  at_points([](ExpressionGraph&, NodeId, const Tape& tape, const VecX& x) {
    const double real = run_tape(tape, x)(0);
    const Complex complex = run_tape<Complex>(tape, x.cast<Complex>())(0);
    EXPECT_NEAR(complex.real(), real, tolerance::kElement * std::max(1.0, std::abs(real)));
    EXPECT_EQ(complex.imag(), 0);
  });
}

TEST_P(TapeOp, DerivativesAgree) {
  at_points([](ExpressionGraph& graph, NodeId f, const Tape& tape, const VecX& x) {
    const MatX forward = testing::sweep_jacobian(tape, x, true);
    EXPECT_TRUE(agree(testing::sweep_jacobian(tape, x, false), forward, tolerance::kElement));
    EXPECT_TRUE(agree(testing::dual_jacobian_of(tape, x), forward, tolerance::kElement));
    const MatX complex = testing::complex_jacobian(tape, x);  // truncated at the square of its step
    EXPECT_TRUE(agree(complex, forward, tolerance::kElement, kComplexStep));
    EXPECT_TRUE(agree(testing::symbolic_jacobian(graph, {f}, x), forward, tolerance::kElement));
  });
}

const auto kOpName = [](const ::testing::TestParamInfo<OpCase>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Unary, TapeOp, ::testing::ValuesIn(unary_cases()), kOpName);
INSTANTIATE_TEST_SUITE_P(Other, TapeOp, ::testing::ValuesIn(other_cases()), kOpName);

TEST(TapeOpCases, CoverEveryOperation) {
  std::set<Op> covered = {Op::kSpline};  // below
  for (const auto& cases : {unary_cases(), other_cases()}) {
    for (const OpCase& c : cases) {
      ExpressionGraph g;
      c.build(g, g.input(0), g.input(1));
      for (NodeId id = 0; id < g.size(); ++id) covered.insert(g.node(id).op);
    }
  }
  covered.insert(Op::kConstant);
  EXPECT_EQ(covered.size(), static_cast<std::size_t>(Op::kSpline) + 1);
}

// ---- kinks and singular points -------------------------------------------------------------------

double slope_at(Op op, double x) {
  ExpressionGraph g;
  const NodeId f = g.unary(op, g.input(0));
  return testing::sweep_jacobian(Tape(g, {&f, 1}), VecX::Constant(1, x), false)(0);
}

TEST(Tape, SingularDerivativesAreInfiniteAndKinksOneSided) {
  EXPECT_TRUE(std::isinf(slope_at(Op::kSqrt, 0)));
  EXPECT_TRUE(std::isinf(slope_at(Op::kAsin, 1)));
  EXPECT_TRUE(std::isinf(slope_at(Op::kAcos, -1)));
  EXPECT_TRUE(std::isinf(slope_at(Op::kLog, 0)));
  EXPECT_EQ(slope_at(Op::kAbs, 0), 1);
}

TEST(Tape, AtATieMinAndMaxFollowTheFirst) {
  for (const Op op : {Op::kMin, Op::kMax}) {
    ExpressionGraph g;
    const NodeId f = g.binary(op, g.input(0), g.input(1));
    const VecX x = VecX::Constant(2, 0.5);
    MatX expected(1, 2);
    expected << 1, 0;
    const Tape tape(g, {&f, 1});
    EXPECT_EQ(testing::sweep_jacobian(tape, x, true), expected);
    EXPECT_EQ(testing::complex_jacobian(tape, x), expected);
    EXPECT_EQ(testing::symbolic_jacobian(g, {f}, x), expected);
  }
}

TEST(Tape, NotANumberIsNeverHidden) {
  ExpressionGraph g;
  const NodeId a = g.input(0), b = g.input(1);
  const NodeId outputs[] = {g.binary(Op::kMin, a, b),     g.binary(Op::kMin, b, a),
                            g.binary(Op::kMax, a, b),     g.binary(Op::kMax, b, a),
                            g.unary(Op::kAbs, a),         g.unary(Op::kSign, a),
                            g.select(a, b, g.constant(1))};
  VecX x(2);
  x << testing::kPoison, 1;
  const VecX y = run_tape(Tape(g, outputs), x);
  for (const double value : y) EXPECT_TRUE(std::isnan(value));
}

TEST(Tape, OutsideItsDomainAFunctionIsNotANumberInComplexToo) {
  ExpressionGraph g;
  const NodeId x = g.input(0), y = g.input(1);
  const NodeId outputs[] = {g.unary(Op::kSqrt, x),  g.unary(Op::kLog, x),
                            g.unary(Op::kLog10, x), g.unary(Op::kAsin, y),
                            g.unary(Op::kAcos, y),  g.binary(Op::kPow, x, g.constant(0.5))};
  const Tape tape(g, outputs);
  VecX at(2);
  at << -1, 1.5;
  const VecX real = run_tape(tape, at);
  const VecXT<Complex> complex = run_tape<Complex>(tape, at.cast<Complex>());
  for (Eigen::Index i = 0; i < real.size(); ++i) {
    EXPECT_TRUE(std::isnan(real(i))) << i;
    EXPECT_TRUE(std::isnan(complex(i).real())) << i;
  }
}

TEST(Tape, WhatDoesNotMoveContributesNothingToASingularDerivative) {
  ExpressionGraph g;  // √(x²) + y at x = 0: the path through √ is ∞·0
  const NodeId root = g.unary(Op::kSqrt, g.binary(Op::kPow, g.input(0), g.constant(2)));
  const NodeId f = g.binary(Op::kAdd, root, g.input(1));
  MatX expected(1, 2);
  expected << 0, 1;
  const Tape tape(g, {&f, 1});
  EXPECT_EQ(testing::sweep_jacobian(tape, VecX::Zero(2), true), expected);
  EXPECT_EQ(testing::sweep_jacobian(tape, VecX::Zero(2), false), expected);
}

// ---- programs --------------------------------------------------------------------------------------

/// A random graph whose values stay of size 1: every operation is bounded or damped.
NodeId random_node(ExpressionGraph& g, const std::vector<NodeId>& pool, std::mt19937_64& random) {
  const auto pick = [&] { return pool[random() % pool.size()]; };
  const NodeId a = pick(), b = pick(), two = g.constant(2), one = g.constant(1);
  const auto positive = [&](NodeId x) { return g.binary(Op::kAdd, one, g.binary(Op::kMul, x, x)); };
  switch (random() % 20) {
    case 0: return g.binary(Op::kAdd, a, b);
    case 1: return g.binary(Op::kSub, a, b);
    case 2: return g.binary(Op::kMul, g.unary(Op::kSin, a), b);
    case 3: return g.binary(Op::kDiv, a, positive(b));
    case 4: return g.binary(Op::kPow, positive(a), g.unary(Op::kTanh, b));
    case 5: return g.binary(Op::kPow, g.unary(Op::kTanh, a), g.constant(3));
    case 6: return g.binary(Op::kAtan2, a, b);
    case 7: return g.binary(Op::kMin, a, b);
    case 8: return g.binary(Op::kMax, a, g.unary(Op::kCos, b));
    case 9: return g.unary(Op::kAbs, a);
    case 10: return g.unary(Op::kSqrt, positive(a));
    case 11: return g.unary(Op::kLog, positive(a));
    case 12: return g.unary(Op::kExp, g.unary(Op::kSin, a));
    case 13: return g.unary(Op::kAtan, a);
    case 14: return g.unary(Op::kAsin, g.binary(Op::kDiv, g.unary(Op::kCos, a), two));
    case 15: return g.unary(Op::kAcos, g.binary(Op::kDiv, g.unary(Op::kTanh, a), two));
    case 16: return g.select(a, b, g.unary(Op::kCos, a));
    case 17: return g.unary(Op::kTan, g.binary(Op::kDiv, g.unary(Op::kSin, a), two));
    case 18: return g.unary(Op::kSinh, g.unary(Op::kSin, a));
    default: return g.unary(Op::kCosh, g.unary(Op::kCos, a));
  }
}

TEST(Tape, RandomProgramsDifferentiateAlikeInEveryWay) {
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    ExpressionGraph g;
    std::vector<NodeId> pool;
    for (int k = 0; k < 4; ++k) pool.push_back(g.input(k));
    for (int k = 0; k < 15; ++k) pool.push_back(random_node(g, pool, random));
    const std::vector<NodeId> outputs(pool.end() - 3, pool.end());
    const Tape tape(g, outputs);
    VecX x(4);
    for (double& entry : x) entry = uniform(random);
    const MatX forward = testing::sweep_jacobian(tape, x, true);
    ASSERT_TRUE(forward.allFinite());
    const double floor = 1;  // values are of size 1
    const double tol = tolerance::kComposed;
    EXPECT_TRUE(agree(testing::sweep_jacobian(tape, x, false), forward, tol, floor));
    EXPECT_TRUE(agree(testing::complex_jacobian(tape, x), forward, tol, floor));
    EXPECT_TRUE(agree(testing::dual_jacobian_of(tape, x), forward, tol, floor));
    EXPECT_TRUE(agree(testing::symbolic_jacobian(g, outputs, x), forward, tol, floor));
  }
}

TEST(Tape, DropsWhatTheOutputsDoNotNeed) {
  ExpressionGraph g;
  const NodeId x = g.input(0);
  g.unary(Op::kExp, g.input(7));
  const NodeId f = g.unary(Op::kSin, x);
  const NodeId outputs[] = {f, f, x};
  const Tape tape(g, outputs);
  EXPECT_EQ(tape.register_count(), 2);
  EXPECT_EQ(tape.input_count(), 1);
  EXPECT_EQ(tape.output_count(), 3);
  const VecX y = run_tape<double>(tape, VecX::Constant(1, 0.5));
  EXPECT_EQ(y(0), std::sin(0.5));
  EXPECT_EQ(y(1), y(0));
  EXPECT_EQ(y(2), 0.5);
}

TEST(Tape, EmptyAndConstantPrograms) {
  const Tape empty;
  EXPECT_EQ(empty.input_count() + empty.output_count() + empty.register_count(), 0);
  ExpressionGraph g;
  const NodeId f = g.constant(2.5);
  const Tape tape(g, {&f, 1});
  EXPECT_EQ(tape.input_count(), 0);
  EXPECT_EQ(run_tape<double>(tape, VecX(0))(0), 2.5);
}

TEST(Tape, ReverseAddsToWhatIsThere) {
  ExpressionGraph g;
  const NodeId f = g.binary(Op::kMul, g.constant(3), g.input(0));
  const Tape tape(g, {&f, 1});
  const double x[] = {2}, bar_y[] = {1};
  double r[3], y[1], bar_r[3], bar_x[] = {10};
  tape.evaluate<double>(x, r, y);
  tape.reverse(x, r, bar_y, bar_r, bar_x);
  tape.reverse(x, r, bar_y, bar_r, bar_x);
  EXPECT_EQ(bar_x[0], 16);
}

/// Spline at a moving argument, input 0; values and slopes are independent inputs.
TEST(Tape, SplinesDifferentiateInArgumentValuesAndSlopes) {
  for (int order = 0; order <= 3; ++order) {
    for (const double t : {-0.7, 0.0, 0.35, 1.0, 2.9, 3.4}) {
      SCOPED_TRACE(::testing::Message() << "order " << order << " at " << t);
      ExpressionGraph g;
      const int spline = g.add_spline({SplineType::kCubic, {0, 1, 1.5, 3}}, 1);
      const NodeId f = g.binary(Op::kMul, g.spline(spline, order, g.input(0)), g.input(2));
      const Tape tape(g, {&f, 1});
      EXPECT_EQ(tape.input_count(), 9);
      VecX x(9);
      x << t, 1, -0.5, 2, 0.3, 0.7, -1.1, 0.4, 0.9;
      const MatX forward = testing::sweep_jacobian(tape, x, true);
      EXPECT_TRUE(forward.allFinite());
      EXPECT_TRUE(agree(testing::sweep_jacobian(tape, x, false), forward, tolerance::kElement, 1));
      EXPECT_TRUE(agree(testing::complex_jacobian(tape, x), forward, tolerance::kElement, 1));
      EXPECT_TRUE(agree(testing::dual_jacobian_of(tape, x), forward, tolerance::kElement, 1));
      const double moving = run_tape(Tape(g, std::vector{g.derivative(f, 0)}), x)(0);
      EXPECT_NEAR(moving, forward(0, 0), tolerance::kElement * 10);
    }
  }
}

TEST(Tape, DoesNotAllocate) {
  ExpressionGraph g;
  std::mt19937_64 random(7);
  const int spline = g.add_spline({SplineType::kPeriodic, {0, 1, 2, 3}}, 2);
  std::vector<NodeId> pool = {g.input(0), g.input(1), g.spline(spline, 0, g.input(0))};
  for (int k = 0; k < 60; ++k) pool.push_back(random_node(g, pool, random));
  const Tape tape(g, std::span(pool).last(5));
  const std::size_t registers = static_cast<std::size_t>(tape.register_count());
  const std::vector<double> x(10, 0.3), bar(5, 1.0);
  std::vector<double> r(registers), s(registers), y(5), dx(10, 1.0);
  const std::vector<Complex> z(10, Complex(0.3, 1e-30));
  std::vector<Complex> rz(registers), yz(5);
  const AllocationCounter counter;
  tape.evaluate<double>(x, r, y);
  tape.evaluate<Complex>(z, rz, yz);
  tape.forward(x, r, dx, s, y);
  tape.reverse(x, r, bar, s, dx);
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace kinegrad
