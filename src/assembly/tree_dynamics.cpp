#include "kinegrad/assembly/tree_dynamics.hpp"

#include <Eigen/LU>

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
TreeDynamics<T>::TreeDynamics(const Model& model, ReferencePoint point)
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
    node.joint = tree_node.reversed ? &joint.type->reversed() : joint.type;
    node.euler = first_euler_parameter(*joint.type);
    const std::string_view name = joint.type->name();
    // walked backwards, a revolute or prismatic joint is itself with z reversed (set_parameters)
    node.kind = name == "revolute"    ? Kind::kRevolute
                : name == "prismatic" ? Kind::kPrismatic
                                      : Kind::kGeneral;
    const bool straight = node.parent == static_cast<int>(k) - 1 && k > 0;
    run_start_[k] = straight ? run_start_[k - 1] : static_cast<int>(k);
  }
  const int n = model.nq();
  S_.resize(6, n);
  F_.resize(6, n);
  S_rows_.resize(n, 6);
  D_inverse_.resize(n, kMaxJointCoordinates);
  tau_.resize(n);
  u_.resize(n);
  kappa_.resize(n);
  common_.setConstant(T(0));
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
    node.m = p_[static_cast<std::size_t>(body.mass.mass)];
    node.c = X_BM.inverse() * vector_at(p_, body.mass.com);
    const Mat3T<T> RJ = X_BM.R.transpose() * inertia_at(p_, body.mass.inertia);
    node.J = RJ * X_BM.R;
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

/// Columns of a joint of any type, at the body's reference point.
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::general_columns(const Node& node, State& s, const Mat3T<T>& R_WF,
                                      const Vec3T<T>& r_WF, std::span<const T> q) {
  const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
  const Pose<T> X_FM = node.joint->pose(qj);
  s.R_WM.noalias() = R_WF * X_FM.R;
  s.r_WM = r_WF + R_WF * X_FM.p;
  if constexpr (Point == ReferencePoint::kCom) {
    s.o = s.r_WM + s.R_WM * node.c;
  } else {
    s.o = common_;
  }
  const JointColumns<T> H = node.joint->motion(qj);
  for (int c = 0; c < node.nq; ++c) {
    const Vec3T<T> w = R_WF * H.col(c).template head<3>();
    S_.col(node.q + c).template head<3>() = w;
    S_.col(node.q + c).template tail<3>() =
        R_WF * H.col(c).template tail<3>() + cross(w, (s.o - r_WF).eval());
  }
}

/// Poses, reference points, columns and inertias, root to leaves.
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::positions(std::span<const T> q) {
  using std::cos;
  using std::sin;
  static const Mat3T<T> kIdentity = Mat3T<T>::Identity();
  static const Vec3T<T> kZero = Vec3T<T>::Constant(T(0));
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    const bool grounded = node.parent < 0;
    const State* parent = grounded ? nullptr : &states_[static_cast<std::size_t>(node.parent)];
    const Mat3T<T>& R_WP = grounded ? kIdentity : parent->R_WM;
    const Vec3T<T>& r_WP = grounded ? kZero : parent->r_WM;
    const Mat3T<T> R_WF = R_WP * node.R_PF;
    const Vec3T<T> r_WF = r_WP + R_WP * node.p_PF;
    if (node.kind == Kind::kGeneral) {
      general_columns<Point>(node, s, R_WF, r_WF, q);
    } else {
      const Vec3T<T> z = R_WF.col(2);
      const T x = q[static_cast<std::size_t>(node.q)];
      if (node.kind == Kind::kRevolute) {
        const T cosine = cos(x), sine = sin(x);
        s.R_WM.col(0) = R_WF.col(0) * cosine + R_WF.col(1) * sine;
        s.R_WM.col(1) = R_WF.col(1) * cosine - R_WF.col(0) * sine;
        s.R_WM.col(2) = z;
        s.r_WM = r_WF;
      } else {
        s.R_WM = R_WF;
        s.r_WM = r_WF + z * x;
      }
      auto S = S_.col(node.q);
      if constexpr (Point == ReferencePoint::kCom) {
        s.o = s.r_WM + s.R_WM * node.c;
      } else {
        s.o = common_;
      }
      if (node.kind == Kind::kRevolute) {
        S.template head<3>() = z;
        S.template tail<3>() = cross(z, (s.o - s.r_WM).eval());
      } else {
        S.template head<3>().setConstant(T(0));
        S.template tail<3>() = z;
      }
    }
    const Mat3T<T> RJ = s.R_WM * node.J;
    s.I.m = node.m;
    s.I.J.noalias() = RJ * s.R_WM.transpose();
    if constexpr (Point == ReferencePoint::kCom) {
      s.I.h.setConstant(T(0));
      s.d = s.o - (grounded ? kZero : parent->o);
    } else {
      const Vec3T<T> c = s.r_WM + s.R_WM * node.c - s.o;
      s.I.h = c * node.m;
      // J about o: + m (c·c I − ccᵀ)
      const T cc = la::dot(c, s.I.h);
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) s.I.J(i, j) -= c(i) * s.I.h(j);
        s.I.J(j, j) += cc;
      }
    }
  }
}

/// V and c of [D-4].
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::velocities(std::span<const T> q, std::span<const T> v) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    Twist<T> V;
    if (node.parent < 0) {
      V.setConstant(T(0));
    } else {
      V = states_[static_cast<std::size_t>(node.parent)].V;
      if constexpr (Point == ReferencePoint::kCom) shift_motion<T>(V, s.d);
    }
    if (node.nq == 1) {
      const Twist<T> Vj = S_.col(node.q) * v[static_cast<std::size_t>(node.q)];
      s.bias = twist_cross(V, Vj);
      s.V = V + Vj;
      if (node.kind != Kind::kGeneral) continue;
    } else if (node.nq == 0) {
      s.bias.setConstant(T(0));
      s.V = V;
      continue;
    } else {
      const auto vj = Eigen::Map<const VecXT<T>>(v.data() + node.q, node.nq);
      Twist<T> Vj = Twist<T>::Constant(T(0));
      for (int c = 0; c < node.nq; ++c) Vj += S_.col(node.q + c) * vj(c);
      s.bias = twist_cross(V, Vj);
      s.V = V + Vj;
    }
    // S′v: the rate of the columns seen in F, turned into world axes and taken at o
    const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
    const JointVector<T> vj = Eigen::Map<const VecXT<T>>(v.data() + node.q, node.nq);
    const Twist<T> rate = node.joint->motion_dot(qj, vj) * vj;
    const Pose<T> X_WF = frame_in_world(k);
    const Vec3T<T> w = X_WF.R * rate.template head<3>();
    s.bias.template head<3>() += w;
    s.bias.template tail<3>() += X_WF.R * rate.template tail<3>() + cross(w, (s.o - X_WF.p).eval());
  }
}

/// A of a body whose joint does not accelerate: A_h + c [D-4].
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::carry_acceleration(const Node& node, State& s) const {
  s.A = s.bias;
  if (node.parent >= 0) {
    Twist<T> A = states_[static_cast<std::size_t>(node.parent)].A;
    if constexpr (Point == ReferencePoint::kCom) shift_motion<T>(A, s.d);
    s.A += A;
  } else {
    s.A.template tail<3>() -= field_;  // the ground falls upwards: A − G
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::residual_at(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, std::span<T> r) {
  positions<Point>(q);
  velocities<Point>(q, v);
  applied_forces(t, q, v);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    carry_acceleration<Point>(node, s);
    for (int c = 0; c < node.nq; ++c) {
      s.A += S_.col(node.q + c) * a[static_cast<std::size_t>(node.q + c)];
    }
    // [D-5]; f is gathered in F, where applied forces are with the opposite sign
    const Twist<T> h = s.I * s.V;
    s.F += s.I * s.A + force_cross<T>(s.V, h);
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      r[static_cast<std::size_t>(i)] = la::dot(S_.col(i), s.F) - tau_(i);
    }
    if (node.parent < 0) continue;
    if constexpr (Point == ReferencePoint::kCom) shift_force_back<T>(s.F, s.d);
    states_[static_cast<std::size_t>(node.parent)].F += s.F;
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix_at(std::span<const T> q, Matrix& M) {
  positions<ReferencePoint::kOrigin>(q);
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

/// U = I S, D = SᵀU (completed), I_a = I − U D⁻¹Uᵀ [D-8].
template <Scalar T>
template <int N>
void TreeDynamics<T>::eliminate_columns(const Node& node, Articulated& body, std::span<const T> q) {
  const Mat<T, 6, N> S = S_.template middleCols<N>(node.q);
  const Mat<T, 6, N> U = body.I * S;
  Mat<T, N, N> D = S.transpose() * U;
  if constexpr (N >= 4) {
    if (node.euler >= 0) {
      const int e = node.euler;
      const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + node.q + e);
      const T kappa = D.template block<4, 4>(e, e).trace();
      D.template block<4, 4>(e, e) += p * p.transpose() * kappa;
      kappa_(node.q + e) = kappa;
    }
  }
  Mat<T, N, N> Dinv;
  if constexpr (N == 1) {
    Dinv(0, 0) = T(1) / D(0, 0);
  } else {
    Dinv = Eigen::PartialPivLU<Mat<T, N, N>>(D).inverse();
  }
  F_.template middleCols<N>(node.q) = U;
  D_inverse_.template block<N, N>(node.q, 0) = Dinv;
  const Mat<T, 6, N> UD = U * Dinv;
  body.I.noalias() -= UD * U.transpose();
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::eliminate(std::size_t k, std::span<const T> q) {
  const Node& node = nodes_[k];
  Articulated& body = articulated_[k];
  switch (node.nq) {
    case 0: break;
    case 1: eliminate_columns<1>(node, body, q); break;
    case 2: eliminate_columns<2>(node, body, q); break;
    case 3: eliminate_columns<3>(node, body, q); break;
    case 4: eliminate_columns<4>(node, body, q); break;
    case 5: eliminate_columns<5>(node, body, q); break;
    case 6: eliminate_columns<6>(node, body, q); break;
    default: eliminate_columns<7>(node, body, q); break;
  }
  if (node.parent < 0) return;
  body.p.noalias() += body.I * states_[k].bias;  // I_a c, before I_a leaves for the parent
  Articulated& parent = articulated_[static_cast<std::size_t>(node.parent)];
  if constexpr (Point == ReferencePoint::kCom) {
    shift_inertia_back<T>(body.I, states_[k].d);
  }
  parent.I += body.I;
}

/// The force on a set of Euler parameters: its part along p does no work and gives way to −κ φ p.
template <Scalar T>
void TreeDynamics<T>::complete_force(const Node& node, std::span<const T> q, const T& phi) {
  const int e = node.q + node.euler;
  const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + e);
  const T along = la::dot(p, tau_.template segment<4>(e)) / la::squared_norm(p);
  tau_.template segment<4>(e) -= p * (along + kappa_(e) * phi);
}

/// u = τ − Sᵀp, and p_a = p + I_a c + U D⁻¹u for the parent [D-8]. I_a c is in p already.
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::eliminate_force(std::size_t k) {
  const Node& node = nodes_[k];
  Articulated& body = articulated_[k];
  if (node.nq == 1) {
    const int i = node.q;
    u_(i) += tau_(i);
    body.p += F_.col(i) * (D_inverse_(i, 0) * u_(i));
  } else {
    for (int c = 0; c < node.nq; ++c) u_(node.q + c) += tau_(node.q + c);
    for (int c = 0; c < node.nq; ++c) {
      T x(0);
      for (int b = 0; b < node.nq; ++b) x += D_inverse_(node.q + c, b) * u_(node.q + b);
      body.p += F_.col(node.q + c) * x;
    }
  }
  if (node.parent < 0) return;
  if constexpr (Point == ReferencePoint::kCom) shift_force_back<T>(body.p, states_[k].d);
  articulated_[static_cast<std::size_t>(node.parent)].p += body.p;
}

/// Root to leaves: a = D⁻¹(u − UᵀA), A = A_h + c + S a.
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::substitute(std::span<T> a) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    State& s = states_[k];
    carry_acceleration<Point>(node, s);
    if (node.nq == 1) {
      const T x = D_inverse_(node.q, 0) * (u_(node.q) - la::dot(F_.col(node.q), s.A));
      a[static_cast<std::size_t>(node.q)] = x;
      s.A += S_.col(node.q) * x;
      continue;
    }
    JointVector<T> rest(node.nq);
    for (int c = 0; c < node.nq; ++c) {
      rest(c) = u_(node.q + c) - la::dot(F_.col(node.q + c), s.A);
    }
    for (int c = 0; c < node.nq; ++c) {
      T x(0);
      for (int b = 0; b < node.nq; ++b) x += D_inverse_(node.q + c, b) * rest(b);
      a[static_cast<std::size_t>(node.q + c)] = x;
      s.A += S_.col(node.q + c) * x;
    }
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::accelerations_at(T t, std::span<const T> q, std::span<const T> v,
                                       std::span<T> a) {
  positions<Point>(q);
  velocities<Point>(q, v);
  applied_forces(t, q, v);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    State& s = states_[k];
    const Twist<T> h = s.I * s.V;
    articulated_[k].I = s.I.matrix();
    articulated_[k].p = force_cross<T>(s.V, h) + s.F;
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    for (int c = node.q; c < node.q + node.nq; ++c) {
      u_(c) = -la::dot(S_.col(c), articulated_[k].p);
    }
    eliminate<Point>(k, q);
    if (node.euler >= 0) {
      const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + node.q + node.euler);
      complete_force(node, q, la::squared_norm(pdot));
    }
    eliminate_force<Point>(k);
  }
  substitute<Point>(a);
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::factorize_mass_at(std::span<const T> q) {
  positions<Point>(q);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    states_[k].bias.setConstant(T(0));
    articulated_[k].I = states_[k].I.matrix();
    articulated_[k].p.setConstant(T(0));
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) eliminate<Point>(k, q);
}

template <Scalar T>
void TreeDynamics<T>::factorize_mass(std::span<const T> q) {
  if (point_ == ReferencePoint::kCom) {
    factorize_mass_at<ReferencePoint::kCom>(q);
  } else {
    factorize_mass_at<ReferencePoint::kOrigin>(q);
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::solve_mass_at(std::span<const T> q, std::span<const T> phi, std::span<T> x) {
  field_.setConstant(T(0));
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    states_[k].bias.setConstant(T(0));
    articulated_[k].p.setConstant(T(0));
  }
  std::size_t set = phi.size();
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    for (int c = node.q; c < node.q + node.nq; ++c) {
      u_(c) = -la::dot(S_.col(c), articulated_[k].p);
    }
    if (node.euler >= 0) complete_force(node, q, phi[--set]);
    eliminate_force<Point>(k);
  }
  substitute<Point>(x);
}

template <Scalar T>
void TreeDynamics<T>::solve_mass(std::span<const T> q, std::span<const T> b, std::span<const T> phi,
                                 std::span<T> x) {
  tau_ = Eigen::Map<const VecXT<T>>(b.data(), nq());
  if (point_ == ReferencePoint::kCom) {
    solve_mass_at<ReferencePoint::kCom>(q, phi, x);
  } else {
    solve_mass_at<ReferencePoint::kOrigin>(q, phi, x);
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
    positions<ReferencePoint::kCom>(q);
  } else {
    positions<ReferencePoint::kOrigin>(q);
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix(std::span<const T> q, Matrix& M) {
  // One common point needs no shifts. It is the world origin, or for joint-com a place of the
  // mechanism itself, so that its distance from the origin costs no digits.
  if (point_ == ReferencePoint::kCom && !nodes_.empty()) common_ = first_place(q);
  mass_matrix_at(q, M);
  common_.setConstant(T(0));
}

template <Scalar T>
void TreeDynamics<T>::accelerations(T t, std::span<const T> q, std::span<const T> v,
                                    std::span<T> a) {
  if (point_ == ReferencePoint::kCom) {
    accelerations_at<ReferencePoint::kCom>(t, q, v, a);
  } else {
    accelerations_at<ReferencePoint::kOrigin>(t, q, v, a);
  }
}

template <Scalar T>
T TreeDynamics<T>::kinetic_energy() const {
  T energy(0);
  for (const State& s : states_) energy += la::dot(s.V, s.I * s.V);
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
  for (const State& s : states_) {
    const Twist<T> h = s.I * s.V;
    sum += h.template head<3>() + cross(s.o, h.template tail<3>());
  }
  return sum;
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad
