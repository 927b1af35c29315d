// Constraints on the tree: levels and Jacobian against the complex step and against their definition,
// for closures of every joint type and for every type of constraint, at states off the constraints.
#include "kinegrad/assembly/tree_constraints.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "kinegrad/constraints/all.hpp"
#include "kinegrad/joints/all.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"
#include "support/constraint_samples.hpp"
#include "support/moving_tree.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::closed_by;
using test::Closure;
using test::kClosures;
using test::TimedState;

/// Sums of some twenty products of numbers of size 1 along a path of the tree.
constexpr double kTolerance = tolerance::kComposed;

/// Dynamics and constraints at a state.
template <Scalar T>
class Evaluated {
 public:
  Evaluated(const Model& model, ReferencePoint point, const std::vector<double>& p)
      : dynamics_(model, point),
        constraints_(dynamics_.tree.bodies),
        r_(std::size_t(model.nq())) {
    const std::vector<T> parameters(p.begin(), p.end());
    dynamics_.set_parameters(parameters);
    constraints_.update_parameters();
  }
  const TreeConstraints<T>& motion(const TimedState<T>& x) {
    dynamics_.residual(x.t, x.q, x.v, x.a, r_);
    constraints_.motion(dynamics_.state.motion, x.t, x.q, x.v, x.a);
    return constraints_;
  }
  const TreeConstraints<T>& positions(const TimedState<T>& x) {
    dynamics_.place_bodies(x.q);
    constraints_.positions(dynamics_.state.motion, x.t, x.q);
    return constraints_;
  }

  const TreeMotion<T>& at() const { return dynamics_.state.motion; }

 private:
  test::MovingTree<T> dynamics_;
  TreeConstraints<T> constraints_;
  std::vector<T> r_;
};

TimedState<Complex> complex_of(const TimedState<double>& x) {
  return {x.t, {x.q.begin(), x.q.end()}, {x.v.begin(), x.v.end()}, {x.a.begin(), x.a.end()}};
}

MatX dense(const SparseRows<double>& J) {
  MatX out = MatX::Zero(J.rows(), J.columns);
  for (int i = 0; i < J.rows(); ++i) {
    VecX row = VecX::Zero(J.columns);
    J.add_row(i, 1, {row.data(), std::size_t(J.columns)});
    out.row(i) = row;
  }
  return out;
}

void expect_close(const VecX& actual, const VecX& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (Eigen::Index i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual(i), expected(i), kTolerance * std::max(1.0, std::abs(expected(i))))
        << what << ", row " << i;
  }
}

/// Values straight from the definition of the rows.
void expect_defined(const Model& model, const std::vector<double>& p, const TimedState<double>& x,
                    const TreeConstraints<double>& c) {
  test::RowEvaluator<double> rows(model);
  rows.evaluate(p, x);
  for (int i = 0; i < c.rows(); ++i) {
    const auto near = [&](double actual, int order) {
      const double expected = rows.value(i, order);
      EXPECT_NEAR(actual, expected, kTolerance * std::max(1.0, std::abs(expected)))
          << "row " << i << ", order " << order;
    };
    if (i < c.holonomic()) near(c.Phi()(i), 0);
    near(c.Phi_dot()(i), 1);
    near(c.Phi_ddot()(i), 2);
  }
}

/// Φ_q = ∂Φ/∂q = ∂Φ̇/∂v = ∂Φ̈/∂a, column by column; of a nonholonomic row the last two.
void expect_jacobian(const TimedState<double>& x, const MatX& J, int holonomic,
                     Evaluated<Complex>& stepped) {
  for (std::size_t j = 0; j < x.q.size(); ++j) {
    const std::string column = "column " + std::to_string(j);
    TimedState<Complex> z = complex_of(x);
    z.q[j] += Complex(0, kComplexStep);
    expect_close(stepped.positions(z).Phi().imag() / kComplexStep,
                 J.col(Eigen::Index(j)).head(holonomic), "Φ along q, " + column);
    z = complex_of(x);
    z.v[j] += Complex(0, kComplexStep);
    expect_close(stepped.motion(z).Phi_dot().imag() / kComplexStep, J.col(Eigen::Index(j)),
                 "Φ̇ along v, " + column);
    z = complex_of(x);
    z.a[j] += Complex(0, kComplexStep);
    expect_close(stepped.motion(z).Phi_ddot().imag() / kComplexStep, J.col(Eigen::Index(j)),
                 "Φ̈ along a, " + column);
  }
}

/// All of the above, at a few random states and both reference points.
void expect_consistent(const Model& model, unsigned seed) {
  std::mt19937_64 rng(seed);
  const std::vector<double> p = model.default_physical();
  for (const ReferencePoint point : test::kBothPoints) {
    Evaluated<double> here(model, point, p);
    Evaluated<Complex> stepped(model, point, p);
    for (int s = 0; s < 3; ++s) {
      const test::SampleState state = test::random_state(model, rng);
      const TimedState<double> x{1 + 0.8 * test::uniform(rng), state.q, state.v, state.a};
      const MatX placed = dense(here.positions(x).Phi_q(here.at()));
      const TreeConstraints<double>& c = here.motion(x);
      const MatX J = dense(c.Phi_q(here.at()));
      EXPECT_LE((placed - J).norm(), kTolerance * J.norm()) << "positions() and motion()";
      expect_defined(model, p, x, c);
      const TreeConstraints<Complex>& later = stepped.motion(test::stepped_in_time(x));
      const int m = c.holonomic();
      expect_close(c.Phi_dot().head(m), later.Phi().imag() / kComplexStep, "Φ̇");
      expect_close(c.Phi_ddot(), later.Phi_dot().imag() / kComplexStep, "Φ̈");
      expect_jacobian(x, J, m, stepped);
    }
  }
}

/// λᵀΦ_q v is the power of the rows' forces on the bodies.
void expect_power(const Model& model, unsigned seed) {
  std::mt19937_64 rng(seed);
  const test::SampleState s = test::random_state(model, rng);
  const double t = 0.4;
  Evaluated<double> here(model, ReferencePoint::kCom, s.p);
  const TreeConstraints<double>& c = here.motion({t, s.q, s.v, s.a});
  VecX lambda(c.rows());
  for (double& x : lambda) x = test::uniform(rng);
  std::vector<Twist<double>> W(model.topology().nodes.size(), Twist<double>::Zero());
  c.add_wrenches(test::view(lambda), W);
  SignalEvaluator<double> motion(model);
  motion.evaluate(s.p, t, s.q, s.v, s.a);
  double power = 0;
  for (std::size_t k = 0; k < W.size(); ++k) {
    const Joint& joint = model.joints()[std::size_t(model.topology().nodes[k].joint)];
    const auto body = std::size_t(model.topology().nodes[k].reversed ? joint.body1 : joint.body2);
    const Vec3 w = motion.velocity().w_WB[body];
    const Vec3 v = motion.velocity().v_WB[body] - la::cross(w, motion.position().X_WB[body].p);
    power += W[k].head<3>().dot(w) + W[k].tail<3>().dot(v);  // at the world origin
  }
  // forces on joint coordinates, from expressions that read them, have no body
  const double expected = lambda.dot(dense(c.Phi_q(here.at())) * test::map(s.v));
  bool coordinates = false;
  for (const ConstraintExpression& e : model.constraint_expressions()) {
    for (const ConstraintSlope& slope : e.slopes) coordinates = coordinates || slope.coordinate;
  }
  if (coordinates) return;
  EXPECT_NEAR(power, expected, kTolerance * std::max(1.0, std::abs(expected)));
}

TEST(TreeConstraints, EveryJointTypeIsTested) {
  int listed = 0;
  Joints::for_each([&]<typename J>() {
    bool found = std::string(J::name) == "floating";  // cut, it has no rows
    for (const Closure& c : kClosures) found = found || std::string(J::name) == c.type;
    EXPECT_TRUE(found) << J::name;
    ++listed;
  });
  EXPECT_EQ(listed, int(std::size(kClosures)) + 1);
}

TEST(TreeConstraints, ClosuresOfEveryJointType) {
  unsigned seed = 20;
  for (const Closure& c : kClosures) {
    for (const bool reversed : {false, true}) {
      for (const char* closure : {"minimal", "redundant"}) {
        const bool minimal = std::string(closure) == "minimal";
        if (!minimal && c.redundant == 0) continue;
        SCOPED_TRACE(std::string(c.type) + ", " + closure + (reversed ? ", reversed" : ""));
        const Model model = closed_by(c.type, closure, reversed);
        ASSERT_EQ(int(model.constraint_rows().size()), minimal ? c.minimal : c.redundant);
        expect_consistent(model, seed++);
        expect_power(model, seed);
      }
    }
  }
}

int rank_of(const MatX& A) {
  Eigen::ColPivHouseholderQR<MatX> qr;
  qr.setThreshold(1e-8);  // rows of size 1 at a state closed to 1e-12
  qr.compute(A);
  return int(qr.rank());
}

/// Closed states near zero: [KP-1] from a small random displacement.
TEST(TreeConstraints, MinimalSetsAreIndependentAndRedundantOnesSpanTheSame) {
  std::mt19937_64 rng(21);
  for (const Closure& c : kClosures) {
    SCOPED_TRACE(c.type);
    const Model minimal = closed_by(c.type, "minimal", false);
    const std::vector<double> p = minimal.default_physical();
    for (int s = 0; s < 5; ++s) {
      JointSystem<double> system(minimal, ReferencePoint::kCom);
      system.set_parameters(p);
      VecX q = Eigen::Map<const VecX>(p.data() + minimal.initial_q(), minimal.nq());
      for (double& x : q) x += 0.2 * test::uniform(rng);
      VecX v = VecX::Zero(minimal.nq());
      const KinematicReport report = assemble_start<double>(minimal, system, 0, q, v);
      ASSERT_TRUE(report.solved) << report.message;
      system.place(0, test::view(q));
      EXPECT_LE(system.Phi().norm(), 1e-11);
      const MatX J = dense(system.Phi_q());
      EXPECT_EQ(rank_of(J), c.minimal);
      if (c.redundant == 0) continue;
      const Model redundant = closed_by(c.type, "redundant", false);
      JointSystem<double> more(redundant, ReferencePoint::kCom);
      more.set_parameters(redundant.default_physical());
      more.place(0, test::view(q));
      EXPECT_LE(more.Phi().norm(), 1e-10) << "the same solution";
      const MatX J_more = dense(more.Phi_q());
      MatX both(J.rows() + J_more.rows(), J.cols());
      both << J, J_more;
      EXPECT_EQ(rank_of(J_more), c.minimal);
      EXPECT_EQ(rank_of(both), c.minimal) << "the same row space";
    }
  }
}

TEST(TreeConstraints, EveryTypeOfConstraint) {
  unsigned seed = 40;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    ASSERT_NE(first, last) << C::name;
    for (auto it = first; it != last; ++it) {
      SCOPED_TRACE(it->first + ": " + it->second);
      const Model model = test::model_of(test::constrained_mechanism(it->first, it->second));
      expect_consistent(model, seed++);
      expect_power(model, seed);
    }
  });
}

}  // namespace
}  // namespace kinegrad
