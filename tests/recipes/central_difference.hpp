// The method of docs/howto/add_a_gradient_method.md.
#pragma once

#include "kinegrad/sensitivity/gradient_method.hpp"
#include "kinegrad/simulation/replay.hpp"

namespace kinegrad {

// ∂ψ/∂ρ_k ≈ (ψ(ρ_k + d) − ψ(ρ_k − d))/2d on the steps of the run.
class CentralDifference final : public GradientMethod {
 public:
  static constexpr std::string_view name = "central-difference";
  static constexpr std::string_view summary = "differences of two runs on the same steps";

  void differentiate(const GradientTask& task, const GradientWatch& watch,
                     GradientReport& report) const override {
    Replay<double> replay(task.model, options_for_derivatives(report.settings), task.plan);
    const double end = task.plan.times.back();
    const auto column = [&](Eigen::Index j, const ColumnWatch& part) {
      const auto k = static_cast<std::size_t>(report.parameters[static_cast<std::size_t>(j)]);
      const double d = 1e-5 * std::max(1.0, std::abs(task.rho[k]));
      for (const double side : {1.0, -1.0}) {
        std::vector<double> rho = task.rho;
        rho[k] += side * d;
        RunReport run = replay.run(rho, [&](double t) { return part(t / end); });
        if (!run.done()) return run;
        for (std::size_t i = 0; i < report.objectives.size(); ++i) {
          const auto row = static_cast<Eigen::Index>(i);
          const auto psi = static_cast<std::size_t>(report.objectives[i]);
          if (side > 0) report.gradient(row, j) = 0;
          report.gradient(row, j) += side * replay.objectives()[psi] / (2 * d);
        }
      }
      return RunReport();
    };
    fill_columns(task, watch, column, report);
  }
};

}  // namespace kinegrad
