#include "kinegrad/integrators/all.hpp"

#include <array>
#include <string>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/esdirk.hpp"
#include "kinegrad/integrators/generalized_alpha_partials.hpp"
#include "kinegrad/integrators/runge_kutta.hpp"
#include "kinegrad/integrators/runge_kutta_partials.hpp"

namespace kinegrad {

namespace {

constexpr std::array kIntegrators{
    NamedChoice{"trapezoidal", "implicit, order 2, no numerical damping"},
    NamedChoice{"newmark", "implicit, beta and gamma free; order 2 for gamma = 1/2"},
    NamedChoice{"hht", "implicit, order 2, damps high frequencies"},
    NamedChoice{"generalized-alpha", "implicit, order 2, damping by the spectral radius"},
    NamedChoice{"rk4", "explicit, order 4, fixed step"},
    NamedChoice{"dopri5", "explicit, order 5, adaptive step, dense output"},
    NamedChoice{"esdirk3", "implicit, order 3, L-stable, adaptive step: stiff models"},
    NamedChoice{"esdirk4",
                "implicit, order 4, L-stable, adaptive step: stiff models, more digits"}};

}  // namespace

std::span<const NamedChoice> integrators() { return kIntegrators; }

namespace {

[[noreturn]] void unknown(std::string_view name) {
  std::vector<std::string> known;
  for (const NamedChoice& choice : kIntegrators) known.emplace_back(choice.name);
  throw InvalidArgument("unknown integrator \"" + std::string(name) + "\"" +
                        suggestion(name, known));
}

/// Which family a name belongs to, and with what: the one place that knows.
template <typename Newmark, typename RungeKuttas>
auto dispatch(std::string_view name, const IntegratorOptions& options, const Newmark& newmark,
              const RungeKuttas& tableau) {
  if (name == "trapezoidal") return newmark(trapezoidal_constants());
  if (name == "newmark") return newmark(newmark_constants(options));
  if (name == "hht") return newmark(hht_constants(options));
  if (name == "generalized-alpha") return newmark(generalized_alpha_constants(options));
  if (name == "rk4") return tableau(rk4_tableau());
  if (name == "dopri5") return tableau(dopri5_tableau());
  if (name == "esdirk3") return tableau(esdirk3_tableau());
  if (name == "esdirk4") return tableau(esdirk4_tableau());
  unknown(name);
}

}  // namespace

bool has_adaptive_steps(std::string_view name, StepSizes steps) {
  const auto newmark = [&](const NewmarkConstants&) { return steps == StepSizes::kAdaptive; };
  const auto runge_kutta = [&](const Tableau& tableau) {
    return !tableau.b_hat.empty() && steps != StepSizes::kFixed;
  };
  return dispatch(name, {}, newmark, runge_kutta);
}

template <Scalar T>
std::unique_ptr<StepMap<T>> make_step_map(std::string_view name, Formulation<T>& formulation,
                                          const IntegratorOptions& options) {
  options.validate();
  using Map = std::unique_ptr<StepMap<T>>;
  const auto refuse = [&](std::string_view reason) {
    throw InvalidArgument("the formulation " + std::string(formulation.name()) +
                          " and the integrator " + std::string(name) +
                          " do not go together: " + std::string(reason));
  };
  const auto newmark = [&](const NewmarkConstants& constants) -> Map {
    if (!formulation.refuses_implicit().empty()) refuse(formulation.refuses_implicit());
    const bool damps = constants.gamma > 0.5 || constants.alpha_m != 0 || constants.alpha_f != 0;
    if (!damps && !formulation.needs_damping().empty()) refuse(formulation.needs_damping());
    return std::make_unique<GeneralizedAlpha<T>>(constants, formulation, options);
  };
  const auto runge_kutta = [&](const Tableau& tableau) -> Map {
    const bool explicit_stages = tableau.gamma == 0;
    const std::string_view reason =
        explicit_stages ? formulation.refuses_explicit() : formulation.refuses_implicit();
    if (!reason.empty()) refuse(reason);
    if (explicit_stages) return std::make_unique<RungeKutta<T>>(tableau, formulation, options);
    return std::make_unique<Esdirk<T>>(tableau, formulation, options);
  };
  return dispatch(name, options, newmark, runge_kutta);
}

std::unique_ptr<StepPartials> make_step_partials(std::string_view name,
                                                 const IntegratorOptions& options,
                                                 const StageRule& rule,
                                                 const SystemPartialsFactory& make_system) {
  using Partials = std::unique_ptr<StepPartials>;
  const auto newmark = [&](const NewmarkConstants& constants) -> Partials {
    return std::make_unique<GeneralizedAlphaPartials>(constants, rule, make_system);
  };
  const auto runge_kutta = [&](const Tableau& tableau) -> Partials {
    return std::make_unique<RungeKuttaPartials>(tableau, rule, make_system);
  };
  return dispatch(name, options, newmark, runge_kutta);
}

template std::unique_ptr<StepMap<double>> make_step_map<double>(std::string_view,
                                                                Formulation<double>&,
                                                                const IntegratorOptions&);
template std::unique_ptr<StepMap<Complex>> make_step_map<Complex>(std::string_view,
                                                                  Formulation<Complex>&,
                                                                  const IntegratorOptions&);

}  // namespace kinegrad
