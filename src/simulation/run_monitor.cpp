#include "kinegrad/simulation/run_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/constraint_watch.hpp"
#include "kinegrad/simulation/energy_balance.hpp"

namespace kinegrad {

namespace {

/// A sample costs a third of a step of a small mechanism. So many are taken of long runs, which is less than one per
/// cent of them; every sixteenth step of others; and at least so many of short ones.
constexpr long kSamples = 128, kSteps = 16, kFewest = 32;
/// Where the number of steps is not known every second sample is forgotten when there are more.
constexpr std::size_t kMost = 160;
/// Pivots cost m²n: above this they would cost more than the steps between two samples.
constexpr double kMostPivotProducts = 2e5;

/// A field by its potential, which does not change in time: its force and energy vary with the place, and what it
/// does shows in the energy at every state.                                                     [GF-2]
bool steady_field(const Model& model, const Force& force) {
  if (force.type->name() != "gravity-field") return false;
  int offset = 0, rate = -1, conservative = -1;
  for (const AttributeInfo& attribute : force.type->attributes()) {
    if (attribute.name == "potential_rate") rate = offset;
    if (attribute.name == "conservative") conservative = offset;
    offset += attribute.size;
  }
  const bool changes = std::any_of(force.variable.begin(), force.variable.end(),
                                   [&](const auto& varying) { return varying.first == rate; });
  if (changes || conservative < 0) return false;
  return model.default_physical()[static_cast<std::size_t>(force.attributes + conservative)] == 1;
}

/// Whether nothing of the model can do work but what shows at every state: forces without a potential may act
/// between two samples only.
bool without_drives(const Model& model, const MechanicalSystem<double>& system) {
  return system.scleronomic() && model.reactive_forces().empty() &&
         std::all_of(model.forces().begin(), model.forces().end(), [&](const Force& force) {
           return force.type->has_energy() &&
                  (force.variable.empty() || steady_field(model, force));
         });
}

/// A mechanism that never moves: what its energies change by is rounding. Coordinates that would move by less than
/// kStill in the whole run, in metres and radians, rest; of states on the way the kinetic energy tells how fast they are beside
/// the end.
bool rests(const StepState<double>& end, const Monitors& m) {
  constexpr double kStill = 1e-12, kNothing = 1e-6;
  const double duration = end.t - m.samples.front().t;
  const double moved = end.v.lpNorm<Eigen::Infinity>() * duration;
  if (moved > kStill) return false;
  const double faster = moved > 0 ? kStill / moved : 0;
  const double still = std::max(kNothing * m.scale,
                                m.samples.back().kinetic * faster * faster);  // holomorphic: double
  return std::all_of(m.samples.begin(), m.samples.end(),
                     [&](const MonitorSample& x) { return x.kinetic <= still; });
}

}  // namespace

RunMonitor::RunMonitor(const Model& model, MechanicalSystem<double>& system)
    : system_(system),
      splines_(model),
      reactive_(model),
      no_drives_(without_drives(model, system)) {
  const auto n = static_cast<double>(system.nq());
  const auto m =
      static_cast<double>(system.rows()) + static_cast<double>(system.euler_sets().size());
  if (system.holonomic() > 0 && m * m * n <= kMostPivotProducts) singular_.emplace(system);
}

void RunMonitor::start(std::span<const double> p, const StepState<double>& x0, long steps) {
  splines_.start(p);
  reactive_.set_parameters(p);
  splines_.see(x0);
  samples_.clear();
  samples_.reserve(kMost + 1);
  steps_ = 0;
  every_ = steps > 0 ? std::max({1L, steps / kSamples, std::min(kSteps, steps / kFewest)}) : 2;
  if (singular_) singular_->start(x0.t, in(x0.q));
  sample(x0, 0);
}

/// λᵀΦ_t with Φ_t = Φ̇ − Φ_q v, of [MO-1]: what prescribed motions do.                                      [MO-2]
double RunMonitor::drive_power(const StepState<double>& x) const {
  const SparseRows<double>& J = system_.Phi_q();
  double sum = 0;
  for (int i = 0; i < system_.rows() && i < x.lambda.size(); ++i) {
    double Phi_t = system_.Phi_dot()(i);
    for (auto k = static_cast<std::size_t>(J.start[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(J.start[static_cast<std::size_t>(i) + 1]); ++k) {
      Phi_t -= J.value[k] * x.v(J.column[k]);
    }
    sum += x.lambda(i) * Phi_t;
  }
  return sum;
}

void RunMonitor::sample(const StepState<double>& x, long divided) {
  if (samples_.size() >= kMost) thin();
  system_.evaluate(x.t, in(x.q), in(x.v), in(x.a));
  MonitorSample s;
  s.t = x.t;
  s.kinetic = system_.kinetic_energy();
  s.potential = system_.potential_energy(x.t);
  s.power = system_.applied_power(x.t);
  s.power += reactive_.power(x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
  if (!system_.scleronomic()) s.power += drive_power(x);
  s.constraints = constraint_norms(x, system_);
  s.divided = divided;
  if (singular_) s.pivot = singular_->least_pivot(x.t, in(x.q));
  samples_.push_back(s);
}

/// Forgets every second sample, and takes half as many from now on.
void RunMonitor::thin() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < samples_.size(); k += 2) samples_[kept++] = samples_[k];
  samples_.resize(kept);
  every_ *= 2;
}

void RunMonitor::finish(const StepState<double>& x, RunReport& report) {
  if (x.t > samples_.back().t) sample(x, report.events.divided.count);
  report.monitors.samples = samples_;
  balance_energy(no_drives_, report.monitors);
  splines_.report(report.warnings);
  if (rests(x, report.monitors)) return;
  if (const auto warning = energy_warning(no_drives_, report.monitors)) {
    report.warnings.push_back(*warning);
  }
}

}  // namespace kinegrad
