#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "kinegrad/simulation/start_partials.hpp"

namespace kinegrad {

std::unique_ptr<StartPartials> make_start_partials(const Model& model, const RunOptions& run,
                                                   std::span<const double> p,
                                                   std::span<const char> active,
                                                   const LoadedTree<double>* constants) {
  const Model& start = model.start();
  const bool changed = &start != &model;
  const ReferencePoint point =
      changed ? ReferencePoint::kCom : reference_point_named(run.coordinates);
  auto system = constants && !changed ? make_system_partials(*constants, RowSet::kConstraints)
                                      : make_system_partials(start, point);
  system->set_parameters(parameters_of_start(model, p));
  if (!active.empty()) system->set_active(parameters_of_start(model, active));
  auto joints = std::make_unique<JointStartPartials>(start, std::move(system),
                                                     parameters_of_start(model, p), p.size());
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
      along_(model) {
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
  multipliers_ = static_cast<int>(x0.lambda.size());
  return joints_->linearize(found, sets, rests);
}

void ChangedStartPartials::adjoint(const StateCotangent& x, std::span<double> p) {
  const auto own = parameters_of_start(model_, p);
  found_bar_.set_zero(model_.start().nq(), 0);
  change_.pullback(in(x.q), in(x.v), out(found_bar_.q), out(found_bar_.v), p);
  joints_->adjoint(found_bar_, own);
}

/// Along every column at once through both maps, the change by a complex step: backwards from every coordinate and
/// speed it would take longer than many steps of a large mechanism.
void ChangedStartPartials::tangent(const DesignJacobian& design, StateTangent& x) {
  const StepState<double>& found = start_.found();
  joints_->tangent(design, found_);
  std::vector<double> dp(p_.size());
  std::vector<Complex> p(p_.size());
  const auto moved = [](const VecX& value, const auto& rate) {
    VecXT<Complex> z(value.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) z(i) = {value(i), kComplexStep * rate(i)};
    return z;
  };
  VecXT<Complex> q, v;
  x.resize(model_.state_size(), multipliers_, design.parameters());
  for (int j = 0; j < design.parameters(); ++j) {
    design.column(j, dp);
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = {p_[k], kComplexStep * dp[k]};
    along_.convert(p, in(moved(found.q, found_.q.col(j))), in(moved(found.v, found_.v.col(j))), q,
                   v);
    x.q.col(j) = q.imag() / kComplexStep;
    x.v.col(j) = v.imag() / kComplexStep;
  }
}

}  // namespace kinegrad
