#include "kinegrad/assembly/tree_kinematics.hpp"

#include <gtest/gtest.h>

#include "kinegrad/model/compile.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::SampleState;

/// All passes at one state, in the scalar T.
template <typename T>
struct Motion {
  PositionKinematics<T> position;
  VelocityKinematics<T> velocity;
  AccelerationKinematics<T> acceleration;

  Motion(const Model& model, const std::vector<T>& p, const std::vector<T>& q,
         const std::vector<T>& v, const std::vector<T>& a) {
    position_kinematics<T>(model, p, q, position);
    velocity_kinematics<T>(model, v, position, velocity);
    acceleration_kinematics<T>(model, q, v, a, position, velocity, acceleration);
  }
};

/// q(t) = q + v t + a t²/2 as the state at time t.
SampleState along(const SampleState& s, double t) {
  SampleState out = s;
  for (std::size_t k = 0; k < s.q.size(); ++k) {
    out.q[k] += t * (s.v[k] + 0.5 * t * s.a[k]);
    out.v[k] += t * s.a[k];
  }
  return out;
}

PointMotion<double> motion_of(const Model& model, const SampleState& s, int index) {
  const Motion<double> m(model, s.p, s.q, s.v, s.a);
  return point_motion<double>(model, s.p, index, m.position, m.velocity, m.acceleration);
}

/// Sixth-order central differences of positions along the motion: with derivatives of the seventh and
/// eighth order up to 1e4 the truncation is h⁶·1e4/140 = 5e-14, the round-off ε/h = 1e-13 for
/// velocities and 4ε/h² = 1e-10 for accelerations.
void expect_motion_is_derivative_of_positions(const Model& model, const SampleState& s) {
  constexpr double h = 3e-3;
  constexpr double kVelocity = 2e-11, kAcceleration = 1e-9;
  const double w1[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  const double w2[] = {3.0 / 2, -3.0 / 20, 1.0 / 90};
  for (int index = 0; index < static_cast<int>(model.vectors().size()); ++index) {
    const PointMotion<double> now = motion_of(model, s, index);
    Vec3 velocity = Vec3::Zero(), acceleration = -49.0 / 18 * now.r;
    for (int k = 1; k <= 3; ++k) {
      const Vec3 ahead = motion_of(model, along(s, k * h), index).r;
      const Vec3 behind = motion_of(model, along(s, -k * h), index).r;
      velocity += w1[k - 1] * (ahead - behind);
      acceleration += w2[k - 1] * (ahead + behind);
    }
    const double scale = 1 + now.r.norm() + now.rdot.norm() + now.rddot.norm();
    EXPECT_LT((velocity / h - now.rdot).norm(), kVelocity * scale) << model.vector_name(index);
    EXPECT_LT((acceleration / (h * h) - now.rddot).norm(), kAcceleration * scale)
        << model.vector_name(index);
  }
}

TEST(TreeKinematics, PointsOfAllJointsMoveAsTheirPositionsSay) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(11);
  for (int round = 0; round < 5; ++round) {
    expect_motion_is_derivative_of_positions(model, test::random_state(model, rng));
  }
}

TEST(TreeKinematics, PointsOfRandomTreesMoveAsTheirPositionsSay) {
  std::mt19937_64 rng(12);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model model = compile_model(test::random_tree(seed, 6));
    expect_motion_is_derivative_of_positions(model, test::random_state(model, rng));
  }
}

/// The complex step along the motion is exact to round-off: d/dt of positions and velocities.
TEST(TreeKinematics, VelocitiesAndAccelerationsByComplexStepInTime) {
  constexpr double h = 1e-200;
  constexpr double kRoundOff = 1e-13;  // a few hundred operations per point
  std::mt19937_64 rng(13);
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model model = compile_model(test::random_tree(seed, 8));
    const SampleState s = test::random_state(model, rng);
    const Motion<double> now(model, s.p, s.q, s.v, s.a);
    std::vector<Complex> p(s.p.begin(), s.p.end()), q, v, a(s.a.begin(), s.a.end());
    for (std::size_t k = 0; k < s.q.size(); ++k) {
      q.emplace_back(s.q[k], h * s.v[k]);
      v.emplace_back(s.v[k], h * s.a[k]);
    }
    const Motion<Complex> ahead(model, p, q, v, a);
    for (int i = 0; i < static_cast<int>(model.vectors().size()); ++i) {
      const auto m =
          point_motion<double>(model, s.p, i, now.position, now.velocity, now.acceleration);
      const auto c =
          point_motion<Complex>(model, p, i, ahead.position, ahead.velocity, ahead.acceleration);
      const double scale = 1 + m.rddot.norm();
      EXPECT_LT((c.r.imag() / h - m.rdot).norm(), kRoundOff * scale);
      EXPECT_LT((c.rdot.imag() / h - m.rddot).norm(), kRoundOff * scale);
    }
  }
}

TEST(TreeKinematics, PendulumSwingsAsItShould) {
  const Model model = test::example("pendulum");
  SampleState s;
  s.p = model.default_physical();
  s.q = {0.3};
  s.v = {2.0};
  s.a = {-1.0};
  const int tip = model.find_vector("rod.com");
  ASSERT_GE(tip, 0);
  const PointMotion<double> m = motion_of(model, s, tip);
  const double c = std::cos(0.3), n = std::sin(0.3);
  EXPECT_NEAR((m.r - Vec3(c, n, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.rdot - 2.0 * Vec3(-n, c, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.rddot - (-1.0 * Vec3(-n, c, 0) - 4.0 * Vec3(c, n, 0))).norm(), 0, 2e-15);
}

}  // namespace
}  // namespace kinegrad
