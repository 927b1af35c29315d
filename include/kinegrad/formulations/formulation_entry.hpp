// What the list of formulations knows of one: its name and options, what it takes, and how it is made. The derivatives of
// its steps follow from the StageRule that what is made states about itself.
#pragma once

#include <memory>
#include <string>

#include "kinegrad/base/choice.hpp"
#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/formulations/options.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/tree/reference_point.hpp"

namespace kinegrad {

/// What a formulation is made for.
template <Scalar T>
struct FormulationTask {
  const Model& model;
  ReferencePoint point;
  const FormulationOptions& options;
  const LoadedTree<T>* constants;  ///< as in make_system()
};

/// What a formulation can do with; a refusal names those who can.
struct FormulationTakes {
  bool constraints = true;         ///< closed loops and constraint equations
  bool open_chains = true;         ///< models without any
  bool global_coordinates = true;  ///< bodies that joints hold by constraint equations
  bool reactive_forces = true;     ///< forces that read reactions [RL-1]
  bool euler_equations = false;    ///< constraint equations that read Euler parameters
  bool named_independent = false;  ///< independent coordinates that the model names
  bool freedom = true;             ///< mechanisms whose motion is not prescribed altogether
};

struct FormulationEntry : NamedChoice {
  FormulationTakes takes;
  bool position_level = false;  ///< holds constraints at position level: no explicit steps
  bool needs_damping = false;   ///< of implicit methods, where there are constraints
  std::unique_ptr<Formulation<double>> (*make_real)(const FormulationTask<double>&) = nullptr;
  std::unique_ptr<Formulation<Complex>> (*make_complex)(const FormulationTask<Complex>&) = nullptr;

  template <Scalar T>
  std::unique_ptr<Formulation<T>> make(const FormulationTask<T>& task) const {
    if constexpr (std::is_same_v<T, double>) {
      return make_real(task);
    } else {
      return make_complex(task);
    }
  }
};

/// The entry of a struct without data that has a name, a summary, what it takes, and make<T>(task).
template <typename Choice>
constexpr FormulationEntry formulation_entry() {
  FormulationEntry entry{{Choice::name, Choice::summary, options_of<Choice>()}, Choice::takes};
  if constexpr (requires { Choice::rule; }) {
    entry.position_level = Choice::rule.position_level;
    entry.needs_damping = !Choice::rule.needs_damping.empty();
  }
  entry.make_real = &Choice::template make<double>;
  entry.make_complex = &Choice::template make<Complex>;
  return entry;
}

/// Why it cannot take the model, with the element that is the reason and the formulations of the list that can; empty if it can.
std::string formulation_refusal(const FormulationEntry& entry, const Model& model);

}  // namespace kinegrad
