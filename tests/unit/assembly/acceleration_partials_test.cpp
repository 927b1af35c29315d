// Level L2 of the derivative ladder for trees: derivatives of accelerations against complex step.
#include "kinegrad/assembly/acceleration_partials.hpp"

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::complexified;
using test::kBothPoints;
using test::relative;

constexpr double kStep = 1e-200;  // its square is below the smallest double
constexpr double kTime = 0.3;

/// The derivative that the accelerations carry.
VecX derivative(test::MovingTree<Complex>& dynamics, const std::vector<Complex>& q,
                const std::vector<Complex>& v) {
  std::vector<Complex> a(q.size(), Complex(test::kNaN, test::kNaN));
  dynamics.accelerations(kTime, q, v, a);
  VecX out(static_cast<Eigen::Index>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) out(Eigen::Index(i)) = a[i].imag() / kStep;
  return out;
}

/// Accelerations and their partials at a state.
struct Linearized {
  Linearized(const Model& model, ReferencePoint point, const test::SampleState& s)
      : q(s.q),
        v(s.v),
        a(test::poisoned(model.nq())),
        dynamics(model, point),
        tree(dynamics),
        partials(tree.linearized, tree.forces, dynamics.articulated) {
    dynamics.set_parameters(s.p);
    dynamics.accelerations(kTime, q, v, a);
    partials.linearize(kTime, q, v, a);
  }
  std::vector<double> q, v, a;
  test::MovingTree<double> dynamics;
  test::ResidualDerivatives tree;
  AccelerationPartials partials;
};

/// Both sides solve with the mass matrix: its condition times rounding, for some hundred operations in
/// each of up to ten joints.
double tolerance(const Model& model, const test::SampleState& s) {
  test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
  dynamics.set_parameters(s.p);
  MatX M = MatX::Zero(model.nq(), model.nq());
  dynamics.mass_matrix(s.q, M);
  const VecX size = M.selfadjointView<Eigen::Upper>().eigenvalues().cwiseAbs();
  double smallest = size.maxCoeff();
  for (const double x : size) {  // those of Euler parameters are zero
    if (x > 1e-12 * size.maxCoeff()) smallest = std::min(smallest, x);
  }
  return 1000 * std::numeric_limits<double>::epsilon() * (1 + size.maxCoeff() / smallest);
}

template <typename Check>
void for_all_trees(const Check& check) {
  test::for_loaded_trees(31, check);
}

TEST(AccelerationPartials, MatricesAgainstComplexStep) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    const int n = model.nq();
    for (ReferencePoint point : kBothPoints) {
      test::MovingTree<Complex> dynamics(model, point);
      dynamics.set_parameters(complexified(s.p));
      MatX a_q(n, n), a_v(n, n);
      for (int j = 0; j < n; ++j) {
        std::vector<Complex> q = complexified(s.q), v = complexified(s.v);
        q[std::size_t(j)] += Complex(0, kStep);
        a_q.col(j) = derivative(dynamics, q, v);
        q = complexified(s.q);
        v[std::size_t(j)] += Complex(0, kStep);
        a_v.col(j) = derivative(dynamics, q, v);
      }
      Linearized at(model, point, s);
      const MatX actual = at.partials.matrices();
      const double most = tolerance(model, s);
      EXPECT_LE(relative(actual.leftCols(n), a_q), most) << name;
      EXPECT_LE(relative(actual.middleCols(n, n), a_v), most) << name;
    }
  });
}

/// The second oracle: M a_q = −r_q and M a_v = −r_v, with the matrices of the residual, which the recursion
/// does not use. Euler parameters apart, along which the normalisation rules.
TEST(AccelerationPartials, MatricesSolveThoseOfTheResidual) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    if (!euler_sets_of(model).empty()) return;
    const int n = model.nq();
    for (ReferencePoint point : kBothPoints) {
      Linearized at(model, point, s);
      const MatX a_x = at.partials.matrices();
      test::ResidualDerivatives residual(at.dynamics);
      std::vector<double> r(s.q.size());
      at.dynamics.residual(kTime, at.q, at.v, at.a, r);
      residual.linearize(kTime, at.q, at.v, at.a);
      MatX r_q, r_v, M;
      residual.matrices(r_q, r_v, M);
      EXPECT_LE(relative(M * a_x.leftCols(n), -r_q), tolerance(model, s)) << name;
      EXPECT_LE(relative(M * a_x.middleCols(n, n), -r_v), tolerance(model, s)) << name;
    }
  });
}

/// a_τ is M⁻¹, across Euler parameters: M a_τ M = M.
TEST(AccelerationPartials, ForcesGiveTheInverseOfTheMassMatrix) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    const int n = model.nq();
    for (ReferencePoint point : kBothPoints) {
      Linearized at(model, point, s);
      const MatX a_tau = at.partials.matrices().rightCols(n);
      MatX M = MatX::Zero(n, n);
      at.dynamics.mass_matrix(s.q, M);
      M.triangularView<Eigen::StrictlyLower>() = M.transpose();
      EXPECT_LE(relative(M * a_tau * M, M), tolerance(model, s)) << name;
      EXPECT_LE(relative(a_tau, a_tau.transpose()), tolerance(model, s)) << name;
    }
  });
}

TEST(AccelerationPartials, PullbackIsTheTransposedMatrices) {
  std::mt19937_64 rng(32);
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    const int n = model.nq();
    for (ReferencePoint point : kBothPoints) {
      Linearized at(model, point, s);
      const MatX a_x = at.partials.matrices();
      // it adds to what is there
      std::vector<double> w(s.q.size()), q(w.size(), 1.0), v(w.size(), 2.0), tau(w.size(), 3.0);
      for (double& x : w) x = test::uniform(rng);
      at.partials.pullback(w, {q, v, tau, {}});
      const VecX expected = a_x.transpose() * test::map(w);
      const auto error = [&](const std::vector<double>& bar, double before, int first) {
        const VecX added = (test::map(bar).array() - before).matrix();
        return (added - expected.segment(first, n)).norm() /
               std::max(1.0, a_x.middleCols(first, n).norm());
      };
      const double most = tolerance(model, s);
      EXPECT_LE(error(q, 1, 0), most) << name;
      EXPECT_LE(error(v, 2, n), most) << name;
      EXPECT_LE(error(tau, 3, 2 * n), most) << name;
    }
  });
}

TEST(AccelerationPartials, ParametersAgainstComplexStep) {
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    const VecX rho = model.default_rho();
    auto work = model.design_map().make_workspace<double>();
    auto complex_work = model.design_map().make_workspace<Complex>();
    Linearized at(model, ReferencePoint::kCom, s);
    AccelerationPartials::RowMatrix a_p;
    at.partials.parameter_matrix(a_p);
    MatX actual(model.nq(), rho.size()), expected(model.nq(), rho.size());
    std::vector<double> p(s.p.size());
    model.design_map().evaluate<double>(test::view(rho), p, work);
    for (int i = 0; i < model.nq(); ++i) {
      std::vector<double> p_bar(a_p.row(i).begin(), a_p.row(i).end());
      std::vector<double> rho_bar(std::size_t(rho.size()), 0.0);
      model.design_map().reverse(test::view(rho), p, p_bar, rho_bar, work);
      actual.row(i) = test::map(rho_bar).transpose();
    }
    test::MovingTree<Complex> dynamics(model, ReferencePoint::kCom);
    for (Eigen::Index j = 0; j < rho.size(); ++j) {
      std::vector<Complex> z(rho.data(), rho.data() + rho.size()), p_z(s.p.size());
      z[std::size_t(j)] += Complex(0, kStep);
      model.design_map().evaluate<Complex>(z, p_z, complex_work);
      dynamics.set_parameters(p_z);
      expected.col(j) = derivative(dynamics, complexified(s.q), complexified(s.v));
    }
    EXPECT_LE(relative(actual, expected), tolerance(model, s)) << name;
  });
}

TEST(AccelerationPartials, NothingIsAllocated) {
  std::mt19937_64 rng(33);
  const Model model = test::example("double_pendulum");
  const test::SampleState s = test::random_state(model, rng);
  Linearized at(model, ReferencePoint::kCom, s);
  std::vector<double> w(s.q.size(), 1.0), q = w, v = w, tau = w, p(s.p.size());
  at.partials.matrices();  // the first makes room
  const AllocationCounter counter;
  at.dynamics.accelerations(kTime, at.q, at.v, at.a);
  at.partials.linearize(kTime, at.q, at.v, at.a);
  at.partials.matrices();
  at.partials.pullback(w, {q, v, tau, p});
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace kinegrad
