#include "kinegrad/math/symbolic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kinegrad/math/euler_parameters.hpp"
#include "kinegrad/math/rotation.hpp"
#include "kinegrad/math/spatial.hpp"
#include "support/tape_oracles.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// A function of geometry code, written once for every scalar.
struct Geometry {
  template <typename T>
  VecXT<T> operator()(const VecXT<T>& x) const {
    const Vec3T<T> axis = x.template head<3>(), reference = x.template segment<3>(3);
    const Mat3T<T> R = frame_from_axis<T>(axis, reference) * rotation_z<T>(x(6)) *
                       rotation_about<T>(la::normalized(reference), x(7));
    const Vec<T, 4> e = euler_parameters<T>(R);
    const Pose<T> X{euler_rotation<T>(e), la::cross(axis, reference)};
    VecXT<T> y(8);
    y.template head<4>() = e;
    y.template segment<3>(4) = X.inverse() * Vec3T<T>(X * axis);
    y(7) = angle_of<T>(x(6), x(7)) / la::norm(axis);
    return y;
  }
};

class SymbolicGeometry : public ::testing::Test {
 protected:
  /// Records the geometry at the reference point x.
  void record(const VecX& x) {
    for (int k = 0; k < x.size(); ++k) graph_.set_reference_input(k, x(k));
    VecXT<Symbol> symbols(x.size());
    for (int k = 0; k < x.size(); ++k) symbols(k) = Symbol(graph_, graph_.input(k));
    result_ = Geometry()(symbols);
    std::vector<NodeId> outputs;
    for (const Symbol& y : result_) outputs.push_back(y.node(graph_));
    tape_ = Tape(graph_, outputs);
  }

  ExpressionGraph graph_;
  VecXT<Symbol> result_;
  Tape tape_;
};

TEST_F(SymbolicGeometry, RecordsValuesAndDerivativesOfTheTemplatedCode) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int trial = 0; trial < 20; ++trial) {  // random rotations reach all four pivots
    VecX x(8);
    for (double& entry : x) entry = uniform(random);
    record(x);
    const VecX expected = Geometry()(x);
    for (Eigen::Index i = 0; i < 8; ++i) {
      EXPECT_NEAR(result_(i).value(), expected(i), tolerance::kElement);
    }
    EXPECT_LE((testing::run_tape(tape_, x) - expected).norm(), tolerance::kComposed);
    const MatX oracle = dual_jacobian(Geometry(), x);
    EXPECT_TRUE(
        testing::agree(testing::sweep_jacobian(tape_, x, false), oracle, tolerance::kComposed));
  }
}

TEST(Symbol, PlainNumbersNeedNoGraph) {
  const Symbol a = 2.0, b = 3.0;
  EXPECT_EQ((a * b - sqrt(Symbol(4.0))).value(), 4);
  EXPECT_TRUE((a / b).is_constant());
  ExpressionGraph graph;
  EXPECT_EQ((a * b).node(graph), graph.constant(6));
}

TEST(Symbol, ConstantGeometryLeavesNoOperations) {
  ExpressionGraph graph;
  graph.set_reference_input(0, 0.3);
  const Symbol angle(graph, graph.input(0));
  const Mat3T<Symbol> R = rotation_z(angle) * Mat3T<Symbol>::Identity();
  EXPECT_EQ(R(0, 0).node(graph), graph.unary(Op::kCos, graph.input(0)));
  EXPECT_TRUE(R(2, 2).is_constant());
  EXPECT_TRUE(R(0, 2).is_constant());
}

TEST(Symbol, CompoundAssignmentAndFunctions) {
  ExpressionGraph graph;
  graph.set_reference_input(0, 0.4);
  const Symbol x(graph, graph.input(0));
  Symbol s = x;
  s += 1.0;
  s *= x;
  s -= x / 2.0;
  s /= x;
  const double v = 0.4;
  EXPECT_NEAR(s.value(), ((v + 1) * v - v / 2) / v, tolerance::kElement);
  const Symbol all =
      tan(x) + asin(x) + acos(x) + atan(x) + exp(x) + log(x) + tanh(x) + pow(x, 3.0) + (-x) + (+x);
  const double expected = std::tan(v) + std::asin(v) + std::acos(v) + std::atan(v) + std::exp(v) +
                          std::log(v) + std::tanh(v) + v * v * v;
  EXPECT_NEAR(all.value(), expected, tolerance::kElement * 10);
  EXPECT_NEAR(graph.reference_value(all.node(graph)), expected, tolerance::kElement * 10);
  EXPECT_EQ(Symbol(graph, graph.input(0), 9.0).value(), 9);
}

}  // namespace
}  // namespace kinegrad
