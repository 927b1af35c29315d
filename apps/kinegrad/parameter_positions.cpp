#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "kinegrad/base/error.hpp"

namespace kinegrad::app {

namespace {

[[noreturn]] void refuse(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.name == name) {
      throw InvalidArgument(
          fmt::format("the parameter \"{}\" is an expression of others: name those instead", name));
    }
    if (!parameter.derived) known.push_back(parameter.name);
  }
  throw InvalidArgument(
      fmt::format("the model has no parameter \"{}\"{}", name, suggestion(name, known)));
}

}  // namespace

std::vector<int> parameter_positions(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> positions;
  for (const std::string& name : names) {
    const std::vector<int> found = model.find_parameters(name);
    if (found.empty()) refuse(model, name);
    for (const int k : found) {
      if (!std::count(positions.begin(), positions.end(), k)) positions.push_back(k);
    }
  }
  return positions;
}

}  // namespace kinegrad::app
