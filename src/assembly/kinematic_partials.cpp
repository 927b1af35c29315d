#include "kinegrad/assembly/kinematic_partials.hpp"

#include "kinegrad/model/physical.hpp"

namespace kinegrad {

using internal::joint_part;
using internal::node_joint;
using internal::NodeJoint;
using la::cross;

namespace {

/// x, ẋ, ẍ in world axes of a vector given in a frame turning with (ω, ω̇): the derivatives of R x_F.
void carry(const Vec3& omega, const Vec3& alpha, const Vec3& x, const Vec3& rate, const Vec3& rate2,
           Vec3& out, Vec3& out_dot, Vec3& out_ddot) {
  const Vec3 turned = cross(omega, x);
  out = x;
  out_dot = turned + rate;
  out_ddot = cross(alpha, x) + cross(omega, turned) + 2.0 * cross(omega, rate) + rate2;
}

/// A column fixed in the frame that carries it.
MotionColumn fixed_column(const Vec3& omega, const Vec3& alpha, const Vec3& w, const Vec3& u) {
  MotionColumn c;
  const Vec3 zero = Vec3::Zero();
  carry(omega, alpha, w, zero, zero, c.w, c.wdot, c.wddot);
  carry(omega, alpha, u, zero, zero, c.u, c.udot, c.uddot);
  return c;
}

}  // namespace

struct KinematicPartials::BodyState {
  const Pose<double>& X;
  const Vec3& w;
  const Vec3& v;
  const Vec3& alpha;
  const Vec3& a;

  /// Motion of the body point now at r.
  Carrier at(const Vec3& r) const {
    const Vec3 s = r - X.p;
    const Vec3 turned = cross(w, s);
    return {r, v + turned, a + cross(alpha, s) + cross(w, turned)};
  }
};

KinematicPartials::BodyState KinematicPartials::body_state(int body) const {
  const auto b = static_cast<std::size_t>(body);
  return {position_.X_WB[b], velocity_.w_WB[b], velocity_.v_WB[b], acceleration_.alpha_WB[b],
          acceleration_.a_WB[b]};
}

KinematicPartials::KinematicPartials(const Model& model, std::span<const double> p,
                                     std::span<const double> q, std::span<const double> v,
                                     std::span<const double> a,
                                     const PositionKinematics<double>& position,
                                     const VelocityKinematics<double>& velocity,
                                     const AccelerationKinematics<double>& acceleration)
    : model_(model),
      p_(p),
      position_(position),
      velocity_(velocity),
      acceleration_(acceleration),
      nodes_(model.topology().nodes.size()),
      node_of_body_(model.bodies().size(), -1) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    node_of_body_[static_cast<std::size_t>(model.topology().nodes[k].body)] = static_cast<int>(k);
    joint_columns(k, q, v, a);
    geometry_columns(k);
  }
}

void KinematicPartials::joint_columns(std::size_t k, std::span<const double> q,
                                      std::span<const double> v, std::span<const double> a) {
  const TreeNode& tree_node = model_.topology().nodes[k];
  const NodeJoint joint = node_joint(model_, tree_node);
  const JointVector<double> qj = joint_part(q, joint), vj = joint_part(v, joint),
                            aj = joint_part(a, joint);
  const JointColumns<double>& H = position_.H[k];
  const JointColumns<double> Hdot = joint.type->motion_dot(qj, vj);
  const JointColumns<double> Hddot = joint.type->motion_ddot(qj, vj, aj);
  const BodyState P = body_state(tree_node.parent);
  const BodyState B = body_state(tree_node.body);
  const Mat3& R_WF = position_.X_WF[k].R;
  Node& node = nodes_[k];
  node.inboard = P.at(position_.X_WF[k].p);
  node.outboard = B.at(position_.X_WM[k].p);
  for (int c = 0; c < joint.nq; ++c) {
    MotionColumn& column = node.columns[static_cast<std::size_t>(c)];
    carry(P.w, P.alpha, R_WF * H.col(c).head<3>(), R_WF * Hdot.col(c).head<3>(),
          R_WF * Hddot.col(c).head<3>(), column.w, column.wdot, column.wddot);
    carry(P.w, P.alpha, R_WF * H.col(c).tail<3>(), R_WF * Hdot.col(c).tail<3>(),
          R_WF * Hddot.col(c).tail<3>(), column.u, column.udot, column.uddot);
  }
}

/// [K-8]: F moves with everything beyond it; M moves the body the other way.
void KinematicPartials::geometry_columns(std::size_t k) {
  const TreeNode& tree_node = model_.topology().nodes[k];
  const BodyState P = body_state(tree_node.parent);
  const BodyState B = body_state(tree_node.body);
  const Vec3 zero = Vec3::Zero();
  Node& node = nodes_[k];
  for (int i = 0; i < 3; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Vec3 e_P = P.X.R.col(i), e_B = -B.X.R.col(i);
    node.F_shift[n] = fixed_column(P.w, P.alpha, zero, e_P);
    node.F_turn[n] = fixed_column(P.w, P.alpha, e_P, zero);
    node.M_shift[n] = fixed_column(B.w, B.alpha, zero, e_B);
    node.M_turn[n] = fixed_column(B.w, B.alpha, e_B, zero);
  }
}

namespace {

/// Writes the partials [K-5], [K-6] of one point or direction with respect to one column.
struct PointDifferentiator {
  Carrier point;
  bool is_point;

  void operator()(const MotionColumn& c, const Carrier& carrier, Eigen::Ref<Vec3> r_c,
                  Eigen::Ref<Vec3> rdot_c, Eigen::Ref<Vec3> rddot_c) const {
    Vec3 s = point.o, sdot = point.odot, sddot = point.oddot;
    r_c.setZero();
    rdot_c.setZero();
    rddot_c.setZero();
    if (is_point) {
      s -= carrier.o;
      sdot -= carrier.odot;
      sddot -= carrier.oddot;
      r_c = c.u;
      rdot_c = c.udot;
      rddot_c = c.uddot;
    }
    r_c += cross(c.w, s);
    rdot_c += cross(c.wdot, s) + cross(c.w, sdot);
    rddot_c += cross(c.wddot, s) + 2.0 * cross(c.wdot, sdot) + cross(c.w, sddot);
  }
};

/// From partials with respect to small turns φ (body axes) to those with respect to the nine entries
/// of R, row by row: φ = unskew(dR Rᵀ) for dR = φ̃ R.
template <typename Out>
void turn_to_entries(const Mat3& by_turn, const Mat3& R, Out&& out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Mat3 dR = Mat3::Zero();
      dR(i, j) = 1;
      out.col(3 * i + j) = by_turn * la::unskew(dR * R.transpose());
    }
  }
}

}  // namespace

void KinematicPartials::point(int index, PointPartials& out) const {
  const BodyVector& vector = model_.vectors()[static_cast<std::size_t>(index)];
  const int np = static_cast<int>(p_.size());
  for (auto* m : {&out.r_q, &out.rdot_q, &out.rddot_q}) m->setZero(3, model_.nq());
  for (auto* m : {&out.r_p, &out.rdot_p, &out.rddot_p}) m->setZero(3, np);

  const BodyState B = body_state(vector.body);
  const PointMotion<double> motion =
      point_motion<double>(model_, p_, index, position_, velocity_, acceleration_);
  const PointDifferentiator differentiate{{motion.r, motion.rdot, motion.rddot}, vector.is_point};

  // its own coordinates in the body: r = … + R c
  const Mat3 w = la::skew(B.w);
  out.r_p.middleCols<3>(vector.first) = B.X.R;
  out.rdot_p.middleCols<3>(vector.first) = w * B.X.R;
  out.rddot_p.middleCols<3>(vector.first) = (la::skew(B.alpha) + w * w) * B.X.R;

  for (int k = node_of_body_[static_cast<std::size_t>(vector.body)]; k >= 0;) {
    const TreeNode& tree_node = model_.topology().nodes[static_cast<std::size_t>(k)];
    const NodeJoint joint = node_joint(model_, tree_node);
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    for (int c = 0; c < joint.nq; ++c) {
      const int q = joint.q_first + c;
      differentiate(node.columns[static_cast<std::size_t>(c)], node.inboard, out.r_q.col(q),
                    out.rdot_q.col(q), out.rddot_q.col(q));
    }
    const auto frame = [&](FrameBlock block, const Carrier& carrier, const auto& shift,
                           const auto& turn) {
      std::array<Mat3, 3> by_shift, by_turn;
      for (int i = 0; i < 3; ++i) {
        const auto n = static_cast<std::size_t>(i);
        differentiate(shift[n], carrier, by_shift[0].col(i), by_shift[1].col(i),
                      by_shift[2].col(i));
        differentiate(turn[n], carrier, by_turn[0].col(i), by_turn[1].col(i), by_turn[2].col(i));
      }
      const Mat3 R = frame_at(p_, block).R;
      std::size_t level = 0;
      for (auto* m : {&out.r_p, &out.rdot_p, &out.rddot_p}) {
        m->template middleCols<3>(block.origin()) += by_shift[level];
        turn_to_entries(by_turn[level], R, m->template middleCols<9>(block.rotation()));
        ++level;
      }
    };
    frame(joint.F, node.inboard, node.F_shift, node.F_turn);
    frame(joint.M, node.outboard, node.M_shift, node.M_turn);
    k = node_of_body_[static_cast<std::size_t>(tree_node.parent)];
  }
}

void KinematicPartials::rotation(int body, RotationPartials& out) const {
  for (auto* m : {&out.w_q, &out.omega_q, &out.alpha_q, &out.alpha_v}) {
    m->setZero(3, model_.nq());
  }
  for (auto* m : {&out.w_p, &out.omega_p, &out.alpha_p}) {
    m->setZero(3, static_cast<Eigen::Index>(p_.size()));
  }
  const BodyState B = body_state(body);
  for (int k = node_of_body_[static_cast<std::size_t>(body)]; k >= 0;) {
    const TreeNode& tree_node = model_.topology().nodes[static_cast<std::size_t>(k)];
    const NodeJoint joint = node_joint(model_, tree_node);
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    for (int c = 0; c < joint.nq; ++c) {
      const MotionColumn& m = node.columns[static_cast<std::size_t>(c)];
      const int q = joint.q_first + c;
      // [K-7]
      out.w_q.col(q) = m.w;
      out.omega_q.col(q) = m.wdot - cross(B.w, m.w);
      out.alpha_q.col(q) = m.wddot - cross(B.alpha, m.w) - cross(B.w, m.wdot);
      out.alpha_v.col(q) = 2.0 * m.wdot - cross(B.w, m.w);
    }
    const auto frame = [&](FrameBlock block, const auto& turn) {
      Mat3 w, omega, alpha;
      for (int i = 0; i < 3; ++i) {
        const MotionColumn& m = turn[static_cast<std::size_t>(i)];
        w.col(i) = m.w;
        omega.col(i) = m.wdot - cross(B.w, m.w);
        alpha.col(i) = m.wddot - cross(B.alpha, m.w) - cross(B.w, m.wdot);
      }
      const Mat3 R = frame_at(p_, block).R;
      turn_to_entries(w, R, out.w_p.middleCols<9>(block.rotation()));
      turn_to_entries(omega, R, out.omega_p.middleCols<9>(block.rotation()));
      turn_to_entries(alpha, R, out.alpha_p.middleCols<9>(block.rotation()));
    };
    frame(joint.F, node.F_turn);
    frame(joint.M, node.M_turn);
    k = node_of_body_[static_cast<std::size_t>(tree_node.parent)];
  }
}

}  // namespace kinegrad
