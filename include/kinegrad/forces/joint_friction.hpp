// Friction along a joint coordinate with a given normal force (docs/theory/friction.md, [FL-7]): with the radius r at which an angle
// rubs, 1 for a length, v = r q̇ and the laws of friction/all.hpp,
//
//   e = −r max(N, 0) φ(r q̇, z),     ż = g(r q̇, z)
//
// A normal force that varies may turn negative: the surfaces have parted then, and nothing rubs.
#pragma once

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/forces/friction/all.hpp"
#include "kinegrad/math/jet.hpp"

namespace kinegrad {

struct JointFriction {
  static constexpr std::string_view name = "joint-friction";
  static constexpr std::string_view summary =
      "friction on a joint coordinate with a given normal force";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr int kLaw = 2;  ///< where the attributes of the law begin
  static constexpr auto attributes = [] {
    std::array<AttributeInfo, kLaw + friction::kAttributes + 2> out;
    out[0] = {"normal_force", "N", 1, true, "N; may depend on time and signals", true};
    out[1] = {"radius", "m", 1, false, "at which an angle rubs; of an angle it must be given"};
    std::copy(friction::kAttributeInfo.begin(), friction::kAttributeInfo.end(), out.begin() + kLaw);
    out[kLaw + friction::kAttributes] = {"bristle", "m", 1, false,
                                         "deflection of the bristles at the start"};
    out.back() = friction::kDwellInfo;
    return out;
  }();
  static constexpr std::array<StateInfo, 2> states{
      {{"deflection", "m", "bristle"}, {"dwell", "1", "dwell"}}};

  static int state_count(const Vec<double, kLaw + friction::kAttributes + 2>& p) {
    return friction::state_count<1>(static_cast<int>(p(kLaw)));
  }
  static constexpr int bristles = 1;
  static double carried(const ForceStates<double>& z, const AttributeVector<double>& p) {
    return friction::carried<1>(static_cast<int>(p(kLaw)), z, friction::numbers<double>(p, kLaw));
  }
  static std::string refusal(const Vec<double, kLaw + friction::kAttributes + 2>& p,
                             const std::function<bool(std::string_view)>& given) {
    if (!(p(0) >= 0)) return "normal_force must not be negative";
    if (given("radius") && !(p(1) > 0)) return "radius must be positive";
    const auto word = static_cast<int>(p(kLaw));
    if (!given("friction") && word != word_place(friction::kWords.view(), "static")) {
      return "needs friction, the coefficient of sliding";
    }
    const std::string_view bristles[] = {"bristle"};
    const std::string wrong =
        friction::start_refusal(word, p(kLaw + friction::kAttributes + 1), bristles, given);
    return wrong.empty() ? friction::refusal(p, kLaw, given) : wrong;
  }

  static std::string coordinate_refusal(CoordinateKind kind,
                                        const std::function<bool(std::string_view)>& given) {
    if (kind == CoordinateKind::kEulerParameter) {
      return "friction acts along a length or an angle, and this is one of four Euler parameters";
    }
    if (kind == CoordinateKind::kAngle && !given("radius")) {
      return "needs radius, at which an angle rubs";
    }
    return {};
  }

  template <typename T>
  static Vec<T, 1> effort(const ForceInput<JointFriction, T>& in) {
    return Vec<T, 1>(-(load(in) * radius(in) * law(in).phi(0)));
  }
  template <typename T>
  static Vec<T, 2> rate(const ForceInput<JointFriction, T>& in) {
    return law(in).rate;
  }

  static constexpr std::array<SwitchInfo, 3> switches{
      {{"its normal force passes zero", "keep the normal force positive"},
       friction::kSwitches[0],
       friction::kSwitches[1]}};
  static Vec<double, 3> switch_values(const ForceInput<JointFriction, double>& in) {
    Vec<double, 3> out;
    const auto word = static_cast<int>(in.p(kLaw));
    out(0) = in.p(0);
    out.tail<2>() = friction::switch_values<1>(word, at(in), friction::numbers<double>(in.p, kLaw));
    return out;
  }

  /// All in one evaluation.
  static void partials(const ForceInput<JointFriction, double>& in,
                       ForceStructPartials<JointFriction>& out) {
    constexpr int kOwn = ForceInput<JointFriction, double>::np;
    using J = Jet<kOwn + 3 + (kOwn + 3) % 2>;  // attributes, speed, two states, in pairs
    ForceInput<JointFriction, J> seeded;
    seeded.x(0) = J(in.x(0));
    seeded.xdot(0) = J::variable(in.xdot(0), kOwn);
    seeded.t = J(in.t);
    for (int k = 0; k < kOwn; ++k) seeded.p(k) = J::variable(in.p(k), k);
    for (int k = 0; k < 2; ++k) seeded.z(k) = J::variable(in.z(k), kOwn + 1 + k);
    const friction::Output<1, J> at = law(seeded);
    const J e = -(load(seeded) * radius(seeded) * at.phi(0));
    out.e_x.setZero();
    out.e_t.setZero();
    out.g_x.setZero();
    out.g_t.setZero();
    out.e_xdot(0, 0) = e.derivatives(kOwn);
    for (int k = 0; k < kOwn; ++k) out.e_p(0, k) = e.derivatives(k);
    for (int k = 0; k < 2; ++k) out.e_z(0, k) = e.derivatives(kOwn + 1 + k);
    for (int i = 0; i < 2; ++i) {
      const auto& d = at.rate(i).derivatives;
      out.g_xdot(i, 0) = d(kOwn);
      for (int k = 0; k < kOwn; ++k) out.g_p(i, k) = d(k);
      for (int k = 0; k < 2; ++k) out.g_z(i, k) = d(kOwn + 1 + k);
    }
  }

 private:
  template <typename T>
  static T load(const ForceInput<JointFriction, T>& in) {
    return real_part(in.p(0)) > 0 ? in.p(0) : T(0.0);
  }
  template <typename T>
  static T radius(const ForceInput<JointFriction, T>& in) {
    return real_part(in.p(1)) == 0 ? in.p(1) + 1.0 : in.p(1);
  }
  template <typename T>
  static friction::Input<1, T> at(const ForceInput<JointFriction, T>& in) {
    friction::Input<1, T> out;
    out.v(0) = radius(in) * in.xdot(0);
    out.z = in.z;
    out.closed = T(1.0);
    return out;
  }
  template <typename T>
  static friction::Output<1, T> law(const ForceInput<JointFriction, T>& in) {
    return friction::evaluate<1, T>(static_cast<int>(real_part(in.p(kLaw))), at(in),
                                    friction::numbers<T>(in.p, kLaw));
  }
};

}  // namespace kinegrad
