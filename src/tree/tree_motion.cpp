// The sweep from the root to the leaves that all passes start with: poses, reference points, columns,
// world inertias, and with speeds V and the bias c of [D-4].
//
// A body's data stay in local variables until the next body has used them; in a straight run of
// bodies nothing is read back from memory.
#include "kinegrad/tree/tree_motion.hpp"

#include "kinegrad/tree/halves.hpp"
#include "tree/motion_sweep.hpp"

namespace kinegrad {

namespace {

/// The body that the sweep has reached: what those it carries need of it.
template <Scalar T>
struct Front {
  Columns3<T> R;
  Triple<T> r, o;  // r from the common reference point, where there is one
  Halves<T> V;
};

/// What carries node k: the ground, or its parent as the sweep left it.
template <ReferencePoint Point, Scalar T>
Front<T> front_of(const TreeParameters<T>& tree, const TreeMotion<T>& motion,
                  const Triple<T>& ground, std::size_t k) {
  constexpr bool kCom = Point == ReferencePoint::kCom;
  if (tree.nodes[k].parent < 0) {
    return {Columns3<T>::identity(), ground, -ground, Halves<T>::zero()};
  }
  const BodyMotion<T>& s = motion.body(tree.nodes[k].parent);
  return {Columns3<T>(s.R_WM), Triple<T>(kCom ? s.r_WM : s.d), Triple<T>(s.o), Halves<T>(s.V)};
}

/// Origin of F from the carrier's reference point: for centres of mass a vector of the carrier
/// itself, so that the distance from the world's origin costs no digits [D-11].
template <ReferencePoint Point, Scalar T>
[[gnu::always_inline]] inline Triple<T> arm_of(const TreeBody<T>& node, const Front<T>& P) {
  if constexpr (Point == ReferencePoint::kCom) {
    return P.R * Triple<T>(node.p_CF);
  } else {
    return P.r + P.R * Triple<T>(node.p_PF);
  }
}

/// R J Rᵀ, and for the world origin the parallel axes: + m (c·c 1 − ccᵀ) [D-3].
template <ReferencePoint Point, Scalar T>
[[gnu::always_inline]] inline void world_inertia(const TreeBody<T>& node, const Columns3<T>& R,
                                                 const Triple<T>& c, RigidInertia<T>& I) {
  const Columns3<T> K = R * Columns3<T>(node.J);
  const Triple<T> x = Columns3<T>(K) * Triple<T>(R.a.x, R.b.x, R.c.x);
  T yy = K.a.y * R.a.y + K.b.y * R.b.y + K.c.y * R.c.y;
  T yz = K.a.z * R.a.y + K.b.z * R.b.y + K.c.z * R.c.y;
  T zz = K.a.z * R.a.z + K.b.z * R.b.z + K.c.z * R.c.z;
  T xx = x.x, xy = x.y, xz = x.z;
  I.m = node.m;
  if constexpr (Point == ReferencePoint::kCom) {
    I.h.setConstant(T(0));
  } else {
    const Triple<T> h = c * node.m;
    h.store(I.h);
    const T hx = c.x * h.x, hy = c.y * h.y, hz = c.z * h.z;
    xx += hy + hz, yy += hx + hz, zz += hx + hy;
    xy -= c.x * h.y, xz -= c.x * h.z, yz -= c.y * h.z;
  }
  Columns3<T>({xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}).store(I.J);
}

/// Pose, columns and motion of a body on a revolute or prismatic joint; P becomes the body.
template <ReferencePoint Point, bool Speeds, Scalar T>
[[gnu::always_inline]] inline void simple_joint(const TreeBody<T>& node, std::span<const T> q,
                                                std::span<const T> v, TreeMotion<T>& motion,
                                                BodyMotion<T>& s, Front<T>& P) {
  constexpr bool kCom = Point == ReferencePoint::kCom;
  const bool turns = node.simple == SimpleMotion::kTurn;
  const T x = q[static_cast<std::size_t>(node.q)];
  const Triple<T> arm = arm_of<Point>(node, P);
  P.R = P.R * Columns3<T>(node.R_PF);
  const Triple<T> z = P.R.c;
  Triple<T> shift = Triple<T>::zero();
  if (turns) {
    const auto [cosine, sine] = motion.turns[static_cast<std::size_t>(node.q)];
    const Triple<T> e = P.R.a, f = P.R.b;
    P.R.a = e * cosine + f * sine;
    P.R.b = f * cosine - e * sine;
  } else {
    shift = z * x;
  }
  const Triple<T> c = P.R * Triple<T>(node.c);
  const Triple<T> lever = kCom ? shift + c : -arm;  // from F to o
  Triple<T> d;
  if constexpr (kCom) {
    d = arm + lever;
    d.store(s.d);
    P.o += d;
    P.r = P.o - c;
  } else {
    P.r = arm + shift;
  }
  const Halves<T> S = turns ? Halves<T>(z, cross(z, lever)) : Halves<T>(Triple<T>::zero(), z);
  S.store(motion.S.col(node.q));
  world_inertia<Point>(node, P.R, P.r + c, s.I);
  if constexpr (Speeds) {
    const T rate = v[static_cast<std::size_t>(node.q)];
    if constexpr (kCom) P.V.shift_motion(d);
    const Halves<T> Vj{S.w * rate, S.v * rate};
    Halves<T>(cross(P.V.w, Vj.w), cross(P.V.w, Vj.v) + cross(P.V.v, Vj.w)).store(s.bias);
    P.V += Vj;
  }
}

/// The same for a joint of any type.
template <ReferencePoint Point, bool Speeds, Scalar T>
[[gnu::noinline]] void general_joint(const TreeBody<T>& node, std::span<const T> q,
                                     std::span<const T> v, TreeMotion<T>& motion, BodyMotion<T>& s,
                                     Front<T>& P) {
  constexpr bool kCom = Point == ReferencePoint::kCom;
  const JointVector<T> qj = Eigen::Map<const VecXT<T>>(q.data() + node.q, node.nq);
  const Pose<T> X_FM = node.joint->pose(qj);
  const Columns3<T> R_WF = P.R * Columns3<T>(node.R_PF);
  const Triple<T> arm = arm_of<Point>(node, P), shift = R_WF * Triple<T>(X_FM.p);
  P.R = R_WF * Columns3<T>(X_FM.R);
  const Triple<T> c = P.R * Triple<T>(node.c);
  const Triple<T> lever = kCom ? shift + c : -arm;  // from F to o
  Triple<T> d;
  if constexpr (kCom) {
    d = arm + lever;
    d.store(s.d);
    P.o += d;
    P.r = P.o - c;
  } else {
    P.r = arm + shift;
  }
  const auto to_world = [&](const Halves<T>& X) {
    Halves<T> out(R_WF * X.w, R_WF * X.v);
    out.shift_motion(lever);
    return out;
  };
  const JointColumns<T> H = node.joint->motion(qj);
  for (int i = 0; i < node.nq; ++i) {
    to_world(Halves<T>(H.col(i))).store(motion.S.col(node.q + i));
  }
  world_inertia<Point>(node, P.R, P.r + c, s.I);
  if constexpr (Speeds) {
    if constexpr (kCom) P.V.shift_motion(d);
    s.bias.setConstant(T(0));
    if (node.nq == 0) return;
    const JointVector<T> vj = Eigen::Map<const VecXT<T>>(v.data() + node.q, node.nq);
    Halves<T> Vj = Halves<T>::zero();
    for (int i = 0; i < node.nq; ++i) Vj.add(Halves<T>(motion.S.col(node.q + i)), vj(i));
    // S′v: the rate of the columns seen in F, turned into world axes and taken at o
    const Twist<T> rate = node.joint->motion_dot(qj, vj) * vj;
    Halves<T> bias = to_world(Halves<T>(rate));
    bias += {cross(P.V.w, Vj.w), cross(P.V.w, Vj.v) + cross(P.V.v, Vj.w)};
    bias.store(s.bias);
    P.V += Vj;
  }
}

/// All sines and cosines first: in the sweep each would wait for the bodies before.
template <Scalar T>
void turn_joints(const TreeParameters<T>& tree, std::span<const T> q, TreeMotion<T>& motion) {
  using std::cos;
  using std::sin;
  for (const TreeBody<T>& node : tree.nodes) {
    if (node.simple != SimpleMotion::kTurn) continue;
    const auto i = static_cast<std::size_t>(node.q);
    motion.turns[i] = {cos(q[i]), sin(q[i])};
  }
}

}  // namespace

template <ReferencePoint Point, bool Speeds, Scalar T>
void sweep_motion(const TreeParameters<T>& tree, std::span<const T> q, std::span<const T> v,
                  const Vec3T<T>& from_ground, TreeMotion<T>& motion) {
  if (tree.nodes.empty()) return;
  turn_joints(tree, q, motion);
  // bodies with reference points of their own start at the ground itself
  const Triple<T> ground =
      Point == ReferencePoint::kCom ? Triple<T>::zero() : Triple<T>(from_ground);
  Front<T> P = front_of<Point>(tree, motion, ground, 0);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    BodyMotion<T>& s = motion.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) P = front_of<Point>(tree, motion, ground, k);
    if (node.general()) {
      general_joint<Point, Speeds>(node, q, v, motion, s, P);
    } else {
      simple_joint<Point, Speeds>(node, q, v, motion, s, P);
    }
    P.R.store(s.R_WM);
    P.o.store(s.o);
    if constexpr (Point == ReferencePoint::kOrigin) {
      P.r.store(s.d);
      (P.r - ground).store(s.r_WM);
    } else {
      P.r.store(s.r_WM);
    }
    if constexpr (Speeds) P.V.store(s.V);
  }
}

namespace {

template <ReferencePoint Point, Scalar T>
void accelerate_at(const TreeParameters<T>& tree, std::span<const T> a, TreeMotion<T>& motion) {
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<T>& node = tree.nodes[k];
    BodyMotion<T>& s = motion.bodies[k];
    Halves<T> A = node.parent < 0 ? Halves<T>(Triple<T>::zero(), -Triple<T>(motion.field))
                                  : Halves<T>(motion.body(node.parent).A);
    if constexpr (Point == ReferencePoint::kCom) A.shift_motion(Triple<T>(s.d));
    A += Halves<T>(s.bias);
    for (int i = node.q; i < node.q + node.nq; ++i) {
      A.add(Halves<T>(motion.S.col(i)), a[static_cast<std::size_t>(i)]);
    }
    A.store(s.A);
  }
}

}  // namespace

template <Scalar T>
void place_bodies(const TreeParameters<T>& tree, std::span<const T> q, TreeMotion<T>& motion) {
  const Vec3T<T> ground = Vec3T<T>::Constant(T(0));
  if (tree.point == ReferencePoint::kCom) {
    sweep_motion<ReferencePoint::kCom, false>(tree, q, {}, ground, motion);
  } else {
    sweep_motion<ReferencePoint::kOrigin, false>(tree, q, {}, ground, motion);
  }
}

template <Scalar T>
void move_bodies(const TreeParameters<T>& tree, std::span<const T> q, std::span<const T> v,
                 TreeMotion<T>& motion) {
  const Vec3T<T> ground = Vec3T<T>::Constant(T(0));
  if (tree.point == ReferencePoint::kCom) {
    sweep_motion<ReferencePoint::kCom, true>(tree, q, v, ground, motion);
  } else {
    sweep_motion<ReferencePoint::kOrigin, true>(tree, q, v, ground, motion);
  }
}

template <Scalar T>
void accelerate_bodies(const TreeParameters<T>& tree, std::span<const T> a, TreeMotion<T>& motion) {
  if (tree.point == ReferencePoint::kCom) {
    accelerate_at<ReferencePoint::kCom>(tree, a, motion);
  } else {
    accelerate_at<ReferencePoint::kOrigin>(tree, a, motion);
  }
}

#define KINEGRAD_INSTANTIATE(T)                                                               \
  template void sweep_motion<ReferencePoint::kOrigin, false>(                                 \
      const TreeParameters<T>&, std::span<const T>, std::span<const T>, const Vec3T<T>&,      \
      TreeMotion<T>&);                                                                        \
  template void place_bodies(const TreeParameters<T>&, std::span<const T>, TreeMotion<T>&);   \
  template void move_bodies(const TreeParameters<T>&, std::span<const T>, std::span<const T>, \
                            TreeMotion<T>&);                                                  \
  template void accelerate_bodies(const TreeParameters<T>&, std::span<const T>, TreeMotion<T>&)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
