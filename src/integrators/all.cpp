#include "kinegrad/integrators/all.hpp"

#include <array>
#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/esdirk.hpp"
#include "kinegrad/integrators/generalized_alpha_partials.hpp"
#include "kinegrad/integrators/methods/dopri5.hpp"
#include "kinegrad/integrators/methods/esdirk3.hpp"
#include "kinegrad/integrators/methods/esdirk4.hpp"
#include "kinegrad/integrators/methods/generalized_alpha.hpp"
#include "kinegrad/integrators/methods/hht.hpp"
#include "kinegrad/integrators/methods/newmark.hpp"
#include "kinegrad/integrators/methods/rk4.hpp"
#include "kinegrad/integrators/methods/trapezoidal.hpp"
#include "kinegrad/integrators/runge_kutta.hpp"
#include "kinegrad/integrators/runge_kutta_partials.hpp"

namespace kinegrad {

namespace {

constexpr std::array kIntegrators{integrator_entry<TrapezoidalRule>(),         //
                                  integrator_entry<NewmarkMethod>(),           //
                                  integrator_entry<HhtMethod>(),               //
                                  integrator_entry<GeneralizedAlphaMethod>(),  //
                                  integrator_entry<Rk4Method>(),               //
                                  integrator_entry<Dopri5Method>(),            //
                                  integrator_entry<Esdirk3Method>(),           //
                                  integrator_entry<Esdirk4Method>()};

/// Why the two do not go together; empty if they do.
template <Scalar T>
std::string_view pair_refusal(const NewmarkConstants& constants, const Formulation<T>& with) {
  if (!with.refuses_implicit().empty()) return with.refuses_implicit();
  const bool damps = constants.gamma > 0.5 || constants.alpha_m != 0 || constants.alpha_f != 0;
  return damps ? std::string_view{} : with.needs_damping();
}

template <Scalar T>
std::string_view pair_refusal(const Tableau& tableau, const Formulation<T>& with) {
  return tableau.gamma == 0 ? with.refuses_explicit() : with.refuses_implicit();
}

template <Scalar T>
std::unique_ptr<StepMap<T>> map_of(const NewmarkConstants& constants, Formulation<T>& formulation,
                                   const IntegratorOptions& options) {
  return std::make_unique<GeneralizedAlpha<T>>(constants, formulation, options);
}

template <Scalar T>
std::unique_ptr<StepMap<T>> map_of(const Tableau& tableau, Formulation<T>& formulation,
                                   const IntegratorOptions& options) {
  if (tableau.gamma == 0) return std::make_unique<RungeKutta<T>>(tableau, formulation, options);
  return std::make_unique<Esdirk<T>>(tableau, formulation, options);
}

std::unique_ptr<StepPartials> partials_of(const NewmarkConstants& constants, const StageRule& rule,
                                          const SystemPartialsFactory& make_system) {
  return std::make_unique<GeneralizedAlphaPartials>(constants, rule, make_system);
}

std::unique_ptr<StepPartials> partials_of(const Tableau& tableau, const StageRule& rule,
                                          const SystemPartialsFactory& make_system) {
  return std::make_unique<RungeKuttaPartials>(tableau, rule, make_system);
}

/// f(constants) or f(tableau), whichever the integrator has.
template <typename F>
auto with_numbers(const IntegratorEntry& entry, const IntegratorOptions& options, const F& f) {
  if (const Tableau* tableau = entry.tableau()) return f(*tableau);
  return f(std::get<0>(entry.numbers)(options));
}

}  // namespace

std::span<const IntegratorEntry> integrators() { return kIntegrators; }

const IntegratorEntry& integrator_named(std::string_view name) {
  return choice_named("integrator", integrators(), name);
}

bool has_adaptive_steps(std::string_view name, StepSizes steps) {
  return integrator_named(name).adaptive(steps);
}

std::string_view default_integrator() { return kIntegrators.front().name; }

std::string_view integrator_beside(std::string_view formulation) {
  const FormulationEntry* entry = find_choice(formulations(), formulation);
  return entry && entry->needs_damping ? std::string_view(GeneralizedAlphaMethod::name)
                                       : default_integrator();
}

std::string_view formulation_beside(std::string_view integrator, const Model& model) {
  const FormulationEntry& usual = formulation_named(default_formulation(model));
  const bool stages = integrator_named(integrator).tableau() != nullptr;
  // stages at position level do not exist in explicit methods, and cost those of ESDIRK their order
  if (!stages || !usual.position_level) return usual.name;
  return independent_formulation();
}

template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(const IntegratorEntry& entry, Formulation<T>& formulation,
                                          const IntegratorOptions& options) {
  options.validate();
  return with_numbers(entry, options, [&](const auto& numbers) {
    const std::string_view reason = pair_refusal(numbers, formulation);
    if (!reason.empty()) {
      throw InvalidArgument("the formulation " + std::string(formulation.name()) +
                            " and the integrator " + std::string(entry.name) +
                            " do not go together: " + std::string(reason));
    }
    return map_of(numbers, formulation, options);
  });
}

template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(std::string_view name, Formulation<T>& formulation,
                                          const IntegratorOptions& options) {
  return make_step_map(integrator_named(name), formulation, options);
}

std::unique_ptr<StepPartials> make_step_partials(const IntegratorEntry& entry,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system) {
  return with_numbers(entry, options,
                      [&](const auto& numbers) { return partials_of(numbers, rule, make_system); });
}

std::unique_ptr<StepPartials> make_step_partials(std::string_view name,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system) {
  return make_step_partials(integrator_named(name), options, rule, make_system);
}

#define KINEGRAD_INSTANTIATE(T)                                                                  \
  template std::unique_ptr<StepMap<T>> make_step_map<T>(const IntegratorEntry&, Formulation<T>&, \
                                                        const IntegratorOptions&);               \
  template std::unique_ptr<StepMap<T>> make_step_map<T>(std::string_view, Formulation<T>&,       \
                                                        const IntegratorOptions&)
KINEGRAD_INSTANTIATE(double);
KINEGRAD_INSTANTIATE(Complex);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
