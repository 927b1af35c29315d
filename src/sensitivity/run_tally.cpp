#include "kinegrad/sensitivity/run_tally.hpp"

#include <limits>

#include "kinegrad/sensitivity/run_partials.hpp"

namespace kinegrad {

RunTally::RunTally(const GradientTask& task, const GradientReport& report)
    : constraints_(task.model, task.p, task.constants), values_(report.objectives.size(), 0.0) {}

void RunTally::see(const StepState<double>& x, const SystemPartials* there) {
  there ? constraints_.see(x, *there) : constraints_.see(x);
}

void RunTally::report(GradientReport& report) const {
  report.values = values_;
  report.constraint_norms = constraints_.norms();
}

void tally_steps(const GradientTask& task, GradientReport& report) {
  const Trajectory& trajectory = *task.trajectory;
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  report.values.assign(report.objectives.size(), kUnknown);
  report.constraint_norms = {kUnknown, kUnknown, kUnknown};
  const bool started = trajectory.first().q.size() > 0;
  if (!started || !trajectory.complete()) return;
  ConstraintWatch constraints(task.model, task.p, task.constants);
  constraints.see(trajectory.first());
  ObjectiveIntegral<double> objectives(task.model, task.constants);
  objectives.start(task.p);
  RunPartials partials(task.model, report.settings, task.rule, task.p, {}, task.constants);
  std::vector<RecordedNode> recorded;
  std::vector<QuadratureNode<double>> nodes;
  RecordRoom room;
  for (std::size_t k = 0; k < trajectory.size(); ++k) {
    const StepRecord record = trajectory.record(k, room);
    partials.step().nodes(record, recorded);
    nodes.clear();
    for (const RecordedNode& node : recorded) nodes.push_back({node.weight, node.state});
    objectives.add(*record.x0, *record.x1, nodes);
    constraints.see(*record.x1);
  }
  std::vector<double> values;
  objectives.finish(trajectory.last(), values);
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    report.values[i] = values[static_cast<std::size_t>(report.objectives[i])];
  }
  report.constraint_norms = constraints.norms();
}

}  // namespace kinegrad
