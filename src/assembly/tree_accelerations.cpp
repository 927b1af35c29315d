// Accelerations in O(n) by articulated bodies [D-8], and M⁻¹ by the same elimination.
#include <Eigen/LU>

#include "assembly/body_forces.hpp"
#include "kinegrad/assembly/tree_dynamics.hpp"

namespace kinegrad {

/// U = I S, D = SᵀU (completed), I_a = I − U D⁻¹Uᵀ [D-8].
template <Scalar T>
template <int N>
void TreeDynamics<T>::eliminate_columns(const Node& node, ArticulatedInertia<T>& inertia,
                                        std::span<const T> q) {
  Mat<T, 6, 6> I = inertia.matrix();
  const Mat<T, 6, N> S = motion_.S.template middleCols<N>(node.q);
  const Mat<T, 6, N> U = I * S;
  Mat<T, N, N> D = S.transpose() * U;
  if constexpr (N >= 4) {
    if (node.euler >= 0) {
      const int e = node.euler;
      const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + node.q + e);
      const T kappa = D.template block<4, 4>(e, e).trace();
      D.template block<4, 4>(e, e) += p * p.transpose() * kappa;
      factors_.kappa(node.q + e) = kappa;
    }
  }
  const Mat<T, N, N> Dinv = Eigen::PartialPivLU<Mat<T, N, N>>(D).inverse();
  factors_.U.template middleCols<N>(node.q) = U;
  factors_.D_inverse.template block<N, N>(node.q, 0) = Dinv;
  const Mat<T, 6, N> UD = U * Dinv;
  I.noalias() -= UD * U.transpose();
  inertia = ArticulatedInertia<T>(I);
}

/// The elimination of a joint with several columns.
template <Scalar T>
void TreeDynamics<T>::eliminate_general(const Node& node, ArticulatedInertia<T>& I,
                                        std::span<const T> q) {
  switch (node.nq) {
    case 0: break;
    case 2: eliminate_columns<2>(node, I, q); break;
    case 3: eliminate_columns<3>(node, I, q); break;
    case 4: eliminate_columns<4>(node, I, q); break;
    case 5: eliminate_columns<5>(node, I, q); break;
    case 6: eliminate_columns<6>(node, I, q); break;
    default: eliminate_columns<7>(node, I, q); break;
  }
}

/// Eliminates a joint from the inertia I beyond it, which becomes I_a [D-8].
template <Scalar T>
[[gnu::always_inline]] inline void TreeDynamics<T>::eliminate(const Node& node,
                                                              ArticulatedInertia<T>& I,
                                                              std::span<const T> q) {
  if (node.nq != 1) return eliminate_general(node, I, q);
  const Halves<T> S(motion_.S.col(node.q));
  const Halves<T> U = I * S;
  const T D_inverse = T(1) / power(S, U);
  factors_.D_inverse(node.q, 0) = D_inverse;
  U.store(factors_.U.col(node.q));
  I.eliminate(U, D_inverse);
}

/// The force on a set of Euler parameters: its part along p does no work and gives way to −κ φ p.
template <Scalar T>
void TreeDynamics<T>::complete_force(const Node& node, std::span<const T> q, const T& phi) {
  const int e = node.q + node.euler;
  const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + e);
  const T along = la::dot(p, tau_.template segment<4>(e)) / la::squared_norm(p);
  tau_.template segment<4>(e) -= p * (along + factors_.kappa(e) * phi);
}

/// u = τ − Sᵀp; p becomes p + U D⁻¹u [D-8].
template <Scalar T>
[[gnu::always_inline]] inline void TreeDynamics<T>::eliminate_force(const Node& node,
                                                                    Halves<T>& p) {
  if (node.nq == 1) {
    const int i = node.q;
    const T u = tau_(i) - power(Halves<T>(motion_.S.col(i)), p);
    u_(i) = u;
    p.add(Halves<T>(factors_.U.col(i)), factors_.D_inverse(i, 0) * u);
    return;
  }
  for (int i = node.q; i < node.q + node.nq; ++i) {
    u_(i) = tau_(i) - power(Halves<T>(motion_.S.col(i)), p);
  }
  for (int c = 0; c < node.nq; ++c) {
    T x(0);
    for (int b = 0; b < node.nq; ++b) x += factors_.D_inverse(node.q + c, b) * u_(node.q + b);
    p.add(Halves<T>(factors_.U.col(node.q + c)), x);
  }
}

/// a = D⁻¹(u − UᵀA) of one joint; A becomes A + S a.
template <Scalar T>
[[gnu::always_inline]] inline void TreeDynamics<T>::substitute_joint(const Node& node, Halves<T>& A,
                                                                     std::span<T> a) const {
  const auto set = [&](int i, const T& x) {
    a[static_cast<std::size_t>(i)] = x;
    A.add(Halves<T>(motion_.S.col(i)), x);
  };
  if (node.nq == 1) {
    const int i = node.q;
    set(i, factors_.D_inverse(i, 0) * (u_(i) - power(Halves<T>(factors_.U.col(i)), A)));
    return;
  }
  JointVector<T> rest(node.nq);
  for (int c = 0; c < node.nq; ++c) {
    rest(c) = u_(node.q + c) - power(Halves<T>(factors_.U.col(node.q + c)), A);
  }
  for (int c = 0; c < node.nq; ++c) {
    T x(0);
    for (int b = 0; b < node.nq; ++b) x += factors_.D_inverse(node.q + c, b) * rest(b);
    set(node.q + c, x);
  }
}

/// Root to leaves: a = D⁻¹(u − UᵀA), A = A_h + c + S a. At rest c = 0, and the accelerations of the state
/// stay what they are: forks keep A where they had gathered p.
template <Scalar T>
template <ReferencePoint Point, bool Moving>
void TreeDynamics<T>::substitute(const Halves<T>& ground, std::span<T> a) {
  Halves<T> A = ground;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Node& node = tree_.nodes[k];
    State& s = motion_.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) {
      const auto parent = static_cast<std::size_t>(node.parent);
      A = node.parent < 0 ? ground
          : Moving        ? Halves<T>(motion_.bodies[parent].A)
                          : articulated_[parent].p;
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    if constexpr (Moving) A += Halves<T>(s.bias);
    substitute_joint(node, A, a);
    if constexpr (Moving) {
      A.store(s.A);
    } else if (node.fork) {
      articulated_[k].p = A;
    }
  }
}

/// Adds to a body's own share x what the bodies beyond have left: `next` that of node k + 1.
template <Scalar T>
template <typename Share>
[[gnu::always_inline]] inline void TreeDynamics<T>::gather(std::size_t k, Share Articulated::*share,
                                                           const Share& next, Share& x) const {
  if (tree_.nodes[k].run) x += next;
  if (tree_.nodes[k].fork) x += articulated_[k].*share;
}

/// Leaves x for the parent.
template <Scalar T>
template <typename Share>
[[gnu::always_inline]] inline void TreeDynamics<T>::hand_over(std::size_t k,
                                                              Share Articulated::*share,
                                                              const Share& x, Share& next) {
  const int parent = tree_.nodes[k].parent;
  if (parent == static_cast<int>(k) - 1) {
    next = x;
  } else if (parent >= 0) {
    articulated_[static_cast<std::size_t>(parent)].*share += x;
  }
}

/// [D-8] for a joint with one column, in the order that waits least: I and p are taken back to the
/// parent while D is still on its way, and what D divides is subtracted there [D-10].
template <Scalar T>
template <ReferencePoint Point>
[[gnu::always_inline]] inline void TreeDynamics<T>::eliminate_one(const Node& node, const State& s,
                                                                  ArticulatedInertia<T>& I,
                                                                  Halves<T>& p) {
  const int i = node.q;
  const Halves<T> S(motion_.S.col(i)), c(s.bias);
  Halves<T> U = I * S;
  const T D_inverse = T(1) / power(S, U);
  const T u = tau_(i) - power(S, p);
  const T rest = u - power(U, c);  // p + I_a c + U D⁻¹u = p + I c + U D⁻¹(u − Uᵀc)
  p += I * c;
  U.store(factors_.U.col(i));
  u_(i) = u;
  factors_.D_inverse(i, 0) = D_inverse;
  if constexpr (Point == ReferencePoint::kCom) {
    const Triple<T> d(s.d);
    I.shift_back(d);
    U.shift_back(d);
    p.shift_back(d);
  }
  I.eliminate(U, D_inverse);
  p.add(U, D_inverse * rest);
}

/// [D-8] for any joint.
template <Scalar T>
template <ReferencePoint Point>
[[gnu::noinline]] void TreeDynamics<T>::eliminate_joint(const Node& node, const State& s,
                                                        std::span<const T> q, std::span<const T> v,
                                                        ArticulatedInertia<T>& I, Halves<T>& p) {
  eliminate(node, I, q);
  if (node.euler >= 0) {
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + node.q + node.euler);
    complete_force(node, q, la::squared_norm(pdot));
  }
  eliminate_force(node, p);
  p += I * Halves<T>(s.bias);
  if constexpr (Point == ReferencePoint::kCom) {
    I.shift_back(Triple<T>(s.d));
    p.shift_back(Triple<T>(s.d));
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::accelerations_at(T t, std::span<const T> q, std::span<const T> v,
                                       std::span<T> a) {
  move<Point, true>(q, v);
  applied_forces(t, q, v);
  clear_forks();
  Articulated next{ArticulatedInertia<T>::zero(), Halves<T>::zero()};
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const Node& node = tree_.nodes[k];
    const State& s = motion_.bodies[k];
    ArticulatedInertia<T> I(s.I);
    Halves<T> p = gyroscopic_force<Point>(s.I, Halves<T>(s.V));
    p += Halves<T>(s.F);
    gather(k, &Articulated::I, next.I, I);
    gather(k, &Articulated::p, next.p, p);
    if (node.nq == 1) {
      eliminate_one<Point>(node, s, I, p);
    } else {
      eliminate_joint<Point>(node, s, q, v, I, p);
    }
    hand_over(k, &Articulated::p, p, next.p);
    hand_over(k, &Articulated::I, I, next.I);
  }
  substitute<Point, true>({Triple<T>::zero(), -Triple<T>(motion_.field)},
                          a);  // the ground falls upwards
}

template <Scalar T>
void TreeDynamics<T>::clear_forks() {
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    if (!tree_.nodes[k].fork) continue;
    articulated_[k] = {ArticulatedInertia<T>::zero(), Halves<T>::zero()};
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::factorize_mass_at(std::span<const T> q) {
  move<Point, false>(q, {});
  clear_forks();
  ArticulatedInertia<T> next = ArticulatedInertia<T>::zero();
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    ArticulatedInertia<T> I(motion_.bodies[k].I);
    gather(k, &Articulated::I, next, I);
    eliminate(tree_.nodes[k], I, q);
    if constexpr (Point == ReferencePoint::kCom) I.shift_back(Triple<T>(motion_.bodies[k].d));
    hand_over(k, &Articulated::I, I, next);
  }
}

template <Scalar T>
template <ReferencePoint Point>
void TreeDynamics<T>::solve_mass_at(std::span<const T> q, std::span<const T> phi, std::span<T> x) {
  clear_forks();
  std::size_t set = phi.size();
  Halves<T> next = Halves<T>::zero();
  for (std::size_t k = tree_.nodes.size(); k-- > 0;) {
    const Node& node = tree_.nodes[k];
    Halves<T> p = Halves<T>::zero();
    gather(k, &Articulated::p, next, p);
    if (node.euler >= 0) complete_force(node, q, phi[--set]);
    eliminate_force(node, p);
    if constexpr (Point == ReferencePoint::kCom) p.shift_back(Triple<T>(motion_.bodies[k].d));
    hand_over(k, &Articulated::p, p, next);
  }
  substitute<Point, false>(Halves<T>::zero(), x);
}

template <Scalar T>
void TreeDynamics<T>::accelerations(T t, std::span<const T> q, std::span<const T> v,
                                    std::span<T> a) {
  if (tree_.point == ReferencePoint::kCom) {
    accelerations_at<ReferencePoint::kCom>(t, q, v, a);
  } else {
    accelerations_at<ReferencePoint::kOrigin>(t, q, v, a);
  }
}

template <Scalar T>
void TreeDynamics<T>::factorize_mass(std::span<const T> q) {
  if (tree_.point == ReferencePoint::kCom) {
    factorize_mass_at<ReferencePoint::kCom>(q);
  } else {
    factorize_mass_at<ReferencePoint::kOrigin>(q);
  }
}

template <Scalar T>
void TreeDynamics<T>::solve_mass(std::span<const T> q, std::span<const T> b, std::span<const T> phi,
                                 std::span<T> x) {
  tau_ = Eigen::Map<const VecXT<T>>(b.data(), nq());
  if (tree_.point == ReferencePoint::kCom) {
    solve_mass_at<ReferencePoint::kCom>(q, phi, x);
  } else {
    solve_mass_at<ReferencePoint::kOrigin>(q, phi, x);
  }
}

template class TreeDynamics<double>;
template class TreeDynamics<Complex>;

}  // namespace kinegrad
