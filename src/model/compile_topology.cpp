// The tree: edges from joints, free joints for parts off the ground, coordinates in tree order.
#include <algorithm>

#include "kinegrad/model/physical.hpp"
#include "model/model_compiler.hpp"

namespace kinegrad {

void ModelCompiler::compile_topology() {
  std::vector<JointEdge> edges;
  std::set<int> read;  // by constraints, which need coordinates of the tree
  for (const auto& [constraint, joint] : constraint_joints_) read.insert(joint);
  for (std::size_t k = 0; k < model_.joints_.size(); ++k) {
    const Joint& joint = model_.joints_[k];
    std::optional<bool> wish = joint.automatic ? false : description_.joints[k].cut;
    if (!wish && read.contains(static_cast<int>(k))) wish = false;
    edges.push_back({joint.body1, joint.body2, joint.type->name() == "spherical", joint.type->nq(),
                     used_joints_.contains(static_cast<int>(k)), wish});
  }
  model_.topology_ = make_topology(static_cast<int>(model_.bodies_.size()), edges);
  for (int e : model_.topology_.impossible_cuts) {
    const JointSpec& spec = description_.joints[static_cast<std::size_t>(e)];
    diagnostics_.add(spec.where, "joint \"" + spec.name +
                                     "\" is in no loop that is still closed: cutting it would take "
                                     "a body off the mechanism");
  }
  for (const Loop& loop : model_.topology_.loops) {
    model_.joints_[static_cast<std::size_t>(loop.cut_joint)].cut = true;
  }
  keep_rubbing_joints();
  for (const TreeNode& node : model_.topology_.nodes) {
    Joint& joint = model_.joints_[static_cast<std::size_t>(node.joint)];
    joint.q_first = model_.nq_;
    const int n = joint.type->nq();
    for (int c = 1; c <= n; ++c) {
      model_.coordinate_names_.push_back(joint.name + ".q" + (n == 1 ? "" : std::to_string(c)));
    }
    model_.nq_ += n;
  }
  const auto refuse_cut = [&](const auto& force) {
    if (force.joint < 0 || !model_.joints_[static_cast<std::size_t>(force.joint)].cut) return;
    diagnostics_.add(force.where, "force \"" + force.name + "\" acts in joint \"" +
                                      model_.joints_[static_cast<std::size_t>(force.joint)].name +
                                      "\", which is cut to open its loop: put cut: true on "
                                      "another joint of the loop");
  };
  for (const Force& force : model_.forces_) refuse_cut(force);
  check_rigid_loops();
}

void ModelCompiler::declare_markers() {
  if (massless_.mass >= 0) return;
  const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
  massless_.mass = add_physical("marker.mass", "kg", Symbol(0));
  massless_.com = add_physical("marker.com", "m", zero);
  massless_.inertia = add_physical("marker.J", "kg m^2", zero);
  add_physical("marker.J.products", "kg m^2", zero);
}

/// The joint carries a marker from now on, which its closure welds to the second body [GC-2].
TreeNode ModelCompiler::add_marker(int index) {
  const auto j = static_cast<std::size_t>(index);
  const int marker = static_cast<int>(model_.bodies_.size());
  const auto second = static_cast<std::size_t>(model_.joints_[j].body2);
  Body body;
  body.name = model_.joints_[j].name + ".M";
  body.mass = massless_;
  body.auxiliary = true;
  body.where = model_.joints_[j].where;
  model_.bodies_.push_back(std::move(body));
  placement_R_.push_back(SymMat3(placement_R_[second]));
  placement_origin_.push_back(Sym3(placement_origin_[second]));
  Joint weld = model_.joints_[j];
  weld.type = catalogue_.find_joint("fixed");
  weld.body1 = marker;
  weld.F = weld.M;
  weld.cut = weld.automatic = true;
  welds_[static_cast<int>(model_.joints_.size())] = index;
  model_.joints_.push_back(std::move(weld));
  Joint& joint = model_.joints_[j];
  joint.body2 = marker;
  joint.cut = false;
  return {marker, joint.body1, index, false, joint.body1 == 0 ? 1 : 2};
}

void ModelCompiler::keep_rubbing_joints() {
  std::set<int> rubbing;
  for (const ReactiveForce& force : model_.reactive_forces_) rubbing.insert(force.joint);
  auto& nodes = model_.topology_.nodes;
  for (Loop& loop : model_.topology_.loops) {
    const int joint = loop.cut_joint;
    if (!rubbing.contains(joint)) continue;
    declare_markers();
    TreeNode node = add_marker(joint);
    const auto parent = std::find_if(nodes.begin(), nodes.end(),
                                     [&](const TreeNode& n) { return n.body == node.parent; });
    if (parent != nodes.end()) node.depth = parent->depth + 1;
    nodes.insert(parent == nodes.end() ? nodes.begin() : parent + 1, node);
    loop.cut_joint = static_cast<int>(model_.joints_.size()) - 1;
    loop.joints.insert(loop.joints.begin(), joint);
  }
}

/// No inertia, and nothing beside its centre of mass that something could act on: it has a place and no
/// orientation.
bool ModelCompiler::is_point_mass(std::size_t b) const {
  const MassBlock& mass = model_.bodies_[b].mass;
  if (mass.inertia < 0) return false;
  const auto none = [&](int entry) {
    const Symbol& value = p_[static_cast<std::size_t>(entry)];
    return value.is_constant() && value.value() == 0;
  };
  for (int i = 0; i < 6; ++i) {
    if (!none(mass.inertia + i)) return false;
  }
  if (none(mass.mass)) return false;
  const std::string& name = model_.bodies_[b].name;
  const auto body_axes_at = [&](const std::string& point) {
    return std::any_of(
        description_.forces.begin(), description_.forces.end(), [&](const ForceSpec& force) {
          return force.axes == "body" && force.point &&
                 (force.point->name == point || force.point->name == name + "." + point);
        });
  };
  for (const ForceSpec& force : description_.forces) {  // a torque wants something to turn
    if (force.body && force.body->name == name) return false;
  }
  for (std::size_t k = 0; k < model_.vectors_.size(); ++k) {
    const BodyVector& v = model_.vectors_[k];
    if (static_cast<std::size_t>(v.body) != b) continue;
    if (!v.is_point || body_axes_at(v.name)) return false;
    for (int i = 0; i < 3; ++i) {
      const Symbol& x = p_[static_cast<std::size_t>(v.first + i)];
      const Symbol& c = p_[static_cast<std::size_t>(mass.com + i)];
      if (v.first != mass.com && !(x.is_constant() && c.is_constant() && x.value() == c.value())) {
        return false;
      }
    }
  }
  return true;
}

/// A part with no joint to the ground floats: its first body gets a floating joint, or a cartesian one if
/// it is a point mass by itself, which has no rotation.
void ModelCompiler::add_free_joints() {
  const JointModel* floating = catalogue_.find_joint("floating");
  const JointModel* cartesian = catalogue_.find_joint("cartesian");
  std::vector<std::vector<int>> neighbours(model_.bodies_.size());
  for (const Joint& joint : model_.joints_) {
    neighbours[static_cast<std::size_t>(joint.body1)].push_back(joint.body2);
    neighbours[static_cast<std::size_t>(joint.body2)].push_back(joint.body1);
  }
  std::vector<bool> reached(model_.bodies_.size(), false);
  const auto reach = [&](int from) {
    std::vector<int> stack{from};
    while (!stack.empty()) {
      const auto body = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      if (reached[body]) continue;
      reached[body] = true;
      stack.insert(stack.end(), neighbours[body].begin(), neighbours[body].end());
    }
  };
  reach(0);
  for (std::size_t b = 1; b < model_.bodies_.size(); ++b) {
    if (reached[b]) continue;
    reach(static_cast<int>(b));
    KINEGRAD_DEMAND(floating != nullptr);
    Joint joint;
    joint.name = model_.bodies_[b].name + "_free";
    while (joint_index_.contains(joint.name)) joint.name += '_';
    const bool point = cartesian && neighbours[b].empty() && is_point_mass(b);
    joint.type = point ? cartesian : floating;
    joint.body2 = static_cast<int>(b);
    joint.where = model_.bodies_[b].where;
    joint.automatic = true;
    const Sym3 zero(Symbol(0), Symbol(0), Symbol(0));
    joint.F = add_frame(joint.name + ".F", SymMat3::Identity(), zero);
    joint.M = add_frame(joint.name + ".M",
                        point ? SymMat3(placement_R_[b].transpose()) : SymMat3::Identity(), zero);
    joint_index_.emplace(joint.name, static_cast<int>(model_.joints_.size()));
    model_.joints_.push_back(std::move(joint));
  }
}

/// A loop of fixed joints has nothing that could move to close it. Bodies that fixed joints of the
/// tree hold together form a block; a fixed joint cut within a block must agree with it.
void ModelCompiler::check_rigid_loops() const {
  std::vector<double> p;
  for (const Symbol& s : p_) p.push_back(s.value());
  const std::span<const double> values(p);
  std::vector<int> block(model_.bodies_.size(), 0);          // first body of the block
  std::vector<Pose<double>> X_block(model_.bodies_.size());  // pose in its axes
  for (const TreeNode& node : model_.topology_.nodes) {
    const auto body = static_cast<std::size_t>(node.body);
    const auto parent = static_cast<std::size_t>(node.parent);
    const Joint& joint = model_.joints_[static_cast<std::size_t>(node.joint)];
    block[body] = node.body;
    if (joint.type->nq() > 0) continue;
    block[body] = block[parent];
    const Pose<double> near = frame_at(values, node.reversed ? joint.M : joint.F);
    const Pose<double> far = frame_at(values, node.reversed ? joint.F : joint.M);
    X_block[body] = X_block[parent] * near * far.inverse();
  }
  for (const Loop& loop : model_.topology_.loops) {
    const Joint& cut = model_.joints_[static_cast<std::size_t>(loop.cut_joint)];
    const auto b1 = static_cast<std::size_t>(cut.body1), b2 = static_cast<std::size_t>(cut.body2);
    if (cut.type->nq() > 0 || block[b1] != block[b2]) continue;
    const Pose<double> X_FM =
        (X_block[b1] * frame_at(values, cut.F)).inverse() * X_block[b2] * frame_at(values, cut.M);
    constexpr double kTolerance = 1e-6;
    if (X_FM.p.norm() > kTolerance || (X_FM.R - Mat3::Identity()).norm() > kTolerance) {
      diagnostics_.add(cut.where, "joint \"" + cut.name + "\": body \"" + model_.bodies_[b2].name +
                                      "\" is in two places: the other fixed joints hold it "
                                      "elsewhere");
    }
  }
}

}  // namespace kinegrad
