// Rows of a system and coordinates one above the other, with their Jacobians and their derivatives along
// parameters: K = [Φ_R; f] of named coordinates, or f alone (docs/theory/step_derivatives.md, [ST-8]).
#pragma once

#include <span>
#include <vector>

#include "kinegrad/formulations/stage_partials.hpp"

namespace kinegrad {

class StackedRows {
 public:
  void clear();
  /// A row of the system, normalisations after the others.
  void add_row(int row) { add(row, -1); }
  /// Named coordinates; the system has their rows from `first` on.
  void add_named(std::span<const IndependentCoordinate> named, int first);

  /// K_q, K̇_q, K̈_q and K̈_v.
  void take(const StageRows& rows);
  RowJacobians J;
  /// K_p, K̇_p and K̈_p.
  void take_parameters(const LevelTangent& rows);
  LevelTangent p;
  /// φ of the system's rows for `factor` times cotangents of K; rows that are not here get none.
  void hand_back(const VecX& bar, double factor, std::vector<double>& phi) const;

 private:
  void add(int row, int coordinate);

  std::vector<int> row_, coordinate_;  // one of them is -1
};

}  // namespace kinegrad
