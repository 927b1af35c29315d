// The coordinate sets by name.
#pragma once

#include <span>
#include <string_view>

#include "kinegrad/base/choice.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// A set of coordinates: what a model is compiled in for it, and the reference points of its bodies.
struct CoordinateEntry : NamedChoice {
  CoordinateSet set = CoordinateSet::kJoint;
  ReferencePoint point = ReferencePoint::kCom;
};

/// What `--coordinates` may name.
std::span<const CoordinateEntry> coordinate_sets();
/// What `--coordinates` names to leave the choice open.
inline constexpr std::string_view kAutomatic = "auto";

/// The reference point of a coordinate set. @throws InvalidArgument
ReferencePoint reference_point_named(std::string_view coordinates);
/// What a model must be compiled in for it. @throws InvalidArgument
CoordinateSet coordinate_set_named(std::string_view coordinates);
/// The first name of a set.
std::string_view coordinate_set_name(CoordinateSet set);
/// @throws InvalidArgument if the model is compiled in others.
void require_coordinates(const Model& model, std::string_view coordinates);

}  // namespace kinegrad
