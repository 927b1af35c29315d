// What the list of gradient methods knows of one: its name and options, why it refuses a run, and how it is made.
#pragma once

#include <memory>
#include <string>

#include "kinegrad/base/choice.hpp"
#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

class GradientMethod;
struct GradientOptions;

struct GradientMethodEntry : NamedChoice {
  bool needs_motion = false;  ///< does not differentiate a static equilibrium alone
  /// Why it cannot take the run, whose settings are complete, and what can; empty if it can.
  std::string (*refusal)(const GradientOptions& asked, const Model& model, const RunOptions& run);
  std::unique_ptr<GradientMethod> (*make)();
};

/// What `--method` may name.
std::span<const GradientMethodEntry> gradient_methods();
/// @throws InvalidArgument
const GradientMethodEntry& gradient_method_named(std::string_view name);
/// What a gradient takes if nobody says.
std::string_view default_gradient_method();
/// The first method of the list with such an option of its own, as in GradientOptions.
std::string_view method_that_reads(std::string_view option);

/// The entry of a class with a name, a summary, and a refusal if it refuses some runs.
template <typename Method>
constexpr GradientMethodEntry gradient_method_entry() {
  GradientMethodEntry entry{
      {Method::name, Method::summary, options_of<Method>()}, false, nullptr, nullptr};
  if constexpr (requires { Method::needs_motion; }) entry.needs_motion = Method::needs_motion;
  if constexpr (requires { &Method::refusal; }) {
    entry.refusal = &Method::refusal;
  } else {
    entry.refusal = [](const GradientOptions&, const Model&, const RunOptions&) {
      return std::string();
    };
  }
  entry.make = []() -> std::unique_ptr<GradientMethod> { return std::make_unique<Method>(); };
  return entry;
}

}  // namespace kinegrad
