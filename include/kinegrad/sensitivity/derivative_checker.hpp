// Checks every derivative of a model against others that were obtained differently
// (docs/theory/sensitivity_methods.md, [CK]): for those who write elements, and for those who want to
// trust a gradient.
//
//   elements    partials of forces and motions of joints   by complex step and by differences
//   system      Jacobians of constraints, partials of the equations of motion and of objectives
//                                                          by complex step
//   open chain  accelerations by recursion, as matrices and pulled back
//                                                          by complex step
//   run         forward, adjoint and finite differences    against complex step, where that fails against
//                                                          differences
//               forward and adjoint along a direction      against differences of the recorded steps
//               continuous adjoint                         against adjoint, as the steps are halved
//
// Elements and the system are taken where the run starts, with speeds, accelerations and multipliers
// that are nothing special: at rest, half of all terms would be zero.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {

/// One derivative, found in two ways.
struct DerivativeCheck {
  std::string what;       ///< "force "spring"", "objective "swing", adjoint"
  std::string against;    ///< "complex step"
  double difference = 0;  ///< largest, over the size of the derivatives
  double allowed = 0;
  std::string where;  ///< the entry of the largest difference
  std::string left;   ///< why it was not compared; empty if it was
  /// Observed as the steps were halved; none where the derivatives are exact, or rounding is all that
  /// is left.
  std::optional<double> order = {};

  bool agrees() const { return !left.empty() || difference <= allowed; }
};

struct DerivativeReport {
  std::vector<DerivativeCheck> checks;
  std::string message;  ///< why the run, and what comes after it, was not made; empty if it was
  bool input_wrong = false;
  Warnings warnings;  ///< of the run: derivatives that agree miss jumps of the motion alike

  bool agree() const;
};

/// At ρ; `options.method` is not read, `adjoint_step` and `adjoint_approach` are for the continuous
/// adjoint.
/// @throws InvalidArgument as gradient() does.
DerivativeReport check_derivatives(const Model& model, std::span<const double> rho,
                                   const GradientOptions& options, const GradientWatch& watch = {});

}  // namespace kinegrad
