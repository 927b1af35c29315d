#include "kinegrad/io/warnings_output.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kinegrad {

std::string warnings_text(const Warnings& warnings) {
  std::string text;
  for (const Warning& warning : warnings) {
    const std::string when =
        std::isfinite(warning.t) ? fmt::format("at t = {:.6g} s: ", warning.t) : std::string();
    text += fmt::format("  warning: {}{}\n", when, warning.text);
  }
  return text;
}

}  // namespace kinegrad
