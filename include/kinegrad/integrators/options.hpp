// Settings of an integrator, with the defaults of the command line.
#pragma once

namespace kinegrad {

/// Who decides about the sizes of steps.
enum class StepSizes : unsigned char {
  kUsual,    ///< as the method usually does: adaptive where a tableau has an estimate, else fixed
  kFixed,    ///< the run's step
  kAdaptive  ///< an estimate of the local error [SZ-1]
};

struct IntegratorOptions {
  /// Steps of fixed size: ‖Δq‖₂ at which Newton's method stops. Adaptive ones: the local error per step,
  /// relative to 1 + |x|.
  double tolerance = 1e-10;
  /// Where Newton's method stops if that is not the tolerance; 0: it is.
  double newton = 0;
  StepSizes steps = StepSizes::kUsual;
  /// Where rounding keeps Newton's method from the tolerance, so much is accepted and reported.
  double acceptable = 0;
  int max_iterations = 30;
  bool exact_tangent = false;  ///< Newton's matrix with all of r_q and r_v
  // Newmark's constants; trapezoidal by default.
  double beta = 0.25;
  double gamma = 0.5;
  double spectral_radius =
      0.8;  ///< generalized-α at infinite frequency; HHT: α = (1 − ρ)/(1 + ρ), ρ ≥ ½

  double newton_tolerance() const { return newton > 0 ? newton : tolerance; }

  friend bool operator==(const IntegratorOptions&, const IntegratorOptions&) = default;

  /// @throws InvalidArgument
  void validate() const;
};

}  // namespace kinegrad
