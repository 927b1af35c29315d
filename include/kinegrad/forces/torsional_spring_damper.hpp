// Spring and damper on a joint coordinate that is an angle (docs/theory/forces.md, [CS]).
// Linear in q without wrapping: a full turn winds the spring.
#pragma once

#include "kinegrad/forces/coordinate_spring.hpp"

namespace kinegrad {

struct TorsionalSpringDamper : CoordinateSpring<TorsionalSpringDamper> {
  static constexpr std::string_view name = "torsional-spring-damper";
  static constexpr std::string_view summary = "linear spring and damper on an angle of a joint";
  static constexpr CoordinateKind coordinate_kind = CoordinateKind::kAngle;
  static constexpr std::array<AttributeInfo, 3> attributes{
      {{"stiffness", "N m/rad", 1, false, "torque per unit of angle", true},
       {"damping", "N m s/rad", 1, false, "torque per unit of angular speed", true, false, false},
       {"angle", "rad", 1, false, "angle of rest", true}}};
};

}  // namespace kinegrad
