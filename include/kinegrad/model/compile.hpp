// From a description to a Model: names resolved, expressions compiled, tree made, physics checked.
#pragma once

#include <string_view>

#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/description.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// @throws InvalidModel with everything that is wrong, each with its place and element.
Model compile_model(const ModelDescription& description,
                    const Catalogue& catalogue = builtin_catalogue(),
                    CoordinateSet coordinates = CoordinateSet::kJoint);

/// Replaces the value of a parameter, as `--set NAME=VALUE` does; VALUE may be an expression.
/// @throws InvalidArgument if there is no such parameter.
void set_parameter(ModelDescription& description, std::string_view name, std::string_view value);

}  // namespace kinegrad
