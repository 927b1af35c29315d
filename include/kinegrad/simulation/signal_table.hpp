// A run in one call, its signals as a table: what `kinegrad simulate --csv` writes, for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {

/// Signals over time: a row for each sample, the time in the first column.
struct SignalTable {
  std::vector<std::string> names;  ///< "t", then the signals in the order of the model
  MatX values;
  RunReport report;  ///< what became of the run; the rows end where it did

  /// All samples of one signal, or of "t". @throws InvalidArgument if there is none of that name
  VecX column(std::string_view name) const;
};

/// Simulates at the parameters ρ. A step or an end of 0 is the one that the model's `analysis` gives.
/// @throws InvalidArgument for options that do not suit the model; a run that fails is reported
SignalTable simulate(const Model& model, const VecX& rho, RunOptions options = {});
/// At the parameters of the model.
SignalTable simulate(const Model& model, RunOptions options = {});

}  // namespace kinegrad
