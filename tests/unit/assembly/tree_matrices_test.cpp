// The sparse matrices of a tree against the dense ones, which the recursions compute in other ways.
#include "kinegrad/assembly/tree_matrices.hpp"

#include <gtest/gtest.h>

#include "kinegrad/ports/linearized_forces.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

template <typename T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> dense(const SparseUpper<T>& A) {
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> out(A.size(), A.size());
  out.setZero();
  for (int j = 0; j < A.size(); ++j) {
    for (int k = A.start[std::size_t(j)]; k < A.start[std::size_t(j) + 1]; ++k) {
      out(A.row[std::size_t(k)], j) = A.value[std::size_t(k)];
      out(j, A.row[std::size_t(k)]) = A.value[std::size_t(k)];
    }
  }
  return out;
}

/// Sums of a few hundred products; the dense matrix takes them about another point.
constexpr double kMatrices = 1e-12;

TEST(TreeMatrices, MassIsTheDenseMassMatrix) {
  for (const char* name : {"all_joints", "chain", "five_bar", "slider_crank", "rolling_disc"}) {
    const Model model = test::example(name);
    const std::vector<double> p = model.default_physical();
    VecX q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
    const std::span<const double> place(q.data(), std::size_t(q.size()));
    for (const ReferencePoint point : test::kBothPoints) {
      test::MovingTree<double> dynamics(model, point), other(model, point);
      dynamics.set_parameters(p);
      other.set_parameters(p);
      TreeMatrices<double> matrices(dynamics.tree);
      SparseUpper<double> M = matrices.pattern();
      for (double& x : M.value) x = test::kNaN;
      dynamics.place_bodies(place);
      matrices.mass(dynamics.state.motion, M);
      MatX expected = MatX::Zero(model.nq(), model.nq());
      other.mass_matrix(place, expected);
      expected.triangularView<Eigen::StrictlyLower>() = expected.transpose();
      EXPECT_LE((dense(M) - expected).norm(), kMatrices * expected.norm()) << name;
    }
  }
}

/// At rest the rates of port Jacobians vanish, and what is left are the same K and C.
TEST(TreeMatrices, ForcesAreThoseOfThePartials) {
  constexpr double c_v = 0.3, c_q = 0.7;
  for (const char* name : {"five_bar", "slider_crank", "four_bar", "slider_crank_planar"}) {
    const Model model = test::example(name);
    const std::vector<double> p = model.default_physical();
    const auto n = std::size_t(model.nq());
    std::vector<double> q(n), zero(n, 0.0), r(n);
    for (std::size_t k = 0; k < n; ++k) {
      q[k] = p[std::size_t(model.initial_q()) + k] + 0.1 * double(k + 1);
    }
    for (const ReferencePoint point : test::kBothPoints) {
      test::MovingTree<double> dynamics(model, point);
      dynamics.set_parameters(p);
      TreeMatrices<double> matrices(dynamics.tree);
      ASSERT_TRUE(matrices.knows_forces()) << name;
      dynamics.residual(0, q, zero, zero, r);
      SparseUpper<double> N = matrices.pattern();
      N.set_zero();
      matrices.add_forces(dynamics.state, 0, c_v, c_q, N);
      test::ResidualDerivatives partials(dynamics);
      partials.linearize(0, q, zero, zero);
      MatX r_q(model.nq(), model.nq()), r_v(model.nq(), model.nq());
      partials.force_matrices(r_q, r_v);
      const MatX expected = c_v * r_v + c_q * r_q;
      EXPECT_LE((dense(N) - expected).norm(), kMatrices * (1 + expected.norm())) << name;
    }
  }
}

}  // namespace
}  // namespace kinegrad
