// What something is refused with.
#pragma once

#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::test {

/// The message, or "not refused".
template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}

/// Of a gradient.
inline std::string refusal_of(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  return refusal([&] { gradient(model, {rho.data(), std::size_t(rho.size())}, options); });
}

}  // namespace kinegrad::test
