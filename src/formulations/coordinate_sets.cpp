#include "kinegrad/formulations/coordinate_sets.hpp"

#include <array>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

constexpr std::array kCoordinateSets{
    CoordinateEntry{{coordinate_set_name(ReferencePoint::kCom),
                     "joint coordinates, bodies referred to their centres of mass"}},
    CoordinateEntry{{coordinate_set_name(ReferencePoint::kOrigin),
                     "joint coordinates, bodies referred to the world origin"},
                    CoordinateSet::kJoint,
                    ReferencePoint::kOrigin},
    CoordinateEntry{
        {"cartesian", "place and Euler parameters of every body, every joint a constraint"},
        CoordinateSet::kCartesian},
    CoordinateEntry{{"natural", "points and unit vectors that bodies share at their joints"},
                    CoordinateSet::kNatural},
    CoordinateEntry{{kAutomatic, "the set whose steps should be the fastest, see kinegrad info"}}};

const CoordinateEntry& entry_of(std::string_view coordinates) {
  if (coordinates == kAutomatic) {
    throw InvalidArgument("coordinates \"auto\" are a choice to make before a model is compiled");
  }
  return choice_named("coordinate set", coordinate_sets(), coordinates);
}

}  // namespace

std::span<const CoordinateEntry> coordinate_sets() { return kCoordinateSets; }

ReferencePoint reference_point_named(std::string_view coordinates) {
  return entry_of(coordinates).point;
}

CoordinateSet coordinate_set_named(std::string_view coordinates) {
  return entry_of(coordinates).set;
}

std::string_view coordinate_set_name(CoordinateSet set) {
  const auto is = [&](const CoordinateEntry& entry) { return entry.set == set; };
  return std::find_if(kCoordinateSets.begin(), kCoordinateSets.end(), is)->name;
}

void require_coordinates(const Model& model, std::string_view coordinates) {
  if (coordinate_set_named(coordinates) == model.coordinate_set()) return;
  throw InvalidArgument("a run in " + std::string(coordinates) +
                        " coordinates needs a model that is compiled in them");
}

}  // namespace kinegrad
