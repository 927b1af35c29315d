// The methods by name.
#include <array>
#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/adjoint.hpp"
#include "kinegrad/sensitivity/complex_step.hpp"
#include "kinegrad/sensitivity/continuous_adjoint.hpp"
#include "kinegrad/sensitivity/finite_difference.hpp"
#include "kinegrad/sensitivity/forward.hpp"

namespace kinegrad {

namespace {

constexpr std::array kMethods{
    NamedChoice{"forward", "direct differentiation: all parameters in one factorisation per step"},
    NamedChoice{"adjoint", "discrete adjoint: its cost does not grow with the parameters"},
    NamedChoice{"continuous-adjoint",
                "adjoint equations of the motion, with a step of their own: second order"},
    NamedChoice{"complex-step", "one run on complex numbers per parameter, exact to rounding"},
    NamedChoice{"finite-difference",
                "central differences, extrapolated, with an estimate of their error"}};

}  // namespace

std::span<const NamedChoice> gradient_methods() { return kMethods; }

std::unique_ptr<GradientMethod> make_gradient_method(const GradientOptions& options,
                                                     const Model& model, const RunOptions& run) {
  const std::string& name = options.method;
  if (name == "forward") return std::make_unique<ForwardMethod>();
  if (name == "adjoint") return std::make_unique<AdjointMethod>();
  if (name == "continuous-adjoint") {
    return std::make_unique<ContinuousAdjointMethod>(model, run, options.adjoint_approach);
  }
  if (name == "complex-step") return std::make_unique<ComplexStepMethod>();
  if (name == "finite-difference") return std::make_unique<FiniteDifferenceMethod>();
  std::vector<std::string> known;
  for (const NamedChoice& choice : kMethods) known.emplace_back(choice.name);
  throw InvalidArgument("unknown method \"" + name + "\"" + suggestion(name, known));
}

}  // namespace kinegrad
