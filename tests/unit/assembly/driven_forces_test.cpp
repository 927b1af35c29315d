// Forces given by expressions of time, splines, parameters and the motion: values, and partials
// against the complex step.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/ports/linearized_forces.hpp"
#include "support/allocation_counter.hpp"
#include "support/moving_tree.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::SampleState;

/// Ladder L1: through a chain of three joints and an expression of ten operations.
constexpr double kAssembly = 1e-12;
constexpr double h = 1e-200;

constexpr const char* kModel = R"yaml(
parameters: {k: 3, L: 0.8, u1: 0.4}
splines: {drive: {nodes: [0, 0.5, 1], values: [0.1, u1, k/4]}}
points: {O: [0.2, L, -0.1]}
bodies:
  a: {mass: 1.2, com: [0.1, L/3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], points: {P: [L, 0.1, 0]}}
  b:
    mass: 0.7
    com: [0.2, 0, 0.1]
    inertia: [0.2, 0.3, 0.25]
    points: {Q: [0.3, L/2, 0.2]}
    vectors: {n: [0, 0.6, 0.8]}
  c: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1], points: {T: [0.1, 0.2, k/10]}}
joints:
  J: {type: revolute, bodies: [ground, a], points: [O, [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  U: {type: universal, bodies: [a, b], points: [P, [0.1, 0, 0]], axes: [z, x]}
  S: {type: spherical, bodies: [c, b], points: [[0, 0, 0.1], Q]}
signals: {reach: "sqrt(T.x^2 + T.y^2 + 1)"}
forces:
  motor: {type: joint-force, joint: J, value: "drive(t)*k - u1*J.v + sin(U.q1)*Q.vx + n.vy*n.z"}
  push: {type: point-force, point: T, force: [k*reach, "Q.z*J.q", "-u1*T.vy + t"]}
  jet: {type: point-force, point: Q, force: [1.5, "k*t + P.x", u1], axes: body}
  spin: {type: body-torque, body: c, torque: ["-k*U.v2", "L", "T.x"]}
  gyro: {type: body-torque, body: b, torque: [u1, "J.q^2", "cos(t)"], axes: body}
)yaml";

struct Sample {
  Model model = compile_model(parse_model_yaml(kModel, "driven.yaml"));
  SampleState s;
  double t = 0.3;
  explicit Sample(unsigned seed) {
    std::mt19937_64 rng(seed);
    s = test::random_state(model, rng);
  }
};

VecX residual_derivative(const Sample& x, ReferencePoint point, const std::vector<Complex>& p,
                         const std::vector<Complex>& q, const std::vector<Complex>& v) {
  test::MovingTree<Complex> dynamics(x.model, point);
  dynamics.set_parameters(p);
  const std::vector<Complex> a(x.s.a.begin(), x.s.a.end());
  std::vector<Complex> r(q.size());
  dynamics.residual(x.t, q, v, a, r);
  VecX out(static_cast<Eigen::Index>(r.size()));
  for (std::size_t i = 0; i < r.size(); ++i) out(static_cast<Eigen::Index>(i)) = r[i].imag() / h;
  return out;
}

class DrivenForces : public testing::TestWithParam<ReferencePoint> {};

TEST_P(DrivenForces, PartialsEqualComplexStep) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Sample x(seed);
    const int n = x.model.nq();
    test::MovingTree<double> dynamics(x.model, GetParam());
    dynamics.set_parameters(x.s.p);
    std::vector<double> r(static_cast<std::size_t>(n));
    dynamics.residual(x.t, x.s.q, x.s.v, x.s.a, r);
    test::ResidualDerivatives partials(dynamics);
    partials.linearize(x.t, x.s.q, x.s.v, x.s.a);
    MatX r_q, r_v, r_a;
    partials.matrices(r_q, r_v, r_a);

    const std::vector<Complex> p(x.s.p.begin(), x.s.p.end());
    MatX q_oracle(n, n), v_oracle(n, n);
    for (int j = 0; j < n; ++j) {
      std::vector<Complex> q(x.s.q.begin(), x.s.q.end()), v(x.s.v.begin(), x.s.v.end());
      q[static_cast<std::size_t>(j)] += Complex(0, h);
      q_oracle.col(j) = residual_derivative(x, GetParam(), p, q, v);
      q[static_cast<std::size_t>(j)] = x.s.q[static_cast<std::size_t>(j)];
      v[static_cast<std::size_t>(j)] += Complex(0, h);
      v_oracle.col(j) = residual_derivative(x, GetParam(), p, q, v);
    }
    EXPECT_LT((r_q - q_oracle).norm(), kAssembly * (1 + q_oracle.norm()));
    EXPECT_LT((r_v - v_oracle).norm(), kAssembly * (1 + v_oracle.norm()));
  }
}

TEST_P(DrivenForces, PullBackEqualsComplexStep) {
  const Sample x(7);
  const auto n = static_cast<std::size_t>(x.model.nq());
  test::MovingTree<double> dynamics(x.model, GetParam());
  dynamics.set_parameters(x.s.p);
  std::vector<double> r(n), w, q_bar(n), v_bar(n), a_bar(n), p_bar(x.s.p.size());
  std::mt19937_64 rng(2);
  for (std::size_t i = 0; i < n; ++i) w.push_back(test::uniform(rng));
  dynamics.residual(x.t, x.s.q, x.s.v, x.s.a, r);
  test::ResidualDerivatives partials(dynamics);
  partials.linearize(x.t, x.s.q, x.s.v, x.s.a);
  MatX r_q, r_v, r_a;
  partials.matrices(r_q, r_v, r_a);
  const AllocationCounter counter;
  partials.linearize(x.t, x.s.q, x.s.v, x.s.a);
  partials.pullback(w, {q_bar, v_bar, a_bar, p_bar});
  EXPECT_EQ(counter.count(), 0);

  const Eigen::Map<const VecX> weights(w.data(), x.model.nq());
  const Eigen::Map<const VecX> q(q_bar.data(), x.model.nq()), v(v_bar.data(), x.model.nq());
  EXPECT_LT((r_q.transpose() * weights - q).norm(), kAssembly * (1 + r_q.norm()));
  EXPECT_LT((r_v.transpose() * weights - v).norm(), kAssembly * (1 + r_v.norm()));

  const DesignMap& map = x.model.design_map();
  const VecX rho = x.model.default_rho();
  const std::span<const double> rho_span(rho.data(), static_cast<std::size_t>(rho.size()));
  std::vector<double> values(x.s.p.size()), rho_bar(rho_span.size());
  auto work = map.make_workspace<double>();
  map.evaluate<double>(rho_span, values, work);
  map.reverse(rho_span, values, p_bar, rho_bar, work);
  auto complex_work = map.make_workspace<Complex>();
  for (std::size_t j = 0; j < rho_span.size(); ++j) {
    std::vector<Complex> moved(rho.data(), rho.data() + rho.size()), p(x.s.p.size());
    moved[j] += Complex(0, h);
    map.evaluate<Complex>(moved, p, complex_work);
    const std::vector<Complex> qc(x.s.q.begin(), x.s.q.end()), vc(x.s.v.begin(), x.s.v.end());
    const VecX oracle = residual_derivative(x, GetParam(), p, qc, vc);
    EXPECT_NEAR(rho_bar[j], weights.dot(oracle), kAssembly * (1 + oracle.norm()))
        << x.model.parameters()[j].name;
  }
}

INSTANTIATE_TEST_SUITE_P(BothReferencePoints, DrivenForces,
                         testing::Values(ReferencePoint::kCom, ReferencePoint::kOrigin));

/// A rod on a hinge: r = (m l² + J) a − Q with every force by hand.
TEST(DrivenForcesOnAPendulum, PushAndTwistAsTheyShould) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1], points: {tip: [1, 0, 0]}}}
joints: {J: {type: revolute, bodies: [ground, rod], points: [[0,0,0], [0,0,0]], axes: [z, z]}}
forces:
  world: {type: point-force, point: tip, force: [0, 2*t, 0]}
  follower: {type: point-force, point: tip, force: [0, 5, 0], axes: body}
  twist: {type: body-torque, body: rod, torque: [0, 0, "3*J.q"]}
  motor: {type: joint-force, joint: J, value: "-0.5*J.v"}
)yaml",
                                                     "rod.yaml"));
  test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
  dynamics.set_parameters(model.default_physical());
  const std::vector<double> q{0.3}, v{2.0}, a{-1.0};
  std::vector<double> r{std::nan("")};
  dynamics.residual(0.7, q, v, a, r);
  const double Q = 2 * 0.7 * std::cos(0.3) + 5 + 3 * 0.3 - 0.5 * 2.0;
  EXPECT_NEAR(r[0], (2 * 0.25 + 0.1) * -1.0 - Q, 1e-14);
}

TEST(DrivenForcesOnAPendulum, AccelerationsAreRefused) {
  EXPECT_THROW(compile_model(parse_model_yaml(R"yaml(
bodies: {rod: {mass: 2, com: [0.5, 0, 0]}}
joints: {J: {type: revolute, bodies: [ground, rod], points: [[0,0,0], [0,0,0]], axes: [z, z]}}
forces: {motor: {type: joint-force, joint: J, value: "J.a"}}
)yaml",
                                              "rod.yaml")),
               InvalidModel);
}

}  // namespace
}  // namespace kinegrad
