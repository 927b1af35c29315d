#include "kinegrad/assembly/tree_tangents.hpp"

#include <algorithm>

#include "assembly/body_forces.hpp"
#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

using la::cross;

TreeTangents::TreeTangents(const TreePartials& partials)
    : partials_(partials),
      d_(partials.d_),
      model_(partials.model_),
      beyond_(partials.bodies_.size()),
      displaced_(partials.bodies_.size()),
      moved_(partials.bodies_.size(), 0),
      own_(model_.vectors().size(), Vec3::Zero()),
      wrench_(partials.bodies_.size(), Halves<double>::zero()),
      attributes_(model_.forces().size()),
      d_inputs_(d_.force_input_values_.size(), 0.0),
      d_registers_(d_.force_registers_.size()),
      d_outputs_(d_.force_outputs_.size(), 0.0) {
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    attributes_[i].setZero(model_.forces()[i].type->attribute_count());
  }
}

void TreeTangents::take() {
  for (std::size_t k = 0; k < beyond_.size(); ++k) {
    beyond_[k] = Halves<double>(partials_.bodies_[k].f);
  }
  for (std::size_t k = beyond_.size(); k-- > 0;) {
    const int parent = d_.nodes_[k].parent;
    if (parent >= 0) beyond_[static_cast<std::size_t>(parent)] += beyond_[k];
  }
}

/// The frozen column of a frame [K-8] and its rates, added to the displacement of what is beyond.
void TreeTangents::add_frame(const FrameChange& change, Displacement& x) const {
  const auto k = static_cast<std::size_t>(change.node);
  const int carrier = change.outboard ? change.node : d_.nodes_[k].parent;
  const Vec3 at = change.outboard ? d_.states_[k].r_WM : d_.frame_in_world(k).p;
  const Mat3 R = partials_.rotation(carrier);
  const Triple<double> w(R * change.turn), u(R * change.shift);
  const Halves<double> S(w, u + cross(Triple<double>(at) - Triple<double>(partials_.x0_), w));
  const Halves<double> V(partials_.V_of(carrier)), A(partials_.A_of(carrier));
  const Halves<double> Sdot = motion_cross(V, S);
  const double sign = change.outboard ? -1 : 1;
  x.X.add(S, sign);
  x.Xdot.add(Sdot, sign);
  x.Xddot.add(motion_cross(A, S), sign);
  x.Xddot.add(motion_cross(V, Sdot), sign);
}

/// What the joint's own coordinates and speeds do to its body and all beyond [TG-10].
void TreeTangents::add_joint(int node, Displacement& x) const {
  const auto& n = d_.nodes_[static_cast<std::size_t>(node)];
  for (int c = n.q; c < n.q + n.nq; ++c) {
    const double dq = direction_->dq[static_cast<std::size_t>(c)],
                 dv = direction_->dv[static_cast<std::size_t>(c)];
    const Halves<double> S(partials_.S_.col(c)), Sdot(partials_.Sdot_.col(c));
    x.X.add(S, dq);
    x.Xdot.add(Sdot, dq);
    x.Xdot.add(S, dv);
    x.Xddot.add(Halves<double>(partials_.Sddot_.col(c)), dq);
    x.Xddot.add(Sdot, 2 * dv);
  }
}

/// (∂S_i/∂q dq)ᵀf_Σ of the columns of one joint, which their frame does not carry along [TG-11].
void TreeTangents::add_column_changes(int node, Eigen::Ref<VecX> dr) const {
  const auto k = static_cast<std::size_t>(node);
  const auto& n = d_.nodes_[k];
  if (n.nq == 0 || n.kind != TreeDynamics<double>::Kind::kGeneral) return;
  const JointVector<double> dq = Eigen::Map<const VecX>(direction_->dq.data() + n.q, n.nq);
  Twist<double> f;
  beyond_[k].store(f);
  dr.segment(n.q, n.nq) += partials_.column_rates(k, dq, f);
}

int TreeTangents::coordinate_of(int joint, int component) const {
  return model_.joints()[static_cast<std::size_t>(joint)].q_first + component;
}

/// [TG-3].
void TreeTangents::open(const ParameterDirection& direction) {
  direction_ = &direction;
  for (const VectorChange& change : direction.vectors) {
    own_[static_cast<std::size_t>(change.vector)] = change.c;
  }
  auto frame = direction.frames.begin();
  const auto add = [&](int k, bool outboard, Displacement& x) {
    if (frame == direction.frames.end() || frame->node != k || frame->outboard != outboard) return;
    add_frame(*frame++, x);
  };
  for (const int k : direction.moved) {
    const int parent = d_.nodes_[static_cast<std::size_t>(k)].parent;
    Displacement& x = displaced_[static_cast<std::size_t>(k)];
    x = moves(parent) ? displacement(parent) : Displacement();
    moved_[static_cast<std::size_t>(k)] = 1;
    add(k, false, x);
    x.X_h = x.X;
    if (direction.of_state) add_joint(k, x);
    add(k, true, x);
  }
}

/// What the coordinates of a vector in its body change, in world axes.
Vec3 TreeTangents::own_change(int node, const Vec3& c) const {
  return node < 0 ? c : Vec3(partials_.bodies_[static_cast<std::size_t>(node)].R_WB * c);
}

VectorTangent TreeTangents::change_of(const VectorState& s, int vector) const {
  VectorTangent out;
  const Vec3& c = own_[static_cast<std::size_t>(vector)];
  if (s.node < 0) {
    out.x = c;
    return out;
  }
  if (!c.isZero(0)) {
    const auto& b = partials_.bodies_[static_cast<std::size_t>(s.node)];
    const Vec3 omega = b.V.head<3>(), alpha = b.A.head<3>();
    out.x = own_change(s.node, c);
    out.xdot = cross(omega, out.x);
    out.xddot = cross(alpha, out.x) + cross(omega, out.xdot);
  }
  if (!moves(s.node)) return out;
  const Displacement& d = displacement(s.node);
  const Triple<double> x(s.is_point ? Vec3(s.x - partials_.x0_) : s.x), xdot(s.xdot),
      xddot(s.xddot);
  Triple<double> dx = cross(d.X.w, x), dxdot = cross(d.Xdot.w, x) + cross(d.X.w, xdot),
                 dxddot = cross(d.Xddot.w, x) + cross(d.Xdot.w, xdot) * 2.0 + cross(d.X.w, xddot);
  if (s.is_point) {
    dx += d.X.v;
    dxdot += d.Xdot.v;
    dxddot += d.Xddot.v;
  }
  out.x += dx.vector();
  out.xdot += dxdot.vector();
  out.xddot += dxddot.vector();
  return out;
}

void TreeTangents::add_moment(int node, const Vec3& moment) {
  if (node < 0) return;
  wrench_[static_cast<std::size_t>(node)].w += Triple<double>(moment);
  top_ = std::max(top_, node);
}

void TreeTangents::add_wrench(int node, const Vec3& r, const Vec3& force) {
  if (node < 0) return;
  wrench_[static_cast<std::size_t>(node)].v += Triple<double>(force);
  add_moment(node, cross(r, force));
}

/// w×e: what a displacement's turn would do to a force that is carried along.
Vec3 TreeTangents::turned(int node, const Vec3& effort) const {
  return moves(node) ? Vec3(cross(displacement(node).X.w.vector(), effort)) : Vec3(Vec3::Zero());
}

void TreeTangents::add_force(const VectorState& s, int vector, const Vec3& force,
                             const Vec3& change) {
  if (s.node < 0) return;
  const Vec3 rest = change - turned(s.node, force);
  if (s.is_point) {
    add_wrench(s.node, s.x - partials_.x0_, rest);
  } else {
    add_moment(s.node, cross(s.x, rest));
  }
  const Vec3& c = own_[static_cast<std::size_t>(vector)];
  if (!c.isZero(0)) add_moment(s.node, cross(own_change(s.node, c), force));
}

/// [TG-4]: what displacements do to bodies and their forces.
void TreeTangents::add_carried() {
  for (const int node : direction_->moved) {
    const auto k = static_cast<std::size_t>(node);
    const auto& b = partials_.bodies_[k];
    const Displacement& d = displaced_[k];
    Halves<double> f = force_cross(d.X, Halves<double>(b.f));
    f += momentum<ReferencePoint::kOrigin>(b.I, d.Xddot);
    if (!partials_.inertia_only_) f += TreePartials::gyroscopic(b) * d.Xdot;
    wrench_[k] += f;
    top_ = std::max(top_, node);
  }
}

/// [TG-7].
void TreeTangents::add_mass(const MassChange& change) {
  const auto k = static_cast<std::size_t>(change.node);
  if (d_.nodes_[k].elsewhere) return;
  const auto& b = partials_.bodies_[k];
  const auto& s = d_.states_[k];
  const Columns3<double> R(b.R_WB);
  const Triple<double> c = Triple<double>(s.r_WM) - Triple<double>(partials_.x0_) +
                           Columns3<double>(s.R_WM) * Triple<double>(d_.nodes_[k].c);
  const Halves<double> V(b.V), A(b.A);
  const auto at_c = [&](const Halves<double>& X) { return X.v + cross(X.w, c); };
  const auto turning = [&](const Triple<double>& x) {  // δJ x
    return R * (Columns3<double>(change.J) * R.transposed_times(x));
  };
  const double m = d_.nodes_[k].m;
  const Triple<double> a = at_c(A) + cross(V.w, at_c(V));
  const Triple<double> d = R * Triple<double>(change.c);
  const Triple<double> F = a * change.m + (cross(A.w, d) + cross(V.w, cross(V.w, d))) * m;
  wrench_[k].v += F;
  wrench_[k].w += cross(c, F) + cross(d, a) * m + turning(A.w) + cross(V.w, turning(V.w));
  top_ = std::max(top_, change.node);
}

void TreeTangents::close(Eigen::Ref<VecX> dr) {
  add_carried();
  for (const MassChange& change : direction_->masses) add_mass(change);
  if (!partials_.inertia_only_ && !direction_->forces.empty()) add_ports(dr);
  for (int node = top_; node >= 0; --node) {
    const auto k = static_cast<std::size_t>(node);
    const auto& n = d_.nodes_[k];
    Halves<double> f = wrench_[k];
    if (n.parent >= 0) wrench_[static_cast<std::size_t>(n.parent)] += f;
    wrench_[k] = Halves<double>::zero();
    if (moved_[k]) f -= force_cross(displaced_[k].X_h, beyond_[k]);
    if (direction_->of_state) add_column_changes(node, dr);
    for (int c = n.q; c < n.q + n.nq; ++c) dr(c) += power(Halves<double>(partials_.S_.col(c)), f);
  }
  top_ = -1;
}

bool TreeTangents::touches(const ParameterDirection& direction) const {
  return !direction.masses.empty() || !direction.moved.empty() ||
         (!partials_.inertia_only_ && !direction.forces.empty());
}

void TreeTangents::leave() {
  for (const int k : direction_->moved) moved_[static_cast<std::size_t>(k)] = 0;
  for (const VectorChange& change : direction_->vectors) {
    own_[static_cast<std::size_t>(change.vector)].setZero();
  }
}

}  // namespace kinegrad
