#include "kinegrad/assembly/parameter_directions.hpp"

#include <algorithm>

#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

bool any(std::span<const double> dp, int first, int count) {
  return std::any_of(dp.begin() + first, dp.begin() + first + count,
                     [](double x) { return x != 0; });
}

}  // namespace

/// Uniform fields change with their attributes alone.
ParameterDirection state_direction(const Model& model) {
  ParameterDirection out;
  out.of_state = true;
  for (std::size_t k = 0; k < model.topology().nodes.size(); ++k) {
    out.moved.push_back(static_cast<int>(k));
  }
  for (std::size_t i = 0; i < model.forces().size(); ++i) {
    const Force& force = model.forces()[i];
    const bool uniform = force.type->uniform();
    if (!uniform || !force.variable.empty()) out.forces.push_back(static_cast<int>(i));
  }
  return out;
}

ParameterDirections::ParameterDirections(const TreeParameters<double>& tree)
    : tree_(tree), model_(tree.model), node_of_body_(model_.bodies().size(), -1) {
  const auto& nodes = model_.topology().nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    node_of_body_[static_cast<std::size_t>(nodes[k].body)] = static_cast<int>(k);
  }
}

bool ParameterDirections::take(const DesignJacobian& design) {
  if (taken_ == design.number()) return false;
  taken_ = design.number();
  std::vector<double> dp(static_cast<std::size_t>(model_.design_map().physical_count()));
  directions_.clear();
  for (int j = 0; j < design.parameters(); ++j) {
    design.column(j, dp);
    directions_.push_back(sorted(dp));
  }
  return true;
}

ParameterDirection ParameterDirections::sorted(std::span<const double> dp) const {
  ParameterDirection out;
  add_masses(dp, out);
  add_frames(dp, out);
  const auto& vectors = model_.vectors();
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    if (!any(dp, vectors[v].first, 3)) continue;
    out.vectors.push_back({static_cast<int>(v), vector_at(dp, vectors[v].first)});
  }
  const auto inputs = [&](const std::vector<int>& read, std::vector<InputChange>& changes) {
    for (const int k : read) {
      const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(k)];
      if (in.kind != SignalInput::Kind::kPhysical) continue;
      const double d = dp[static_cast<std::size_t>(in.element)];
      if (d != 0) changes.push_back({k, d});
    }
  };
  inputs(model_.force_inputs(), out.force_inputs);
  inputs(model_.constraint_inputs(), out.constraint_inputs);
  add_forces(dp, out);
  return out;
}

void ParameterDirections::add_masses(std::span<const double> dp, ParameterDirection& out) const {
  const auto& nodes = model_.topology().nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const MassBlock& mass = model_.bodies()[static_cast<std::size_t>(nodes[k].body)].mass;
    if (!any(dp, mass.mass, 1) && !any(dp, mass.com, 3) && !any(dp, mass.inertia, 6)) continue;
    out.masses.push_back({static_cast<int>(k), dp[static_cast<std::size_t>(mass.mass)],
                          vector_at(dp, mass.com), inertia_at(dp, mass.inertia)});
  }
}

/// [TG-2].
Vec3 ParameterDirections::turn_of(std::span<const double> dp, FrameBlock block) const {
  Vec3 turn = Vec3::Zero();
  for (int j = 0; j < 3; ++j) {
    Vec3 R, dR;
    for (int i = 0; i < 3; ++i) {
      R(i) = tree_.p[static_cast<std::size_t>(block.rotation() + 3 * i + j)];
      dR(i) = dp[static_cast<std::size_t>(block.rotation() + 3 * i + j)];
    }
    turn += 0.5 * la::cross(R, dR);
  }
  return turn;
}

void ParameterDirections::add_frames(std::span<const double> dp, ParameterDirection& out) const {
  const auto& nodes = model_.topology().nodes;
  std::vector<char> moved(nodes.size(), 0);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const TreeNode& node = nodes[k];
    const Joint& joint = model_.joints()[static_cast<std::size_t>(node.joint)];
    const int parent = node_of_body_[static_cast<std::size_t>(node.parent)];
    if (parent >= 0) moved[k] = moved[static_cast<std::size_t>(parent)];
    for (const bool outboard : {false, true}) {
      const FrameBlock block = outboard == node.reversed ? joint.F : joint.M;
      if (!any(dp, block.first, FrameBlock::kSize)) continue;
      moved[k] = 1;
      out.frames.push_back(
          {static_cast<int>(k), outboard, vector_at(dp, block.origin()), turn_of(dp, block)});
    }
    if (moved[k]) out.moved.push_back(static_cast<int>(k));
  }
}

/// Forces whose attributes change, and those that a displacement, a point of their own or an
/// expression may change.
void ParameterDirections::add_forces(std::span<const double> dp, ParameterDirection& out) const {
  const auto body_moves = [&](int body) {
    if (body < 0) return false;
    const int node = node_of_body_[static_cast<std::size_t>(body)];
    return std::binary_search(out.moved.begin(), out.moved.end(), node);
  };
  const auto vector_moves = [&](int vector) {
    if (vector < 0) return false;
    const BodyVector& v = model_.vectors()[static_cast<std::size_t>(vector)];
    return body_moves(v.body) || any(dp, v.first, 3);
  };
  const auto marker_moves = [&](int body, FrameBlock block) {
    if (body < 0) return false;
    const bool changes = any(dp, block.first, FrameBlock::kSize);
    if (changes) out.markers.push_back({block, vector_at(dp, block.origin()), turn_of(dp, block)});
    return changes || body_moves(body);
  };
  bool expressions = !out.force_inputs.empty();
  for (const int k : model_.force_inputs()) {
    const SignalInput& in = model_.signal_inputs()[static_cast<std::size_t>(k)];
    if (in.kind == SignalInput::Kind::kVector) expressions |= vector_moves(in.element);
  }
  const auto& forces = model_.forces();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const Force& force = forces[i];
    const int count = force.type->attribute_count();
    const auto index = static_cast<int>(i);
    const bool changes = count > 0 && any(dp, force.attributes, count);
    if (changes) {
      out.attributes.push_back(
          {index, Eigen::Map<const VecX>(dp.data() + force.attributes, count)});
    }
    const bool field = force.attached_nowhere();
    const bool first = marker_moves(force.body1, force.F),
               second = marker_moves(force.body2, force.M);
    const bool moves = field ? !force.type->uniform() && !(out.moved.empty() && out.masses.empty())
                             : vector_moves(force.point1) || vector_moves(force.point2) ||
                                   body_moves(force.body) || first || second;
    if (changes || moves || (expressions && !force.variable.empty())) out.forces.push_back(index);
  }
}

}  // namespace kinegrad
