// The sweep from the root to the leaves that all of TreeDynamics starts with: poses, reference
// points, columns, world inertias, and with speeds V and the bias c of [D-4].
//
// A body's data stay in local variables until the next body has used them; in a straight run of
// bodies nothing is read back from memory.
#include "kinegrad/assembly/tree_dynamics.hpp"

namespace kinegrad {

/// The body the sweep stands at: what it hands to those it carries.
template <Scalar T>
struct TreeDynamics<T>::Front {
  Columns3<T> R;
  Triple<T> r, o;  // r from the common reference point, where there is one
  Halves<T> V;
};

/// What carries node k: the ground, or its parent as the sweep left it.
template <Scalar T>
template <ReferencePoint Point>
typename TreeDynamics<T>::Front TreeDynamics<T>::front_of(std::size_t k) const {
  constexpr bool kCom = Point == ReferencePoint::kCom;
  if (tree_.nodes[k].parent < 0) {
    const Triple<T> ground(ground_);
    return {Columns3<T>::identity(), ground, -ground, Halves<T>::zero()};
  }
  const State& s = motion_.bodies[static_cast<std::size_t>(tree_.nodes[k].parent)];
  return {Columns3<T>(s.R_WM), Triple<T>(kCom ? s.r_WM : s.d), Triple<T>(s.o), Halves<T>(s.V)};
}

/// Origin of F from the carrier's reference point: for centres of mass a vector of the carrier
/// itself, so that the distance from the world's origin costs no digits [D-11].
template <Scalar T>
template <ReferencePoint Point>
[[gnu::always_inline]] inline Triple<T> TreeDynamics<T>::arm_of(const Node& node, const Front& P) {
  if constexpr (Point == ReferencePoint::kCom) {
    return P.R * Triple<T>(node.p_CF);
  } else {
    return P.r + P.R * Triple<T>(node.p_PF);
  }
}

/// R J Rᵀ, and for the world origin the parallel axes: + m (c·c 1 − ccᵀ) [D-3].
template <Scalar T>
template <ReferencePoint Point>
[[gnu::always_inline]] inline void TreeDynamics<T>::world_inertia(const Node& node,
                                                                  const Columns3<T>& R,
                                                                  const Triple<T>& c,
                                                                  RigidInertia<T>& I) {
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
template <Scalar T>
template <ReferencePoint Point, bool Speeds>
[[gnu::always_inline]] inline void TreeDynamics<T>::simple_joint(const Node& node, State& s,
                                                                 Front& P, std::span<const T> q,
                                                                 std::span<const T> v) {
  constexpr bool kCom = Point == ReferencePoint::kCom;
  const bool turns = node.simple == SimpleMotion::kTurn;
  const T x = q[static_cast<std::size_t>(node.q)];
  const Triple<T> arm = arm_of<Point>(node, P);
  P.R = P.R * Columns3<T>(node.R_PF);
  const Triple<T> z = P.R.c;
  Triple<T> shift = Triple<T>::zero();
  if (turns) {
    const auto [cosine, sine] = turns_[static_cast<std::size_t>(node.q)];
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
  S.store(motion_.S.col(node.q));
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
template <Scalar T>
template <ReferencePoint Point, bool Speeds>
[[gnu::noinline]] void TreeDynamics<T>::general_joint(const Node& node, State& s, Front& P,
                                                      std::span<const T> q, std::span<const T> v) {
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
    to_world(Halves<T>(H.col(i))).store(motion_.S.col(node.q + i));
  }
  world_inertia<Point>(node, P.R, P.r + c, s.I);
  if constexpr (Speeds) {
    if constexpr (kCom) P.V.shift_motion(d);
    s.bias.setConstant(T(0));
    if (node.nq == 0) return;
    const JointVector<T> vj = Eigen::Map<const VecXT<T>>(v.data() + node.q, node.nq);
    Halves<T> Vj = Halves<T>::zero();
    for (int i = 0; i < node.nq; ++i) Vj.add(Halves<T>(motion_.S.col(node.q + i)), vj(i));
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
void TreeDynamics<T>::turn_joints(std::span<const T> q) {
  using std::cos;
  using std::sin;
  for (const Node& node : tree_.nodes) {
    if (node.simple != SimpleMotion::kTurn) continue;
    const auto i = static_cast<std::size_t>(node.q);
    turns_[i] = {cos(q[i]), sin(q[i])};
  }
}

template <Scalar T>
template <ReferencePoint Point, bool Speeds>
void TreeDynamics<T>::move(std::span<const T> q, std::span<const T> v) {
  if (tree_.nodes.empty()) return;
  turn_joints(q);
  const Triple<T> ground(ground_);
  Front P = front_of<Point>(0);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const Node& node = tree_.nodes[k];
    State& s = motion_.bodies[k];
    if (node.parent != static_cast<int>(k) - 1) P = front_of<Point>(k);
    if (node.general()) {
      general_joint<Point, Speeds>(node, s, P, q, v);
    } else {
      simple_joint<Point, Speeds>(node, s, P, q, v);
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

#define KINEGRAD_INSTANTIATE(T)                                                           \
  template void TreeDynamics<T>::move<ReferencePoint::kCom, true>(std::span<const T>,     \
                                                                  std::span<const T>);    \
  template void TreeDynamics<T>::move<ReferencePoint::kCom, false>(std::span<const T>,    \
                                                                   std::span<const T>);   \
  template void TreeDynamics<T>::move<ReferencePoint::kOrigin, true>(std::span<const T>,  \
                                                                     std::span<const T>); \
  template void TreeDynamics<T>::move<ReferencePoint::kOrigin, false>(std::span<const T>, \
                                                                      std::span<const T>)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
