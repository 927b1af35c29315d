#include "kinegrad/tree/articulated_bodies.hpp"

#include <Eigen/LU>

#include "tree/body_forces.hpp"

namespace kinegrad {

namespace {

/// U = I S, D = SᵀU (completed), I_a = I − U D⁻¹Uᵀ [D-8].
template <int N, Scalar T>
void eliminate_columns(const TreeBody<T>& node, const TreeMotion<T>& motion, std::span<const T> q,
                       ArticulatedBodies<T>& w, ArticulatedInertia<T>& inertia) {
  Mat<T, 6, 6> I = inertia.matrix();
  const Mat<T, 6, N> S = motion.S.template middleCols<N>(node.q);
  const Mat<T, 6, N> U = I * S;
  Mat<T, N, N> D = S.transpose() * U;
  if constexpr (N >= 4) {
    if (node.euler >= 0) {
      const int e = node.euler;
      const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + node.q + e);
      const T kappa = D.template block<4, 4>(e, e).trace();
      D.template block<4, 4>(e, e) += p * p.transpose() * kappa;
      w.kappa(node.q + e) = kappa;
    }
  }
  const Mat<T, N, N> Dinv = Eigen::PartialPivLU<Mat<T, N, N>>(D).inverse();
  w.U.template middleCols<N>(node.q) = U;
  w.D_inverse.template block<N, N>(node.q, 0) = Dinv;
  const Mat<T, 6, N> UD = U * Dinv;
  I.noalias() -= UD * U.transpose();
  inertia = ArticulatedInertia<T>(I);
}

/// The elimination of a joint with several columns.
template <Scalar T>
void eliminate_general(const TreeBody<T>& node, const TreeMotion<T>& motion, std::span<const T> q,
                       ArticulatedBodies<T>& w, ArticulatedInertia<T>& I) {
  switch (node.nq) {
    case 0: break;
    case 2: eliminate_columns<2>(node, motion, q, w, I); break;
    case 3: eliminate_columns<3>(node, motion, q, w, I); break;
    case 4: eliminate_columns<4>(node, motion, q, w, I); break;
    case 5: eliminate_columns<5>(node, motion, q, w, I); break;
    case 6: eliminate_columns<6>(node, motion, q, w, I); break;
    default: eliminate_columns<7>(node, motion, q, w, I); break;
  }
}

/// Eliminates a joint from the inertia I beyond it, which becomes I_a [D-8].
template <Scalar T>
[[gnu::always_inline]] inline void eliminate(const TreeBody<T>& node, const TreeMotion<T>& motion,
                                             std::span<const T> q, ArticulatedBodies<T>& w,
                                             ArticulatedInertia<T>& I) {
  if (node.nq != 1) return eliminate_general(node, motion, q, w, I);
  const Halves<T> S(motion.S.col(node.q));
  const Halves<T> U = I * S;
  const T D_inverse = T(1) / power(S, U);
  w.D_inverse(node.q, 0) = D_inverse;
  U.store(w.U.col(node.q));
  I.eliminate(U, D_inverse);
}

/// The force on a set of Euler parameters: its part along p does no work and gives way to −κ φ p.
template <Scalar T>
void complete_force(const TreeBody<T>& node, std::span<const T> q, const T& phi,
                    ArticulatedBodies<T>& w) {
  const int e = node.q + node.euler;
  const Vec<T, 4> p = Eigen::Map<const Vec<T, 4>>(q.data() + e);
  const T along = la::dot(p, w.tau.template segment<4>(e)) / la::squared_norm(p);
  w.tau.template segment<4>(e) -= p * (along + w.kappa(e) * phi);
}

/// u = τ − Sᵀp; p becomes p + U D⁻¹u [D-8].
template <Scalar T>
[[gnu::always_inline]] inline void eliminate_force(const TreeBody<T>& node,
                                                   const TreeMotion<T>& motion,
                                                   ArticulatedBodies<T>& w, Halves<T>& p) {
  if (node.nq == 1) {
    const int i = node.q;
    const T u = w.tau(i) - power(Halves<T>(motion.S.col(i)), p);
    w.u(i) = u;
    p.add(Halves<T>(w.U.col(i)), w.D_inverse(i, 0) * u);
    return;
  }
  for (int i = node.q; i < node.q + node.nq; ++i) {
    w.u(i) = w.tau(i) - power(Halves<T>(motion.S.col(i)), p);
  }
  for (int c = 0; c < node.nq; ++c) {
    T x(0);
    for (int b = 0; b < node.nq; ++b) x += w.D_inverse(node.q + c, b) * w.u(node.q + b);
    p.add(Halves<T>(w.U.col(node.q + c)), x);
  }
}

/// a = D⁻¹(u − UᵀA) of one joint; A becomes A + S a.
template <Scalar T>
[[gnu::always_inline]] inline void substitute_joint(const TreeBody<T>& node,
                                                    const TreeMotion<T>& motion,
                                                    const ArticulatedBodies<T>& w, Halves<T>& A,
                                                    std::span<T> a) {
  const auto set = [&](int i, const T& x) {
    a[static_cast<std::size_t>(i)] = x;
    A.add(Halves<T>(motion.S.col(i)), x);
  };
  if (node.nq == 1) {
    const int i = node.q;
    set(i, w.D_inverse(i, 0) * (w.u(i) - power(Halves<T>(w.U.col(i)), A)));
    return;
  }
  JointVector<T> rest(node.nq);
  for (int c = 0; c < node.nq; ++c) {
    rest(c) = w.u(node.q + c) - power(Halves<T>(w.U.col(node.q + c)), A);
  }
  for (int c = 0; c < node.nq; ++c) {
    T x(0);
    for (int b = 0; b < node.nq; ++b) x += w.D_inverse(node.q + c, b) * rest(b);
    set(node.q + c, x);
  }
}

/// Root to leaves: a = D⁻¹(u − UᵀA), A = A_h + c + S a.
template <ReferencePoint Point, Scalar T>
void substitute_moving(const TreeParameters<T>& tree, const ArticulatedBodies<T>& w,
                       TreeMotion<T>& motion, std::span<T> a) {
  const Halves<T> ground(Triple<T>::zero(), -Triple<T>(motion.field));  // it falls upwards
  Halves<T> A = ground;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    BodyMotion<T>& s = motion.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) {
      A = node.parent < 0 ? ground : Halves<T>(motion.body(node.parent).A);
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    substitute_joint(node, motion, w, A, a);
    A.store(s.A);
  }
}

/// The same at rest, c = 0: the accelerations of the motion stay what they are, and forks keep A where they
/// had collected p.
template <ReferencePoint Point, Scalar T>
void substitute_at_rest(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                        ArticulatedBodies<T>& w, std::span<T> a) {
  Halves<T> A = Halves<T>::zero();
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    if (node.parent != static_cast<int>(k) - 1) {
      A = node.parent < 0 ? Halves<T>::zero() : w.forks[static_cast<std::size_t>(node.parent)].p;
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(motion.bodies[k].d));
    substitute_joint(node, motion, w, A, a);
    if (node.fork) w.forks[k].p = A;
  }
}

/// Adds to a body's own share x what the bodies beyond have left: `next` that of node k + 1.
template <typename Share, Scalar T>
[[gnu::always_inline]] inline void accumulate(const TreeParameters<T>& tree,
                                              const ArticulatedBodies<T>& w, std::size_t k,
                                              Share ArticulatedShare<T>::*share, const Share& next,
                                              Share& x) {
  if (tree.nodes[k].run) x += next;
  if (tree.nodes[k].fork) x += w.forks[k].*share;
}

/// Leaves x for the parent.
template <typename Share, Scalar T>
[[gnu::always_inline]] inline void propagate(const TreeParameters<T>& tree, ArticulatedBodies<T>& w,
                                             std::size_t k, Share ArticulatedShare<T>::*share,
                                             const Share& x, Share& next) {
  const int parent = tree.nodes[k].parent;
  if (parent == static_cast<int>(k) - 1) {
    next = x;
  } else if (parent >= 0) {
    w.forks[static_cast<std::size_t>(parent)].*share += x;
  }
}

/// [D-8] for a joint with one column, in the order that waits least: I and p are taken back to the
/// parent while D is still on its way, and what D divides is subtracted there [D-10].
template <ReferencePoint Point, Scalar T>
[[gnu::always_inline]] inline void eliminate_one(const TreeBody<T>& node,
                                                 const TreeMotion<T>& motion,
                                                 const BodyMotion<T>& s, ArticulatedBodies<T>& w,
                                                 ArticulatedInertia<T>& I, Halves<T>& p) {
  const int i = node.q;
  const Halves<T> S(motion.S.col(i)), c(s.bias);
  Halves<T> U = I * S;
  const T D_inverse = T(1) / power(S, U);
  const T u = w.tau(i) - power(S, p);
  const T rest = u - power(U, c);  // p + I_a c + U D⁻¹u = p + I c + U D⁻¹(u − Uᵀc)
  p += I * c;
  U.store(w.U.col(i));
  w.u(i) = u;
  w.D_inverse(i, 0) = D_inverse;
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
template <ReferencePoint Point, Scalar T>
[[gnu::noinline]] void eliminate_joint(const TreeBody<T>& node, const TreeMotion<T>& motion,
                                       const BodyMotion<T>& s, std::span<const T> q,
                                       std::span<const T> v, ArticulatedBodies<T>& w,
                                       ArticulatedInertia<T>& I, Halves<T>& p) {
  eliminate(node, motion, q, w, I);
  if (node.euler >= 0) {
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + node.q + node.euler);
    complete_force(node, q, la::squared_norm(pdot), w);
  }
  eliminate_force(node, motion, w, p);
  p += I * Halves<T>(s.bias);
  if constexpr (Point == ReferencePoint::kCom) {
    I.shift_back(Triple<T>(s.d));
    p.shift_back(Triple<T>(s.d));
  }
}

template <Scalar T>
void clear_forks(const TreeParameters<T>& tree, ArticulatedBodies<T>& w) {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    if (!tree.nodes[k].fork) continue;
    w.forks[k] = {ArticulatedInertia<T>::zero(), Halves<T>::zero()};
  }
}

template <ReferencePoint Point, Scalar T>
void accelerations_at(const TreeParameters<T>& tree, const TreeLoads<T>& loads,
                      std::span<const T> q, std::span<const T> v, TreeMotion<T>& motion,
                      ArticulatedBodies<T>& w, std::span<T> a) {
  w.tau = loads.tau;
  clear_forks(tree, w);
  ArticulatedShare<T> next{ArticulatedInertia<T>::zero(), Halves<T>::zero()};
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const TreeBody<T>& node = tree.nodes[k];
    const BodyMotion<T>& s = motion.bodies[k];
    ArticulatedInertia<T> I(s.I);
    Halves<T> p = gyroscopic_force<Point>(s.I, Halves<T>(s.V));
    p += Halves<T>(loads.F[k]);
    accumulate(tree, w, k, &ArticulatedShare<T>::I, next.I, I);
    accumulate(tree, w, k, &ArticulatedShare<T>::p, next.p, p);
    if (node.nq == 1) {
      eliminate_one<Point>(node, motion, s, w, I, p);
    } else {
      eliminate_joint<Point>(node, motion, s, q, v, w, I, p);
    }
    propagate(tree, w, k, &ArticulatedShare<T>::p, p, next.p);
    propagate(tree, w, k, &ArticulatedShare<T>::I, I, next.I);
  }
  substitute_moving<Point>(tree, w, motion, a);
}

template <ReferencePoint Point, Scalar T>
void factorize_mass_at(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                       std::span<const T> q, ArticulatedBodies<T>& w) {
  clear_forks(tree, w);
  ArticulatedInertia<T> next = ArticulatedInertia<T>::zero();
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    ArticulatedInertia<T> I(motion.bodies[k].I);
    accumulate(tree, w, k, &ArticulatedShare<T>::I, next, I);
    eliminate(tree.nodes[k], motion, q, w, I);
    if constexpr (Point == ReferencePoint::kCom) I.shift_back(Triple<T>(motion.bodies[k].d));
    propagate(tree, w, k, &ArticulatedShare<T>::I, I, next);
  }
}

template <ReferencePoint Point, Scalar T>
void solve_mass_at(const TreeParameters<T>& tree, const TreeMotion<T>& motion, std::span<const T> q,
                   std::span<const T> phi, ArticulatedBodies<T>& w, std::span<T> x) {
  clear_forks(tree, w);
  std::size_t set = phi.size();
  Halves<T> next = Halves<T>::zero();
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const TreeBody<T>& node = tree.nodes[k];
    Halves<T> p = Halves<T>::zero();
    accumulate(tree, w, k, &ArticulatedShare<T>::p, next, p);
    if (node.euler >= 0) complete_force(node, q, phi[--set], w);
    eliminate_force(node, motion, w, p);
    if constexpr (Point == ReferencePoint::kCom) p.shift_back(Triple<T>(motion.bodies[k].d));
    propagate(tree, w, k, &ArticulatedShare<T>::p, p, next);
  }
  substitute_at_rest<Point>(tree, motion, w, x);
}

}  // namespace

template <Scalar T>
void accelerations(const TreeParameters<T>& tree, const TreeLoads<T>& loads, std::span<const T> q,
                   std::span<const T> v, TreeMotion<T>& motion, ArticulatedBodies<T>& articulated,
                   std::span<T> a) {
  if (tree.point == ReferencePoint::kCom) {
    accelerations_at<ReferencePoint::kCom>(tree, loads, q, v, motion, articulated, a);
  } else {
    accelerations_at<ReferencePoint::kOrigin>(tree, loads, q, v, motion, articulated, a);
  }
}

template <Scalar T>
void factorize_mass(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                    std::span<const T> q, ArticulatedBodies<T>& articulated) {
  if (tree.point == ReferencePoint::kCom) {
    factorize_mass_at<ReferencePoint::kCom>(tree, motion, q, articulated);
  } else {
    factorize_mass_at<ReferencePoint::kOrigin>(tree, motion, q, articulated);
  }
}

template <Scalar T>
void solve_mass(const TreeParameters<T>& tree, const TreeMotion<T>& motion, std::span<const T> q,
                std::span<const T> b, std::span<const T> phi, ArticulatedBodies<T>& articulated,
                std::span<T> x) {
  articulated.tau = Eigen::Map<const VecXT<T>>(b.data(), static_cast<Eigen::Index>(b.size()));
  if (tree.point == ReferencePoint::kCom) {
    solve_mass_at<ReferencePoint::kCom>(tree, motion, q, phi, articulated, x);
  } else {
    solve_mass_at<ReferencePoint::kOrigin>(tree, motion, q, phi, articulated, x);
  }
}

#define KINEGRAD_INSTANTIATE(T)                                                                    \
  template void accelerations(const TreeParameters<T>&, const TreeLoads<T>&, std::span<const T>,   \
                              std::span<const T>, TreeMotion<T>&, ArticulatedBodies<T>&,           \
                              std::span<T>);                                                       \
  template void factorize_mass(const TreeParameters<T>&, const TreeMotion<T>&, std::span<const T>, \
                               ArticulatedBodies<T>&);                                             \
  template void solve_mass(const TreeParameters<T>&, const TreeMotion<T>&, std::span<const T>,     \
                           std::span<const T>, std::span<const T>, ArticulatedBodies<T>&,          \
                           std::span<T>)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
