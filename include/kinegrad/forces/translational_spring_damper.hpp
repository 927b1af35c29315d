// Spring and damper on a joint coordinate that is a length (docs/theory/forces.md, [CS]). The coordinate
// has a sign and may pass zero: the law is smooth there, unlike that of a spring between two points.
#pragma once

#include "kinegrad/forces/coordinate_spring.hpp"

namespace kinegrad {

struct TranslationalSpringDamper : CoordinateSpring<TranslationalSpringDamper> {
  static constexpr std::string_view name = "translational-spring-damper";
  static constexpr std::string_view summary = "linear spring and damper on a length of a joint";
  static constexpr CoordinateKind coordinate_kind = CoordinateKind::kLength;
  static constexpr std::array<AttributeInfo, 3> attributes{
      {{"stiffness", "N/m", 1, false, "force per unit of displacement", true},
       {"damping", "N s/m", 1, false, "force per unit of speed", true, false, false},
       {"length", "m", 1, false, "value of the coordinate at rest", true}}};
};

}  // namespace kinegrad
