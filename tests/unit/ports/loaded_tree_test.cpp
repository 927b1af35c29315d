// The equations of motion of trees: against themselves, against closed forms, against sums over
// points.
#include "kinegrad/ports/loaded_tree.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "support/allocation_counter.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::kBothPoints;

/// Some hundred operations on numbers of the size compared with.
constexpr double kRounding = 1e-13;

double relative(const MatX& actual, const MatX& expected, double floor = 1) {
  const double error = (actual - expected).norm() / std::max(floor, expected.norm());
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

VecX residual(test::MovingTree<double>& dynamics, const test::SampleState& s,
              const std::vector<double>& a) {
  std::vector<double> r = test::poisoned(dynamics.nq());
  dynamics.residual(0.2, s.q, s.v, a, r);
  return test::map(r);
}

/// Size of the terms that cancel in the residual.
double term_size(test::MovingTree<double>& dynamics, const test::SampleState& s) {
  const std::vector<double> zero(s.q.size(), 0.0);
  return 1 + residual(dynamics, s, zero).norm() + test::full_mass(dynamics, s.q).norm();
}

template <typename Check>
void for_all_trees(const Check& check) {
  std::mt19937_64 rng(31);
  const Model all = test::example("all_joints");
  for (int k = 0; k < 5; ++k) check(all, test::random_state(all, rng), "all joints");
  for (unsigned seed = 700; seed < 740; ++seed) {
    const Model model = compile_model(test::loaded_tree(seed, 2 + int(seed % 9)));
    if (model.nq() == 0) continue;
    check(model, test::random_state(model, rng), "seed " + std::to_string(seed));
  }
}

TEST(LoadedTree, ResidualIsLinearInTheAccelerations) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    for (ReferencePoint point : kBothPoints) {
      test::MovingTree<double> dynamics(model, point);
      dynamics.set_parameters(s.p);
      const MatX M = test::full_mass(dynamics, s.q);
      const double size = term_size(dynamics, s);
      const VecX r0 = residual(dynamics, s, std::vector<double>(s.q.size(), 0.0));
      EXPECT_LE(relative(M * test::map(s.a) + r0, residual(dynamics, s, s.a), size), kRounding)
          << name;
      for (int j = 0; j < model.nq(); ++j) {
        std::vector<double> unit(s.q.size(), 0.0);
        unit[std::size_t(j)] = 1;
        EXPECT_LE(relative(residual(dynamics, s, unit) - r0, M.col(j), size), kRounding)
            << name << ", column " << j;
      }
    }
  });
}

TEST(LoadedTree, AccelerationsMakeTheResidualVanish) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    for (ReferencePoint point : kBothPoints) {
      test::MovingTree<double> dynamics(model, point);
      dynamics.set_parameters(s.p);
      const double size = term_size(dynamics, s);
      std::vector<double> a = test::poisoned(model.nq());
      dynamics.accelerations(0.2, s.q, s.v, a);
      EXPECT_LE(residual(dynamics, s, a).norm(), kRounding * size * (1 + test::map(a).norm()))
          << name;
      for (int first : euler_sets_of(model)) {  // pᵀa + ṗᵀṗ = 0, p not of unit length
        const Eigen::Map<const Vec<double, 4>> p(s.q.data() + first), v(s.v.data() + first),
            acceleration(a.data() + first);
        EXPECT_LE(std::abs(p.dot(acceleration) + v.squaredNorm()),
                  kRounding * size * (1 + test::map(a).norm()))
            << name;
      }
    }
  });
}

/// p is a null vector of M and of r, of any length.
TEST(LoadedTree, EulerParametersHaveANullVector) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
    dynamics.set_parameters(s.p);
    const MatX M = test::full_mass(dynamics, s.q);
    const VecX r = residual(dynamics, s, s.a);
    const double size = term_size(dynamics, s);
    for (int first : euler_sets_of(model)) {
      const Eigen::Map<const Vec<double, 4>> p(s.q.data() + first);
      EXPECT_LE((M.middleCols<4>(first) * p).norm(), kRounding * size) << name;
      EXPECT_LE(std::abs(r.segment<4>(first).dot(p)), kRounding * size) << name;
    }
  });
}

TEST(LoadedTree, ReferencePointsAgree) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    test::MovingTree<double> com(model, ReferencePoint::kCom),
        origin(model, ReferencePoint::kOrigin);
    com.set_parameters(s.p);
    origin.set_parameters(s.p);
    const double size = term_size(com, s);
    // a distance of some metres adds its square to the inertias
    EXPECT_LE(relative(residual(origin, s, s.a), residual(com, s, s.a), size), 10 * kRounding)
        << name;
    EXPECT_LE(relative(test::full_mass(origin, s.q), test::full_mass(com, s.q)), 10 * kRounding)
        << name;
    residual(com, s, s.a);  // energies are of the last state
    residual(origin, s, s.a);
    EXPECT_NEAR(origin.kinetic_energy(), com.kinetic_energy(),
                10 * kRounding * com.kinetic_energy())
        << name;
  });
}

TEST(LoadedTree, FactorizedMassSolves) {
  std::mt19937_64 rng(32);
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    for (ReferencePoint point : kBothPoints) {
      test::MovingTree<double> dynamics(model, point);
      dynamics.set_parameters(s.p);
      const MatX M = test::full_mass(dynamics, s.q);
      const MatX completed = test::completed_mass(dynamics, s.q);
      const std::vector<int> sets = euler_sets_of(model);
      std::vector<double> b(s.q.size()), phi(sets.size()), x = test::poisoned(model.nq());
      for (double& value : b) value = test::uniform(rng);
      for (double& value : phi) value = test::uniform(rng);
      dynamics.factorize_mass(s.q);
      dynamics.solve_mass(s.q, b, phi, x);
      VecX right = test::map(b);
      for (std::size_t e = 0; e < sets.size(); ++e) {
        const Eigen::Map<const Vec<double, 4>> p(s.q.data() + sets[e]);
        const double kappa = M.block<4, 4>(sets[e], sets[e]).trace();
        auto part = right.segment<4>(sets[e]);
        part -= p * (p.dot(part) / p.squaredNorm() + kappa * phi[e]);
      }
      const VecX expected = completed.partialPivLu().solve(right);
      const double condition = completed.norm() * completed.inverse().norm();
      EXPECT_LE(relative(test::map(x), expected, 0), 100 * condition * test::kEpsilon) << name;
    }
  });
}

/// ½ vᵀM v, and Σ m ċ, Σ (c×m ċ + J ω) over the bodies from their kinematics.
TEST(LoadedTree, EnergyAndMomentaAreSumsOverBodies) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    SignalEvaluator<double> kinematics(model);
    kinematics.evaluate(s.p, 0.2, s.q, s.v, s.a);
    double energy = 0;
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (std::size_t b = 1; b < model.bodies().size(); ++b) {
      const MassBlock& block = model.bodies()[b].mass;
      const double m = s.p[std::size_t(block.mass)];
      const Vec3 c_B = Eigen::Map<const Vec3>(s.p.data() + block.com);
      const double* const j = s.p.data() + block.inertia;
      Mat3 J;
      J << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
      const Pose<double>& X = kinematics.position().X_WB[b];
      const Vec3 w = kinematics.velocity().w_WB[b], arm = X.R * c_B, c = X.p + arm;
      const Vec3 cdot = kinematics.velocity().v_WB[b] + w.cross(arm);
      const Vec3 spin = X.R * J * X.R.transpose() * w;
      energy += 0.5 * (m * cdot.squaredNorm() + w.dot(spin));
      linear += m * cdot;
      angular += m * c.cross(cdot) + spin;
    }
    for (ReferencePoint point : kBothPoints) {
      test::MovingTree<double> dynamics(model, point);
      dynamics.set_parameters(s.p);
      residual(dynamics, s, s.a);
      EXPECT_NEAR(dynamics.kinetic_energy(), energy, 10 * kRounding * energy) << name;
      EXPECT_LE(relative(dynamics.linear_momentum(), linear), 10 * kRounding) << name;
      EXPECT_LE(relative(dynamics.angular_momentum(), angular), 10 * kRounding) << name;
      const VecX v = test::map(s.v);
      EXPECT_NEAR(0.5 * v.dot(test::full_mass(dynamics, s.q) * v), energy, 10 * kRounding * energy)
          << name;
    }
  });
}

/// m L² a + m g L cos q = 0 with q from the horizontal.
TEST(LoadedTree, Pendulum) {
  const Model model = test::example("pendulum");
  for (ReferencePoint point : kBothPoints) {
    test::MovingTree<double> dynamics(model, point);
    dynamics.set_parameters(model.default_physical());
    for (double q : {0.0, 0.4, 2.0, -3.0}) {
      const test::SampleState s{{}, {q}, {1.7}, {0.6}};
      EXPECT_NEAR(residual(dynamics, s, s.a)(0), 0.6 + 9.81 * std::cos(q), 1e-14);
      std::vector<double> a = test::poisoned(1);
      dynamics.accelerations(0, s.q, s.v, a);
      EXPECT_NEAR(a[0], -9.81 * std::cos(q), 1e-14);
    }
  }
}

/// Two uniform rods of mass and length 1, the second angle relative to the first.
TEST(LoadedTree, DoublePendulum) {
  const Model model = test::example("double_pendulum");
  test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
  dynamics.set_parameters(model.default_physical());
  std::mt19937_64 rng(33);
  for (int k = 0; k < 20; ++k) {
    const test::SampleState s{{},
                              {3 * test::uniform(rng), 3 * test::uniform(rng)},
                              {test::uniform(rng), test::uniform(rng)},
                              {test::uniform(rng), test::uniform(rng)}};
    const double q1 = s.q[0], q2 = s.q[1], v1 = s.v[0], v2 = s.v[1];
    const double g = 9.81, cross = 0.5 * std::cos(q2), pull = 0.5 * std::sin(q2);
    Eigen::Matrix2d M;
    M << 1.0 / 3 + 1 + 1.0 / 3 + 2 * cross, 1.0 / 3 + cross, 1.0 / 3 + cross, 1.0 / 3;
    const Eigen::Vector2d bias(-pull * (2 * v1 * v2 + v2 * v2), pull * v1 * v1);
    const Eigen::Vector2d weight(g * (1.5 * std::sin(q1) + 0.5 * std::sin(q1 + q2)),
                                 0.5 * g * std::sin(q1 + q2));
    const Eigen::Vector2d expected = M * Eigen::Vector2d(s.a[0], s.a[1]) + bias + weight;
    EXPECT_LE((residual(dynamics, s, s.a) - expected).norm(), 1e-14 * (1 + expected.norm()));
  }
}

/// Euler's equations J ω̇ + ω×J ω = 0 in body axes, with ω = 2 L(p) ṗ.
TEST(LoadedTree, FreeBody) {
  const Model model = test::example("free_body");
  const std::vector<double> p = model.default_physical();
  const Vec3 J(2, 3, 4);
  std::mt19937_64 rng(34);
  for (ReferencePoint point : kBothPoints) {
    test::MovingTree<double> dynamics(model, point);
    dynamics.set_parameters(p);
    for (int k = 0; k < 10; ++k) {
      test::SampleState s = test::random_state(model, rng);
      Eigen::Map<Vec<double, 4>> e(s.q.data() + 3), edot(s.v.data() + 3);
      e.normalize();
      edot -= e * e.dot(edot);
      std::vector<double> a = test::poisoned(7);
      dynamics.accelerations(0, s.q, s.v, a);
      Mat<double, 3, 4> L;
      L << -e(1), e(0), e(3), -e(2), -e(2), -e(3), e(0), e(1), -e(3), e(2), -e(1), e(0);
      const Vec3 w = 2 * L * edot;
      const Vec3 wdot = 2 * L * Eigen::Map<const Vec<double, 4>>(a.data() + 3);
      const Vec3 Jw = J.cwiseProduct(w);
      EXPECT_LE((J.cwiseProduct(wdot) + w.cross(Jw)).norm(), kRounding * (1 + Jw.norm()));
      EXPECT_LE(Eigen::Map<const Vec3>(a.data()).norm(), kRounding);  // no force, com = origin
    }
  }
}

TEST(LoadedTree, NoAllocations) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(35);
  const test::SampleState s = test::random_state(model, rng);
  for (ReferencePoint point : kBothPoints) {
    test::MovingTree<double> dynamics(model, point);
    dynamics.set_parameters(s.p);
    std::vector<double> r = test::poisoned(model.nq()), a = r,
                        phi(euler_sets_of(model).size(), 0.1);
    MatX M = MatX::Zero(model.nq(), model.nq());
    const AllocationCounter counter;
    dynamics.residual(0, s.q, s.v, s.a, r);
    dynamics.mass_matrix(s.q, M);
    dynamics.accelerations(0, s.q, s.v, a);
    dynamics.factorize_mass(s.q);
    dynamics.solve_mass(s.q, r, phi, a);
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace kinegrad
