// The laws of tyres against their closed forms, at both sides of every change of regime and at seeded edges.
#include "kinegrad/forces/tyre.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "kinegrad/forces/calspan_tyre.hpp"
#include "support/element_oracles.hpp"

namespace kinegrad {
namespace {

constexpr double kRadius = 0.3, kStiffness = 2e5, kDamping = 300;

/// A wheel whose axis is the y axis of the road turned by `camber` about x, then by `steer` about z.
template <typename F>
ForceInput<F, double> wheel_at(double depth, double camber, double steer, const Vec3& velocity,
                               double spin) {
  ForceInput<F, double> in;
  in.t = 0;
  const Mat3 turned = (Eigen::AngleAxisd(steer, Vec3::UnitZ()) *
                       Eigen::AngleAxisd(camber - std::numbers::pi / 2, Vec3::UnitX()))
                          .toRotationMatrix();  // takes z to the axis
  for (int i = 0; i < 3; ++i) in.x.template segment<3>(3 + 3 * i) = turned.row(i).transpose();
  in.x.template head<3>() = Vec3(0.4, -1.2, kRadius * std::abs(std::cos(camber)) - depth);
  in.xdot.template head<3>() = spin * turned.col(2);
  in.xdot.template tail<3>() = velocity;
  return in;
}

ForceInput<Tyre, double> linear(double depth, double camber, double steer, const Vec3& velocity,
                                double spin) {
  auto in = wheel_at<Tyre>(depth, camber, steer, velocity, spin);
  in.p.setZero();
  in.p.head<8>() << kRadius, kStiffness, kDamping, 0.9, 0.8, 0.1, 0.15, 0.05;
  return in;
}

/// The Iltis.
ForceInput<CalspanTyre, double> calspan(double depth, double camber, double steer,
                                        const Vec3& velocity, double spin) {
  auto in = wheel_at<CalspanTyre>(depth, camber, steer, velocity, spin);
  in.p.setZero();
  in.p.head<17>() << kRadius, kStiffness, 0, 2625, 14.47, 12930, 2.29, 18175, -.464e-4, 1.216,
      2.18e-11, 1.0274, -.171e-4, .171e-4, 0.9, 0.1, 0.05;
  return in;
}

TEST(Tyre, PureRollingIsFree) {
  for (const double camber : {0.0, 0.5, -1.0}) {
    for (const double steer : {0.0, 1.0, 3.0}) {
      const Vec3 forward(std::cos(steer), std::sin(steer), 0);
      for (const double v : {0.0, 0.01, 20.0, -7.0}) {
        const auto in = linear(0.01, camber, steer, v * forward, v / kRadius);
        const Vec<double, 6> e = Tyre::effort<double>(in);
        EXPECT_NEAR(e(5), kStiffness * 0.01, 1e-9);
        EXPECT_LE(e.segment<2>(3).norm(), 1e-9 * e(5)) << camber << " " << steer << " " << v;
      }
    }
  }
}

/// Slip κ = −1 and more: all that μ_x gives, against the motion of the contact.
TEST(Tyre, LockedAndSpinningWheels) {
  const double F = kStiffness * 0.01;
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {10, 0, 0}, 0))(3), -0.9 * F, 1e-9);
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {-10, 0, 0}, 0))(3), 0.9 * F, 1e-9);
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {10, 0, 0}, 80))(3), 0.9 * F, 1e-9);
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {0, 0, 0}, 80))(3), 0.9 * F, 1e-9);
}

TEST(Tyre, SmallSlipIsLinear) {
  const double F = kStiffness * 0.01, v = 20, V = std::hypot(v, 0.05);
  const double slip = 0.02;
  const Vec<double, 6> driven =
      Tyre::effort<double>(linear(0.01, 0, 0, {v, 0, 0}, (v + slip * V) / kRadius));
  EXPECT_NEAR(driven(3), 0.9 * F * slip / 0.1, 1e-9);
  EXPECT_NEAR(driven(1), -kRadius * driven(3), 1e-9);  // the torque that brakes the wheel
  const double angle = 0.03;
  const Vec<double, 6> steered =
      Tyre::effort<double>(linear(0.01, 0, 0, {v, V * std::tan(angle), 0}, v / kRadius));
  EXPECT_NEAR(steered(4), -0.8 * F * angle / 0.15, 1e-9);
  EXPECT_NEAR(steered(0), kRadius * steered(4), 1e-9);
}

/// Beyond the corner of s the forces lie on the ellipse, and sliding at 90° is all μ_y.
TEST(Tyre, ForcesStayInTheEllipse) {
  const double F = kStiffness * 0.01;
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {0, 9, 0}, 0))(4), -0.8 * F, 1e-9);
  std::mt19937_64 rng(7);
  for (int k = 0; k < 500; ++k) {
    const Vec3 v = 10 * test::random_vector<3>(rng);
    const auto in = linear(0.01, 0, 0, {v(0), v(1), 0}, 10 * v(2));
    const Vec<double, 6> e = Tyre::effort<double>(in);
    const double share = std::hypot(e(3) / 0.9, e(4) / 0.8) / F;
    EXPECT_LE(share, 1 + 1e-12);
    EXPECT_LE(e.dot(in.xdot), 0.0);  // the wheel does not sink: all power is that of slip
  }
}

/// A cambered wheel that rolls does not slip: the radius is that of the rim, not the height of its centre.
TEST(Tyre, LoadOfACamberedWheel) {
  const auto in = linear(0.01, 0.6, 0, {5, 0, 0}, 5 / kRadius);
  const Vec<double, 6> e = Tyre::effort<double>(in);
  EXPECT_NEAR(e(5), kStiffness * 0.01, 1e-9);
  EXPECT_NEAR(e(0), e(5) * kRadius * std::sin(0.6), 1e-9);  // the contact is beside the centre
}

TEST(Tyre, DampingActsWhileLoadedAndNeverPulls) {
  EXPECT_NEAR(Tyre::effort<double>(linear(0.01, 0, 0, {0, 0, -0.5}, 0))(5), 2000 + 150, 1e-9);
  EXPECT_EQ(Tyre::effort<double>(linear(0.01, 0, 0, {3, 1, 7}, 0)).norm(), 0);
  EXPECT_EQ(Tyre::effort<double>(linear(-1e-9, 0, 0, {3, 1, -7}, 0)).norm(), 0);
  EXPECT_LE(Tyre::effort<double>(linear(1e-9, 0, 0, {0, 0, -7}, 0))(5), 1e-3);  // no jump
}

/// Left and right are alike.
TEST(Tyre, IsItsMirrorImage) {
  std::mt19937_64 rng(3);
  for (int k = 0; k < 50; ++k) {
    const Vec3 a = test::random_vector<3>(rng), v = 5 * test::random_vector<3>(rng);
    const double spin = 20 * a(2);
    const Vec<double, 6> e = Tyre::effort<double>(linear(0.01, a(0), a(1), v, spin)),
                         m = Tyre::effort<double>(
                             linear(0.01, -a(0), -a(1), {v(0), -v(1), v(2)}, spin));
    Vec<double, 6> mirrored;
    mirrored << -m(0), m(1), -m(2), m(3), -m(4), m(5);
    EXPECT_LE((e - mirrored).norm(), 1e-9 * (1 + e.norm()));
  }
}

/// Written out from the law as it is printed, for a wheel that stands: α = atan(v_lat/v_long).
TEST(CalspanTyre, IsTheLawAsPrinted) {
  const double F = 3831.31, v = 20, V = std::hypot(v, 0.05);
  for (const double alpha : {-0.3, -0.02, 0.005, 0.04, 0.2}) {
    for (const double camber : {-0.1, 0.0, 0.05}) {
      const auto in = calspan(F / kStiffness, camber, 0, {v, V * std::tan(alpha), 0}, v / kRadius);
      const double C = 14.47 * F * (F - 12930) - 2625 * 12930.;
      const double f = (-.464e-4 * F + 1.216 + 2.18e-11 * F * F) * 1.0274;
      const double camber_angle = -12930 * 2.29 * (18175 - F) * F * camber / (18175 * C);
      const double x = C / (12930 * f * F) * (alpha + camber_angle);
      const double g =
          std::abs(x) < 3 ? x - x * std::abs(x) / 3 + x * x * x / 27 : std::copysign(1.0, x);
      const Vec<double, 6> e = CalspanTyre::effort<double>(in);
      const double Fy = f * F * g, Mz = (-.171e-4 * F + .171e-4 * std::abs(Fy)) * Fy;
      EXPECT_NEAR(e(4), Fy, 1e-8) << alpha << " " << camber;
      EXPECT_NEAR(e(5), F, 1e-8);
      EXPECT_NEAR(e(2), Mz, 1e-8);
      EXPECT_NEAR(e(3), 0, 1e-8);
    }
  }
}

/// Where the axis leans to, there the wheel pushes.
TEST(CalspanTyre, CamberThrust) {
  // the top leans towards +y: the axis, which points to +y, goes down
  const Vec<double, 6> e =
      CalspanTyre::effort<double>(calspan(0.02, -0.1, 0, {10, 0, 0}, 10 / kRadius));
  EXPECT_GT(e(4), 0);
}

/// The partials in one evaluation against dual numbers and the complex step, one at a time.
template <typename F>
void expect_partials(const ForceInput<F, double>& in, const std::string& where) {
  using In = ForceInput<F, double>;
  ForceStructPartials<F> fast, slow;
  F::partials(in, fast);
  dual_partials<F>(in, slow);
  // beyond the corner of s the slopes of slip, F/(κ_c v_low), cancel and leave their rounding
  const double slope = F::template effort<double>(in)(5) / (0.1 * 0.05);
  const auto same = [&](const auto& a, const auto& b, const char* what) {
    ASSERT_TRUE(a.allFinite()) << where << " " << what;
    EXPECT_LE((a - b).norm(), 1e-12 * (1 + b.norm()) + 1e-14 * slope) << where << " " << what;
  };
  same(fast.e_x, slow.e_x, "e_x");
  same(fast.e_xdot, slow.e_xdot, "e_xdot");
  same(fast.e_p, slow.e_p, "e_p");
  same(fast.e_z, slow.e_z, "e_z");
  same(fast.g_x, slow.g_x, "g_x");
  same(fast.g_xdot, slow.g_xdot, "g_xdot");
  same(fast.g_p, slow.g_p, "g_p");
  same(fast.g_z, slow.g_z, "g_z");
  constexpr double kStep = 1e-100;
  ForceInput<F, Complex> moved{in.x.template cast<Complex>(), in.xdot.template cast<Complex>(),
                               Complex(in.t), in.p.template cast<Complex>(),
                               in.z.template cast<Complex>()};
  const auto along = [&](Complex& number) {
    number += Complex(0, kStep);
    const Vec<Complex, 6> e = F::template effort<Complex>(moved);
    number = number.real();
    Vec<double, 6> out;
    for (int i = 0; i < 6; ++i) out(i) = e(i).imag() / kStep;
    return out;
  };
  for (int k = 0; k < In::nx; ++k) slow.e_x.col(k) = along(moved.x(k));
  for (int k = 0; k < In::ne; ++k) slow.e_xdot.col(k) = along(moved.xdot(k));
  for (int k = 0; k < In::np; ++k) slow.e_p.col(k) = along(moved.p(k));
  same(fast.e_x, slow.e_x, "e_x");
  same(fast.e_xdot, slow.e_xdot, "e_xdot");
  same(fast.e_p, slow.e_p, "e_p");
}

/// On both sides of every change of regime: touch, ramp, corner of s, lying, load beyond A₂, |ᾱ| = 3.
TEST(Tyre, PartialsOnBothSidesOfEveryRegime) {
  const double slips[] = {0.0, 0.0799, 0.0801, 0.1199, 0.1201, -0.5};
  const double tilts[] = {0.0, 0.3, std::numbers::pi / 2 - 0.1001, std::numbers::pi / 2 - 0.1,
                          std::numbers::pi / 2};
  for (const double depth : {-1e-3, 1e-12, 0.00299, 0.00301, 0.02, 0.0646, 0.0647}) {
    for (const double slip : slips) {
      for (const double tilt : tilts) {
        const Vec3 v(10, 10 * std::tan(slip), -0.1);
        const std::string where =
            std::to_string(depth) + " " + std::to_string(slip) + " " + std::to_string(tilt);
        expect_partials(linear(depth, tilt, 0.2, v, 10 * (1 + slip) / kRadius), where);
        expect_partials(calspan(depth, tilt, 0.2, v, 10 * (1 + slip) / kRadius), where);
      }
    }
  }
}

/// A road with slopes under the wheel, and a carcass whose deflection is below, between and beyond saturation.
template <typename F>
ForceInput<F, double> on_a_road(ForceInput<F, double> in, double deflection) {
  in.p.template tail<6>() << 1, in.x(0) + 0.01, in.x(1), -0.003, 0.12, -0.05;
  in.p(F::kRelaxation) = 0.3;
  in.p(F::kRelaxation + 1) = 0.03;
  in.z << deflection, -0.4 * deflection;
  return in;
}
TEST(Tyre, PartialsOnRoadsAndWithACarcass) {
  for (const double depth : {-2e-2, 1e-3, 0.03}) {
    for (const double deflection : {0.0, 0.01, 0.0299, 0.035, 0.06}) {
      for (const double speed : {0.0, 0.02, 10.0}) {
        const std::string where = std::to_string(depth) + " " + std::to_string(deflection);
        const Vec3 v(speed, 0.05 * speed, -0.1);
        auto in = on_a_road(linear(depth, 0.1, 0.2, v, 1.05 * speed / kRadius), deflection);
        expect_partials(in, where);
        expect_partials(on_a_road(calspan(depth, 0.1, 0.2, v, 1.05 * speed / kRadius), deflection),
                        where);
        in.p(Tyre::kGround) = 0;
        expect_partials(in, where + " on a plane");
      }
    }
  }
}

/// In steady rolling the carcass has the deflection σ(κ, tan α), and the forces are those without one: V is |bᵀḋ| but for (v_low/bᵀḋ)².
TEST(Tyre, CarcassRollsAsTheTyreWithoutOne) {
  const Vec3 v(20, 0.8, 0);
  auto in = linear(0.01, 0, 0, v, 1.03 * 20 / kRadius);
  const Vec<double, 6> at_once = Tyre::effort<double>(in);
  in.p(Tyre::kRelaxation) = 0.3;
  in.z << 0.3 * 0.03, -0.3 * 0.04;
  EXPECT_LE(Tyre::rate<double>(in).norm(), 1e-4);
  EXPECT_LE((Tyre::effort<double>(in) - at_once).norm(), 1e-4 * at_once.norm());
}

/// At standstill it is a spring: nothing that is deflected comes back by itself, and nothing creeps.
TEST(Tyre, CarcassHoldsAtStandstill) {
  auto in = linear(0.01, 0, 0, Vec3::Zero(), 0);
  in.p(Tyre::kRelaxation) = 0.3;
  in.z << 0.01, 0.004;
  EXPECT_EQ(Tyre::rate<double>(in).norm(), 0);
  const double F = kStiffness * 0.01;
  EXPECT_NEAR(Tyre::effort<double>(in)(3), 0.9 * F * 0.01 / (0.3 * 0.1), 1e-9);
}

/// A road as steep as that is the plane turned.
TEST(Tyre, RoadIsATiltedPlane) {
  const double slope = 0.3, c = 1 / std::hypot(1, slope), s = slope * c;
  Mat3 tilt;
  tilt << c, 0, -s, 0, 1, 0, s, 0, c;  // takes z to n
  const auto flat = linear(0.01, 0.1, 0.3, {5, 0.3, -0.1}, 5.2 / kRadius);
  auto in = flat;
  const auto turn = [&](auto&& x) { x = (tilt * Vec3(x)).eval(); };
  turn(in.x.head<3>());
  turn(in.xdot.head<3>());
  turn(in.xdot.tail<3>());
  for (int j = 0; j < 3; ++j) {
    const Vec3 e = tilt * Vec3(flat.x(3 + j), flat.x(6 + j), flat.x(9 + j));
    for (int i = 0; i < 3; ++i) in.x(3 + 3 * i + j) = e(i);
  }
  in.p.tail<6>() << 1, 0, 0, 0, slope, 0;
  Vec<double, 6> expected = Tyre::effort<double>(flat);
  turn(expected.head<3>());
  turn(expected.tail<3>());
  EXPECT_LE((Tyre::effort<double>(in) - expected).norm(), 1e-12 * expected.norm());
}

/// The force and its slope go on over each of them.
TEST(Tyre, IsSmoothWhereWheelsLie) {
  const double at = std::acos(WheelCircle<double>::kLying);
  for (const double tilt : {at, std::numbers::pi / 2}) {
    const Vec3 v(3, -2, 0.1);
    const auto low = linear(0.01, tilt - 1e-9, 0.2, v, 4),
               high = linear(0.01, tilt + 1e-9, 0.2, v, 4);
    EXPECT_LE((Tyre::effort<double>(low) - Tyre::effort<double>(high)).norm(), 1e-2);
    ForceStructPartials<Tyre> a, b;
    Tyre::partials(low, a);
    Tyre::partials(high, b);
    EXPECT_LE((a.e_x - b.e_x).norm(), 1e-4 * (1 + a.e_x.norm()));
    EXPECT_LE((a.e_xdot - b.e_xdot).norm(), 1e-4 * (1 + a.e_xdot.norm()));
  }
}

/// A wheel that lies rests on its side and rubs there against every motion.
TEST(Tyre, LyingWheelRubs) {
  auto in = linear(0, std::numbers::pi / 2, 0.4, {2, 1, 0}, 0);
  in.x(2) = WheelCircle<double>::kLying * kRadius * 5 / 16 - 0.01;
  const Vec<double, 6> e = Tyre::effort<double>(in);
  EXPECT_NEAR(e(5), kStiffness * 0.01, 1e-9);
  const double speed = std::sqrt(5 + 0.05 * 0.05);
  EXPECT_NEAR(e(3), -0.85 * e(5) * 2 / speed, 1e-9);
  EXPECT_NEAR(e(4), -0.85 * e(5) * 1 / speed, 1e-9);
}

/// Seeded wheels at their edges: nothing is ever not finite, no tyre pulls, no linear tyre gives power.
TEST(Tyre, RandomWheelsAtTheirEdges) {
  std::mt19937_64 rng(20);
  std::uniform_int_distribution<int> pick(0, 4);
  const auto one_of = [&](std::initializer_list<double> some) {
    const std::size_t k = static_cast<std::size_t>(pick(rng)) % some.size();
    return *(some.begin() + k);
  };
  for (int k = 0; k < 400; ++k) {
    const Vec3 r = test::random_vector<3>(rng);
    const double depth = one_of({0.0, 1e-15, 1e-3, 0.02, 0.05 * r(0)});
    const double tilt =
        one_of({0.0, std::numbers::pi / 2, -std::numbers::pi / 2, std::numbers::pi, 3 * r(1)});
    const Vec3 v = one_of({0.0, 1e-12, 1, 30, 5 * r(2)}) * Vec3(one_of({0.0, 1, -1, r(0), 1e-9}),
                                                                one_of({0.0, 1, -1, r(1), 1e-9}),
                                                                one_of({0.0, 0.3, -0.3, r(2), 0}));
    const double spin = one_of({0.0, 1e-12, 30, -100, v(0) / kRadius});
    for (const double damping : {0.0, 300.0}) {
      auto in = linear(depth, tilt, 6 * r(2), v, spin);
      in.p(2) = damping;
      const Vec<double, 6> e = Tyre::effort<double>(in);
      ASSERT_TRUE(e.allFinite());
      EXPECT_GE(e(5), 0);
      const double normal =
          -e(5) * tyre::touch<double>(in, kRadius, decltype(in.p)::SizeAtCompileTime - 6)
                      .wheel.closing;  // power of the load
      const double friction = e.dot(in.xdot) - normal;
      EXPECT_LE(friction, 1e-9 * (1 + e.norm() * in.xdot.norm()));
      expect_partials(in, std::to_string(k));
      auto other = calspan(depth, tilt, 6 * r(2), v, spin);
      other.p(2) = damping;
      ASSERT_TRUE(CalspanTyre::effort<double>(other).allFinite());
      expect_partials(other, "calspan " + std::to_string(k));
    }
  }
}

}  // namespace
}  // namespace kinegrad
