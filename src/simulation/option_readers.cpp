#include "kinegrad/simulation/option_readers.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

bool OptionReaders::read_by(const RunOptions& run) const {
  return std::count(names.begin(), names.end(), choice(run)) > 0;
}

const std::vector<OptionReaders>& option_readers() {
  static const std::vector<OptionReaders> all{
      {"spectral_radius", true, {"hht", "generalized-alpha"}},
      {"max_step", true, {"dopri5"}},
      {"beta", true, {"newmark"}},
      {"gamma", true, {"newmark"}},
      {"exact_tangent", true, {"trapezoidal", "newmark", "hht", "generalized-alpha"}},
      {"penalty", false, {"ali3p", "penalty"}},
      {"stabilisation", false, {"penalty", "index1", "fully-recursive"}},
      {"stabilisation_damping", false, {"penalty", "index1", "fully-recursive"}},
      {"multiplier_start", false, {"ali3p"}},
      {"projection_scale", false, {"ali3p"}},
      {"project_once", false, {"ali3p"}}};
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
