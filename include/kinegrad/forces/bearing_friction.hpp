// Friction in a joint in proportion to what the joint carries (docs/theory/friction_in_joints.md). The model turns it into
// forces along the joint's free directions whose values read its reaction [RL-1], by the laws and normal forces of [BF-1] to
// [BF-6].
#pragma once

#include "kinegrad/forces/force_concept.hpp"

namespace kinegrad {

struct BearingFriction {
  static constexpr std::string_view name = "friction";
  static constexpr std::string_view summary =
      "friction in a revolute, prismatic, cylindrical or planar joint, from its reaction";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr std::array<AttributeInfo, 17> attributes{
      {{"friction_law", "1", 1, false, "brown-mcphee, as without it, ambrosio, lugre or gonthier"},
       {"friction", "1", 1, true, "μ_d: of sliding"},
       {"static_friction", "1", 1, false,
        "μ_s: the largest (not of ambrosio); as friction if not given"},
       {"slip_speed", "m/s", 1, false,
        "v_s: where friction is largest, or sliding complete (ambrosio); 1e-2 if not given"},
       {"rest_speed", "m/s", 1, false, "v_0: below it there is no friction (ambrosio)"},
       {"viscous_friction", "s/m", 1, false, "σ_2: per unit of normal force"},
       {"bristle_stiffness", "1/m", 1, false,
        "σ_0: of bristles, per unit of normal force (lugre, gonthier)"},
       {"bristle_damping", "s/m", 1, false, "σ_1: the same per unit of velocity"},
       {"dwell_time", "s", 1, false, "τ: in which sticking becomes firm (gonthier)"},
       {"dwell", "1", 1, false,
        "how long it has stuck at the start: 0 just now, 1 for long (gonthier)"},
       {"radius", "m", 1, false,
        "effective radius of a revolute or cylindrical joint, or of spin in a plane"},
       {"thrust_radius", "m", 1, false,
        "of a revolute joint's axial force; as radius if not given"},
       {"end1", "m", 1, false,
        "one end of the bearing, along the axis from the joint's point on its second body"},
       {"end2", "m", 1, false,
        "its other end; without both the bearing is short and moments count for nothing"},
       {"width", "m", 1, false,
        "of a prismatic joint, across; without it torques about its axis count for nothing"},
       {"pressure_factor", "1", 1, false,
        "normal force over load of round bearings; π³/24 (a parabola) if not given"},
       {"load_smoothing", "N", 1, false, "ε of √(x² + ε²) instead of |x|; 1e-6 if not given"}}};

  /// Of Brown and McPhee with a unit of normal force; what acts in a model is made of the joint's reaction.
  template <typename T>
  static Vec<T, 1> effort(const ForceInput<BearingFriction, T>& in) {
    using std::tanh;
    const T x = in.xdot(0) / in.p(3), hump = x * x * T(0.25) + T(0.75);
    return Vec<T, 1>(-(in.p(1) * tanh(x * T(4)) + (in.p(2) - in.p(1)) * x / (hump * hump) +
                       in.p(5) * in.xdot(0)));
  }
};

}  // namespace kinegrad
