#include "kinegrad/simulation/step_smoothness.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// What is left of the steps before after one more.
constexpr double kMemory = 0.9;

/// ‖v₁ − v₀ − ½h(a₀ + a₁)‖: O(h³) where the motion is smooth.                                   [SN-1]
double defect_of(const StepState<double>& x0, const StepState<double>& x1) {
  const double half = 0.5 * (x1.t - x0.t);
  double sum = 0;
  for (Eigen::Index i = 0; i < x0.v.size(); ++i) {
    const double d = x1.v(i) - x0.v(i) - half * (x0.a(i) + x1.a(i));
    sum += d * d;
  }
  return std::sqrt(sum);
}

/// ‖½h(a₀ + a₁)‖: what the step changes the speeds by.
double change_of(const StepState<double>& x0, const StepState<double>& x1) {
  return 0.5 * std::abs(x1.t - x0.t) * (x0.a + x1.a).norm();
}

/// Whether an elimination, which costs m²n, takes longer than some steps.
bool is_large(const MechanicalSystem<double>& system) {
  constexpr double kMost = 2e5;
  const auto n = static_cast<double>(system.nq());
  const auto m =
      static_cast<double>(system.rows()) + static_cast<double>(system.euler_sets().size());
  return m * m * n > kMost;
}

}  // namespace

StepSmoothness::StepSmoothness(MechanicalSystem<double>& system, double step, double near)
    : system_(system),
      step_(step),
      near_(near),
      constrained_(system.holonomic() > 0),
      large_(is_large(system)) {
  if (constrained_ && !large_) singular_.emplace(system_);
}

bool StepSmoothness::near(const StepState<double>& x, double part) {
  return constrained_ && near_singular(x, part);
}

void StepSmoothness::start(const StepState<double>& x0) {
  typical_defect_ = typical_h_ = 0;
  fastest_ = x0.v.norm();
  typical_acceleration_ = x0.a.norm();
  start_t_ = x0.t;
  start_q_ = x0.q;
  known_ = false;
}

/// What is usual is found where it is asked for first: elimination costs more than many steps of a large mechanism.
bool StepSmoothness::near_singular(const StepState<double>& x, double part) {
  if (!singular_) singular_.emplace(system_);
  if (!known_) singular_->start(start_t_, in(start_q_));
  known_ = true;
  return singular_->near(x.t, in(x.q), part);
}

StepSmoothness::Defect StepSmoothness::defect(const StepState<double>& x0,
                                              const StepState<double>& x1) {
  constexpr double kRounding =
      1e-10;  // of the largest speeds so far: below h³ of any step that matters
  constexpr double kStandsOut = 30;  // a smooth motion does not change so much within a step
  Defect out;
  if (!constrained_) return out;
  const double parts = (x1.t - x0.t) / step_;
  out.size = defect_of(x0, x1);
  out.scaled = out.size / (parts * parts * parts);
  fastest_ = std::max(fastest_, x0.v.norm());
  if (out.scaled <= kStandsOut * typical_defect_ || out.size <= kRounding * fastest_) return out;
  // the first step has none before it to stand out from
  constexpr double kPart = 1e-3;  // of the motion: a step that resolves it leaves less
  if (large_ && typical_defect_ == 0 && out.size <= kPart * change_of(x0, x1)) return out;
  out.smooth = !near_singular(x1, near_);
  return out;
}

/// Accelerations that grow on the way to a singular position are no measure for those to come.
StepSmoothness::Acceleration StepSmoothness::acceleration(const StepState<double>& x1) {
  constexpr double kGrows = 2, kStandsOut = 10;
  Acceleration out;
  if (!constrained_) return out;
  out.size = x1.a.norm();
  if (out.size <= kGrows * typical_acceleration_ || !near_singular(x1, near_)) return out;
  out.counts = false;
  out.smooth = out.size <= kStandsOut * typical_acceleration_;
  return out;
}

/// Where steps shrink towards a singular position, what grows from step to step is no measure.
void StepSmoothness::accept(double h, const Defect& defect, const Acceleration& acceleration) {
  constexpr double kShrunk = 0.1, kSlowMemory = 0.98, kSlowest = 0.99;
  fastest_ *= kSlowest;  // speeds of long ago are no measure
  typical_h_ = std::max(h, kSlowMemory * typical_h_);
  if (h < kShrunk * typical_h_) return;
  typical_defect_ = std::max(defect.scaled, kMemory * typical_defect_);
  if (!acceleration.counts) return;
  typical_acceleration_ = std::max(acceleration.size, kMemory * typical_acceleration_);
}

}  // namespace kinegrad
