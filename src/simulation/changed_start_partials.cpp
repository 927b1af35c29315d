#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/start_partials.hpp"

namespace kinegrad {

std::unique_ptr<StartPartials> make_start_partials(const Model& model, const RunOptions& run,
                                                   std::span<const double> p,
                                                   std::span<const char> active) {
  const Model& start = model.start();
  const bool changed = &start != &model;
  const ReferencePoint point =
      changed ? ReferencePoint::kCom : reference_point_named(run.coordinates);
  auto system = make_system_partials(start, point);
  system->set_parameters(parameters_of_start(model, p));
  if (!active.empty()) system->set_active(parameters_of_start(model, active));
  auto joints = std::make_unique<JointStartPartials>(start, std::move(system));
  if (!changed) return joints;
  return std::make_unique<ChangedStartPartials>(model, run, p, std::move(joints));
}

ChangedStartPartials::ChangedStartPartials(const Model& model, const RunOptions& run,
                                           std::span<const double> p,
                                           std::unique_ptr<StartPartials> joints)
    : model_(model),
      p_(p),
      start_(model, run),
      joints_(std::move(joints)),
      change_(model),
      p_bar_(p.size(), 0.0) {
  change_.set_parameters(p);
}

/// The start is found once more: the state of the run does not tell its joint coordinates.
bool ChangedStartPartials::linearize(const StepState<double>& x0, const StartSets& sets,
                                     bool rests) {
  StepState<double> x = x0;
  RunReport report;
  if (!start_.find(p_, x, report)) return false;
  const StepState<double>& found = start_.found();
  change_.linearize(in(found.q), in(found.v));
  bar_.set_zero(static_cast<int>(x0.q.size()), static_cast<int>(x0.lambda.size()));
  return joints_->linearize(found, sets, rests);
}

void ChangedStartPartials::adjoint(const StateCotangent& x, std::span<double> p) {
  const auto own = parameters_of_start(model_, p);
  found_bar_.set_zero(model_.start().nq(), 0);
  change_.pullback(in(x.q), in(x.v), out(found_bar_.q), out(found_bar_.v), p);
  joints_->adjoint(found_bar_, own);
}

/// Backwards from every coordinate and speed: once a run.
void ChangedStartPartials::tangent(const DesignJacobian& design, StateTangent& x) {
  const auto n = static_cast<int>(bar_.q.size());
  x.resize(n, static_cast<int>(bar_.lambda.size()), design.parameters());
  const auto rows = [&](VecX& unit, MatX& result) {
    const auto one = [&](int i, std::span<double> p_bar) {
      unit(i) = 1;
      adjoint(bar_, p_bar);
      unit(i) = 0;
    };
    design.pull_rows(n, p_bar_, one, result);
  };
  rows(bar_.q, x.q);
  rows(bar_.v, x.v);
}

}  // namespace kinegrad
