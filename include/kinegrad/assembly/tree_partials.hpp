// Partial derivatives of the tree's residual, and their products with a cotangent in O(n)
// (docs/theory/dynamics.md, [DP]).
//
// All quantities are taken at one common point x₀, so nothing is shifted. A coordinate j moves
// everything beyond it by its column S_j; with Ṡ_j, S̈_j the derivatives of the column along the
// motion, for a body k beyond j                                                              [DP-1]
//
//   ∂V_k/∂q_j = Ṡ_j − V_k×S_j     ∂A_k/∂q_j = S̈_j − A_k×S_j − V_k×Ṡ_j
//   ∂f_k/∂q_j = S_j×*f_k + I_k S̈_j + B_k Ṡ_j,   B_k x = V×*(I x) − I (V×x) + x×*(I V)       [DP-2]
//   ∂f_k/∂v_j = 2 I_k Ṡ_j + B_k S_j              ∂f_k/∂a_j = I_k S_j
//
// and with sums Σ over the bodies beyond a joint                                             [DP-3]
//
//   ∂r_i/∂q_j = S_iᵀ(I_Σi S̈_j + B_Σi Ṡ_j)                    j before i
//   ∂r_i/∂q_j = S_iᵀ(S_j×*f_Σj + I_Σj S̈_j + B_Σj Ṡ_j)         j at or beyond i, + (∂S_i/∂q_j)ᵀf_Σ
//                                                             when both are of one joint
//
// Geometry is a frozen joint ([K-8]): the same formulas with columns fixed in the parent or in the
// body. Contracted with weights w (the motion W = Σ S_i w_i of the bodies), wᵀr is a sum over bodies
// and its derivative with respect to any column is                                            [DP-4]
//
//   −Sᵀ(W×*f_Σ) + S̈ᵀ y + Ṡᵀ z + Sᵀ g,   y = Σ I W,  z = Σ BᵀW + (ports),  g = (ports)
//
// with W of the body that carries the column; one sweep gathers y, z, g, f for all joints. Whoever
// reads points and directions of the tree (constraints, signals) adds to y, z and g the cotangents of
// their positions, velocities and accelerations                                              [DP-7]
//
//   g += [r×r̄ + ṙ×ṙ̄ + r̈×r̈̄; r̄]    z += [r×ṙ̄ + 2ṙ×r̈̄; ṙ̄]    y += [r×r̈̄; r̈̄]     (directions: no forces)
//
// between open() and close(), and gets what depends on the motion from the same sweep. Forces within
// the tree, energies and the relative motion of frames are added there, too (docs/theory/signals.md).
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/gyroscopic.hpp"
#include "kinegrad/assembly/joint_motion.hpp"
#include "kinegrad/assembly/tree_dynamics.hpp"
#include "kinegrad/math/pattern_builder.hpp"

namespace kinegrad {

/// Cotangents of everything the residual depends on; each is added to. No p: parameters are left out;
/// no q: coordinates, speeds and accelerations are.
struct ResidualCotangent {
  std::span<double> q, v, a, p;
};

/// Cotangents of the position, velocity and acceleration of a point or direction in the world.
struct VectorCotangent {
  Vec3 x = Vec3::Zero(), xdot = Vec3::Zero(), xddot = Vec3::Zero();
};

/// A point or direction of a body as the sweeps see it, accelerations less the uniform field.
struct VectorState {
  int node = -1;
  bool is_point = true;
  Vec3 x, xdot, xddot;
};

/// Partials at one state. Nothing is allocated after construction.
class TreePartials {
 public:
  explicit TreePartials(const TreeDynamics<double>& dynamics);

  /// Takes the state of the last residual(t, q, v, a) of the dynamics, which must not change before
  /// the partials are used.
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a);

  /// r_q, r_v and r_a = M, exact: as full n × n matrices, or in patterns with all that add_pattern()
  /// says.
  void matrices(MatX& r_q, MatX& r_v, MatX& r_a);
  void matrices(SparseRows<double>& r_q, SparseRows<double>& r_v, SparseRows<double>& r_a);
  /// (M u)_q after linearize_inertia().
  void inertia_matrix(MatX& r_q);
  void inertia_matrix(SparseRows<double>& r_q);
  /// The parts of r_q and r_v that come from applied forces, geometric stiffness left out: the
  /// cheaper Newton matrix K, C of [N-3].
  void force_matrices(MatX& r_q, MatX& r_v);
  /// Adds the entries that M can have, and those of r_q and r_v: a coordinate with its ancestors, and
  /// with what a force connects them to.
  void add_pattern(PatternBuilder& mass, PatternBuilder& equations) const;
  /// How many those of M are.
  std::size_t mass_entries() const;
  /// q̄ += r_qᵀw, v̄ += r_vᵀw, ā += r_aᵀw, p̄ += r_pᵀw in O(n) [DP-4].
  void pullback(std::span<const double> w, const ResidualCotangent& out);

  /// The same for M(q) u alone: takes the place of other partials, whose motion does not matter, and
  /// there one u after the other.
  void take_place(const TreePartials& place);
  void linearize_inertia(std::span<const double> u);

  /// Only entries of p that are marked need cotangents from now on; the others may be left out.
  void set_active(std::span<const char> p_active);

  /// Columns and motion alone, for what is added between open() without weights and close(); at the
  /// place the dynamics was moved to by move_bodies(q, v, a).
  void linearize_motion(std::span<const double> q, std::span<const double> v,
                        std::span<const double> a);

  /// The two halves of pullback(); an empty w pulls back what is added in between alone.
  void open(std::span<const double> w, const ResidualCotangent& out);
  void close(std::span<const double> w, const ResidualCotangent& out);

 private:
  friend class AccelerationPartials;
  friend class ConstraintPartials;
  friend class FromJointPartials;
  friend class JointPartials;
  friend class SignalPartials;
  friend class ReactionPartials;
  friend class TreeTangents;
  VectorState vector_state(int node, bool is_point, const Vec3& c) const;
  void gather_vector(const VectorState& s, const VectorCotangent& bar);
  void vector_cotangent(const VectorState& s, int first, const Vec3& force,
                        const VectorCotangent& bar, std::span<double> p_bar) const;
  Vec3 weight_rate(const VectorState& s) const;
  const Twist<double>& weight_motion(int node) const;
  void gather_fixed_motion(const ResidualCotangent& out);
  void gather_kinetic_energy(double weight, std::span<double> p_bar);
  void gather_potential_energy(double weight, const ResidualCotangent& out);
  void gather_joint_motion(const Joint& joint, const JointMotion<double>& bar,
                           std::span<double> p_bar);
  void gather_lever(const VectorState& s, const Vec3& force);

  struct NodeActivity {
    bool mass = true, inboard = true, outboard = true;
  };
  bool vector_active(int first) const {
    const auto k = static_cast<std::size_t>(first);
    return p_active_.empty() || p_active_[k] || p_active_[k + 1] || p_active_[k + 2];
  }
  struct Body {  // at the common point
    Twist<double> V, A, f;
    RigidInertia<double> I;
    Mat3 R_WB;
  };
  struct Sums {  // of everything beyond a joint
    Twist<double> f, y, z, g;
  };
  struct Composite {  // of everything beyond a joint, as one body
    RigidInertia<double> I;
    Gyroscopic B;
  };
  struct Port {  // a force on a point pair or joint coordinate at this state
    ForcePartials partials;
    PortVector<double> effort;
    PortState<double> state;
  };
  struct PortJacobian {
    Eigen::Matrix3Xd x_q, xdot_q;
  };
  struct PortColumns {  // coordinates that a force's port and its varying attributes depend on
    std::vector<int> port;
    std::vector<std::vector<int>> varying;
  };
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic>;

  Twist<double> V_of(int node) const;
  Twist<double> A_of(int node) const;
  Twist<double> parent_V(std::size_t k) const { return V_of(d_.nodes_[k].parent); }
  Twist<double> parent_A(std::size_t k) const { return A_of(d_.nodes_[k].parent); }
  Pose<double> frame_in_world(int body, FrameBlock block) const;
  void move_body(std::size_t k);
  void columns_of(std::size_t k, std::span<const double> q, std::span<const double> v,
                  std::span<const double> a);
  void general_rates(std::size_t k, std::span<const double> q, std::span<const double> v,
                     std::span<const double> a);
  static Gyroscopic gyroscopic(const Body& b) { return {b.I, Halves<double>(b.V)}; }
  static Twist<double> gyroscopic_pullback(const Body& b, const Twist<double>& W);
  Mat3 rotation(int node) const {
    return node < 0 ? Mat3(Mat3::Identity()) : bodies_[static_cast<std::size_t>(node)].R_WB;
  }
  void linearize_ports(double t);
  struct FieldState {  // a field at a body's centre of mass
    double m = 0;
    Vec3 c, cdot, e;
    ForcePartials partials;
  };
  template <typename Visit>
  void each_body_in_field(const Force& force, const Visit& visit) const;
  template <typename Matrix>
  void add_field_matrices(const Force& force, Matrix& r_q, Matrix& r_v, bool exact);
  void pull_varying_field(const Force& force, const ResidualCotangent& out);
  void body_point_cotangent(int node, int first, const Vec3& e, const Vec3& r_bar,
                            const Vec3& rdot_bar, std::span<double> p_bar) const;
  static void turn_into_world(const Mat3& R, Port& port);
  void gather_point(int node, const Vec3& r, const Vec3& rdot, const Vec3& lever, const Vec3& r_bar,
                    const Vec3& rdot_bar);
  void point_cotangent(int vector, int node, const Vec3& e, const Vec3& r_bar, const Vec3& rdot_bar,
                       std::span<double> p_bar) const;
  void pull_mass(std::size_t k, std::span<double> p_bar) const;
  void pull_kinetic_mass(std::size_t k, double weight, std::span<double> p_bar) const;
  void add_inertia_cotangent(const MassBlock& block, const Mat3& J_bar,
                             std::span<double> p_bar) const;
  void pull_frames(std::size_t k, std::span<double> p_bar) const;
  Halves<double> frozen_column(int node, const Sums& s) const;
  void frame_cotangent(FrameBlock block, int node, const Vec3& at, const Halves<double>& G,
                       double sign, std::span<double> p_bar) const;
  void pull_joint(std::size_t k, const ResidualCotangent& out, std::span<const double> w) const;
  void pull_ports(std::span<const double> w, const ResidualCotangent& out);
  void pull_points(std::size_t force, const ResidualCotangent& out);
  void pull_point_energy(std::size_t force, double weight, const ResidualCotangent& out);
  void pull_field_energy(const Force& force, double weight, const ResidualCotangent& out);
  void attribute_cotangent(const Force& force, AttributeVector<double> bar,
                           std::span<double> p_bar);
  void pull_attributes(const Force& force, const Port& port, const PortVector<double>& weight,
                       std::span<double> p_bar);
  void pull_variables(const ResidualCotangent& out);
  void pull_force_input(std::size_t k, double bar, const ResidualCotangent& out);
  template <typename Moving, typename Physical>
  void pull_force_tape(const Moving& on_moving, const Physical& on_parameter);
  void pull_field(std::span<double> p_bar) const;
  void pull_field(const Vec3& weight, std::span<double> p_bar) const;
  template <typename Matrix>
  void add_tree_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a);
  template <typename Matrix>
  void add_inertia_matrix(Matrix& r_q);
  template <typename Matrix>
  void fill_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a);
  template <typename Matrix>
  void add_port_matrices(std::size_t force, Matrix& r_q, Matrix& r_v, bool exact);
  template <typename Matrix>
  void add_point_block(std::span<const int> columns, const Mat3& e_x, const Mat3& e_xdot,
                       Matrix& r_q, Matrix& r_v);
  template <typename Matrix>
  void add_varying(std::size_t force, Matrix& r_q, Matrix& r_v);
  void port_jacobian(std::size_t force, PortJacobian& J) const;
  void point_jacobian(int node, const Vec3& r, const Vec3& rdot, double sign,
                      PortJacobian& J) const;
  void direction_jacobian(int node, const Vec3& e, const Vec3& edot, PortJacobian& J) const;
  void variable_gradient(int output, std::span<const int> columns);
  void add_input_gradient(std::size_t k, double bar);
  template <typename Matrix>
  void add_lever(int node, const Vec3& r, const Vec3& e, Matrix& r_q) const;
  /// Calls visit(c) for the coordinates that move a body: its own and its ancestors'.
  template <typename Visit>
  void each_column(int node, const Visit& visit) const {
    for (int k = node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
      const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
      for (int c = n.q; c < n.q + n.nq; ++c) visit(c);
    }
  }
  void list_port_columns();
  JointVector<double> column_gradients(std::size_t k, int by, const Twist<double>& f) const;
  JointVector<double> column_rates(std::size_t k, const JointVector<double>& w,
                                   const Twist<double>& f) const;

  const TreeDynamics<double>& d_;
  const Model& model_;
  std::vector<double> q_;
  double t_ = 0;
  bool inertia_only_ = false;
  Vec3 x0_;
  std::vector<Body> bodies_;
  std::vector<Sums> sums_;
  std::vector<Composite> composite_;
  std::vector<Port> ports_;                         // by force
  std::vector<Twist<double>> W_;                    // weights' motion, by node
  std::vector<NodeActivity> active_;                // by node
  std::vector<char> p_active_;                      // by entry of p, empty: all
  Twist<double> W_ground_ = Twist<double>::Zero();  // not zero only for a reaction on the ground
  Columns S_, Sdot_, Sddot_, S1_, S2_;              // S′ and S″: rates of the columns seen in F
  PortJacobian port_, input_;
  std::vector<PortColumns> port_columns_;  // by force
  std::vector<int> body_columns_;          // of one body in a field
  VecX variable_q_, variable_v_;           // gradient of one varying attribute
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;  // of the force tape
};

}  // namespace kinegrad
