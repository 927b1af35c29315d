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
#include "kinegrad/assembly/parameter_directions.hpp"
#include "kinegrad/tree/residual_tangent.hpp"

namespace kinegrad {

/// Derivatives of the levels of the rows, a column per direction; Φ of holonomic rows only.
struct LevelTangent {
  MatX Phi, Phi_dot, Phi_ddot;
};

class ConstraintTangents {
 public:
  /// The partials must outlive the object.
  explicit ConstraintTangents(const ConstraintPartials& partials);

  /// What each direction touches.
  void take(const ParameterDirections& directions);
  /// Along direction k, with the tree's tangent that has begun. Column k of the levels, which must be
  /// zero, and of dr, to which the forces that act on coordinates are added (the others to the tree);
  /// null: not wanted.
  void add(const ParameterDirection& direction, int k, TreeTangent& tree, LevelTangent* levels,
           MatX* dr) {
    add(direction, reach_[static_cast<std::size_t>(k)], k, tree, levels, dr);
  }
  /// The same along a direction of the state; column k of the levels is set.
  void add_state(const ParameterDirection& direction, int k, TreeTangent& tree,
                 LevelTangent& levels, MatX& dr);
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
  void add(const ParameterDirection& direction, const Reach& reach, int k, TreeTangent& tree,
           LevelTangent* levels, MatX* dr);
  void set_joint_inputs(const ParameterDirection* direction);
  void change_slots(const ParameterDirection& direction, const Reach& reach,
                    const TreeTangent& tree);
  VectorTangent change(const ConstraintLayout::Pair& pair) const;
  void level(int row, int k, LevelTangent& out) const;
  void change_forces(const ConstraintLayout::Row& row, double lambda, Eigen::Ref<VecX> dr);
  void add_change(const ConstraintLayout::Pair& pair, const Vec3& force);

  const ConstraintPartials& partials_;
  const TreeConstraints<double>& c_;
  const ConstraintLayout& e_;
  const ConstraintVectors<double>& x_;
  const LinearizedTree& L_;
  const Model& model_;
  std::vector<Reach> reach_;
  std::optional<Reach> state_reach_;    // made when it is first asked for
  std::vector<VectorTangent> changes_;  // by slot
  std::vector<Vec3> force_;             // by slot: change of its force
  bool expressions_ = false;            // of the direction
  std::vector<double> d_inputs_, d_registers_, d_outputs_;
};

}  // namespace kinegrad
