// Derivatives of the constraint equations and of their forces along directions of the parameters, at a
// fixed motion, or of the state (docs/theory/parameter_tangents.md): the product rule on the changes of
// the vectors,
//
//   dΦ = s(δA⊙B + A⊙δB)      dΦ̇, dΦ̈ alike                                                      [TG-9]
//
// and the changes λδg of the rows' forces [TG-8]. Expressions go forwards through their tape.
#pragma once

#include <optional>
#include <vector>

#include "kinegrad/assembly/constraint_partials.hpp"
#include "kinegrad/assembly/tree_tangents.hpp"

namespace kinegrad {

/// Derivatives of the levels of the rows, a column per direction; Φ of holonomic rows only.
struct LevelTangent {
  MatX Phi, Phi_dot, Phi_ddot;
};

class ConstraintTangents {
 public:
  /// Both must outlive the object and belong to one linearisation.
  ConstraintTangents(const ConstraintPartials& partials, TreeTangents& tree);

  /// What each direction touches.
  void take(const ParameterDirections& directions);
  /// Between open() and close() of the tree, along direction k. Column k of the levels, which must be
  /// zero, and of dr, to which the forces that act on coordinates are added (the others to the tree);
  /// null: not wanted.
  void add(const ParameterDirection& direction, int k, LevelTangent* levels, MatX* dr) {
    add(direction, reach_[static_cast<std::size_t>(k)], k, levels, dr);
  }
  /// The same along a direction of the state; column k of the levels is set.
  void add_state(const ParameterDirection& direction, int k, LevelTangent& levels, MatX& dr);
  /// Whether rows or their forces may change along direction k.
  bool touches(int k) const {
    const Reach& reach = reach_[static_cast<std::size_t>(k)];
    return !reach.slots.empty() || !reach.rows.empty();
  }

 private:
  struct Reach {             // of one direction
    std::vector<int> slots;  // whose vectors change
    std::vector<int> rows;
    std::vector<int> loaded;  // slots whose forces may change
    bool expressions = false;
  };
  Reach reach_of(const ParameterDirection& direction) const;
  void add(const ParameterDirection& direction, const Reach& reach, int k, LevelTangent* levels,
           MatX* dr);
  void set_joint_inputs(const ParameterDirection* direction);
  void change_slots(const ParameterDirection& direction, const Reach& reach);
  VectorTangent change(const ConstraintLayout::Pair& pair) const;
  void level(int row, int k, LevelTangent& out) const;
  void change_forces(const ConstraintLayout::Row& row, double lambda, Eigen::Ref<VecX> dr);
  void add_change(const ConstraintLayout::Pair& pair, const Vec3& force);

  const ConstraintPartials& partials_;
  const TreeConstraints<double>& c_;
  const ConstraintLayout& e_;
  const ConstraintVectors<double>& x_;
  TreeTangents& tree_;
  const Model& model_;
  std::vector<Reach> reach_;
  std::optional<Reach> state_reach_;    // made when it is first asked for
  std::vector<VectorTangent> changes_;  // by slot
  std::vector<Vec3> force_;             // by slot: change of its force
  bool expressions_ = false;            // of the direction
  std::vector<double> d_inputs_, d_registers_, d_outputs_;
};

}  // namespace kinegrad
