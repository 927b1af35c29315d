// One step of a run as a map x₀ → x₁ (axis C of docs/architecture.md). The state that crosses a step
// is full: coordinates, speeds, accelerations and what the integrator itself carries.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/formulations/formulation.hpp"

namespace kinegrad {

template <typename T>
struct StepState {
  double t = 0;
  VecXT<T> q, v, a;
  VecXT<T> lambda;  ///< multipliers of the constraints
  VecXT<T> own;     ///< the integrator's own numbers (generalized-α: its algorithmic acceleration)
};

/// Where a step evaluates an integrand: ∫ g dt ≈ Σ weight·g(state)                            [QU-1]
template <typename T>
struct QuadratureNode {
  double weight;
  const StepState<T>* state;
  /// Weight in the difference to the embedded rule, which estimates the error; 0: there is none [QU-3]
  double estimate = 0;
};

enum class StepStatus {
  kDone,
  kNotConverged,
  kNotFinite,
  kSingular,
  kNotClosed,
  kNotIndependent,  ///< the coordinates that the model wants integrated fail there
  kBesideSingular,  ///< it ends beside a singular position and loses speed there
  kNotHeld          ///< constraint equations that hardly differ from others are left open there
};

/// How Newton's method of an implicit step goes about it [GA-5]. A step equation may have several
/// solutions: what a run recorded, a replay repeats.
enum class NewtonStart : unsigned char {
  kPlain,     ///< whole corrections, from the accelerations that the step begins with
  kDamped,    ///< corrections shortened until they reduce the next one, from the same guess
  kFromRest,  ///< damped, from speeds that vanish at the end of the step
  kCoasting   ///< damped, from the speeds that the step begins with
};
inline constexpr NewtonStart kNewtonStarts[] = {NewtonStart::kPlain, NewtonStart::kDamped,
                                                NewtonStart::kFromRest, NewtonStart::kCoasting};

/// What became of a step.
struct StepReport {
  StepStatus status = StepStatus::kDone;
  int iterations = 0;  ///< of Newton's method; stages of explicit methods
  double left = 0;  ///< the last correction ‖Δq‖ where it could not reach the tolerance, else 0
  double error = 0;  ///< estimated local error over the tolerance; 0 if there is no estimate
  int where = -1;    ///< the coordinate that went wrong, if one did

  bool usable() const { return status == StepStatus::kDone; }
};

/// The first number that is not finite, -1 if all are.
template <typename T>
int first_not_finite(const VecXT<T>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(real_part(x(i)))) return static_cast<int>(i);
  }
  return -1;
}

/// What a step says whose formulation failed: the coordinates it integrates, or else this.
template <Scalar T>
StepStatus failure(const Formulation<T>& formulation, StepStatus otherwise) {
  return formulation.lost_independent() ? StepStatus::kNotIndependent : otherwise;
}

/// "Newton's method did not converge", …
std::string_view describe(StepStatus status);

/// Accelerations and multipliers of a state that has t, q and v.
template <Scalar T>
StepReport start_accelerations(Formulation<T>& formulation, StepState<T>& x);

template <Scalar T>
class StepMap {
 public:
  virtual ~StepMap() = default;
  virtual std::string_view name() const = 0;
  virtual int order() const = 0;
  /// Whether the sizes of its steps are to be controlled: they have an estimate of their error.
  virtual bool adaptive() const { return false; }
  /// The power of h that the estimate falls with.
  virtual int error_order() const { return order(); }

  /// Completes a state that has t, q and v: accelerations and own numbers.
  virtual StepReport start(StepState<T>& x) = 0;
  /// Whether it solves its steps by Newton's method.
  virtual bool implicit() const { return false; }
  /// x₁ from x₀; x₁ is sized by the first call. Explicit methods have one way to do it.
  virtual StepReport step(const StepState<T>& x0, double h, StepState<T>& x1,
                          NewtonStart newton = NewtonStart::kPlain) = 0;
  /// The state at t₀ + θh inside the step last done from x₀ to x₁, 0 ≤ θ ≤ 1, at least of third
  /// order: Hermite's cubic unless the method knows better. It satisfies the constraint equations as well as
  /// the ends of the step do; where no such state is found, the report says so.
  virtual StepReport interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                 StepState<T>& out) const;
  /// The nodes of the step last done from x₀ to x₁, whose integrals have the order of the method:
  /// the trapezoidal rule unless it knows better. Adaptive methods have an embedded rule beside it. They
  /// hold until the next step.
  virtual void quadrature(const StepState<T>& x0, const StepState<T>& x1,
                          std::vector<QuadratureNode<T>>& nodes) const;

  /// The part of an estimate that needs the state before x₀, null where x₀ starts the run: the local error of the
  /// step last done from x₀ to x₁ over the tolerance, and what estimates that of integrals, added to its nodes.
  virtual double history_error(const StepState<T>* /*earlier*/, const StepState<T>& /*x0*/,
                               const StepState<T>& /*x1*/) const {
    return 0;
  }
  virtual void history_quadrature(const StepState<T>& /*earlier*/, const StepState<T>& /*x0*/,
                                  const StepState<T>& /*x1*/,
                                  std::vector<QuadratureNode<T>>& /*nodes*/) const {}

  /// For those who differentiate the step last done: v, a and λ of x₁ before the formulation ended
  /// the step (null: as they are), and the stages between x₀ and x₁.
  virtual const StepState<T>* before() const { return nullptr; }
  virtual std::span<const StepState<T>> stages() const { return {}; }
};

}  // namespace kinegrad
