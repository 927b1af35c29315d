// What a gradient is refused with.
#pragma once

#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::test {

/// The message, or "not refused".
inline std::string refusal_of(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  try {
    gradient(model, {rho.data(), std::size_t(rho.size())}, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace kinegrad::test
