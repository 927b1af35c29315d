// Fully recursive [FR-1] … [FR-3]: accelerations in O(n), no matrix of the tree.
#pragma once

#include "kinegrad/formulations/formulation_entry.hpp"
#include "kinegrad/formulations/fully_recursive.hpp"

namespace kinegrad {

struct FullyRecursiveFormulation {
  static constexpr std::string_view name = FullyRecursive<double>::kName;
  static constexpr std::string_view summary = "O(n), no matrix: long chains, few constraints";
  static constexpr std::array<std::string_view, 2> options{"stabilisation",
                                                           "stabilisation_damping"};
  static constexpr FormulationTakes takes{
      .global_coordinates = false, .reactive_forces = false, .euler_equations = true};

  template <Scalar T>
  static std::unique_ptr<Formulation<T>> make(const FormulationTask<T>& task) {
    return std::make_unique<FullyRecursive<T>>(
        SharedTree<T>(task.model, task.point, task.constants), task.options);
  }
};

}  // namespace kinegrad
