// The mass matrix of a tree and Newton's matrix of its step, as sparse as the tree makes them:
// M couples a joint with its ancestors alone, a force between two bodies their ancestors.
//
//   M_ij = S_iᵀ I_Σ S_j for j at or beyond i                                                    [D-7]
//   N = M − Σ x_qᵀ(c_q e_x + c_v e_ẋ) x_q                                                       [N-3]
//
// with x the variables of a force's port and e its effort. Changes of the inertial forces and of the
// levers are left out of N: they cost more than the iterations they save. Forces whose attributes
// vary with the motion, and fields that vary from place to place, are taken from the linearised forces; the
// pattern has what their attributes read.
#pragma once

#include <optional>
#include <vector>

#include "kinegrad/math/sparse_upper.hpp"
#include "kinegrad/ports/loaded_tree.hpp"

namespace kinegrad {

/// T = double or Complex. Nothing is allocated after the pattern was asked for, which a chain of n links has
/// n²/2 places for: whoever needs no matrix pays for none.
template <Scalar T>
class TreeMatrices {
 public:
  /// The tree must outlive the object.
  explicit TreeMatrices(const LoadedTree<T>& tree);

  /// The pattern that mass() and all forces fill.
  const SparseUpper<T>& pattern() const { return layout().pattern; }
  /// Whether every force is one that add_forces() knows.
  bool knows_forces() const { return knows_forces_; }

  /// M of placed bodies.
  void mass(const TreeMotion<T>& motion, SparseUpper<T>& M);
  /// N −= Σ x_qᵀ(c_q e_x + c_v e_ẋ) x_q at a state with its forces, real numbers only.
  void add_forces(const TreeState<T>& x, double t, double c_v, double c_q, SparseUpper<T>& N);

 private:
  struct PortBlock {  // of a force's port, in the columns that it moves with
    std::size_t force = 0;
    std::vector<int> columns;
    std::unique_ptr<PortPartials> port;  // of real numbers only
    MatX block;
    std::vector<int> places;  // of its upper triangle, by columns
  };
  struct Layout {
    SparseUpper<T> pattern;
    std::vector<int> places;  // of M in the order in which mass() runs
    std::vector<PortBlock> ports;
  };
  Layout make_layout() const;
  Layout& layout() const {
    if (!layout_) layout_ = make_layout();
    return *layout_;
  }

  const LoadedTree<T>& tree_;
  const Model& model_;
  bool knows_forces_ = true;
  mutable std::optional<Layout> layout_;  // made when it is first asked for
  std::vector<RigidInertia<T>> composite_;
};

}  // namespace kinegrad
