#include "kinegrad/sensitivity/complex_step.hpp"

#include "kinegrad/simulation/replay.hpp"

namespace kinegrad {

void ComplexStepMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                      GradientReport& report) const {
  Replay<Complex> replay(task.model, options_for_derivatives(report.settings), task.plan);
  std::vector<Complex> rho(task.rho.begin(), task.rho.end());
  const double step = task.options.complex_step, end = task.plan.times.back();
  const auto column = [&](Eigen::Index j, const ColumnWatch& part) {
    Complex& x = rho[static_cast<std::size_t>(report.parameters[static_cast<std::size_t>(j)])];
    const Complex value = x;
    x += Complex(0, step);
    RunReport run = replay.run(rho, [&](double t) { return part(t / end); });
    x = value;
    if (!run.done()) return run;
    for (std::size_t i = 0; i < report.objectives.size(); ++i) {
      const auto k = static_cast<std::size_t>(report.objectives[i]);
      report.gradient(static_cast<Eigen::Index>(i), j) = replay.objectives()[k].imag() / step;
    }
    return run;
  };
  fill_columns(task, watch, column, report);
}

}  // namespace kinegrad
