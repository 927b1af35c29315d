// The subcommands of `kinegrad`, one file each. command_line.cpp alone knows the command line library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "command_files.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/simulation/coordinate_choice.hpp"
#include "kinegrad/simulation/run.hpp"

namespace kinegrad::app {

/// What a run ended with; the process's exit status.
enum Exit : int { kDone = 0, kNumericsFailed = 1, kWrongInput = 2 };

/// The model named on the command line, with its `--set NAME=VALUE`.
struct ModelArguments {
  std::string file;
  std::vector<std::string> set;
};

/// A model, and the files that it was read from: its own, meshes, samples.
struct LoadedModel {
  Model model;
  std::vector<NamedFile> files;
};

/// @throws InvalidModel, InvalidArgument
LoadedModel load_model(const ModelArguments& arguments);
std::vector<CoordinateSize> coordinate_sizes(const ModelArguments& arguments);

struct CheckOptions {
  ModelArguments model;
  bool quiet = false;
};
int check(const CheckOptions& options);

struct InfoOptions {
  ModelArguments model;
  std::string out;
  bool quiet = false;
};
int info(const InfoOptions& options);

/// What every command that runs a model takes. Zero or empty: what the model's `analysis` says, or
/// the default.
struct RunArguments {
  ModelArguments model;
  std::string coordinates, formulation, integrator;
  double step = 0, end = 0, tolerance = 0, max_step = 0, min_step = 0;
  std::string steps;  // fixed | adaptive
  double spectral_radius = 0.8, beta = 0.25, gamma = 0.5;
  bool exact_tangent = false;
  FormulationOptions constraints;
  bool project_once = false;
  std::string start;
  std::string out, motion;
  bool no_motion = false;
  bool quiet = false;
  std::vector<std::string> given;  ///< options that only some integrators and formulations read
};

/// In the coordinates of the run. @throws InvalidModel, InvalidArgument
LoadedModel load_model(const RunArguments& arguments);

/// @throws InvalidArgument
RunOptions run_options(const RunArguments& arguments, const Model& model);
/// Refuses options that neither integrator nor formulation of the run reads. @throws InvalidArgument
void require_used(const RunArguments& arguments, const RunOptions& run);
/// A message about the choices of a run, with the place in the file that makes the choice, where it does.
std::string placed(const RunArguments& arguments, const std::string& message);
/// What sets a run up, its refusals with the place in the file.
template <typename SetUp>
auto with_place(const RunArguments& arguments, const SetUp& set_up) {
  try {
    return set_up();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(placed(arguments, error.what()));
  }
}
/// "FILE:LINE: message", with the line of the element that the message names, or of the first one.
std::string located(const Model& model, const std::string& file, const std::string& message);
/// Names of parameters and ranges to positions in ρ; what is named twice counts once. @throws InvalidArgument
std::vector<int> parameter_positions(const Model& model, const std::vector<std::string>& names);
/// RESULT.json → RESULT.motion, unless the user names one, or wants none.
std::string motion_path(const RunArguments& arguments);

struct SimulateOptions {
  RunArguments run;
  bool statics = false;
  std::string csv;
};
int simulate(const SimulateOptions& options);

struct GradientArguments {
  RunArguments run;
  std::string method;
  double adjoint_step = 0;
  int adjoint_approach = 2;
  std::vector<std::string> parameters, objectives;  ///< empty: all
  std::uint64_t memory = 0;
  bool statics = false;
  std::string sensitivities;  ///< CSV of the signals' derivatives over time
  bool check = false;         ///< compare derivatives instead
  bool no_self_check = false;
};
int gradient(const GradientArguments& options);

struct OptimizeArguments {
  RunArguments run;
  std::string method, optimizer;        ///< empty: as the model says, or the default
  std::vector<std::string> parameters;  ///< empty: as the model says
  int evaluations = 0, starts = 0;
  long seed = 0;
  int threads = 1;
  bool statics = false;
  std::string resume;  ///< journal of an earlier run, or its result
};
int optimize(const OptimizeArguments& options);

struct ReportOptions {
  std::string result, out;
  bool quiet = false;
};
int report(const ReportOptions& options);

struct ListOptions {
  std::string what;
};
/// What `list` can list.
std::vector<std::string> list_topics();
int list(const ListOptions& options);

/// Prints the JSON Schema of model files.
int schema(bool markdown);

}  // namespace kinegrad::app
