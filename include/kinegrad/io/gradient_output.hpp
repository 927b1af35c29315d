// What a gradient leaves behind: a table for people and JSON for programs.
#pragma once

#include <string>

#include "kinegrad/sensitivity/derivative_checker.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {

/// Each objective with its value, then a row per parameter: its value, ∂ψ/∂ρ and ρ ∂ψ/∂ρ, with the
/// error where the method estimates one.
std::string gradient_text(const Model& model, std::span<const double> rho,
                          const GradientReport& report);

/// Where steps could not be solved as far as derivatives want: what that does to the gradient, or why nobody
/// knows; else nothing.
std::string tolerance_text(const GradientReport& report);

/// The JSON of `gradient --out`; numbers carry 17 significant digits. Parameters that were not
/// finished are left out. The files are those beside it that belong to it, empty if there is none.
std::string gradient_json(const Model& model, const GradientOptions& options,
                          const GradientReport& report, const std::string& motion_file,
                          const std::string& sensitivity_file = "");

/// The table of `gradient --check`: all comparisons if they agree, else those that do not.
std::string derivative_text(const DerivativeReport& report);

}  // namespace kinegrad
