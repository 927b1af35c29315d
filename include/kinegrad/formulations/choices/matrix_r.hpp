// Matrix R [MR-1] … [MR-6]: independent coordinates, of its own choice or of the model's; and the same where nothing is
// independent: with all motion prescribed every state follows from Φ, Φ̇, Φ̈ = 0.
#pragma once

#include "kinegrad/formulations/choices/saddle_choice.hpp"
#include "kinegrad/formulations/matrix_r_chosen.hpp"

namespace kinegrad {

struct MatrixRFormulation {
  static constexpr std::string_view name = MatrixR<double>::kName;
  static constexpr std::string_view summary = "independent coordinates, chosen anew where needed";
  static constexpr FormulationTakes takes{.euler_equations = true, .named_independent = true};

  template <Scalar T>
  static std::unique_ptr<Formulation<T>> make(const FormulationTask<T>& task) {
    auto system = make_system<T>(task.model, task.point, task.constants);
    if (!task.model.reactive_forces().empty()) {
      return std::make_unique<ReactiveMatrixR<T>>(task.model, reactive_parts(task),
                                                  std::move(system));
    }
    if (!task.model.independent().empty()) {
      return std::make_unique<MatrixRChosen<T>>(task.model, std::move(system));
    }
    return std::make_unique<MatrixR<T>>(task.model, std::move(system));
  }
};

struct KinematicFormulation : MatrixRFormulation {
  static constexpr std::string_view name = "kinematic";
  static constexpr std::string_view summary =
      "driven mechanisms without degrees of freedom: positions, then forces";
  static constexpr FormulationTakes takes{
      .open_chains = false, .euler_equations = true, .freedom = false};
};

}  // namespace kinegrad
