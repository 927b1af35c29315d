#include "kinegrad/sensitivity/run_partials.hpp"

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_partials.hpp"

namespace kinegrad {

SystemPartialsFactory system_partials_of(const Model& model, const RunOptions& run,
                                         const StageRule& rule, std::span<const double> p,
                                         const std::vector<char>& active,
                                         const LoadedTree<double>* constants) {
  const ReferencePoint point = reference_point_named(run.coordinates);
  const RowSet rows = row_set(rule);
  return [&model, point, rows, p, active, constants] {
    auto system = constants ? make_system_partials(*constants, rows)
                            : make_system_partials(model, point, rows);
    system->set_parameters(p);
    if (!active.empty()) system->set_active(active);
    return system;
  };
}

StageRule stage_rule_of(const Model& model, const RunOptions& run) {
  return make_formulation<double>(run.formulation, model, reference_point_named(run.coordinates),
                                  run.constraints)
      ->stage_rule();
}

RunPartials::RunPartials(const GradientTask& task, const GradientReport& report)
    : RunPartials(task.model, report.settings, task.rule, task.p,
                  task.model.design_map().moved_by(task.rho, report.parameters), task.constants) {}

RunPartials::RunPartials(const Model& model, const RunOptions& run, const StageRule& rule,
                         std::span<const double> p, const std::vector<char>& active,
                         const LoadedTree<double>* constants) {
  const ReferencePoint point = reference_point_named(run.coordinates);
  if (!constants) {
    constants_ = make_constants<double>(model, point);
    if (constants_) constants_->set(p);
    constants = constants_.get();
  }
  signals_ = std::make_unique<SignalPartials>(SharedTree<double>(
      model, ReferencePoint::kCom, point == ReferencePoint::kCom ? constants : nullptr));
  make_system_ = system_partials_of(model, run, rule, p, active, constants);
  step_ = make_step_partials(run.integrator, run.details, rule, make_system_);
  start_ = make_start_partials(model, run, p, active, constants);
  signals_->set_parameters(p);
  if (!active.empty()) signals_->set_active(active);
}

void RunPartials::take(const StepState<double>& x, SystemPartials* there) {
  signals_->linearize(x.t, in(x.q), in(x.v), in(x.a), in(x.lambda),
                      there ? there->tree() : nullptr);
}

void RunPartials::pull_output(int output, double weight, StateCotangent& x, std::span<double> p) {
  signals_->pullback(output, weight, {out(x.q), out(x.v), out(x.a), out(x.lambda), p});
}

void QuadratureWeights::take(const StepPartials& step, const StepRecord& record) {
  step.nodes(record, nodes_);
  start = end = 0;
  inner.clear();
  for (const RecordedNode& node : nodes_) {
    if (node.stage == 0) {
      start += node.weight;
    } else if (node.stage == RecordedNode::kEnd) {
      end += node.weight;
    } else {
      inner.push_back(node);
    }
  }
}

}  // namespace kinegrad
