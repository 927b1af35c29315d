// The tangent of the residual of a tree, with and without forces [TG-6], [TG-10]: along parameters and along the
// state, against the complex step, the pull-back and the matrices.
#include "kinegrad/tree/residual_tangent.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "kinegrad/assembly/parameter_directions.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::complexified;
using test::kBothPoints;

/// L1: sums over up to ten bodies of products of a few dozen operations.
constexpr double kAssembly = 1e-12;
constexpr double kStep = 1e-200;  // its square is below the smallest double
constexpr double kTime = 0.3;

/// A tree at a state, with everything that a tangent needs.
struct Linearized {
  Linearized(const Model& model, ReferencePoint point, const test::SampleState& s)
      : dynamics(model, point),
        partials(dynamics),
        directions(dynamics.tree.bodies),
        tangent(dynamics.tree.bodies) {
    dynamics.set_parameters(s.p);
    std::vector<double> r(s.q.size());
    dynamics.residual(kTime, s.q, s.v, s.a, r);
    partials.linearize(kTime, s.q, s.v, s.a);
    sum_forces(partials.linearized, beyond);
  }
  /// Added to ones, which must stay.
  VecX along(const ParameterDirection& direction) {
    VecX dr = VecX::Ones(dynamics.nq());
    if (dynamics.model().forces().empty()) {
      residual_tangent(partials.linearized, beyond, direction, tangent, dr);
    } else {
      residual_tangent(partials.linearized, partials.forces, beyond, direction, tangent, dr);
    }
    return dr - VecX::Ones(dynamics.nq());
  }
  test::MovingTree<double> dynamics;
  test::ResidualDerivatives partials;
  ParameterDirections directions;
  ForcesBeyond beyond;
  TreeTangent tangent;
};

double error(const VecX& actual, const VecX& expected) {
  return (actual - expected).norm() / std::max(1.0, expected.norm());
}

VecX stepped(test::MovingTree<Complex>& tree, const std::vector<Complex>& q,
             const std::vector<Complex>& v, const std::vector<Complex>& a) {
  std::vector<Complex> r(q.size());
  tree.residual(kTime, q, v, a, r);
  VecX out(Eigen::Index(r.size()));
  for (std::size_t i = 0; i < r.size(); ++i) out(Eigen::Index(i)) = r[i].imag() / kStep;
  return out;
}

/// Along every design parameter.
void expect_right(const Model& model, const test::SampleState& s, const std::string& name) {
  const VecX rho = model.default_rho();
  std::vector<int> all(std::size_t(rho.size()));
  std::iota(all.begin(), all.end(), 0);
  const DesignJacobian design(model.design_map(), test::view(rho), all);
  auto work = model.design_map().make_workspace<Complex>();
  std::vector<double> dp(s.p.size());
  for (const ReferencePoint point : kBothPoints) {
    Linearized at(model, point, s);
    at.directions.take(design);
    test::MovingTree<Complex> complex_tree(model, point);
    for (int k = 0; k < at.directions.size(); ++k) {
      const VecX dr = at.along(at.directions[k]);
      std::vector<Complex> z(rho.data(), rho.data() + rho.size()), p(s.p.size());
      z[std::size_t(k)] += Complex(0, kStep);
      model.design_map().evaluate<Complex>(z, p, work);
      complex_tree.set_parameters(p);
      const VecX expected =
          stepped(complex_tree, complexified(s.q), complexified(s.v), complexified(s.a));
      EXPECT_LE(error(dr, expected), kAssembly) << name << ", parameter " << k;
      design.column(k, dp);
      VecX pulled(dr.size());
      for (Eigen::Index i = 0; i < dr.size(); ++i) {
        std::vector<double> w(s.q.size(), 0.0), p_bar(s.p.size(), 0.0);
        w[std::size_t(i)] = 1;
        at.partials.pullback(w, {{}, {}, {}, p_bar});
        pulled(i) = test::map(p_bar).dot(test::map(dp));
      }
      EXPECT_LE(error(dr, pulled), kAssembly) << name << ", parameter " << k;
    }
  }
}

TEST(ResidualTangent, AlongDesignParameters) { test::for_loaded_trees(31, expect_right); }

TEST(ResidualTangent, OfTreesWithoutForces) {
  std::mt19937_64 rng(34);
  for (unsigned seed = 520; seed < 540; ++seed) {
    const Model model = compile_model(test::random_tree(seed, 2 + int(seed % 7)));
    if (model.nq() == 0) continue;
    expect_right(model, test::random_state(model, rng), "seed " + std::to_string(seed));
  }
}

TEST(ResidualTangent, AlongTheState) {
  std::mt19937_64 rng(32);
  test::for_loaded_trees(33, [&](const Model& model, const test::SampleState& s,
                                 const std::string& name) {
    const std::size_t n = s.q.size();
    std::vector<double> dq(n), dv(n);
    for (std::vector<double>* x : {&dq, &dv}) {
      for (double& entry : *x) entry = test::uniform(rng);
    }
    ParameterDirection direction = state_direction(model);
    direction.dq = dq;
    direction.dv = dv;
    for (const ReferencePoint point : kBothPoints) {
      Linearized at(model, point, s);
      const VecX dr = at.along(direction);
      MatX r_q(n, n), r_v(n, n), r_a(n, n);
      at.partials.matrices(r_q, r_v, r_a);
      EXPECT_LE(error(dr, r_q * test::map(dq) + r_v * test::map(dv)), kAssembly) << name;
      test::MovingTree<Complex> complex_tree(model, point);
      complex_tree.set_parameters(complexified(s.p));
      std::vector<Complex> q = complexified(s.q), v = complexified(s.v);
      for (std::size_t i = 0; i < n; ++i) {
        q[i] += Complex(0, kStep * dq[i]);
        v[i] += Complex(0, kStep * dv[i]);
      }
      EXPECT_LE(error(dr, stepped(complex_tree, q, v, complexified(s.a))), kAssembly) << name;
    }
  });
}

}  // namespace
}  // namespace kinegrad
