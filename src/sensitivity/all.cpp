// The methods by name.
#include <array>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/adjoint.hpp"
#include "kinegrad/sensitivity/complex_step.hpp"
#include "kinegrad/sensitivity/continuous_adjoint.hpp"
#include "kinegrad/sensitivity/finite_difference.hpp"
#include "kinegrad/sensitivity/forward.hpp"

namespace kinegrad {

namespace {

constexpr std::array kMethods{gradient_method_entry<ForwardMethod>(),            //
                              gradient_method_entry<AdjointMethod>(),            //
                              gradient_method_entry<ContinuousAdjointMethod>(),  //
                              gradient_method_entry<ComplexStepMethod>(),        //
                              gradient_method_entry<FiniteDifferenceMethod>()};

}  // namespace

std::span<const GradientMethodEntry> gradient_methods() { return kMethods; }

const GradientMethodEntry& gradient_method_named(std::string_view name) {
  return choice_named("method", gradient_methods(), name);
}

std::string_view default_gradient_method() { return AdjointMethod::name; }

std::string_view method_that_reads(std::string_view option) {
  for (const GradientMethodEntry& entry : kMethods) {
    if (entry.reads(option)) return entry.name;
  }
  return {};
}

std::unique_ptr<GradientMethod> make_gradient_method(const GradientMethodEntry& entry,
                                                     const GradientOptions& options,
                                                     const Model& model, const RunOptions& run) {
  const std::string refusal = entry.refusal(options, model, run);
  if (!refusal.empty()) throw InvalidArgument(refusal);
  return entry.make();
}

}  // namespace kinegrad
