#include "kinegrad/model/joint_model.hpp"

namespace kinegrad {

std::string_view unit_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::kAngle: return "rad";
    case CoordinateKind::kLength: return "m";
    case CoordinateKind::kEulerParameter:
    case CoordinateKind::kDirection: return "1";
  }
  return "1";
}

}  // namespace kinegrad
