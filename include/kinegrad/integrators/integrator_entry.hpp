// What the list of integrators knows of one: its name and options, and its numbers, from which its steps and their
// derivatives are made together.
#pragma once

#include <variant>

#include "kinegrad/base/choice.hpp"
#include "kinegrad/integrators/newmark_constants.hpp"
#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

struct IntegratorEntry : NamedChoice {
  /// A member of Newmark's family by its constants, or a Runge-Kutta method by its tableau.
  std::variant<NewmarkConstants (*)(const IntegratorOptions&), const Tableau& (*)()> numbers;

  /// Null for Newmark's family.
  const Tableau* tableau() const {
    const auto* make = std::get_if<1>(&numbers);
    return make ? &(*make)() : nullptr;
  }
  bool is_explicit() const { return tableau() && tableau()->gamma == 0; }
  /// Whether the sizes of its steps are controlled.
  bool adaptive(StepSizes steps) const {
    if (!tableau()) return steps == StepSizes::kAdaptive;
    return !tableau()->b_hat.empty() && steps != StepSizes::kFixed;
  }
};

/// The entry of a struct without data that has a name, a summary, and constants() or tableau().
template <typename Method>
constexpr IntegratorEntry integrator_entry() {
  const NamedChoice named{Method::name, Method::summary, options_of<Method>()};
  if constexpr (requires { Method::tableau(); }) {
    return {named, &Method::tableau};
  } else {
    return {named, &Method::constants};
  }
}

}  // namespace kinegrad
