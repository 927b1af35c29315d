// Equations of motion of a tree in joint coordinates (docs/theory/dynamics.md):
//
//   r(t, q, v, a; p) = M(q) a − Q(t, q, v) = 0                                                [D-1]
//
// World axes; every body's quantities are taken at a reference point o, its centre of mass or the
// world origin. With S the joint's columns at o, V_h the parent's motion taken at o, and A the
// spatial acceleration (the rate of the motion seen at a fixed place, so that it shifts like V):
//
//   V = V_h + S v            A = A_h + S a + c,   c = V_h×(S v) + S′v                         [D-4]
//   f = I (A − G) + V×*(I V) − F_applied                                                      [D-5]
//   f_Σ = f + Σ_children f_Σ      r = Sᵀ f_Σ − τ                                              [D-6]
//   M_ij = S_iᵀ I_Σ S_j for j beyond or at i                                                  [D-7]
//
// with G = [0; g] for uniform fields g (gravity), and the articulated-body recursion [D-8] for
// accelerations in O(n). S′ is the rate of the columns seen in F. A joint with Euler parameters p has
// the exact null vector p in its block of M; the block is completed by κ p pᵀ with the right side
// −κ p (ṗᵀṗ), which is its normalisation [D-9].
#pragma once

#include <span>
#include <vector>

#include "kinegrad/assembly/articulated_inertia.hpp"
#include "kinegrad/assembly/reference_point.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// First coordinates of the sets of Euler parameters of a model's tree, in the order of the tree.
std::vector<int> euler_sets_of(const Model& model);

/// T = double or Complex. Holds its own memory; nothing is allocated after construction.
/// Where the inertia of bodies is described that a triad carries: here, or by whoever uses the tree for
/// everything else (natural coordinates).
enum class TriadInertia { kHere, kElsewhere };

template <Scalar T>
class TreeDynamics {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  /// The model must outlive the object.
  TreeDynamics(const Model& model, ReferencePoint point,
               TriadInertia inertia = TriadInertia::kHere);

  /// Takes over the physical parameters; call it again when they change.
  void set_parameters(std::span<const T> p);

  /// Sum of the uniform fields at the state of the last residual().
  const Vec3T<T>& field() const { return field_; }

  /// r = M a − Q [D-6], in two sweeps, without forming M. Normalisations are not part of it.
  void residual(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                std::span<T> r);
  /// The upper triangle of M(q) [D-7]; the rest of the matrix is not touched.
  void mass_matrix(std::span<const T> q, Matrix& M);
  /// a from r = 0 and the normalisations, in O(n) [D-8].
  void accelerations(T t, std::span<const T> q, std::span<const T> v, std::span<T> a);

  /// Eliminates the joints of the mass matrix at q; solve_mass then costs O(n) [D-8].
  void factorize_mass(std::span<const T> q);
  /// x with M̃ x = b − Σ κ p φ [D-9], φ one per set of Euler parameters in the order of the tree;
  /// a part of b along p is dropped.
  void solve_mass(std::span<const T> q, std::span<const T> b, std::span<const T> phi,
                  std::span<T> x);

  /// What the joint of a node hands on to the body of the node and all beyond it in the state of the
  /// last residual(), constraints left out, at the point `at`: [n; f] with r = Sᵀ[n; f] − τ.
  Twist<T> transmitted(int node, const Vec3T<T>& at) const;
  /// Only places the bodies, for those who read positions.
  void place_bodies(std::span<const T> q);
  /// Only moves them: positions, velocities, accelerations, no forces.
  void move_bodies(std::span<const T> q, std::span<const T> v, std::span<const T> a);

  /// Kinetic energy of the last state given to residual() or accelerations().
  T kinetic_energy() const;
  /// Potential energy of the forces that have one, at time t in that state.
  T potential_energy(T t) const;
  /// What applied forces add to the sum of both energies per unit of time, in that state [MO-2].
  double applied_power(T t) const;
  /// Linear momentum, and angular momentum about the world origin, of that state.
  Vec3T<T> linear_momentum() const;
  Vec3T<T> angular_momentum() const;

  const T& parameter(int k) const { return p_store_[static_cast<std::size_t>(k)]; }
  const Model& model() const { return model_; }
  ReferencePoint reference_point() const { return point_; }
  int nq() const { return model_.nq(); }

 private:
  friend class AccelerationPartials;
  friend class TreePartials;
  friend class TreeTangents;
  friend class ConstraintPartials;
  friend class SignalPartials;
  friend class ReactionPartials;
  template <Scalar U>
  friend class TreeConstraints;
  template <Scalar U>
  friend class JointReactions;
  template <Scalar U>
  friend class TreeMatrices;
  enum class Kind : unsigned char { kRevolute, kPrismatic, kGeneral };
  struct Node {       // constants of a body and its joint, in the axes of its frame M
    int parent = -1;  // node, -1: the ground
    int q = 0, nq = 0;
    Kind kind = Kind::kGeneral;
    const JointModel* joint = nullptr;
    int euler = -1;          // first Euler parameter of the joint, -1: none
    bool run = false;        // the next node is carried by this one
    bool fork = false;       // others than the next node are
    bool auxiliary = false;  // its body carries a state and has no energy
    Mat3T<T> R_PF;           // F in the parent's M
    Vec3T<T> p_PF;
    Vec3T<T> p_CF;  // F from the parent's centre of mass
    T mass;         // what fields pull at
    T m;            // what is moved; zero where its inertia is described elsewhere
    Vec3T<T> c;
    Mat3T<T> J;
    bool elsewhere = false;
  };
  struct State {  // of a body
    Mat3T<T> R_WM;
    Vec3T<T> r_WM;
    Vec3T<T> o;        // reference point
    Vec3T<T> d;        // from the parent's reference point; r_WM from the common one
    Twist<T> V, bias;  // motion; c of [D-4]
    Twist<T> A;
    Twist<T> F;  // −(applied forces) at o, then f of [D-5]; at last f_Σ at the parent's o
    RigidInertia<T> I;
  };
  struct Articulated {  // what a fork gathers
    ArticulatedInertia<T> I;
    Halves<T> p;
  };
  struct Front;
  struct Point {    // a point a force acts on, in the axes of its body's frame M
    int node = -1;  // -1: on the ground, in world axes
    Vec3T<T> c;
  };
  struct PointState {
    Vec3T<T> r, rdot;
  };
  PointState point_state(const Point& point) const;
  void apply_at(const Point& point, const Vec3T<T>& r, const Vec3T<T>& f);

  template <ReferencePoint Point, bool Speeds>
  void motion(std::span<const T> q, std::span<const T> v);
  void turn_joints(std::span<const T> q);
  template <ReferencePoint Point, bool Speeds>
  void simple_joint(const Node& node, State& s, Front& P, std::span<const T> q,
                    std::span<const T> v);
  template <ReferencePoint Point, bool Speeds>
  void general_joint(const Node& node, State& s, Front& P, std::span<const T> q,
                     std::span<const T> v);
  template <ReferencePoint Point>
  Front front_of(std::size_t k) const;
  template <ReferencePoint Point>
  static Triple<T> arm_of(const Node& node, const Front& P);
  template <ReferencePoint Point>
  static void world_inertia(const Node& node, const Columns3<T>& R, const Triple<T>& c,
                            RigidInertia<T>& I);
  void applied_forces(T t, std::span<const T> q, std::span<const T> v);
  void apply_field(const Force& force, T t);
  void apply_points(const Force& force, T t);
  void apply_torque(const Force& force, T t);
  void variable_attributes(T t);
  double power_of(const Force& force, T t) const;
  Vec3T<T> world_effort(const Force& force, const PortState<T>& state) const;
  Mat3T<T> effort_axes(const Force& force) const;
  PointState direction_state(const Point& direction) const;
  Point place(int vector) const;
  const SignalInput& force_input(std::size_t k) const {
    return model_.signal_inputs()[static_cast<std::size_t>(model_.force_inputs()[k])];
  }
  PortState<T> point_pair_state(const Force& force, T t) const;
  PortState<T> joint_port_state(const Force& force, T t) const;
  Pose<T> frame_in_world(std::size_t k) const;
  Vec3T<T> first_place(std::span<const T> q) const;
  Mat3T<T> body_rotation(int node) const;
  AttributeVector<T> attributes(const Force& force) const;

  template <ReferencePoint Point>
  void residual_at(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                   std::span<T> r);
  template <ReferencePoint Point>
  void accelerate(std::span<const T> a);
  void mass_matrix_at(std::span<const T> q, Matrix& M);
  template <ReferencePoint Point>
  void accelerations_at(T t, std::span<const T> q, std::span<const T> v, std::span<T> a);
  template <ReferencePoint Point>
  void factorize_mass_at(std::span<const T> q);
  template <ReferencePoint Point>
  void solve_mass_at(std::span<const T> q, std::span<const T> phi, std::span<T> x);
  void eliminate(const Node& node, ArticulatedInertia<T>& I, std::span<const T> q);
  void eliminate_general(const Node& node, ArticulatedInertia<T>& I, std::span<const T> q);
  template <int N>
  void eliminate_columns(const Node& node, ArticulatedInertia<T>& inertia, std::span<const T> q);
  void eliminate_force(const Node& node, Halves<T>& p);
  void substitute_joint(const Node& node, Halves<T>& A, std::span<T> a) const;
  template <ReferencePoint Point, bool Moving>
  void substitute(const Halves<T>& ground, std::span<T> a);
  template <typename Share>
  void gather(std::size_t k, Share Articulated::*share, const Share& next, Share& x) const;
  template <typename Share>
  void hand_over(std::size_t k, Share Articulated::*share, const Share& x, Share& next);
  template <ReferencePoint Point>
  void eliminate_one(const Node& node, const State& s, ArticulatedInertia<T>& I, Halves<T>& p);
  template <ReferencePoint Point>
  void eliminate_joint(const Node& node, const State& s, std::span<const T> q, std::span<const T> v,
                       ArticulatedInertia<T>& I, Halves<T>& p);
  void clear_forks();
  void complete_force(const Node& node, std::span<const T> q, const T& phi);

  const Model& model_;
  ReferencePoint point_;
  std::vector<T> p_store_;
  std::span<const T> q_, v_;  // of the last state
  std::vector<Node> nodes_;
  std::vector<int> node_of_body_;
  std::vector<State> states_;
  std::vector<Articulated> articulated_;
  std::vector<RigidInertia<T>> composite_;
  Eigen::Matrix<T, 6, Eigen::Dynamic> S_;       // columns at the bodies' reference points
  Eigen::Matrix<T, 6, Eigen::Dynamic> F_;       // M's columns of force, or U of [D-8]
  Eigen::Matrix<T, Eigen::Dynamic, 6> S_rows_;  // S transposed, for long dot products
  Eigen::Matrix<T, Eigen::Dynamic, kMaxJointCoordinates> D_inverse_;
  VecXT<T> tau_, u_, kappa_;
  std::vector<Pose<T>> X_MB_;
  std::vector<std::pair<Point, Point>> force_points_;  // by force
  std::vector<Point> input_points_;                    // by force input
  std::vector<std::size_t> moving_inputs_;             // force inputs that are not parameters
  std::vector<T> force_input_values_, force_registers_, force_outputs_;
  std::vector<std::pair<T, T>> turns_;  // cos q, sin q by coordinate, of revolute joints
  Vec3T<T> field_;                      // sum of the uniform fields
  Vec3T<T> ground_;                     // the ground from the reference point that all bodies share
  std::vector<int> run_start_;          // first node of the straight run a node is in
};

}  // namespace kinegrad
