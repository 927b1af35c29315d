// Derivatives of the coordinates that a model names, y = f(q), and of their rates at one state
// (docs/theory/step_derivatives.md):
//
//   dy = f_q dq + f_p dp      dẏ = ḟ_q dq + f_q dv + ḟ_p dp      dÿ = f̈_q dq + f̈_v dv + f_q da + f̈_p dp   [SD-3]
#pragma once

#include <memory>
#include <vector>

#include "kinegrad/formulations/solved_stage.hpp"
#include "kinegrad/formulations/stacked_rows.hpp"

namespace kinegrad {

class NamedMotion {
 public:
  /// The system has the rows of the named ones after those of the constraints.
  NamedMotion(std::unique_ptr<SystemPartials> system, std::span<const IndependentCoordinate> named);

  void linearize(const StagePoint& x);
  /// What tangents need; after linearize().
  void take_parameters(const DesignJacobian& design);
  void place_tangent(const MatX& dq, MatX& y) const;
  void speed_tangent(const MatX& dq, const MatX& dv, MatX& ydot) const;
  void acceleration_tangent(const MatX& dq, const MatX& dv, const MatX& da, MatX& yddot) const;
  /// Adds to q̄, v̄, ā and p̄.
  void adjoint(const VecX& y, const VecX& ydot, const VecX& yddot, VecX& q, VecX& v, VecX& a,
               std::span<double> p);

 private:
  std::unique_ptr<SystemPartials> system_;
  StageRows rows_;
  StackedRows f_;
  LevelTangent levels_;
  std::vector<double> phi_, phi_dot_, phi_ddot_;
};

/// How many rows of points are among the named.
int named_rows(std::span<const IndependentCoordinate> named);

}  // namespace kinegrad
