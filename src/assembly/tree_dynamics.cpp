#include "kinegrad/assembly/tree_dynamics.hpp"

#include "assembly/body_forces.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using la::cross;

namespace {

int first_euler_parameter(const JointModel& joint) {
  const auto coordinates = joint.coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    if (coordinates[c].kind == CoordinateKind::kEulerParameter) return static_cast<int>(c);
  }
  return -1;
}

}  // namespace

std::vector<int> euler_sets_of(const Model& model) {
  std::vector<int> sets;
  for (const TreeNode& node : model.topology().nodes) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(node.joint)];
    const int first = first_euler_parameter(*joint.type);
    if (first >= 0) sets.push_back(joint.q_first + first);
  }
  return sets;
}

template <Scalar T>
TreeDynamics<T>::TreeDynamics(const Model& model, ReferencePoint point, TriadInertia inertia)
    : model_(model),
      point_(point),
      p_store_(static_cast<std::size_t>(model.design_map().physical_count())),
      nodes_(model.topology().nodes.size()),
      node_of_body_(model.bodies().size(), -1),
      states_(nodes_.size()),
      articulated_(nodes_.size()),
      composite_(nodes_.size()),
      X_MB_(nodes_.size()),
      force_points_(model.forces().size()),
      input_points_(model.force_inputs().size()),
      force_input_values_(model.signal_inputs().size(), T(0)),
      force_registers_(static_cast<std::size_t>(model.force_tape().register_count())),
      force_outputs_(static_cast<std::size_t>(model.force_tape().output_count())),
      run_start_(nodes_.size()) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const TreeNode& tree_node = model.topology().nodes[k];
    node_of_body_[static_cast<std::size_t>(tree_node.body)] = static_cast<int>(k);
    const Joint& joint = model.joints()[static_cast<std::size_t>(tree_node.joint)];
    Node& node = nodes_[k];
    node.parent = node_of_body_[static_cast<std::size_t>(tree_node.parent)];
    node.q = joint.q_first;
    node.nq = joint.type->nq();
    node.auxiliary = model.bodies()[static_cast<std::size_t>(tree_node.body)].auxiliary;
    node.joint = tree_node.reversed ? &joint.type->reversed() : joint.type;
    node.euler = first_euler_parameter(*joint.type);
    const std::string_view name = joint.type->name();
    node.elsewhere = inertia == TriadInertia::kElsewhere && name == "triad";
    // walked backwards, a revolute or prismatic joint is itself with z reversed (set_parameters)
    node.kind = name == "revolute"    ? Kind::kRevolute
                : name == "prismatic" ? Kind::kPrismatic
                                      : Kind::kGeneral;
    const bool straight = node.parent == static_cast<int>(k) - 1 && k > 0;
    run_start_[k] = straight ? run_start_[k - 1] : static_cast<int>(k);
    if (straight) {
      nodes_[k - 1].run = true;
    } else if (node.parent >= 0) {
      nodes_[static_cast<std::size_t>(node.parent)].fork = true;
    }
  }
  const int n = model.nq();
  S_.resize(6, n);
  F_.resize(6, n);
  S_rows_.resize(n, 6);
  D_inverse_.resize(n, kMaxJointCoordinates);
  tau_.resize(n);
  u_.resize(n);
  kappa_.resize(n);
  turns_.resize(static_cast<std::size_t>(n));
  ground_.setConstant(T(0));
  field_.setConstant(T(0));
  for (std::size_t k = 0; k < model.force_inputs().size(); ++k) {
    if (force_input(k).kind != SignalInput::Kind::kPhysical) moving_inputs_.push_back(k);
  }
}

template <Scalar T>
void TreeDynamics<T>::set_parameters(std::span<const T> p) {
  std::copy(p.begin(), p.end(), p_store_.begin());
  const std::span<const T> p_(p_store_);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const TreeNode& tree_node = model_.topology().nodes[k];
    const Joint& joint = model_.joints()[static_cast<std::size_t>(tree_node.joint)];
    const Body& body = model_.bodies()[static_cast<std::size_t>(tree_node.body)];
    Node& node = nodes_[k];
    Pose<T> X_PF = frame_at(p_, tree_node.reversed ? joint.M : joint.F);
    Pose<T> X_BM = frame_at(p_, tree_node.reversed ? joint.F : joint.M);
    if (tree_node.reversed && node.kind != Kind::kGeneral) {
      // R_x(π) on both sides: R_z(−q) becomes R_z(q) and −q z becomes q z
      X_PF.R.template rightCols<2>() *= T(-1);
      X_BM.R.template rightCols<2>() *= T(-1);
    }
    const Pose<T> X_MF =
        node.parent < 0 ? X_PF : X_MB_[static_cast<std::size_t>(node.parent)] * X_PF;
    node.R_PF = X_MF.R;
    node.p_PF = X_MF.p;
    node.p_CF = X_MF.p;
    if (node.parent >= 0) node.p_CF -= nodes_[static_cast<std::size_t>(node.parent)].c;
    node.mass = p_[static_cast<std::size_t>(body.mass.mass)];
    node.m = node.elsewhere ? T(0) : node.mass;
    node.c = X_BM.inverse() * vector_at(p_, body.mass.com);
    const Mat3T<T> RJ = X_BM.R.transpose() * inertia_at(p_, body.mass.inertia);
    node.J = RJ * X_BM.R;
    if (node.elsewhere) node.J.setConstant(T(0));
    X_MB_[k] = X_BM.inverse();
  }
  for (std::size_t f = 0; f < force_points_.size(); ++f) {
    const Force& force = model_.forces()[f];
    const Point ground{-1, Vec3T<T>::Constant(T(0))};
    force_points_[f].first = force.point1 < 0 ? ground : place(force.point1);
    force_points_[f].second = force.point2 < 0 ? ground : place(force.point2);
  }
  for (std::size_t k = 0; k < input_points_.size(); ++k) {
    const SignalInput& input = force_input(k);
    if (input.kind == SignalInput::Kind::kVector) input_points_[k] = place(input.element);
    if (input.kind == SignalInput::Kind::kPhysical) {
      force_input_values_[static_cast<std::size_t>(model_.force_inputs()[k])] =
          p_[static_cast<std::size_t>(input.element)];
    }
  }
}

/// Where the first body of the tree is: the origin of its frame M.
template <Scalar T>
Vec3T<T> TreeDynamics<T>::first_place(std::span<const T> q) const {
  const Node& node = nodes_[0];
  if (node.kind == Kind::kRevolute) return node.p_PF;
  if (node.kind == Kind::kPrismatic) {
    return node.p_PF + node.R_PF.col(2) * q[static_cast<std::size_t>(node.q)];
  }
  const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
  return node.p_PF + node.R_PF * node.joint->pose(qj).p;
}

/// X_WF of the joint that carries a body.
template <Scalar T>
Pose<T> TreeDynamics<T>::frame_in_world(std::size_t k) const {
  const Node& node = nodes_[k];
  if (node.parent < 0) return {node.R_PF, node.p_PF};
  const State& parent = states_[static_cast<std::size_t>(node.parent)];
  return {parent.R_WM * node.R_PF, parent.r_WM + parent.R_WM * node.p_PF};
}

/// R_WB; the identity for the ground.
template <Scalar T>
Mat3T<T> TreeDynamics<T>::body_rotation(int node) const {
  if (node < 0) return Mat3T<T>::Identity();
  const auto k = static_cast<std::size_t>(node);
  return states_[k].R_WM * X_MB_[k].R;
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::residual_at(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, std::span<T> r) {
  motion<Point, true>(q, v);
  applied_forces(t, q, v);
  const Halves<T> ground(Triple<T>::zero(), -Triple<T>(field_));  // it falls upwards: A − G
  Halves<T> A = ground;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    if (node.parent != static_cast<int>(k) - 1) {
      A = node.parent < 0 ? ground : Halves<T>(states_[static_cast<std::size_t>(node.parent)].A);
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(S_.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
    // [D-5]; f is gathered in F, where applied forces are with the opposite sign
    Halves<T> f = gyroscopic_force<Point>(s.I, Halves<T>(s.V));
    f += momentum<Point>(s.I, A);
    f += Halves<T>(s.F);
    f.store(s.F);
  }
  Halves<T> next = Halves<T>::zero();
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    Halves<T> f(states_[k].F);
    if (node.run) f += next;
    for (int i = node.q; i < node.q + node.nq; ++i) {
      r[static_cast<std::size_t>(i)] = power(Halves<T>(S_.col(i)), f) - tau_(i);
    }
    if constexpr (Point == ReferencePoint::kCom) {
      if (node.parent >= 0) f.shift_back(Triple<T>(states_[k].d));
    }
    f.store(states_[k].F);  // f_Σ, where it is handed on: at the parent's reference point
    if (node.parent < 0) continue;
    if (node.parent == static_cast<int>(k) - 1) {
      next = f;
    } else {
      State& parent = states_[static_cast<std::size_t>(node.parent)];
      f += Halves<T>(parent.F);
      f.store(parent.F);
    }
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix_at(std::span<const T> q, Matrix& M) {
  motion<ReferencePoint::kOrigin, false>(q, {});
  for (std::size_t k = 0; k < nodes_.size(); ++k) composite_[k] = states_[k].I;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const int parent = nodes_[k].parent;
    if (parent >= 0) composite_[static_cast<std::size_t>(parent)] += composite_[k];
  }
  M.template triangularView<Eigen::Upper>().setZero();
  S_rows_ = S_.transpose();
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Twist<T> F = composite_[k] * S_.col(i);
      for (int b = 0; b <= c; ++b) M(node.q + b, i) = la::dot(S_.col(node.q + b), F);
      // straight runs of ancestors have contiguous columns
      for (int j = node.parent; j >= 0;) {
        const Node& last = nodes_[static_cast<std::size_t>(j)];
        const int start = run_start_[static_cast<std::size_t>(j)];
        const Node& first = nodes_[static_cast<std::size_t>(start)];
        const int length = last.q + last.nq - first.q;
        M.col(i).segment(first.q, length).noalias() =
            S_rows_.middleRows(first.q, length).lazyProduct(F);
        j = first.parent;
      }
    }
  }
}

template <Scalar T>
void TreeDynamics<T>::residual(T t, std::span<const T> q, std::span<const T> v,
                               std::span<const T> a, std::span<T> r) {
  if (point_ == ReferencePoint::kCom) {
    residual_at<ReferencePoint::kCom>(t, q, v, a, r);
  } else {
    residual_at<ReferencePoint::kOrigin>(t, q, v, a, r);
  }
}

template <Scalar T>
Twist<T> TreeDynamics<T>::transmitted(int node, const Vec3T<T>& at) const {
  const State& s = states_[static_cast<std::size_t>(node)];
  const int parent = nodes_[static_cast<std::size_t>(node)].parent;
  // the sweep left f_Σ where it handed it on: at the parent's reference point
  const Vec3T<T>& from = parent < 0 ? s.o : states_[static_cast<std::size_t>(parent)].o;
  Twist<T> F = s.F;
  shift_force_back<T>(F, (from - at).eval());
  return F;
}

template <Scalar T>
void TreeDynamics<T>::place_bodies(std::span<const T> q) {
  if (point_ == ReferencePoint::kCom) {
    motion<ReferencePoint::kCom, false>(q, {});
  } else {
    motion<ReferencePoint::kOrigin, false>(q, {});
  }
}

/// A of [D-4] for all bodies, after motion().
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::accelerate(std::span<const T> a) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    Halves<T> A = node.parent < 0 ? Halves<T>(Triple<T>::zero(), -Triple<T>(field_))
                                  : Halves<T>(states_[static_cast<std::size_t>(node.parent)].A);
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(S_.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
  }
}

template <Scalar T>
void TreeDynamics<T>::move_bodies(std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a) {
  if (point_ == ReferencePoint::kCom) {
    motion<ReferencePoint::kCom, true>(q, v);
    accelerate<ReferencePoint::kCom>(a);
  } else {
    motion<ReferencePoint::kOrigin, true>(q, v);
    accelerate<ReferencePoint::kOrigin>(a);
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix(std::span<const T> q, Matrix& M) {
  // One common point needs no shifts. It is the world origin, or for joint-com a place of the
  // mechanism itself, so that its distance from the origin costs no digits.
  if (point_ == ReferencePoint::kCom && !nodes_.empty()) ground_ = -first_place(q);
  mass_matrix_at(q, M);
  ground_.setConstant(T(0));
}

template <Scalar T>
T TreeDynamics<T>::kinetic_energy() const {
  T energy(0);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    if (nodes_[k].auxiliary) continue;
    energy += la::dot(states_[k].V, states_[k].I * states_[k].V);
  }
  return energy * T(0.5);
}

template <Scalar T>
Vec3T<T> TreeDynamics<T>::linear_momentum() const {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (const State& s : states_) sum += (s.I * s.V).template tail<3>();
  return sum;
}

template <Scalar T>
Vec3T<T> TreeDynamics<T>::angular_momentum() const {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (std::size_t k = 0; k < states_.size(); ++k) {
    if (nodes_[k].auxiliary) continue;
    const Twist<T> h = states_[k].I * states_[k].V;
    sum += h.template head<3>() + cross(states_[k].o, h.template tail<3>());
  }
  return sum;
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad
