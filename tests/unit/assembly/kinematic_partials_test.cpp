#include "kinegrad/assembly/kinematic_partials.hpp"

#include <gtest/gtest.h>

#include "kinegrad/model/compile.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::SampleState;

/// Ladder L1, relative to the block: a complex step through a dozen joints loses two digits.
constexpr double kAssembly = 1e-12;
constexpr double h = 1e-200;

struct ComplexState {
  std::vector<Complex> p, q, v, a;
  explicit ComplexState(const SampleState& s)
      : p(s.p.begin(), s.p.end()),
        q(s.q.begin(), s.q.end()),
        v(s.v.begin(), s.v.end()),
        a(s.a.begin(), s.a.end()) {}
};

struct ComplexMotion {
  PositionKinematics<Complex> position;
  VelocityKinematics<Complex> velocity;
  AccelerationKinematics<Complex> acceleration;
  ComplexMotion(const Model& model, const ComplexState& s) {
    position_kinematics<Complex>(model, s.p, s.q, position);
    velocity_kinematics<Complex>(model, s.v, position, velocity);
    acceleration_kinematics<Complex>(model, s.q, s.v, s.a, position, velocity, acceleration);
  }
};

struct Fixture {
  const Model& model;
  SampleState s;
  PositionKinematics<double> position;
  VelocityKinematics<double> velocity;
  AccelerationKinematics<double> acceleration;

  Fixture(const Model& m, SampleState state) : model(m), s(std::move(state)) {
    position_kinematics<double>(model, s.p, s.q, position);
    velocity_kinematics<double>(model, s.v, position, velocity);
    acceleration_kinematics<double>(model, s.q, s.v, s.a, position, velocity, acceleration);
  }
  KinematicPartials partials() const {
    return {model, s.p, s.q, s.v, s.a, position, velocity, acceleration};
  }
  /// Im/h of a point's motion along a perturbation of the state.
  PointMotion<double> derivative(int index, const ComplexState& along) const {
    const ComplexMotion m(model, along);
    const auto c =
        point_motion<Complex>(model, along.p, index, m.position, m.velocity, m.acceleration);
    return {c.r.imag() / h, c.rdot.imag() / h, c.rddot.imag() / h};
  }
};

void expect_close(const Vec3& analytic, const Vec3& oracle, double scale, const std::string& what) {
  EXPECT_LT((analytic - oracle).norm(), kAssembly * scale) << what;
}

/// Columns of q, v and a, every point and direction of the model.
void check_coordinates(const Fixture& f) {
  const KinematicPartials partials = f.partials();
  PointPartials d;
  for (int i = 0; i < static_cast<int>(f.model.vectors().size()); ++i) {
    d.r_q.setConstant(std::nan(""));
    partials.point(i, d);
    const double scale = 1 + d.r_q.norm() + d.rdot_q.norm() + d.rddot_q.norm();
    for (int c = 0; c < f.model.nq(); ++c) {
      const auto k = static_cast<std::size_t>(c);
      const std::string what = f.model.vector_name(i) + " by " + f.model.coordinate_names()[k];
      ComplexState along(f.s);
      along.q[k] += Complex(0, h);
      const auto by_q = f.derivative(i, along);
      expect_close(d.r_q.col(c), by_q.r, scale, what + ": r_q");
      expect_close(d.rdot_q.col(c), by_q.rdot, scale, what + ": rdot_q");
      expect_close(d.rddot_q.col(c), by_q.rddot, scale, what + ": rddot_q");
      along = ComplexState(f.s);
      along.v[k] += Complex(0, h);
      const auto by_v = f.derivative(i, along);
      expect_close(d.r_q.col(c), by_v.rdot, scale, what + ": rdot_v");
      expect_close(2.0 * d.rdot_q.col(c), by_v.rddot, scale, what + ": rddot_v");
      along = ComplexState(f.s);
      along.a[k] += Complex(0, h);
      expect_close(d.r_q.col(c), f.derivative(i, along).rddot, scale, what + ": rddot_a");
    }
  }
}

/// r_p dp for the dp of a random direction of the design parameters, by both ways of getting it.
void check_design(const Fixture& f, std::mt19937_64& rng) {
  const DesignMap& map = f.model.design_map();
  const VecX rho = f.model.default_rho();
  std::vector<Complex> rho_c(rho.data(), rho.data() + rho.size());
  std::vector<double> d_rho, d_p(f.s.p.size(), std::nan(""));
  for (Complex& x : rho_c) {
    d_rho.push_back(test::uniform(rng));
    x += Complex(0, h * d_rho.back());
  }
  auto work = map.make_workspace<double>();
  std::vector<double> p(f.s.p.size());
  const std::span<const double> rho_span(rho.data(), static_cast<std::size_t>(rho.size()));
  map.evaluate<double>(rho_span, p, work);
  map.forward(rho_span, p, d_rho, d_p, work);
  auto complex_work = map.make_workspace<Complex>();
  ComplexState along(f.s);
  map.evaluate<Complex>(rho_c, along.p, complex_work);

  const Eigen::Map<const VecX> dp(d_p.data(), static_cast<Eigen::Index>(d_p.size()));
  const KinematicPartials partials = f.partials();
  PointPartials d;
  for (int i = 0; i < static_cast<int>(f.model.vectors().size()); ++i) {
    partials.point(i, d);
    const auto oracle = f.derivative(i, along);
    const double scale = 1 + oracle.r.norm() + oracle.rdot.norm() + oracle.rddot.norm() +
                         d.r_p.norm() + d.rdot_p.norm() + d.rddot_p.norm();
    expect_close(d.r_p * dp, oracle.r, scale, f.model.vector_name(i) + ": r_p");
    expect_close(d.rdot_p * dp, oracle.rdot, scale, f.model.vector_name(i) + ": rdot_p");
    expect_close(d.rddot_p * dp, oracle.rddot, scale, f.model.vector_name(i) + ": rddot_p");
  }
}

/// A small turn or shift of every single frame of the tree, not only those a parameter moves.
void check_every_frame(const Fixture& f) {
  const KinematicPartials partials = f.partials();
  for (const Joint& joint : f.model.joints()) {
    if (joint.cut) continue;
    for (FrameBlock block : {joint.F, joint.M}) {
      for (int direction = 0; direction < 6; ++direction) {
        VecX dp = VecX::Zero(static_cast<Eigen::Index>(f.s.p.size()));
        if (direction < 3) {
          dp(block.origin() + direction) = 1;
        } else {
          Mat3 R;
          for (int i = 0; i < 9; ++i) {
            R(i / 3, i % 3) = f.s.p[static_cast<std::size_t>(block.rotation() + i)];
          }
          const Mat3 dR = la::skew(Vec3::Unit(direction - 3)) * R;
          for (int i = 0; i < 9; ++i) dp(block.rotation() + i) = dR(i / 3, i % 3);
        }
        ComplexState along(f.s);
        for (std::size_t k = 0; k < along.p.size(); ++k) {
          along.p[k] += Complex(0, h * dp(static_cast<Eigen::Index>(k)));
        }
        PointPartials d;
        for (int i = 0; i < static_cast<int>(f.model.vectors().size()); ++i) {
          partials.point(i, d);
          const auto oracle = f.derivative(i, along);
          const double scale = 1 + oracle.r.norm() + oracle.rdot.norm() + oracle.rddot.norm();
          const std::string what = joint.name + " direction " + std::to_string(direction);
          expect_close(d.r_p * dp, oracle.r, scale, what);
          expect_close(d.rdot_p * dp, oracle.rdot, scale, what);
          expect_close(d.rddot_p * dp, oracle.rddot, scale, what);
        }
      }
    }
  }
}

/// Turns of frames as seen by the rotation, angular velocity and acceleration of every body.
void check_rotation_geometry(const Fixture& f, std::mt19937_64& rng) {
  VecX dp = VecX::Zero(static_cast<Eigen::Index>(f.s.p.size()));
  for (const Joint& joint : f.model.joints()) {
    if (joint.cut) continue;
    for (FrameBlock block : {joint.F, joint.M}) {
      Mat3 R;
      for (int i = 0; i < 9; ++i) {
        R(i / 3, i % 3) = f.s.p[static_cast<std::size_t>(block.rotation() + i)];
      }
      const Vec3 turn(test::uniform(rng), test::uniform(rng), test::uniform(rng));
      const Mat3 dR = la::skew(turn) * R;
      for (int i = 0; i < 9; ++i) dp(block.rotation() + i) = dR(i / 3, i % 3);
    }
  }
  ComplexState along(f.s);
  for (std::size_t k = 0; k < along.p.size(); ++k) {
    along.p[k] += Complex(0, h * dp(static_cast<Eigen::Index>(k)));
  }
  const ComplexMotion oracle(f.model, along);
  const KinematicPartials partials = f.partials();
  RotationPartials d;
  for (std::size_t b = 1; b < f.model.bodies().size(); ++b) {
    partials.rotation(static_cast<int>(b), d);
    const double scale =
        1 + (d.w_p * dp).norm() + (d.omega_p * dp).norm() + (d.alpha_p * dp).norm();
    const Mat3 dR = oracle.position.X_WB[b].R.imag() / h;
    expect_close(d.w_p * dp, la::unskew(dR * f.position.X_WB[b].R.transpose()), scale, "w_p");
    expect_close(d.omega_p * dp, oracle.velocity.w_WB[b].imag() / h, scale, "omega_p");
    expect_close(d.alpha_p * dp, oracle.acceleration.alpha_WB[b].imag() / h, scale, "alpha_p");
  }
}

/// ω and ω̇ of every body.
void check_rotations(const Fixture& f) {
  const KinematicPartials partials = f.partials();
  RotationPartials d;
  for (int b = 1; b < static_cast<int>(f.model.bodies().size()); ++b) {
    partials.rotation(b, d);
    const auto body = static_cast<std::size_t>(b);
    const double scale = 1 + d.w_q.norm() + d.omega_q.norm() + d.alpha_q.norm() + d.alpha_v.norm();
    for (int c = 0; c < f.model.nq(); ++c) {
      const auto k = static_cast<std::size_t>(c);
      ComplexState along(f.s);
      along.q[k] += Complex(0, h);
      const ComplexMotion by_q(f.model, along);
      const Mat3 dR = by_q.position.X_WB[body].R.imag() / h;
      expect_close(d.w_q.col(c), la::unskew(dR * f.position.X_WB[body].R.transpose()), scale, "w");
      expect_close(d.omega_q.col(c), by_q.velocity.w_WB[body].imag() / h, scale, "omega_q");
      expect_close(d.alpha_q.col(c), by_q.acceleration.alpha_WB[body].imag() / h, scale, "alpha_q");
      along = ComplexState(f.s);
      along.v[k] += Complex(0, h);
      const ComplexMotion by_v(f.model, along);
      expect_close(d.w_q.col(c), by_v.velocity.w_WB[body].imag() / h, scale, "omega_v");
      expect_close(d.alpha_v.col(c), by_v.acceleration.alpha_WB[body].imag() / h, scale, "alpha_v");
    }
  }
}

TEST(KinematicPartials, AllJoints) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(21);
  for (int round = 0; round < 3; ++round) {
    const Fixture f(model, test::random_state(model, rng));
    check_coordinates(f);
    check_rotations(f);
    check_rotation_geometry(f, rng);
    check_design(f, rng);
  }
  check_every_frame(Fixture(model, test::random_state(model, rng)));
}

TEST(KinematicPartials, RandomTrees) {
  std::mt19937_64 rng(22);
  for (unsigned seed = 100; seed < 112; ++seed) {
    const Model model = compile_model(test::random_tree(seed, 7));
    const Fixture f(model, test::random_state(model, rng));
    check_coordinates(f);
    check_rotations(f);
    check_rotation_geometry(f, rng);
    check_design(f, rng);
    check_every_frame(f);
  }
}

}  // namespace
}  // namespace kinegrad
