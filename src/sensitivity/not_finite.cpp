#include "sensitivity/not_finite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

std::string not_finite_text(const char* kind, const std::string& name, double t) {
  return fmt::format("at t = {:.9g}: {} \"{}\" is not finite", t, kind, name);
}

namespace {

/// Looks at the states of a run in the order of time.
class Search {
 public:
  Search(const GradientTask& task, const GradientReport& report)
      : task_(task),
        report_(report),
        signals_(task.model),
        partials_(task.model, report.settings, task.rule, task.p),
        steps_(*task.trajectory, task.model, report.settings, task.p, task.plan),
        p_bar_(task.p.size()) {}

  /// The first state at which `look` says something, with its answer.
  template <typename Look>
  std::string first(const Look& look) {
    std::string found = look(task_.trajectory->first());
    for (std::size_t k = 0; found.empty() && k < task_.trajectory->size(); ++k) {
      const StepRecord record = steps_.record(k);
      for (const StepState<double>& stage : record.stages) {
        if (found.empty()) found = look(stage);
      }
      if (found.empty()) found = look(*record.x1);
    }
    return found;
  }

  /// An objective that has no finite value.
  std::string value_at(const StepState<double>& x) {
    const Model& model = task_.model;
    signals_.evaluate(task_.p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
    for (const int k : report_.objectives) {
      const Objective& objective = model.objectives()[static_cast<std::size_t>(k)];
      for (const int output : outputs_at(objective, x)) {
        if (std::isfinite(signals_.output(output))) continue;
        return not_finite_text("objective", objective.name, x.t) + signal_text();
      }
    }
    return {};
  }

  /// An objective whose derivative with respect to the state or to parameters has no finite value.
  std::string derivative_at(const StepState<double>& x) {
    partials_.take(x);
    for (const int k : report_.objectives) {
      const Objective& objective = task_.model.objectives()[static_cast<std::size_t>(k)];
      for (const int output : outputs_at(objective, x)) {
        StateCotangent bar;
        bar.set_zero(task_.model.state_size(),
                     static_cast<int>(task_.model.constraint_rows().size()));
        std::fill(p_bar_.begin(), p_bar_.end(), 0.0);
        partials_.pull_output(output, 1, bar, p_bar_);
        const bool finite = bar.q.allFinite() && bar.v.allFinite() && bar.a.allFinite() &&
                            bar.lambda.allFinite() && read(p_bar_).allFinite();
        if (!finite) return not_finite_text("the derivative of objective", objective.name, x.t);
      }
    }
    return {};
  }

 private:
  /// A signal that is not finite where the signals were evaluated last: the objective may read it.
  std::string signal_text() const {
    for (const Signal& signal : task_.model.signals()) {
      if (!std::isfinite(signals_.output(signal.output)))
        return ", nor is signal \"" + signal.name + "\"";
    }
    return {};
  }
  /// Integrands everywhere, what counts at the end there alone.
  std::vector<int> outputs_at(const Objective& objective, const StepState<double>& x) const {
    std::vector<int> out;
    if (objective.integral >= 0) out.push_back(objective.integral);
    const bool last = x.t >= task_.trajectory->last().t;
    if (objective.terminal >= 0 && last) out.push_back(objective.terminal);
    return out;
  }

  const GradientTask& task_;
  const GradientReport& report_;
  SignalEvaluator<double> signals_;
  RunPartials partials_;
  TrajectoryReader steps_;
  std::vector<double> p_bar_;
};

/// The first entry of the gradient that is not finite, by names.
std::string entry_text(const GradientTask& task, const GradientReport& report) {
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const std::string& name =
        task.model.objectives()[static_cast<std::size_t>(report.objectives[i])].name;
    if (!std::isfinite(report.values[i])) return "objective \"" + name + "\" is not finite";
    for (std::size_t j = 0; j < report.parameters.size(); ++j) {
      if (std::isfinite(
              report.gradient(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))))
        continue;
      return "the derivative of objective \"" + name + "\" with respect to " +
             parameter_at(task.model, report.parameters[j]).name + " is not finite";
    }
  }
  return {};
}

}  // namespace

std::string describe_not_finite(const GradientTask& task, const GradientReport& report) {
  const std::string entry = entry_text(task, report);
  if (entry.empty()) return {};
  const bool kept = task.trajectory->first().q.size() > 0;
  if (kept) {
    Search search(task, report);
    std::string found = search.first([&](const auto& x) { return search.value_at(x); });
    if (!found.empty()) return found;
    found = search.first([&](const auto& x) { return search.derivative_at(x); });
    return found.empty() ? entry : found + " (" + entry + ")";
  }
  if (report.run.not_finite < 0) return entry;
  const auto first = static_cast<std::size_t>(report.run.not_finite);
  return not_finite_text("objective", task.model.objectives()[first].name, report.run.not_finite_t);
}

}  // namespace kinegrad
