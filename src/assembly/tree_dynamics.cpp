#include "kinegrad/assembly/tree_dynamics.hpp"

#include "assembly/body_forces.hpp"
#include "kinegrad/ports/all.hpp"

namespace kinegrad {

using la::cross;

template <Scalar T>
TreeDynamics<T>::TreeDynamics(const Model& model, ReferencePoint point, TriadInertia inertia)
    : model_(model),
      tree_(model, point, inertia),
      motion_(tree_),
      expressions_(model),
      articulated_(tree_.nodes.size()),
      composite_(tree_.nodes.size()) {
  const int n = model.nq();
  factors_.U.resize(6, n);
  S_rows_.resize(n, 6);
  factors_.D_inverse.resize(n, kMaxJointCoordinates);
  tau_.resize(n);
  u_.resize(n);
  factors_.kappa.resize(n);
  turns_.resize(static_cast<std::size_t>(n));
  ground_.setConstant(T(0));
  for (const Force& force : model.forces()) ports_.push_back(make_port<T>(force));
}

template <Scalar T>
void TreeDynamics<T>::set_parameters(std::span<const T> p) {
  tree_.set(p);
  for (const auto& port : ports_) port->place(tree_);
  expressions_.place(tree_);
}

/// Where the first body of the tree is: the origin of its frame M.
template <Scalar T>
Vec3T<T> TreeDynamics<T>::first_place(std::span<const T> q) const {
  const Node& node = tree_.nodes[0];
  if (node.simple == SimpleMotion::kTurn) return node.p_PF;
  if (node.simple == SimpleMotion::kShift) {
    return node.p_PF + node.R_PF.col(2) * q[static_cast<std::size_t>(node.q)];
  }
  const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
  return node.p_PF + node.R_PF * node.joint->pose(qj).p;
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::residual_at(T t, std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a, std::span<T> r) {
  move<Point, true>(q, v);
  applied_forces(t, q, v);
  const Halves<T> ground(Triple<T>::zero(), -Triple<T>(motion_.field));  // it falls upwards: A − G
  Halves<T> A = ground;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Node& node = tree_.nodes[k];
    State& s = motion_.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) {
      A = node.parent < 0 ? ground
                          : Halves<T>(motion_.bodies[static_cast<std::size_t>(node.parent)].A);
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(motion_.S.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
    // [D-5]; f is gathered in F, where applied forces are with the opposite sign
    Halves<T> f = gyroscopic_force<Point>(s.I, Halves<T>(s.V));
    f += momentum<Point>(s.I, A);
    f += Halves<T>(s.F);
    f.store(s.F);
  }
  Halves<T> next = Halves<T>::zero();
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const Node& node = tree_.nodes[k];
    Halves<T> f(motion_.bodies[k].F);
    if (node.run) f += next;
    for (int i = node.q; i < node.q + node.nq; ++i) {
      r[static_cast<std::size_t>(i)] = power(Halves<T>(motion_.S.col(i)), f) - tau_(i);
    }
    if constexpr (Point == ReferencePoint::kCom) {
      if (node.parent >= 0) f.shift_back(Triple<T>(motion_.bodies[k].d));
    }
    f.store(motion_.bodies[k].F);  // f_Σ, where it is handed on: at the parent's reference point
    if (node.parent < 0) continue;
    if (node.parent == static_cast<int>(k) - 1) {
      next = f;
    } else {
      State& parent = motion_.bodies[static_cast<std::size_t>(node.parent)];
      f += Halves<T>(parent.F);
      f.store(parent.F);
    }
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix_at(std::span<const T> q, Matrix& M) {
  move<ReferencePoint::kOrigin, false>(q, {});
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) composite_[k] = motion_.bodies[k].I;
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const int parent = tree_.nodes[k].parent;
    if (parent >= 0) composite_[static_cast<std::size_t>(parent)] += composite_[k];
  }
  M.template triangularView<Eigen::Upper>().setZero();
  S_rows_ = motion_.S.transpose();
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Node& node = tree_.nodes[k];
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Twist<T> F = composite_[k] * motion_.S.col(i);
      for (int b = 0; b <= c; ++b) M(node.q + b, i) = la::dot(motion_.S.col(node.q + b), F);
      // straight runs of ancestors have contiguous columns
      for (int j = node.parent; j >= 0;) {
        const Node& last = tree_.nodes[static_cast<std::size_t>(j)];
        const int start = tree_.run_start[static_cast<std::size_t>(j)];
        const Node& first = tree_.nodes[static_cast<std::size_t>(start)];
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
  if (tree_.point == ReferencePoint::kCom) {
    residual_at<ReferencePoint::kCom>(t, q, v, a, r);
  } else {
    residual_at<ReferencePoint::kOrigin>(t, q, v, a, r);
  }
}

template <Scalar T>
Twist<T> TreeDynamics<T>::transmitted(int node, const Vec3T<T>& at) const {
  const State& s = motion_.bodies[static_cast<std::size_t>(node)];
  const int parent = tree_.nodes[static_cast<std::size_t>(node)].parent;
  // the sweep left f_Σ where it handed it on: at the parent's reference point
  const Vec3T<T>& from = parent < 0 ? s.o : motion_.bodies[static_cast<std::size_t>(parent)].o;
  Twist<T> F = s.F;
  shift_force_back<T>(F, (from - at).eval());
  return F;
}

template <Scalar T>
void TreeDynamics<T>::place_bodies(std::span<const T> q) {
  if (tree_.point == ReferencePoint::kCom) {
    move<ReferencePoint::kCom, false>(q, {});
  } else {
    move<ReferencePoint::kOrigin, false>(q, {});
  }
}

/// A of [D-4] for all bodies, after motion().
template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::accelerate(std::span<const T> a) {
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Node& node = tree_.nodes[k];
    State& s = motion_.bodies[k];
    Halves<T> A = node.parent < 0
                      ? Halves<T>(Triple<T>::zero(), -Triple<T>(motion_.field))
                      : Halves<T>(motion_.bodies[static_cast<std::size_t>(node.parent)].A);
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(motion_.S.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
  }
}

template <Scalar T>
void TreeDynamics<T>::move_bodies(std::span<const T> q, std::span<const T> v,
                                  std::span<const T> a) {
  if (tree_.point == ReferencePoint::kCom) {
    move<ReferencePoint::kCom, true>(q, v);
    accelerate<ReferencePoint::kCom>(a);
  } else {
    move<ReferencePoint::kOrigin, true>(q, v);
    accelerate<ReferencePoint::kOrigin>(a);
  }
}

template <Scalar T>
void TreeDynamics<T>::mass_matrix(std::span<const T> q, Matrix& M) {
  // One common point needs no shifts. It is the world origin, or for joint-com a place of the
  // mechanism itself, so that its distance from the origin costs no digits.
  if (tree_.point == ReferencePoint::kCom && !tree_.nodes.empty()) ground_ = -first_place(q);
  mass_matrix_at(q, M);
  ground_.setConstant(T(0));
}

template <Scalar T>
T TreeDynamics<T>::kinetic_energy() const {
  T energy(0);
  for (std::size_t k = 0; k < motion_.bodies.size(); ++k) {
    if (tree_.nodes[k].auxiliary) continue;
    energy += la::dot(motion_.bodies[k].V, motion_.bodies[k].I * motion_.bodies[k].V);
  }
  return energy * T(0.5);
}

template <Scalar T>
Vec3T<T> TreeDynamics<T>::linear_momentum() const {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (const State& s : motion_.bodies) sum += (s.I * s.V).template tail<3>();
  return sum;
}

template <Scalar T>
Vec3T<T> TreeDynamics<T>::angular_momentum() const {
  Vec3T<T> sum = Vec3T<T>::Constant(T(0));
  for (std::size_t k = 0; k < motion_.bodies.size(); ++k) {
    if (tree_.nodes[k].auxiliary) continue;
    const Twist<T> h = motion_.bodies[k].I * motion_.bodies[k].V;
    sum += h.template head<3>() + cross(motion_.bodies[k].o, h.template tail<3>());
  }
  return sum;
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad
