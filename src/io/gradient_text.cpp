#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/io/gradient_output.hpp"

namespace kinegrad {

namespace {

/// Columns of one objective's table.
class Rows {
 public:
  Rows(const Model& model, std::span<const double> rho, const GradientReport& report)
      : model_(model), rho_(rho), report_(report) {
    for (const int k : report.parameters) {
      width_ = std::max(width_, parameter_at(model, k).name.size());
    }
  }

  std::string head() const {
    return fmt::format("  {:<{}}  {:>16}  {:>19}  {:>19}{}\n", "parameter", width_, "value",
                       "derivative", "value × derivative",
                       report_.error.size() ? fmt::format("  {:>9}", "error") : "");
  }

  std::string row(Eigen::Index i, std::size_t j) const {
    const auto column = static_cast<Eigen::Index>(j);
    const int k = report_.parameters[j];
    const double rho = rho_[static_cast<std::size_t>(k)], slope = report_.gradient(i, column);
    std::string line =
        fmt::format("  {:<{}}  {:>16.9g}", parameter_at(model_, k).name, width_, rho);
    if (!report_.finished[j]) return line + "  not computed\n";
    line += fmt::format("  {:>19.12g}  {:>19.12g}", slope, rho * slope);
    const bool idle = std::count(report_.idle.begin(), report_.idle.end(), k) > 0;
    if (idle) return line + "  nothing in the model depends on it\n";
    const bool unmoved = std::count(report_.unmoved.begin(), report_.unmoved.end(), k) > 0;
    if (unmoved) return line + "  zero at this point\n";
    if (report_.error.size()) line += fmt::format("  {:>9.2g}", report_.error(i, column));
    return line + "\n";
  }

 private:
  const Model& model_;
  std::span<const double> rho_;
  const GradientReport& report_;
  std::size_t width_ = std::string_view("parameter").size();
};

}  // namespace

std::string gradient_text(const Model& model, std::span<const double> rho,
                          const GradientReport& report) {
  const Rows rows(model, rho, report);
  std::string text;
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    const Objective& objective = model.objectives()[static_cast<std::size_t>(report.objectives[i])];
    text += fmt::format("{} = {:.12g}{}{}\n", objective.name, report.values[i],
                        objective.unit.empty() ? "" : " ", objective.unit);
    if (std::count(report.ambiguous.begin(), report.ambiguous.end(), report.objectives[i])) {
      text +=
          "  it reads reactions, and some constraint equations depend on others: reactions that "
          "are "
          "not\n"
          "  unique are those of smallest norm (of the pivot equations with matrix-r)\n";
    }
    text += rows.head();
    for (std::size_t j = 0; j < report.parameters.size(); ++j) {
      text += rows.row(static_cast<Eigen::Index>(i), j);
    }
  }
  return text;
}

std::string tolerance_text(const GradientReport& report) {
  const bool known = report.tolerance_unknown.empty();
  if (known && report.tolerance_effect <= 0) return {};
  const std::string solved =
      fmt::format("  steps are solved to {:.2g} and no further: ",
                  std::max(report.run.events.left, report.settings.details.newton_tolerance()));
  if (!known) {
    return solved +
           "what that does to the gradient cannot be estimated, because with steps that are solved "
           "ten times less far there is none to compare with: " +
           report.tolerance_unknown + "\n";
  }
  return solved + fmt::format(
                      "if they were solved ten times less far, the gradient would change by {:.2g} "
                      "of its largest entry\n",
                      report.tolerance_effect);
}

}  // namespace kinegrad
