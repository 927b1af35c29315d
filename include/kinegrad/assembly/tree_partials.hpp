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

#include "kinegrad/assembly/joint_motion.hpp"
#include "kinegrad/assembly/tree_dynamics.hpp"
#include "kinegrad/math/pattern_builder.hpp"
#include "kinegrad/tree/gyroscopic.hpp"

namespace kinegrad {

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

/// Cotangent of a number that a force tells of itself.
struct ForceSignalBar {
  int force = 0, which = 0;
  double bar = 0;
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
  /// The parts of r_q and r_v that come from applied forces; without `exact` geometric stiffness is
  /// left out: the cheaper Newton matrix K, C of [N-3].
  void force_matrices(MatX& r_q, MatX& r_v, bool exact = false);
  /// Adds the applied forces on coordinates.
  void add_joint_forces(VecX& tau) const;
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

  /// What linearize() and its siblings found; constraint forces are added to f of the bodies.
  const TreeLinearization& at() const { return at_; }
  void add_force(int node, const Halves<double>& F);
  const TreeDynamics<double>& dynamics() const { return d_; }
  PortPartials& port(std::size_t force) { return *ports_[force]; }
  ForceExpressionPartials& expressions() { return expressions_; }

  // Between open() and close():
  /// The weights' motion, and the sums on their way to the root.
  TreeCotangent& sums() { return sums_; }
  const TreeCotangent& sums() const { return sums_; }
  VectorState vector_state(int node, bool is_point, const Vec3& c) const;
  void gather_vector(const VectorState& s, const VectorCotangent& bar);
  void vector_cotangent(const VectorState& s, int first, const Vec3& force,
                        const VectorCotangent& bar, std::span<double> p_bar) const;
  Vec3 weight_rate(const VectorState& s) const;
  void gather_fixed_motion(const ResidualCotangent& out);
  void gather_kinetic_energy(double weight, std::span<double> p_bar);
  void gather_potential_energy(double weight, const ResidualCotangent& out);
  void gather_force_signals(std::span<const ForceSignalBar> bars, const ResidualCotangent& out);
  void gather_joint_motion(const Joint& joint, const JointMotion<double>& bar,
                           std::span<double> p_bar);
  void gather_lever(const VectorState& s, const Vec3& force);
  /// Cotangent of the attributes of uniform fields, `weight` that of −g.
  void pull_field(const Vec3& weight, std::span<double> p_bar) const;

  /// Calls visit(c) for the coordinates that move a body: its own and its ancestors'.
  template <typename Visit>
  void each_column(int node, const Visit& visit) const {
    d_.parameters().each_column(node, visit);
  }
  Pose<double> frame_in_world(int body, FrameBlock block) const;
  /// (∂S_b/∂q_by)·f of all columns b of one joint.
  JointVector<double> column_gradients(std::size_t k, int by, const Twist<double>& f) const;
  /// Ṡ_b·f of all columns b of one joint, where its coordinates have the speeds w.
  JointVector<double> column_rates(std::size_t k, const JointVector<double>& w,
                                   const Twist<double>& f) const;

 private:
  struct NodeActivity {
    bool mass = true, inboard = true, outboard = true;
  };
  struct Composite {  // of everything beyond a joint, as one body
    RigidInertia<double> I;
    Gyroscopic B;
  };
  struct Varying {  // coordinates that a force's varying attributes read
    std::vector<std::vector<int>> columns;
    VecX by_attribute;  // by columns of the port
  };
  using Columns = TreeLinearization::Columns;
  using Body = LinearizedBody;
  using Sums = BeyondSums;
  using Node = TreeBody<double>;

  const std::vector<Node>& nodes() const { return d_.parameters().nodes; }
  const Node& node_at(std::size_t k) const { return d_.parameters().nodes[k]; }
  const BodyMotion<double>& moving(std::size_t k) const { return d_.motion().bodies[k]; }
  Pose<double> joint_frame(std::size_t k) const {
    return joint_frame_in_world(d_.parameters(), d_.motion(), k);
  }
  Twist<double> parent_V(std::size_t k) const { return at_.V_of(node_at(k).parent); }
  Twist<double> parent_A(std::size_t k) const { return at_.A_of(node_at(k).parent); }
  void start(std::span<const double> q);
  void move_body(std::size_t k);
  void columns_at(std::size_t k, std::span<const double> q, std::span<const double> v,
                  std::span<const double> a);
  void general_rates(std::size_t k, std::span<const double> q, std::span<const double> v,
                     std::span<const double> a);
  static Gyroscopic gyroscopic(const Body& b) { return {b.I, Halves<double>(b.V)}; }
  static Twist<double> gyroscopic_pullback(const Body& b, const Twist<double>& W);
  void pull_mass(std::size_t k, std::span<double> p_bar) const;
  void pull_kinetic_mass(std::size_t k, double weight, std::span<double> p_bar) const;
  void add_inertia_cotangent(const MassBlock& block, const Mat3& J_bar,
                             std::span<double> p_bar) const;
  void pull_frames(std::size_t k, std::span<double> p_bar) const;
  void pull_joint(std::size_t k, const ResidualCotangent& out, std::span<const double> w) const;
  void pull_ports(std::span<const double> w, const ResidualCotangent& out);
  void pull_field(std::span<double> p_bar) const;
  template <typename Matrix>
  void add_tree_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a);
  template <typename Matrix>
  void add_inertia_matrix(Matrix& r_q);
  template <typename Matrix>
  void fill_matrices(Matrix& r_q, Matrix& r_v, Matrix& r_a);
  template <typename Matrix>
  void add_port_matrices(Matrix& r_q, Matrix& r_v, bool exact);
  template <typename Matrix>
  void add_varying(std::size_t force, Matrix& r_q, Matrix& r_v);

  const TreeDynamics<double>& d_;
  const Model& model_;
  TreeLinearization at_;
  TreeCotangent sums_;
  std::vector<Composite> composite_;
  std::vector<NodeActivity> active_;                  // by node
  std::vector<std::unique_ptr<PortPartials>> ports_;  // by force
  ForceExpressionPartials expressions_;
  std::vector<Varying> varying_;  // by force
  VecX variable_q_, variable_v_;  // gradient of one varying attribute
};

}  // namespace kinegrad
