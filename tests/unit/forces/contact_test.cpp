// Contacts [CT]: every geometry with every law, at the edges of their regimes, against dual numbers and the complex step;
// closed forms; symmetry.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "kinegrad/forces/sphere_on_cylinder.hpp"
#include "kinegrad/forces/sphere_on_plane.hpp"
#include "kinegrad/forces/sphere_on_sphere.hpp"
#include "kinegrad/forces/wheel_on_plane.hpp"
#include "support/element_oracles.hpp"

namespace kinegrad {
namespace {

using test::block_error;

/// Laws with numbers of a real contact; the words are chosen by the caller.
template <typename F>
void set_laws(ForceInput<F, double>& in, int normal, int friction) {
  constexpr int n = F::kOwn, f = F::kOwn + contact::kNormal;
  in.p.template segment<contact::kNormal>(n) << normal, 2e4, 1.3, 0.4, 60, 0.5, 1e-3, 3e6;
  in.p.template segment<friction::kAttributes>(f) << friction, 0.3, 0.4, 1e-2, 0, 0.05, 1e4, 50,
      0.2;
  if (friction == 1) in.p(f + 4) = 2e-3;
}

template <typename F>
void set_geometry(ForceInput<F, double>& in) {
  in.p(0) = 0.1;
  if constexpr (std::is_same_v<F, SphereOnSphere>) in.p(1) = 0.2;
  if constexpr (std::is_same_v<F, SphereOnCylinder>) in.p(1) = 0.5;
}

/// A place with that penetration, near its edges: at rest, hardly sliding, hardly touching, opening at once.
template <typename F>
ForceInput<F, double> random_contact(std::mt19937_64& rng, int normal, int friction) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> pick(0, 5);
  ForceInput<F, double> in;
  in.p.setZero();
  set_geometry(in);
  set_laws(in, normal, friction);
  const double sizes[] = {0, 1e-9, 1e-4, 1e-3, 1e-2, 1};
  const double depth = (uniform(rng) > -0.8 ? 1 : -1) * sizes[pick(rng)] * 0.02;
  const Mat3 R = Eigen::AngleAxisd(3 * uniform(rng), test::random_vector<3>(rng).normalized())
                     .toRotationMatrix();
  in.x.setZero();
  for (int i = 0; i < 3; ++i) in.x.template segment<3>(3 + 3 * i) = R.row(i).transpose();
  const double speed = 3 * sizes[pick(rng)], turn = 10 * sizes[pick(rng)];
  in.xdot << turn * test::random_vector<3>(rng), speed * test::random_vector<3>(rng);
  // kelvin-voigt has a kink where nothing closes or opens; the complex step has no sides there
  if (normal >= 2) in.xdot.template tail<3>() += 1e-3 * Vec3(0.3, -0.5, 0.8);
  in.t = 0;
  in.z = 1e-5 * test::random_vector<3>(rng);
  in.z(2) = 0.5 + 0.5 * uniform(rng);
  if constexpr (std::is_same_v<F, SphereOnSphere>) {
    in.x.template head<3>() = (0.3 - depth) * test::random_vector<3>(rng).normalized();
  } else if constexpr (std::is_same_v<F, SphereOnCylinder>) {
    in.p(2) = uniform(rng) > 0 ? 1 : 0;
    const double a = 3 * uniform(rng), l = in.p(2) == 0 ? 0.6 - depth : 0.4 + depth;
    in.x.template head<3>() << l * std::cos(a), l * std::sin(a), uniform(rng);
  } else {
    in.x.template head<3>() << uniform(rng), uniform(rng), 0.1 - depth;
    if constexpr (std::is_same_v<F, WheelOnPlane>) {
      in.x(2) = 0.1 * std::hypot(R(0, 2), R(1, 2)) - depth;
    }
    if (uniform(rng) > 0) {
      in.p.template tail<6>() << 1, in.x(0) + 0.01, in.x(1) - 0.02, 0.001 * uniform(rng),
          0.2 * uniform(rng), 0.1 * uniform(rng);
    }
  }
  return in;
}

/// Duals one direction at a time against the jets of the force.
template <typename F>
void expect_partials(const ForceInput<F, double>& in) {
  ForceStructPartials<F> hand, dual;
  F::partials(in, hand);
  dual_partials<F>(in, dual);
  const Vec<double, 6> e = F::template effort<double>(in);
  const Vec<double, 3> g = F::template rate<double>(in);
  EXPECT_TRUE(e.allFinite() && g.allFinite());
  constexpr double kSame = 1e-13;  // of the block: the same formulas, other orders of sums
  EXPECT_LE(block_error(hand.e_x, dual.e_x), kSame);
  EXPECT_LE(block_error(hand.e_xdot, dual.e_xdot), kSame);
  EXPECT_LE(block_error(hand.e_p, dual.e_p), kSame);
  EXPECT_LE(block_error(hand.e_z, dual.e_z), kSame);
  EXPECT_LE(block_error(hand.g_x, dual.g_x), kSame);
  EXPECT_LE(block_error(hand.g_xdot, dual.g_xdot), kSame);
  EXPECT_LE(block_error(hand.g_p, dual.g_p), kSame);
  EXPECT_LE(block_error(hand.g_z, dual.g_z), kSame);
  // along one direction of everything by the complex step
  using In = ForceInput<F, Complex>;
  std::mt19937_64 rng(7);
  const auto dx = test::random_vector<12>(rng);
  const auto dv = test::random_vector<6>(rng);
  const auto dz = test::random_vector<3>(rng);
  Vec<double, In::np> dp = in.p.cwiseProduct(test::random_vector<In::np>(rng));
  const double h = 1e-30;
  In moved;
  for (int k = 0; k < 12; ++k) moved.x(k) = Complex(in.x(k), h * dx(k));
  for (int k = 0; k < 6; ++k) moved.xdot(k) = Complex(in.xdot(k), h * dv(k));
  for (int k = 0; k < 3; ++k) moved.z(k) = Complex(in.z(k), h * dz(k));
  for (int k = 0; k < In::np; ++k) moved.p(k) = Complex(in.p(k), h * dp(k));
  moved.t = Complex(0);
  const Vec<double, 6> de = F::template effort<Complex>(moved).imag() / h;
  const Vec<double, 3> dg = F::template rate<Complex>(moved).imag() / h;
  const Vec<double, 6> e_d = hand.e_x * dx + hand.e_xdot * dv + hand.e_z * dz + hand.e_p * dp;
  const Vec<double, 3> g_d = hand.g_x * dx + hand.g_xdot * dv + hand.g_z * dz + hand.g_p * dp;
  const double size = hand.e_x.norm() + hand.e_xdot.norm() + hand.e_p.norm() + hand.e_z.norm() + 1;
  EXPECT_LE((de - e_d).norm(), 1e-12 * size);
  EXPECT_LE((dg - g_d).norm(),
            1e-12 * (1 + hand.g_x.norm() + hand.g_xdot.norm() + hand.g_z.norm()));
}

template <typename F>
void attack(unsigned seed, int cases) {
  std::mt19937_64 rng(seed);
  for (int normal = 0; normal < static_cast<int>(contact::NormalLaws::size); ++normal) {
    for (int friction = 0; friction < static_cast<int>(friction::Laws::size); ++friction) {
      for (int k = 0; k < cases; ++k) {
        SCOPED_TRACE(testing::Message()
                     << "normal law " << normal << ", friction law " << friction << ", case " << k);
        expect_partials<F>(random_contact<F>(rng, normal, friction));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// KINEGRAD_ATTACK_CASES asks for more.
int cases() {
  const char* text = std::getenv("KINEGRAD_ATTACK_CASES");
  return text ? std::atoi(text) : 20;
}

TEST(Contacts, PartialsOfSpheresOnPlanes) { attack<SphereOnPlane>(1, cases()); }
TEST(Contacts, PartialsOfSpheresOnCylinders) { attack<SphereOnCylinder>(2, cases()); }
TEST(Contacts, PartialsOfSpheresOnSpheres) { attack<SphereOnSphere>(3, cases()); }
TEST(Contacts, PartialsOfWheelsOnPlanes) { attack<WheelOnPlane>(4, cases()); }

/// [CT-2], [CT-3].
TEST(Contacts, NormalLaws) {
  const contact::NormalNumbers<double> p{2e4, 1.3, 0.4, 60, 0.5, 1e-3, 3e6, 0.1};
  using contact::normal_force;
  const double K = 4.0 / 3 * 3e6 * std::sqrt(0.1);
  EXPECT_NEAR(normal_force<double>(1, 0.01, 0.5, p), K * std::pow(0.01, 1.5) * 1.2, 1e-10);
  EXPECT_NEAR(normal_force<double>(2, 0.01, 0.5, p), 2e4 * std::pow(0.01, 1.3) + 30, 1e-11);
  EXPECT_NEAR(normal_force<double>(2, 0.01, -0.5, p), 2e4 * std::pow(0.01, 1.3) - 15, 1e-11);
  EXPECT_NEAR(normal_force<double>(2, 5e-4, 0.5, p), 2e4 * std::pow(5e-4, 1.3) + 15, 1e-11);
  EXPECT_NEAR(normal_force<double>(3, 5e-4, 0.5, p), 2e4 * std::pow(5e-4, 1.3) + 30, 1e-11);
  for (int law = 0; law < 4; ++law) {
    EXPECT_EQ(normal_force<double>(law, 1e-6, -100, p), 0);  // it never pulls
    EXPECT_EQ(normal_force<double>(law, -1e-6, 100, p), 0);
  }
}

/// A sphere at a tilted ground is a sphere on a plane that is tilted so.
TEST(Contacts, GroundIsATiltedPlane) {
  std::mt19937_64 rng(5);
  ForceInput<SphereOnPlane, double> in = random_contact<SphereOnPlane>(rng, 0, 0);
  in.p.tail<6>() << 1, 0.2, -0.1, 0.05, 0.3, -0.4;
  const Vec3 n = Vec3(-0.3, 0.4, 1).normalized(), f(0.2, -0.1, 0.05);
  in.x.head<3>() = f + 0.095 * n + 0.3 * n.cross(Vec3(1, 0, 0));
  in.xdot << 0.3, 2, -1, 0.5, -0.2, 0.1;
  const Vec<double, 6> e = SphereOnPlane::effort<double>(in);
  const Vec3 force = e.tail<3>(), c = -0.095 * n;
  const Vec3 v = Vec3(in.xdot.tail<3>()) + Vec3(in.xdot.head<3>()).cross(c);
  EXPECT_NEAR(force.dot(n), 2e4 * std::pow(0.005, 1.3) * (1 - 0.4 * n.dot(in.xdot.tail<3>())),
              1e-9);
  const Vec3 slide = v - n * n.dot(v), along = force - n * n.dot(force);
  EXPECT_LE(along.cross(slide).norm(), 1e-12 * along.norm());
  EXPECT_LT(along.dot(slide), 0);
  EXPECT_LE((Vec3(e.head<3>()) - c.cross(force)).norm(), 1e-13 * e.norm());
}

/// What one sphere does to the other does not depend on who is called first.
TEST(Contacts, SpheresActOnEachOtherAlike) {
  std::mt19937_64 rng(6);
  for (int k = 0; k < 50; ++k) {
    ForceInput<SphereOnSphere, double> in = random_contact<SphereOnSphere>(rng, 0, 0);
    const Vec3 d = in.x.head<3>(), w = in.xdot.head<3>(), v = in.xdot.tail<3>();
    const Mat3 R = Mat3::Identity();
    in.x.tail<9>() << 1, 0, 0, 0, 1, 0, 0, 0, 1;
    ForceInput<SphereOnSphere, double> other = in;
    // seen from marker 2, whose axes are parallel at this moment: place −d, turn −ω, velocity of 1 at 2's frame
    other.x.head<3>() = -d;
    other.xdot << -w, -(v - w.cross(d));
    other.p(0) = in.p(1);
    other.p(1) = in.p(0);
    const Vec<double, 6> e = SphereOnSphere::effort<double>(in);
    const Vec<double, 6> o = SphereOnSphere::effort<double>(other);
    EXPECT_LE((e.tail<3>() + o.tail<3>()).norm(), 1e-9 * (1e-9 + e.norm())) << R(0, 0);
    // moments about the origin of marker 1
    const Vec3 about = Vec3(e.head<3>()) + d.cross(Vec3(e.tail<3>()));
    EXPECT_LE((about + Vec3(o.head<3>())).norm(), 1e-9 * (1e-9 + e.norm()));
  }
}

/// Spheres inside and outside of a cylinder touch it where they should.
TEST(Contacts, CylinderHasTwoSides) {
  std::mt19937_64 rng(8);
  ForceInput<SphereOnCylinder, double> in = random_contact<SphereOnCylinder>(rng, 0, 0);
  in.xdot.setZero();
  in.x.head<3>() << 0, 0.599, 4;
  in.p(2) = 0;
  EXPECT_NEAR(SphereOnCylinder::effort<double>(in)(4), 2e4 * std::pow(0.001, 1.3), 1e-6);
  in.x(1) = 0.401;
  in.p(2) = 1;
  EXPECT_NEAR(SphereOnCylinder::effort<double>(in)(4), -2e4 * std::pow(0.001, 1.3), 1e-6);
  in.x(1) = 0;
  EXPECT_EQ(SphereOnCylinder::effort<double>(in).norm(), 0);
  in.p(2) = 0;  // on the axis of a cylinder that it is outside of: no direction, no NaN
  EXPECT_TRUE(SphereOnCylinder::effort<double>(in).allFinite());
}

}  // namespace
}  // namespace kinegrad
