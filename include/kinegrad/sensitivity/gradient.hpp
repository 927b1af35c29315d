// Gradients of the objectives of a run with respect to the named parameters ρ: one simulation, then
// one of the methods on the steps it took (docs/theory/sensitivity_methods.md).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/sensitivity/gradient_method_entry.hpp"
#include "kinegrad/simulation/constraint_watch.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {

/// Sees the derivatives of the signals at a sample: signals × parameters, which are positions in ρ.
using SensitivityObserver =
    std::function<void(double t, std::span<const int> parameters, const MatX& ds)>;

struct GradientOptions {
  RunOptions run;
  std::string method{default_gradient_method()};
  std::vector<int> parameters;  ///< positions in ρ; empty: all
  std::vector<int> objectives;  ///< indices into Model::objectives(); empty: all
  double complex_step = kComplexStep;
  /// Largest step of finite differences, over |ρ_k| (over 1 where ρ_k = 0).
  double relative_step = 1e-2;
  /// Bytes for the steps that forward and adjoint go through; 0: as many as it takes. With fewer, steps
  /// are made again, which costs at most one simulation more and changes no bit of the result.
  std::size_t memory = 0;
  /// Step of the continuous adjoint, s; 0: the mean step of the simulation.
  double adjoint_step = 0;
  /// Of the continuous adjoint of constraints at acceleration level [CA-5]: 1 differentiates g_a in
  /// time, 2 does not.
  int adjoint_approach = 2;
  /// ‖Δq‖₂ at which Newton's method of the steps that are differentiated stops.
  double solved = 1e-13;
  /// Whether forward and adjoint compare themselves with differences of some of their steps
  /// (docs/theory/self_check.md); what does not agree is a warning of the run.
  bool self_check = true;
  /// Of the signals over time; by `forward` alone, which has them on its way.
  SensitivityObserver sensitivities;

  /// @throws InvalidArgument; the first one looks the method up.
  void validate(const Model& model) const;
  void validate(const Model& model, const GradientMethodEntry& entry) const;
};

struct GradientReport {
  RunStatus status = RunStatus::kDone;
  std::string message;  ///< what kept a gradient from being complete
  RunOptions settings;  ///< of the run, with what it chose itself
  RunReport run;
  std::vector<int> parameters;  ///< the columns, as positions in ρ
  std::vector<int> objectives;  ///< the rows
  std::vector<double> values;   ///< of the objectives
  MatX gradient;                ///< objectives × parameters; NaN in columns that are not finished
  MatX error;                   ///< estimates of its error; empty if the method is exact
  std::vector<bool> finished;   ///< by column
  std::vector<int> idle;        ///< parameters of the columns that nothing in the model depends on
  std::vector<int> unmoved;     ///< those that are used, but move no objective asked for
  /// Objectives that read reactions where rows depend on each other: these need not be unique.
  std::vector<int> ambiguous;
  /// Where steps could not be solved as far as derivatives want: how much the gradient changes if they are
  /// solved less far still, relative to its largest entry by objective; 0 where all were solved [RR-1].
  double tolerance_effect = 0;
  std::string tolerance_unknown;  ///< why that cannot be estimated; empty if it is
  double simulation_seconds = 0, sensitivity_seconds = 0;
  ConstraintNorms constraint_norms{0, 0, 0};

  bool input_wrong() const { return run.input_wrong; }
};

/// Told what is being computed ("simulation", or a parameter) and which part of all is done; false
/// asks to stop, and what is finished by then is kept.
using GradientWatch = std::function<bool(std::string_view what, double part)>;

/// At ρ. `observer` sees the samples of the simulation, as those of a Simulator.
/// @throws InvalidArgument if the model, a choice or a pair of choices cannot have a gradient.
GradientReport gradient(const Model& model, std::span<const double> rho,
                        const GradientOptions& options, const GradientWatch& watch = {},
                        const Observer& observer = {});

/// With a method of the program's own, which options.method need not name.
GradientReport gradient(const GradientMethodEntry& method, const Model& model,
                        std::span<const double> rho, const GradientOptions& options,
                        const GradientWatch& watch = {}, const Observer& observer = {});

/// p(ρ).
std::vector<double> physical_at(const Model& model, std::span<const double> rho);

/// The parameter at position k of ρ.
const Parameter& parameter_at(const Model& model, int k);

}  // namespace kinegrad
