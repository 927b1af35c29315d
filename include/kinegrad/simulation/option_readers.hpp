// Which integrators and formulations read an option of a run: options that nobody reads are refused, and the
// record of a run shows those that somebody has read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

struct OptionReaders {
  std::string_view option;  ///< as in the JSON of a run: spectral_radius
  bool of_integrators;      ///< the names are integrators, else formulations
  std::vector<std::string> names;
  bool of_adaptive_steps;  ///< read where steps are adaptive, whatever the integrator

  /// The integrator or the formulation of a run.
  const std::string& choice(const RunOptions& run) const {
    return of_integrators ? run.integrator : run.formulation;
  }
  bool read_by(const RunOptions& run) const;
};

/// All options that only some integrators or formulations read.
const std::vector<OptionReaders>& option_readers();

/// @pre the option is one of option_readers()
bool is_read(std::string_view option, const RunOptions& run);

}  // namespace kinegrad
