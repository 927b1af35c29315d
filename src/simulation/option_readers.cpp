#include "kinegrad/simulation/option_readers.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

/// Adds the options that the choices of a list state, each with its readers.
template <typename Choices>
void add_readers(const Choices& choices, bool of_integrators, std::vector<OptionReaders>& all) {
  for (const NamedChoice& choice : choices) {
    for (const std::string_view option : choice.options) {
      const auto called = [&](const OptionReaders& one) {
        return one.option == option && one.of_integrators == of_integrators;
      };
      auto found = std::find_if(all.begin(), all.end(), called);
      if (found == all.end()) found = all.insert(all.end(), {option, of_integrators, {}, false});
      found->names.emplace_back(choice.name);
    }
  }
}

}  // namespace

bool OptionReaders::read_by(const RunOptions& run) const {
  if (of_adaptive_steps) return has_adaptive_steps(run.integrator, run.details.steps);
  return std::count(names.begin(), names.end(), choice(run)) > 0;
}

const std::vector<OptionReaders>& option_readers() {
  static const std::vector<OptionReaders> all = [] {
    std::vector<OptionReaders> out{{"max_step", true, {"adaptive steps"}, true},
                                   {"min_step", true, {"adaptive steps"}, true}};
    add_readers(integrators(), true, out);
    add_readers(formulations(), false, out);
    return out;
  }();
  return all;
}

bool is_read(std::string_view option, const RunOptions& run) {
  const auto& all = option_readers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const OptionReaders& one) { return one.option == option; });
  KINEGRAD_ASSERT(found != all.end());
  return found != all.end() && found->read_by(run);
}

}  // namespace kinegrad
