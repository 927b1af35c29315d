// The degrees of freedom as the file names them: coordinates of the tree and components of points.
#include "model/model_compiler.hpp"

namespace kinegrad {

/// Joints named here keep their coordinates if a loop can be cut elsewhere.
void ModelCompiler::declare_independent() {
  for (const NameSpec& name : description_.analysis.independent) {
    guard("analysis: independent", name.where, [&] {
      const ComponentName component = component_name(name.name, name.where);
      if (component.vector >= 0 && !component.rate) return;
      if (component.vector >= 0) fail(name.where, name.name + " is a speed, not a coordinate");
      const CoordinateName coordinate = coordinate_name(name.name, name.where);
      if (coordinate.level != 'q') fail(name.where, name.name + " is a speed, not a coordinate");
      used_joints_.insert(coordinate.joint);
    });
  }
}

/// "J.q" stands for all coordinates of the joint.
void ModelCompiler::add_independent_coordinate(const NameSpec& name,
                                               const CoordinateName& coordinate) {
  const Joint& joint = model_.joints_[static_cast<std::size_t>(coordinate.joint)];
  if (joint.cut) {
    fail(name.where, "joint \"" + joint.name + "\" is cut to open its loop, so " + name.name +
                         " is not a coordinate: put cut: true on another joint of the loop");
  }
  const bool all = coordinate.component < 0;
  for (int c = 0; c < joint.type->nq(); ++c) {
    if (!all && c != coordinate.component) continue;
    const int k = joint.q_first + c;
    const std::string& own = model_.coordinate_names_[static_cast<std::size_t>(k)];
    for (const IndependentCoordinate& other : model_.independent_) {
      if (other.coordinate == k) fail(name.where, own + " is named twice");
    }
    model_.independent_.push_back({own, k, -1, name.where});
  }
}

/// A component is a row of its own; the same one may be spelled in two ways.
void ModelCompiler::add_independent(const NameSpec& name) {
  const ComponentName component = component_name(name.name, name.where);
  if (component.vector < 0) {
    return add_independent_coordinate(name, coordinate_name(name.name, name.where));
  }
  for (const ConstraintRow& other : model_.independent_rows_) {
    const ConstraintTerm& term = other.terms.front();
    if (term.A.plus == component.vector && term.axis == component.axis) {
      fail(name.where, name.name + " is named twice");
    }
  }
  const int row = static_cast<int>(model_.independent_rows_.size());
  model_.independent_.push_back({name.name, -1, row, name.where});
  ConstraintRow source;
  source.terms = {
      {ConstraintTerm::Product::kComponent, {component.vector, -1}, {}, component.axis, 1}};
  model_.independent_rows_.push_back(std::move(source));
}

/// After the tree is known.
void ModelCompiler::compile_independent() {
  for (const NameSpec& name : description_.analysis.independent) {
    guard("analysis: independent", name.where, [&] { add_independent(name); });
  }
}

}  // namespace kinegrad
