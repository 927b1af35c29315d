#include "kinegrad/simulation/option_readers.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

bool OptionReaders::read_by(const RunOptions& run) const {
  if (of_adaptive_steps) return has_adaptive_steps(run.integrator, run.details.steps);
  return std::count(names.begin(), names.end(), choice(run)) > 0;
}

const std::vector<OptionReaders>& option_readers() {
  static const std::vector<OptionReaders> all{
      {"spectral_radius", true, {"hht", "generalized-alpha"}, false},
      {"max_step", true, {"adaptive steps"}, true},
      {"min_step", true, {"adaptive steps"}, true},
      {"beta", true, {"newmark"}, false},
      {"gamma", true, {"newmark"}, false},
      {"exact_tangent",
       true,
       {"trapezoidal", "newmark", "hht", "generalized-alpha", "esdirk3", "esdirk4"},
       false},
      {"penalty", false, {"ali3p", "penalty"}, false},
      {"stabilisation", false, {"penalty", "index1", "fully-recursive"}, false},
      {"stabilisation_damping", false, {"penalty", "index1", "fully-recursive"}, false},
      {"multiplier_start", false, {"ali3p"}, false},
      {"projection_scale", false, {"ali3p"}, false},
      {"project_once", false, {"ali3p"}, false}};
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
