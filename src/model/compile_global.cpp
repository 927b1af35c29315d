// From joint coordinates to coordinates of every body (docs/theory/global_coordinates.md).
//
// Every body hangs on the ground by a joint without constraints, its carrier, and every joint of the
// file is cut and closed by its rows.                                                         [GC-1]
// A joint whose coordinates something reads stays in the tree: it carries a marker, a massless frame
// on its first body, which is then welded to the second one.                                  [GC-2]
// Elements, their numbers and all indices stay what they are; new ones come behind the others.
#include <algorithm>

#include "model/model_compiler.hpp"

namespace kinegrad {

namespace {

/// Joints whose coordinates a signal, an objective, a force, a constraint or the choice of independent
/// coordinates reads.
std::set<int> read_joints(const Model& model) {
  std::set<int> read;
  for (const SignalInput& input : model.signal_inputs()) {
    if (input.kind == SignalInput::Kind::kJoint) read.insert(input.element);
  }
  for (const Force& force : model.forces()) {
    if (force.joint >= 0) read.insert(force.joint);
  }
  for (const ReactiveForce& force : model.reactive_forces()) read.insert(force.joint);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.cut) continue;
    for (const IndependentCoordinate& chosen : model.independent()) {
      const int c = chosen.coordinate - joint.q_first;
      if (chosen.coordinate >= 0 && c >= 0 && c < joint.type->nq()) read.insert(int(j));
    }
  }
  return read;
}

}  // namespace

void ModelCompiler::make_global(CoordinateSet coordinates) {
  const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
  world_ = add_frame("world", SymMat3::Identity(), zero);
  declare_markers();
  Model start = model_;
  finish(start);
  model_.coordinate_set_ = coordinates;
  const bool natural = coordinates == CoordinateSet::kNatural;
  const JointModel* carrier =
      natural ? catalogue_.find_carrier("triad") : catalogue_.find_joint("floating");
  if (!carrier) throw InvalidArgument("the catalogue has no joint that could carry a body");
  hang_bodies(*carrier, read_joints(start));
  number_coordinates();
  rename_independent(start);
  if (natural) {
    find_candidates(start);
    make_elements();
  }
  close_all_joints();
  if (natural) {
    make_rigid_rows();
    number_natural();
  }
  order_rows();
  for (std::size_t i = 0; i < model_.constraint_rows_.size(); ++i) {
    const int rigid = model_.constraint_rows_[i].rigid;
    if (rigid >= 0) model_.natural_.rows[static_cast<std::size_t>(rigid)].row = static_cast<int>(i);
  }
  const auto n = static_cast<std::size_t>(model_.nq_);
  model_.initial_q_ = model_.initial_v_ = -1;  // starts are found in joint coordinates
  model_.initial_q_given_.assign(n, false);
  model_.initial_v_given_.assign(n, false);
  model_.initial_targets_.clear();
  model_.initial_rows_.clear();
  model_.initial_conditions_.clear();
  model_.start_.push_back(std::move(start));
}

/// The node of a body that hangs on the ground: by a joint it has there already, or by a new one.
TreeNode ModelCompiler::hang_body(int body, const JointModel& carrier, std::map<int, int>& kept) {
  if (const auto own = kept.find(body); own != kept.end()) return {body, 0, own->second, false, 1};
  const Body& b = model_.bodies_[static_cast<std::size_t>(body)];
  Joint joint;
  joint.name = b.name;
  joint.type = &carrier;
  joint.body2 = body;
  joint.F = joint.M = world_;
  joint.automatic = true;
  joint.where = b.where;
  model_.joints_.push_back(std::move(joint));
  return {body, 0, static_cast<int>(model_.joints_.size()) - 1, false, 1};
}

void ModelCompiler::hang_bodies(const JointModel& carrier, const std::set<int>& read) {
  std::map<int, int> kept;  // body, the joint that carries it already
  const auto count = static_cast<int>(model_.joints_.size());
  std::map<int, int> marked;  // joint that carries a marker already, its marker
  std::set<int> own_markers;
  for (const auto& [weld, joint] : welds_) {
    marked[joint] = model_.joints_[static_cast<std::size_t>(joint)].body2;
    own_markers.insert(marked[joint]);
  }
  for (int j = 0; j < count; ++j) {
    if (marked.contains(j)) continue;
    const Joint& joint = model_.joints_[static_cast<std::size_t>(j)];
    const bool state = model_.bodies_[static_cast<std::size_t>(joint.body2)].auxiliary;
    if (joint.body1 == 0 && (state || joint.type == &carrier)) kept.emplace(joint.body2, j);
  }
  std::vector<TreeNode> bodies;
  for (const TreeNode& node : model_.topology_.nodes) {
    if (!own_markers.contains(node.body)) bodies.push_back(hang_body(node.body, carrier, kept));
  }
  std::map<int, std::vector<TreeNode>> markers;  // by the body they are on
  Topology topology;
  for (int j = 0; j < count; ++j) {
    Joint& joint = model_.joints_[static_cast<std::size_t>(j)];
    const auto own = kept.find(joint.body2);
    if (own != kept.end() && own->second == j) continue;
    if (const auto marker = marked.find(j); marker != marked.end()) {
      markers[joint.body1].push_back(
          {marker->second, joint.body1, j, false, joint.body1 == 0 ? 1 : 2});
      continue;
    }
    joint.cut = true;
    if (!read.contains(j) || joint.type->nq() == 0) continue;
    markers[joint.body1].push_back(add_marker(j));
  }
  for (const TreeNode& node : bodies) {
    topology.nodes.push_back(node);
    const auto& on_it = markers[node.body];
    topology.nodes.insert(topology.nodes.end(), on_it.begin(), on_it.end());
  }
  topology.nodes.insert(topology.nodes.end(), markers[0].begin(), markers[0].end());
  for (std::size_t j = 0; j < model_.joints_.size(); ++j) {
    if (model_.joints_[j].cut) {
      topology.loops.push_back({static_cast<int>(j), {}, CutReason::kAsked});
    }
  }
  model_.topology_ = std::move(topology);
}

void ModelCompiler::number_coordinates() {
  model_.nq_ = 0;
  model_.coordinate_names_.clear();
  const auto described = description_.joints.size();
  for (const TreeNode& node : model_.topology_.nodes) {
    const auto j = static_cast<std::size_t>(node.joint);
    Joint& joint = model_.joints_[j];
    joint.q_first = model_.nq_;
    const int n = joint.type->nq();
    for (int c = 0; c < n; ++c) {
      const bool body = joint.automatic && j >= described;
      const std::string_view own = joint.type->coordinates()[static_cast<std::size_t>(c)].name;
      const std::string number = n == 1 ? "" : std::to_string(c + 1);
      model_.coordinate_names_.push_back(joint.name + "." +
                                         (body ? std::string(own) : "q" + number));
    }
    model_.nq_ += n;
  }
  for (Joint& joint : model_.joints_) {
    if (joint.cut) joint.q_first = -1;
  }
}

/// Coordinates that the file wants integrated are those of joints that stayed.
void ModelCompiler::rename_independent(const Model& start) {
  for (IndependentCoordinate& chosen : model_.independent_) {
    if (chosen.coordinate < 0) continue;
    for (std::size_t j = 0; j < start.joints().size(); ++j) {
      const Joint& joint = start.joints()[j];
      const int c = chosen.coordinate - joint.q_first;
      if (joint.cut || c < 0 || c >= joint.type->nq()) continue;
      chosen.coordinate = model_.joints_[j].q_first + c;
      break;
    }
  }
}

/// The file's constraints stay, closures are made anew.
void ModelCompiler::close_all_joints() {
  const auto closes = [&](const ConstraintRow& row) {
    return model_.constraints_[static_cast<std::size_t>(row.constraint)].joint >= 0;
  };
  std::erase_if(model_.constraint_rows_, closes);
  std::erase_if(model_.constraints_, [](const Constraint& c) { return c.joint >= 0; });
  for (const Loop& loop : model_.topology_.loops) close_loop(loop);
}

}  // namespace kinegrad
