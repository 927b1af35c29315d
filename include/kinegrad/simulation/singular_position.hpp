// How near a configuration is to a singular one, in which constraint equations that are independent
// elsewhere depend on each other (docs/theory/singular_positions.md).
#pragma once

#include <span>

#include "kinegrad/formulations/normalised_rows.hpp"
#include "kinegrad/math/complete_pivoting.hpp"

namespace kinegrad {

class SingularPositions {
 public:
  /// The system must outlive the object.
  explicit SingularPositions(MechanicalSystem<double>& system);

  /// The configuration that others are compared with: the start of a run.
  void start(double t, std::span<const double> q);
  /// The smallest pivot of the Jacobian is less than `part` of what it usually is, or the rank less [SN-2].
  bool near(double t, std::span<const double> q, double part);
  /// The smallest pivot over the largest, of as many as there were at the start.                 [MO-6]
  double least_pivot(double t, std::span<const double> q);

 private:
  double smallest() const;
  void eliminate(double t, std::span<const double> q);

  MechanicalSystem<double>& system_;
  NormalisedRows<double> rows_;
  CompletePivoting pivoting_;
  VecX row_scale_, column_scale_;  // largest entries so far
  int rank_ = 0;
  double usual_ = 0;  // smallest pivot, the largest one seen
};

}  // namespace kinegrad
