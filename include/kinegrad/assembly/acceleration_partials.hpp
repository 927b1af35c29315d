// Derivatives of the accelerations of an open chain, a(t, q, v, τ; p) with M a = Q + τ, without a mass
// matrix (docs/theory/dynamics.md, [DA]).
//
// Differentiated, the equations of motion are equations of motion again: M a_j = −∂r/∂x_j, and by
// [DP-2] the right side is that of bodies beyond joint j which are accelerated by S̈_j and carry the
// forces B Ṡ_j. So the elimination [D-8] of the accelerations solves for their derivatives as well. What
// all bodies beyond a joint do with a common Ṡ is one 6×6 matrix,                              [DA-1]
//
//   B_A = B + Σ_children (B_A − U D⁻¹Y),   Y = SᵀB_A
//
// and column j starts at its own joint with the force and the acceleration                      [DA-2]
//
//   q:  S_j×*f_Σ + B_A Ṡ_j,  S̈_j         v:  B_A S_j,  2Ṡ_j         τ:  u = 1
//
// goes up to the root and down to all leaves; joints i beyond j add −Y_i Ṡ_j or −Y_i S_j. All columns go
// through a joint at once: O(n²) for three full matrices. The pull-back is O(n)                  [DA-3]
//
//   μ = M⁻¹ā,   τ̄ = μ,   (q̄, v̄, p̄) = −μᵀ∂r
#pragma once

#include <span>
#include <vector>

#include "kinegrad/ports/linearized_forces.hpp"

namespace kinegrad {

/// Cotangents of what accelerations depend on; each is added to. No p: parameters are left out.
struct AccelerationCotangent {
  std::span<double> q, v, tau, p;
};

/// Nothing is allocated after construction and the first matrices().
class AccelerationPartials {
 public:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// With the linearisation of a tree and the elimination of its joints, which others may use, too. All must
  /// outlive the object.
  AccelerationPartials(LinearizedTree& tree, LinearizedForces& forces,
                       ArticulatedBodies<double>& articulated);

  /// Takes the state of the tree, which is that of accelerations(t, q, v, a) with that elimination.
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a);

  /// [a_q, a_v, a_τ], n × 3n; valid until the next call. [DA-1], [DA-2]
  const RowMatrix& matrices();
  /// Adds āᵀ∂a/∂(q, v, τ, p) [DA-3].
  void pullback(std::span<const double> a_bar, const AccelerationCotangent& out);
  /// a_p by all physical parameters, n × |p|: a pull-back per row, as many operations as it has entries.
  void parameter_matrix(RowMatrix& a_p);
  /// η of a set of Euler parameters, named by its first coordinate: the part along p of forces on its
  /// coordinates, which does no work.
  double stray_force(int e) const;

 private:
  using Six = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  struct Beyond {  // everything beyond a joint, its joints free, at the common point
    Mat<double, 6, 6> I, B;
    Twist<double> f;
  };
  void articulate(std::size_t k);
  void start_columns(std::size_t k);
  void complete_euler(std::size_t k);
  void climb(std::size_t k);
  void descend(std::size_t k);
  void before(std::size_t k);
  void make_room();
  void add_forces();

  LinearizedTree& tree_;
  LinearizedForces& applied_;
  ArticulatedBodies<double>& articulated_;
  const TreeParameters<double>& bodies_;
  std::span<const double> q_, v_, a_;
  int n_;
  std::vector<int> sets_;         // of Euler parameters
  bool forces_ = false;           // there are others than constant uniform fields
  bool coupled_ = false;          // and they couple coordinates
  std::vector<int> end_;          // behind the last coordinate beyond a node
  std::vector<Beyond> beyond_;    // by node
  Six U_, Y_, UD_;                // U, Yᵀ and U D⁻¹ at the common point
  Six c_q_, c_v_;                 // accelerations that the columns bring
  RowMatrix motion_;              // [Ṡ, S], 6 × 2n
  RowMatrix P_, A_;               // forces on their way up, accelerations on their way down
  std::vector<RowMatrix> forks_;  // A of bodies that carry several, by node
  RowMatrix a_x_, rest_;
  MatX K_, C_;
  std::vector<double> mu_, phi_, unit_, ignored_;
  VecX tau_;  // applied forces on coordinates
};

}  // namespace kinegrad
