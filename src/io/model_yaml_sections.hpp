// The sections of a model file, each read by a function of its own.
#pragma once

#include <string>
#include <vector>

#include "io/field_reader.hpp"
#include "kinegrad/model/description.hpp"

namespace kinegrad::io {

// model_yaml_parameters.cpp
void read_parameters(const MapReader& model, ModelDescription& out);
void read_splines(const MapReader& model, ModelDescription& out);

// model_yaml_geometry.cpp
/// Points or vectors of the ground or of a body.
std::vector<NamedVectorSpec> read_named_vectors(const MapReader& owner, std::string_view key,
                                                NameOf what, const std::string& label);
OrientationSpec read_orientation(ReadContext& context, const Field& field);
PlacementSpec read_placement(ReadContext& context, const Field& field);

// model_yaml_inertia.cpp
InertiaSpec read_inertia(ReadContext& context, const Field& field);

// model_yaml_shapes.cpp
std::vector<ShapeSpec> read_shapes(const MapReader& body);

// model_yaml_bodies.cpp
void read_bodies(const MapReader& model, ModelDescription& out);

// model_yaml_joints.cpp
void read_joints(const MapReader& model, ModelDescription& out);

// model_yaml_forces.cpp
void read_forces(const MapReader& model, ModelDescription& out);

// model_yaml_constraints.cpp
void read_constraints(const MapReader& model, ModelDescription& out);

// model_yaml_states.cpp
void read_states(const MapReader& model, ModelDescription& out);
void read_controllers(const MapReader& model, ModelDescription& out);

// model_yaml_motion.cpp
void read_initial(const MapReader& model, ModelDescription& out);
void read_signals(const MapReader& model, ModelDescription& out);
void read_objectives(const MapReader& model, ModelDescription& out);
void read_analysis(const MapReader& model, ModelDescription& out);

// model_yaml_optimize.cpp
void read_optimize(const MapReader& model, ModelDescription& out);

}  // namespace kinegrad::io
