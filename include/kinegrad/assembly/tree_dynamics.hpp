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
#include "kinegrad/ports/force_expressions.hpp"

namespace kinegrad {

/// The mass matrix with its joints eliminated [D-8].
template <Scalar T>
struct ArticulatedFactors {
  Eigen::Matrix<T, 6, Eigen::Dynamic> U;  ///< or the columns of force of M
  Eigen::Matrix<T, Eigen::Dynamic, kMaxJointCoordinates> D_inverse;
  VecXT<T> kappa;  ///< of [D-9], at the first of each set of Euler parameters
};

/// T = double or Complex. Holds its own memory; nothing is allocated after construction.
template <Scalar T>
class TreeDynamics {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  /// The model must outlive the object.
  TreeDynamics(const Model& model, ReferencePoint point,
               TriadInertia inertia = TriadInertia::kHere);

  /// Takes over the physical parameters; call it again when they change.
  void set_parameters(std::span<const T> p);

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

  /// The constants, and the motion as the last pass left it.
  const TreeParameters<T>& parameters() const { return tree_; }
  const TreeMotion<T>& motion() const { return motion_; }
  const ArticulatedFactors<T>& factors() const { return factors_; }
  const ForceExpressions<T>& expressions() const { return expressions_; }
  const Port<T>& port(std::size_t force) const { return *ports_[force]; }
  /// Where and when the ports were read last.
  PortSite<T> site(T t) const { return {tree_, motion_, t}; }
  AttributeVector<T> attributes(const Force& force) const {
    return expressions_.attributes(tree_, force);
  }

  const T& parameter(int k) const { return tree_.p[static_cast<std::size_t>(k)]; }
  const Model& model() const { return model_; }
  ReferencePoint reference_point() const { return tree_.point; }
  int nq() const { return model_.nq(); }

 private:
  using Node = TreeBody<T>;
  using State = BodyMotion<T>;
  struct Articulated {  // what a fork gathers
    ArticulatedInertia<T> I;
    Halves<T> p;
  };
  struct Front;
  template <ReferencePoint Point, bool Speeds>
  void move(std::span<const T> q, std::span<const T> v);
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
  Vec3T<T> first_place(std::span<const T> q) const;

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
  TreeParameters<T> tree_;
  TreeMotion<T> motion_;
  ArticulatedFactors<T> factors_;
  ForceExpressions<T> expressions_;
  std::vector<std::unique_ptr<Port<T>>> ports_;  // by force
  std::vector<Articulated> articulated_;
  std::vector<RigidInertia<T>> composite_;
  Eigen::Matrix<T, Eigen::Dynamic, 6> S_rows_;  // S transposed, for long dot products
  VecXT<T> tau_, u_;
  std::vector<std::pair<T, T>> turns_;  // cos q, sin q by coordinate, of revolute joints
  Vec3T<T> ground_;                     // the ground from the reference point that all bodies share
};

}  // namespace kinegrad
