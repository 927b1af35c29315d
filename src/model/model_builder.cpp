#include "kinegrad/model/model_builder.hpp"

namespace kinegrad {

ModelBuilder::ModelBuilder(const Catalogue& catalogue) : catalogue_(&catalogue) {}

ModelBuilder& ModelBuilder::name(std::string text) {
  description_.name = std::move(text);
  return *this;
}

ModelBuilder& ModelBuilder::describe(std::string text) {
  description_.description = std::move(text);
  return *this;
}

ModelBuilder& ModelBuilder::degrees(bool on) {
  description_.degrees = on;
  return *this;
}

ModelBuilder& ModelBuilder::parameter(std::string name, NumberSpec value, std::string unit,
                                      std::optional<NumberSpec> lower,
                                      std::optional<NumberSpec> upper, std::string description) {
  ParameterSpec spec;
  spec.name = std::move(name);
  spec.value = std::move(value);
  spec.unit = std::move(unit);
  spec.lower = std::move(lower);
  spec.upper = std::move(upper);
  spec.description = std::move(description);
  return parameter(std::move(spec));
}

ModelBuilder& ModelBuilder::parameter(ParameterSpec spec) {
  description_.parameters.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::spline(std::string name, std::vector<NumberSpec> nodes,
                                   std::vector<NumberSpec> values, std::string type) {
  SplineSpec spec;
  spec.name = std::move(name);
  spec.type = std::move(type);
  spec.nodes = std::move(nodes);
  spec.values = std::move(values);
  return spline(std::move(spec));
}

ModelBuilder& ModelBuilder::spline(SplineSpec spec) {
  description_.splines.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::ground_point(std::string name, VectorSpec position) {
  description_.points.push_back({std::move(name), std::move(position), {}});
  return *this;
}

ModelBuilder& ModelBuilder::ground_vector(std::string name, VectorSpec direction) {
  description_.vectors.push_back({std::move(name), std::move(direction), {}});
  return *this;
}

ModelBuilder& ModelBuilder::body(BodySpec spec) {
  description_.bodies.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::joint(JointSpec spec) {
  description_.joints.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::joint(std::string name, NameSpec type, NameSpec body1, NameSpec body2,
                                  VectorSpec point, std::optional<VectorSpec> axis,
                                  std::optional<VectorSpec> axis2) {
  JointSpec spec;
  spec.name = std::move(name);
  spec.type = std::move(type);
  spec.bodies = {std::move(body1), std::move(body2)};
  spec.point = std::move(point);
  spec.axis = std::move(axis);
  spec.axis2 = std::move(axis2);
  return joint(std::move(spec));
}

ModelBuilder& ModelBuilder::revolute(std::string name, NameSpec body1, NameSpec body2,
                                     VectorSpec point, VectorSpec axis) {
  return joint(std::move(name), "revolute", std::move(body1), std::move(body2), std::move(point),
               std::move(axis));
}

ModelBuilder& ModelBuilder::prismatic(std::string name, NameSpec body1, NameSpec body2,
                                      VectorSpec point, VectorSpec axis) {
  return joint(std::move(name), "prismatic", std::move(body1), std::move(body2), std::move(point),
               std::move(axis));
}

ModelBuilder& ModelBuilder::spherical(std::string name, NameSpec body1, NameSpec body2,
                                      VectorSpec point) {
  return joint(std::move(name), "spherical", std::move(body1), std::move(body2), std::move(point));
}

ModelBuilder& ModelBuilder::force(ForceSpec spec) {
  description_.forces.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::gravity(std::string name, VectorSpec acceleration) {
  ForceSpec spec;
  spec.name = std::move(name);
  spec.type = "gravity";
  spec.vectors["acceleration"] = std::move(acceleration);
  return force(std::move(spec));
}

ModelBuilder& ModelBuilder::constraint(ConstraintSpec spec) {
  description_.constraints.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::distance(std::string name, VectorSpec point1, VectorSpec point2,
                                     NumberSpec length) {
  ConstraintSpec spec;
  spec.name = std::move(name);
  spec.type = "distance";
  spec.vectors["points"] = {std::move(point1), std::move(point2)};
  spec.numbers["length"] = {std::move(length)};
  return constraint(std::move(spec));
}

ModelBuilder& ModelBuilder::prescribed(std::string name, std::string coordinate, NumberSpec value) {
  ConstraintSpec spec;
  spec.name = std::move(name);
  spec.type = "prescribed";
  spec.numbers["coordinate"] = {NumberSpec(std::move(coordinate))};
  spec.numbers["value"] = {std::move(value)};
  return constraint(std::move(spec));
}

ModelBuilder& ModelBuilder::initial(std::string key, NumberSpec value) {
  return initial(std::move(key), std::vector<NumberSpec>{std::move(value)});
}

ModelBuilder& ModelBuilder::initial(std::string key, std::vector<NumberSpec> values) {
  description_.initial.push_back({std::move(key), std::move(values)});
  return *this;
}

ModelBuilder& ModelBuilder::guess(std::string key, NumberSpec value) {
  return guess(std::move(key), std::vector<NumberSpec>{std::move(value)});
}

ModelBuilder& ModelBuilder::guess(std::string key, std::vector<NumberSpec> values) {
  description_.guess.push_back({std::move(key), std::move(values)});
  return *this;
}

ModelBuilder& ModelBuilder::signal(std::string name, NumberSpec value, std::string unit,
                                   std::string description) {
  SignalSpec spec;
  spec.name = std::move(name);
  spec.value = std::move(value);
  spec.unit = std::move(unit);
  spec.description = std::move(description);
  description_.signals.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::objective(ObjectiveSpec spec) {
  description_.objectives.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::integral_objective(std::string name, NumberSpec integrand) {
  ObjectiveSpec spec;
  spec.name = std::move(name);
  spec.integral = std::move(integrand);
  return objective(std::move(spec));
}

ModelBuilder& ModelBuilder::terminal_objective(std::string name, NumberSpec value) {
  ObjectiveSpec spec;
  spec.name = std::move(name);
  spec.terminal = std::move(value);
  return objective(std::move(spec));
}

ModelBuilder& ModelBuilder::analysis(AnalysisSpec spec) {
  description_.analysis = std::move(spec);
  return *this;
}

ModelBuilder& ModelBuilder::optimize(OptimizeSpec spec) {
  description_.optimize = std::move(spec);
  description_.optimize.given = true;
  return *this;
}

Model ModelBuilder::build() const { return compile_model(description_, *catalogue_); }

}  // namespace kinegrad
