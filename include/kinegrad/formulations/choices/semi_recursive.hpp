// Semi-recursive: the mass matrix by recursion, factorised densely.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"
#include "kinegrad/formulations/semi_recursive.hpp"

namespace kinegrad {

struct SemiRecursiveFormulation {
  static constexpr std::string_view name = SemiRecursive<double>::kName;
  static constexpr std::string_view summary = "trees: dense mass matrix, best for few joints";
  static constexpr FormulationTakes takes{.constraints = false, .global_coordinates = false};

  template <Scalar T>
  static std::unique_ptr<Formulation<T>> make(const FormulationTask<T>& task) {
    if (task.model.reactive_forces().empty()) {
      return std::make_unique<SemiRecursive<T>>(
          SharedTree<T>(task.model, task.point, task.constants));
    }
    return std::make_unique<ReactiveSaddle<T>>(task.model, reactive_parts(task),
                                               BorderRule{.name = name}, task.options);
  }
};

}  // namespace kinegrad
