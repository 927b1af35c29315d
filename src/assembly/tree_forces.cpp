// Applied forces on a tree: each force's port variables from the motion, its effort as wrenches on
// bodies (at their reference points) and forces on joint coordinates [F-1].
#include "kinegrad/assembly/tree_dynamics.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using la::cross;

/// The force's attributes; those that vary as of the last state.
template <Scalar T>
AttributeVector<T> TreeDynamics<T>::attributes(const Force& force) const {
  AttributeVector<T> a =
      Eigen::Map<const VecXT<T>>(p_store_.data() + force.attributes, force.type->attribute_count());
  for (const auto& [place, output] : force.variable) {
    a(place) = force_outputs_[static_cast<std::size_t>(output)];
  }
  return a;
}

template <Scalar T>
typename TreeDynamics<T>::Point TreeDynamics<T>::place(int vector) const {
  const BodyVector& v = model_.vectors()[static_cast<std::size_t>(vector)];
  const int k = node_of_body_[static_cast<std::size_t>(v.body)];
  const Vec3T<T> c = vector_at(std::span<const T>(p_store_), v.first);
  if (k < 0) return {k, c};
  const Pose<T>& X_MB = X_MB_[static_cast<std::size_t>(k)];
  return {k, v.is_point ? X_MB * c : (X_MB.R * c).eval()};
}

/// Evaluates the expressions of time and signals that forces depend on.
template <Scalar T>
void TreeDynamics<T>::variable_attributes(T t) {
  if (force_outputs_.empty()) return;
  for (const std::size_t k : moving_inputs_) {
    const SignalInput& in = force_input(k);
    T& value = force_input_values_[static_cast<std::size_t>(model_.force_inputs()[k])];
    switch (in.kind) {
      case SignalInput::Kind::kTime: value = t; break;
      case SignalInput::Kind::kJoint: {
        const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
        const auto i = static_cast<std::size_t>(first + in.component);
        value = in.order == 0 ? q_[i] : v_[i];
        break;
      }
      case SignalInput::Kind::kVector: {
        const bool is_point = model_.vectors()[static_cast<std::size_t>(in.element)].is_point;
        const PointState s =
            is_point ? point_state(input_points_[k]) : direction_state(input_points_[k]);
        value = in.order == 0 ? s.r(in.component) : s.rdot(in.component);
        break;
      }
      case SignalInput::Kind::kPhysical:  // set with the parameters
      case SignalInput::Kind::kReaction:
      case SignalInput::Kind::kEnergy: break;  // refused when the model is compiled
    }
  }
  model_.force_tape().template evaluate<T>(force_input_values_, force_registers_, force_outputs_);
}

template <Scalar T>
typename TreeDynamics<T>::PointState TreeDynamics<T>::direction_state(const Point& e) const {
  if (e.node < 0) return {e.c, Vec3T<T>::Constant(T(0))};
  const State& s = states_[static_cast<std::size_t>(e.node)];
  const Vec3T<T> r = s.R_WM * e.c;
  return {r, cross(s.V.template head<3>(), r)};
}

template <Scalar T>
typename TreeDynamics<T>::PointState TreeDynamics<T>::point_state(const Point& point) const {
  if (point.node < 0) return {point.c, Vec3T<T>::Constant(T(0))};
  const State& s = states_[static_cast<std::size_t>(point.node)];
  const Vec3T<T> r = s.r_WM + s.R_WM * point.c;
  return {r, s.V.template tail<3>() + cross(s.V.template head<3>(), (r - s.o).eval())};
}

template <Scalar T>
void TreeDynamics<T>::apply_at(const Point& point, const Vec3T<T>& r, const Vec3T<T>& f) {
  if (point.node < 0) return;
  State& s = states_[static_cast<std::size_t>(point.node)];
  s.F.template head<3>() -= cross((r - s.o).eval(), f);
  s.F.template tail<3>() -= f;
}

template <Scalar T>
PortState<T> TreeDynamics<T>::point_pair_state(const Force& force, T t) const {
  const auto& [first, second] =
      force_points_[static_cast<std::size_t>(&force - model_.forces().data())];
  const PointState a = point_state(first), b = point_state(second);
  return {(b.r - a.r).eval(), (b.rdot - a.rdot).eval(), t};
}

/// The effort of a force, turned into world axes if it is given in the body's.
template <Scalar T>
Vec3T<T> TreeDynamics<T>::world_effort(const Force& force, const PortState<T>& state) const {
  const Vec3T<T> e = force.type->effort(state, attributes(force));
  return force.in_body_axes ? (effort_axes(force) * e).eval() : e;
}

/// R_WB of the body whose axes the effort is given in; the identity for world axes.
template <Scalar T>
Mat3T<T> TreeDynamics<T>::effort_axes(const Force& force) const {
  if (!force.in_body_axes) return Mat3T<T>::Identity();
  const int body =
      force.body >= 0 ? force.body : model_.vectors()[static_cast<std::size_t>(force.point2)].body;
  return body_rotation(node_of_body_[static_cast<std::size_t>(body)]);
}

/// A force between two points, or on one: then the other is the world origin.
template <Scalar T>
void TreeDynamics<T>::apply_points(const Force& force, T t) {
  const auto& [first, second] =
      force_points_[static_cast<std::size_t>(&force - model_.forces().data())];
  const Vec3T<T> e = world_effort(force, point_pair_state(force, t));
  apply_at(first, point_state(first).r, -e);
  apply_at(second, point_state(second).r, e);
}

template <Scalar T>
void TreeDynamics<T>::apply_torque(const Force& force, T t) {
  const int node = node_of_body_[static_cast<std::size_t>(force.body)];
  if (node < 0) return;
  const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
  states_[static_cast<std::size_t>(node)].F.template head<3>() -=
      world_effort(force, {zero, zero, t});
}

/// A field that changes from place to place acts on every centre of mass; what is not matter has none.
template <Scalar T>
void TreeDynamics<T>::apply_field(const Force& force, T t) {
  const AttributeVector<T> p = attributes(force);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].auxiliary) continue;
    const Point com{static_cast<int>(k), nodes_[k].c};
    const PointState s = point_state(com);
    const Vec3T<T> e = force.type->effort({s.r, s.rdot, t}, p);
    apply_at(com, s.r, e * nodes_[k].mass);
  }
}

template <Scalar T>
PortState<T> TreeDynamics<T>::joint_port_state(const Force& force, T t) const {
  const Joint& joint = model_.joints()[static_cast<std::size_t>(force.joint)];
  const auto i = static_cast<std::size_t>(joint.q_first + force.coordinate);
  PortState<T> state{PortVector<T>(1), PortVector<T>(1), t};
  state.x(0) = q_[i];
  state.xdot(0) = v_[i];
  return state;
}

template <Scalar T>
void TreeDynamics<T>::applied_forces(T t, std::span<const T> q, std::span<const T> v) {
  q_ = q;
  v_ = v;
  tau_.setConstant(T(0));
  field_.setConstant(T(0));
  for (const Force& force : model_.forces()) {
    if (force.type->port() == PortKind::kField && force.type->uniform()) {
      const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
      field_ += force.type->effort({zero, zero, t}, attributes(force));
    }
  }
  for (State& s : states_) s.F.setConstant(T(0));
  variable_attributes(t);
  for (const Force& force : model_.forces()) {
    switch (force.type->port()) {
      case PortKind::kPointPair:
      case PortKind::kBodyPoint: apply_points(force, t); break;
      case PortKind::kBody: apply_torque(force, t); break;
      case PortKind::kField:
        if (!force.type->uniform()) apply_field(force, t);
        break;
      case PortKind::kJointCoordinate: {
        const int i =
            model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate;
        tau_(i) += force.type->effort(joint_port_state(force, t), attributes(force))(0);
        break;
      }
    }
  }
}

template <Scalar T>
T TreeDynamics<T>::potential_energy(T t) const {
  T sum(0);
  for (const Force& force : model_.forces()) {
    const AttributeVector<T> p = attributes(force);
    switch (force.type->port()) {
      case PortKind::kPointPair:
      case PortKind::kBodyPoint: sum += force.type->energy(point_pair_state(force, t), p); break;
      case PortKind::kJointCoordinate:
        sum += force.type->energy(joint_port_state(force, t), p);
        break;
      case PortKind::kField:
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
          if (nodes_[k].auxiliary) continue;
          const PointState s = point_state({static_cast<int>(k), nodes_[k].c});
          sum += force.type->energy({s.r, s.rdot, t}, p) * nodes_[k].mass;
        }
        break;
      case PortKind::kBody: break;
    }
  }
  return sum;
}

namespace {

/// The real part of a port's state.
template <typename T>
PortState<double> real_state(const PortState<T>& state) {
  PortState<double> out{PortVector<double>(state.x.size()), PortVector<double>(state.x.size()),
                        real_part(state.t)};
  for (Eigen::Index i = 0; i < state.x.size(); ++i) {
    out.x(i) = real_part(state.x(i));
    out.xdot(i) = real_part(state.xdot(i));
  }
  return out;
}

template <typename T>
AttributeVector<double> real_attributes(const AttributeVector<T>& attributes) {
  AttributeVector<double> out(attributes.size());
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = real_part(attributes(i));
  return out;
}

}  // namespace

/// eᵀẋ + V̇ of one force.                                                                       [MO-2]
template <Scalar T>
double TreeDynamics<T>::power_of(const Force& force, T t) const {
  const AttributeVector<double> p = real_attributes<T>(attributes(force));
  switch (force.type->port()) {
    case PortKind::kPointPair:
    case PortKind::kBodyPoint: {
      const PortState<T> state = point_pair_state(force, t);
      const T work = la::dot(world_effort(force, state), Vec3T<T>(state.xdot));
      return real_part(work) + force.type->energy_rate(real_state(state), p);
    }
    case PortKind::kBody: {
      const int node = node_of_body_[static_cast<std::size_t>(force.body)];
      if (node < 0) return 0;
      const Vec3T<T> zero = Vec3T<T>::Constant(T(0));
      const Vec3T<T> omega = states_[static_cast<std::size_t>(node)].V.template head<3>();
      return real_part(la::dot(world_effort(force, {zero, zero, t}), omega));
    }
    case PortKind::kJointCoordinate: {
      const Joint& joint = model_.joints()[static_cast<std::size_t>(force.joint)];
      const auto node =
          static_cast<std::size_t>(node_of_body_[static_cast<std::size_t>(joint.body2)] >= 0
                                       ? node_of_body_[static_cast<std::size_t>(joint.body2)]
                                       : node_of_body_[static_cast<std::size_t>(joint.body1)]);
      // the rate of a state is no force: the body that carries it has no energy [OS-1]
      if (nodes_[node].auxiliary && real_part(nodes_[node].J(2, 2)) != 0) return 0;
      const PortState<double> state = real_state(joint_port_state(force, t));
      return force.type->effort(state, p)(0) * state.xdot(0) + force.type->energy_rate(state, p);
    }
    case PortKind::kField: {
      double sum = 0;
      for (std::size_t k = 0; k < nodes_.size(); ++k) {
        if (nodes_[k].auxiliary) continue;
        const PointState s = point_state({static_cast<int>(k), nodes_[k].c});
        const PortState<double> state = real_state(PortState<T>{s.r, s.rdot, t});
        const double work =
            Vec3(force.type->effort(state, p)).dot(Vec3(state.xdot));  // holomorphic: double only
        sum += real_part(nodes_[k].mass) * (work + force.type->energy_rate(state, p));
      }
      return sum;
    }
  }
  return 0;
}

template <Scalar T>
double TreeDynamics<T>::applied_power(T t) const {
  double sum = 0;
  for (const Force& force : model_.forces()) {
    const bool steady = force.type->uniform() && force.type->has_energy();  // P = 0 identically
    if (!steady) sum += power_of(force, t);
  }
  return sum;
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad
