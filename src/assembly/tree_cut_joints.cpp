// The pull-back of a cut joint's coordinates, speeds and accelerations, which are read from the motion
// of its frames (docs/theory/signals.md, [SG-3]).
#include "kinegrad/assembly/joint_motion.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

/// Ad(X_FW)ᵀ: the cotangent of a twist in F as one of a twist in the world, X_F = (R_WF, place of Fo).
Twist<double> into_world(const Pose<double>& X_F, const Twist<double>& bar) {
  Twist<double> out;
  out.tail<3>() = X_F.R * bar.tail<3>();
  out.head<3>() = X_F.R * bar.head<3>() + la::cross(X_F.p, out.tail<3>());
  return out;
}

}  // namespace

void pull_joint_motion(LinearizedTree& L, const Joint& joint, const JointMotion<double>& bar,
                       std::span<double> p_bar) {
  const TreeLinearization& at = L.at;
  const int node1 = L.tree.node_of(joint.body1);
  const int node2 = L.tree.node_of(joint.body2);
  const Twist<double> V1 = at.V_of(node1), V2 = at.V_of(node2), A2 = at.A_of(node2);
  const Twist<double> V = V2 - V1;
  const Twist<double> Vdot = A2 - at.A_of(node1) - twist_cross(V1, V);
  const Pose<double> F = frame_in_world(L.motion, L.tree.frame(joint.body1, joint.F));
  const Pose<double> M = frame_in_world(L.motion, L.tree.frame(joint.body2, joint.M));
  const Pose<double> X_F{F.R, F.p - at.x0}, X_M{M.R, M.p - at.x0};
  const Pose<double> X_FW = X_F.inverse();
  const RelativeCotangent local = pull_joint_motion(
      *joint.type, {X_FW * X_M, transform_twist(X_FW, V), transform_twist(X_FW, Vdot)}, bar);
  const Twist<double> X_bar = into_world(X_F, local.X), V_bar = into_world(X_F, local.V),
                      Vdot_bar = into_world(X_F, local.Vdot);
  // [SG-3]
  const Twist<double> y = Vdot_bar;
  const Twist<double> z = V_bar + force_cross<double>(V1 + V2, Vdot_bar);
  const Twist<double> g = X_bar + force_cross<double>(V2, V_bar) +
                          force_cross<double>(A2, Vdot_bar) +
                          force_cross<double>(V2, force_cross<double>(V1, Vdot_bar));
  const auto side = [&](FrameBlock block, int node, const Vec3& place, double sign) {
    if (node >= 0) {
      BeyondSums& s = L.sums.at(node);
      s.y += sign * y;
      s.z += sign * z;
      s.g += sign * g;
    }
    if (p_bar.empty()) return;
    const BeyondSums own{Twist<double>::Zero(), y, z, g};
    accumulate_frame(at, L.tree.p, block, node, place, frozen_column(at, L.sums, node, own), sign,
                     p_bar);
  };
  side(joint.F, node1, X_F.p, -1);
  side(joint.M, node2, X_M.p, 1);
}

}  // namespace kinegrad
