// What the ports of a tree do along a direction of the parameters or of the state ([DP-5] forwards).
#include "assembly/tree_partials_detail.hpp"
#include "kinegrad/assembly/tree_tangents.hpp"

namespace kinegrad {

using la::cross;

/// Changes of the attributes of the forces that the direction touches: their own numbers, and what
/// comes out of the force tape for those that vary.
void TreeTangents::change_attributes() {
  for (const AttributeChange& change : direction_->attributes) {
    attributes_[static_cast<std::size_t>(change.force)] = change.d;
  }
  bool variable = false;
  for (const int i : direction_->forces) {
    variable |= !model_.forces()[static_cast<std::size_t>(i)].variable.empty();
  }
  if (!variable) return;
  run_force_tape();
  for (const int i : direction_->forces) {
    for (const auto& [place, output] : model_.forces()[static_cast<std::size_t>(i)].variable) {
      attributes_[static_cast<std::size_t>(i)](place) =
          d_outputs_[static_cast<std::size_t>(output)];
    }
  }
}

/// Forwards through the force tape, from parameters and from the vectors it reads.
void TreeTangents::run_force_tape() {
  const auto set = [&](int input) -> double& { return d_inputs_[static_cast<std::size_t>(input)]; };
  for (const InputChange& change : direction_->force_inputs) set(change.input) = change.d;
  for (const std::size_t k : d_.moving_inputs_) {
    const SignalInput& in = d_.force_input(k);
    double& d = set(model_.force_inputs()[k]);
    d = 0;
    if (in.kind == SignalInput::Kind::kJoint && direction_->of_state) {
      const auto c = static_cast<std::size_t>(coordinate_of(in.element, in.component));
      d = (in.order == 0 ? direction_->dq : direction_->dv)[c];
    }
    if (in.kind != SignalInput::Kind::kVector) continue;
    const bool is_point = model_.vectors()[static_cast<std::size_t>(in.element)].is_point;
    const auto& point = d_.input_points_[k];
    const auto s = is_point ? d_.point_state(point) : d_.direction_state(point);
    const VectorTangent change =
        change_of({point.node, is_point, s.r, s.rdot, Vec3::Zero()}, in.element);
    d = (in.order == 0 ? change.x : change.xdot)(in.component);
  }
  model_.force_tape().forward(d_.force_input_values_, d_.force_registers_, d_inputs_, d_registers_,
                              d_outputs_);
  for (const InputChange& change : direction_->force_inputs) set(change.input) = 0;
}

void TreeTangents::add_ports(Eigen::Ref<VecX> dr) {
  change_attributes();
  for (const int i : direction_->forces) {
    const auto index = static_cast<std::size_t>(i);
    const Force& force = model_.forces()[index];
    const auto& port = partials_.ports_[index];
    AttributeVector<double>& d = attributes_[index];
    switch (force.type->port()) {
      case PortKind::kField:
        if (force.type->uniform()) {
          add_uniform_field(force, d);
        } else {
          add_varying_field(force, d);
        }
        break;
      case PortKind::kJointCoordinate: {
        const int c = coordinate_of(force.joint, force.coordinate);
        double change = port.partials.e_p.row(0).dot(d);
        if (direction_->of_state) {
          change += port.partials.e_x(0, 0) * direction_->dq[static_cast<std::size_t>(c)] +
                    port.partials.e_xdot(0, 0) * direction_->dv[static_cast<std::size_t>(c)];
        }
        dr(c) -= change;
        break;
      }
      case PortKind::kBody: {
        const int node = d_.node_of_body_[static_cast<std::size_t>(force.body)];
        Vec3 change = port.partials.e_p * d;
        if (!force.in_body_axes) change -= turned(node, port.effort);
        add_moment(node, -change);
        break;
      }
      default: add_points(index); break;
    }
    d.setZero();
  }
}

/// Change of a point of a force or of a centre of mass, r from x₀: its place and velocity.
VectorTangent TreeTangents::point_change(int node, const Vec3& r, const Vec3& rdot,
                                         const Vec3& own) const {
  VectorTangent out;
  out.x = own;
  if (node < 0) return out;
  out.xdot = cross(Vec3(partials_.bodies_[static_cast<std::size_t>(node)].V.head<3>()), own);
  if (!moves(node)) return out;
  const Displacement& d = displacement(node);
  const Triple<double> place(r);
  out.x += (d.X.v + cross(d.X.w, place)).vector();
  out.xdot += (d.Xdot.v + cross(d.Xdot.w, place) + cross(d.X.w, Triple<double>(rdot))).vector();
  return out;
}

/// −(what the force e on a point does beyond being carried along), e changing by `change`.
void TreeTangents::add_effort(int node, const Vec3& r, const Vec3& own, const Vec3& e,
                              const Vec3& change, bool in_body_axes) {
  if (node < 0) return;
  add_wrench(node, r, in_body_axes ? Vec3(-change) : Vec3(turned(node, e) - change));
  add_moment(node, cross(e, own));
}

void TreeTangents::add_points(std::size_t i) {
  const Force& force = model_.forces()[i];
  const auto& port = partials_.ports_[i];
  const auto& [first, second] = d_.force_points_[i];
  const auto a = d_.point_state(first), b = d_.point_state(second);
  const auto own = [&](int vector, int node) {
    return vector < 0 ? Vec3(Vec3::Zero())
                      : own_change(node, own_[static_cast<std::size_t>(vector)]);
  };
  const Vec3 own_a = own(force.point1, first.node), own_b = own(force.point2, second.node);
  const VectorTangent da = point_change(first.node, a.r - partials_.x0_, a.rdot, own_a),
                      db = point_change(second.node, b.r - partials_.x0_, b.rdot, own_b);
  const Vec3 e = port.effort;
  const Vec3 change = port.partials.e_x * (db.x - da.x) +
                      port.partials.e_xdot * (db.xdot - da.xdot) +
                      port.partials.e_p * attributes_[i];
  add_effort(first.node, a.r - partials_.x0_, own_a, -e, -change, force.in_body_axes);
  add_effort(second.node, b.r - partials_.x0_, own_b, e, change, force.in_body_axes);
}

/// δg of a uniform field on every body.
void TreeTangents::add_uniform_field(const Force& force, const AttributeVector<double>& d) {
  ForcePartials partials;
  const Vec3 zero = Vec3::Zero();
  force.type->partials({zero, zero, 0.0}, d_.attributes(force), partials);
  const Vec3 change = partials.e_p * d;
  for (std::size_t k = 0; k < wrench_.size(); ++k) {
    const auto& s = d_.states_[k];
    const Vec3 c = s.r_WM + s.R_WM * d_.nodes_[k].c - partials_.x0_;
    add_wrench(static_cast<int>(k), c, -d_.nodes_[k].m * change);
  }
}

/// A force m e on every centre of mass.
void TreeTangents::add_varying_field(const Force& force, const AttributeVector<double>& d) {
  auto mass = direction_->masses.begin();
  partials_.each_body_in_field(force, [&](std::size_t k, const auto& at) {
    const auto node = static_cast<int>(k);
    double dm = 0;
    Vec3 own = Vec3::Zero();
    if (mass != direction_->masses.end() && mass->node == node) {
      dm = mass->m;
      own = own_change(node, mass->c);
      ++mass;
    }
    const VectorTangent dc = point_change(node, at.c, at.cdot, own);
    const Vec3 change = dm * at.e + at.m * (at.partials.e_x * dc.x + at.partials.e_xdot * dc.xdot +
                                            at.partials.e_p * d);
    add_effort(node, at.c, own, at.m * at.e, change, false);
  });
}

}  // namespace kinegrad
