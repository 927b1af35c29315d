#include "kinegrad/tree/residual.hpp"

#include "tree/body_forces.hpp"

namespace kinegrad {

namespace {

/// Root to leaves: A of [D-4] and f of [D-5].
template <ReferencePoint Point, Scalar T>
[[gnu::always_inline]] inline void body_forces(const TreeParameters<T>& tree,
                                               const TreeLoads<T>& loads, std::span<const T> a,
                                               TreeMotion<T>& motion, TransmittedForces<T>& F) {
  const Halves<T> ground(Triple<T>::zero(), -Triple<T>(motion.field));  // it falls upwards: A − G
  Halves<T> A = ground;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    BodyMotion<T>& s = motion.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) {
      A = node.parent < 0 ? ground : Halves<T>(motion.body(node.parent).A);
    }
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(motion.S.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
    Halves<T> f = gyroscopic_force<Point>(s.I, Halves<T>(s.V));
    f += momentum<Point>(s.I, A);
    f += Halves<T>(loads.F[k]);  // with the opposite sign
    f.store(F[k]);
  }
}

template <ReferencePoint Point, Scalar T>
void residual_at(const TreeParameters<T>& tree, const TreeLoads<T>& loads, std::span<const T> a,
                 TreeMotion<T>& motion, TransmittedForces<T>& F, std::span<T> r) {
  body_forces<Point>(tree, loads, a, motion, F);
  Halves<T> next = Halves<T>::zero();
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const TreeBody<T>& node = tree.nodes[k];
    Halves<T> f(F[k]);
    if (node.run) f += next;
    for (int i = node.q; i < node.q + node.nq; ++i) {
      r[static_cast<std::size_t>(i)] = power(Halves<T>(motion.S.col(i)), f) - loads.tau(i);
    }
    if constexpr (Point == ReferencePoint::kCom) {
      if (node.parent >= 0) f.shift_back(Triple<T>(motion.bodies[k].d));
    }
    f.store(F[k]);  // f_Σ at the parent's reference point
    if (node.parent < 0) continue;
    if (node.parent == static_cast<int>(k) - 1) {
      next = f;
    } else {
      Twist<T>& parent = F[static_cast<std::size_t>(node.parent)];
      f += Halves<T>(parent);
      f.store(parent);
    }
  }
}

}  // namespace

template <Scalar T>
void residual(const TreeParameters<T>& tree, const TreeLoads<T>& loads, std::span<const T> a,
              TreeMotion<T>& motion, TransmittedForces<T>& f, std::span<T> r) {
  if (tree.point == ReferencePoint::kCom) {
    residual_at<ReferencePoint::kCom>(tree, loads, a, motion, f, r);
  } else {
    residual_at<ReferencePoint::kOrigin>(tree, loads, a, motion, f, r);
  }
}

template <Scalar T>
Twist<T> transmitted(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                     const TransmittedForces<T>& f, int node, const Vec3T<T>& at) {
  const int parent = tree.node(node).parent;
  const Vec3T<T>& from = motion.body(parent < 0 ? node : parent).o;
  Twist<T> F = f[static_cast<std::size_t>(node)];
  shift_force_back<T>(F, (from - at).eval());
  return F;
}

#define KINEGRAD_INSTANTIATE(T)                                                             \
  template void residual(const TreeParameters<T>&, const TreeLoads<T>&, std::span<const T>, \
                         TreeMotion<T>&, TransmittedForces<T>&, std::span<T>);              \
  template Twist<T> transmitted(const TreeParameters<T>&, const TreeMotion<T>&,             \
                                const TransmittedForces<T>&, int, const Vec3T<T>&)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
