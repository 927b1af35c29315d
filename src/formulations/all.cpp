#include "kinegrad/formulations/all.hpp"

#include <array>

#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/choices/ali3p.hpp"
#include "kinegrad/formulations/choices/fully_recursive.hpp"
#include "kinegrad/formulations/choices/index1.hpp"
#include "kinegrad/formulations/choices/index3.hpp"
#include "kinegrad/formulations/choices/matrix_r.hpp"
#include "kinegrad/formulations/choices/penalty.hpp"
#include "kinegrad/formulations/choices/semi_recursive.hpp"

namespace kinegrad {

namespace {

constexpr std::array kFormulations{formulation_entry<Ali3p>(),                     //
                                   formulation_entry<MatrixRFormulation>(),        //
                                   formulation_entry<KinematicFormulation>(),      //
                                   formulation_entry<PenaltyFormulation>(),        //
                                   formulation_entry<Index1>(),                    //
                                   formulation_entry<Index3>(),                    //
                                   formulation_entry<SemiRecursiveFormulation>(),  //
                                   formulation_entry<FullyRecursiveFormulation>()};

}  // namespace

std::span<const FormulationEntry> formulations() { return kFormulations; }

const FormulationEntry& formulation_named(std::string_view name) {
  return choice_named("formulation", formulations(), name);
}

bool is_recursive(std::string_view formulation) {
  const FormulationEntry* entry = find_choice(formulations(), formulation);
  return entry && !entry->takes.global_coordinates;
}

std::string_view independent_formulation() { return MatrixRFormulation::name; }

std::string_view default_formulation(const Model& model) {
  const bool reactive = !model.reactive_forces().empty();
  if (reactive && !model.constraints().empty()) return MatrixRFormulation::name;
  if (!model.independent().empty()) return MatrixRFormulation::name;
  return model.constraints().empty() ? SemiRecursiveFormulation::name : Ali3p::name;
}

template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(const FormulationEntry& entry, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options,
                                                 const LoadedTree<T>* constants) {
  const std::string refusal = formulation_refusal(entry, model);
  if (!refusal.empty()) throw InvalidArgument(refusal);
  return entry.make<T>({model, point, options, constants});
}

template <Scalar T>
std::unique_ptr<Formulation<T>> make_formulation(std::string_view name, const Model& model,
                                                 ReferencePoint point,
                                                 const FormulationOptions& options,
                                                 const LoadedTree<T>* constants) {
  return make_formulation<T>(formulation_named(name), model, point, options, constants);
}

#define KINEGRAD_INSTANTIATE_FORMULATION(T)                                              \
  template std::unique_ptr<Formulation<T>> make_formulation<T>(                          \
      const FormulationEntry&, const Model&, ReferencePoint, const FormulationOptions&,  \
      const LoadedTree<T>*);                                                             \
  template std::unique_ptr<Formulation<T>> make_formulation<T>(                          \
      std::string_view, const Model&, ReferencePoint, const FormulationOptions&,         \
      const LoadedTree<T>*)
KINEGRAD_INSTANTIATE_FORMULATION(double);
KINEGRAD_INSTANTIATE_FORMULATION(Complex);
#undef KINEGRAD_INSTANTIATE_FORMULATION

}  // namespace kinegrad
