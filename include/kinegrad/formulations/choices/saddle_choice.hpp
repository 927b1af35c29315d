// What the formulations with multipliers share: a saddle-point system [B-1] whose equations a rule states as data.
#pragma once

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/formulations/bordered.hpp"
#include "kinegrad/formulations/formulation_entry.hpp"
#include "kinegrad/formulations/reactive.hpp"
#include "kinegrad/signals/reactive_partials.hpp"

namespace kinegrad {

inline constexpr std::string_view kNeedsPositions =
    "it holds the constraints at position level, which needs an implicit method";

/// What a formulation of forces that read reactions is made of.
template <Scalar T>
ReactiveParts<T> reactive_parts(const FormulationTask<T>& task) {
  return {make_system<T>(task.model, task.point, task.constants),
          make_system_partials(task.model, task.point),
          make_plain_partials(task.model, task.point)};
}

/// A formulation that is its rule: the static member `rule` of Choice.
template <typename Choice>
struct SaddleChoice {
  static constexpr FormulationTakes takes{};

  template <Scalar T>
  static std::unique_ptr<Formulation<T>> make(const FormulationTask<T>& task) {
    const BorderRule& rule = Choice::rule;
    auto system = make_system<T>(task.model, task.point, task.constants);
    if (task.model.reactive_forces().empty()) {
      return std::make_unique<Bordered<T>>(std::move(system), rule, task.options);
    }
    return std::make_unique<ReactiveSaddle<T>>(task.model, reactive_parts(task), rule, task.options,
                                               rule.projects ? std::move(system) : nullptr);
  }
};

}  // namespace kinegrad
