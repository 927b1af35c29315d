#include "kinegrad/io/model_info.hpp"

#include <fmt/core.h>

#include "command_files.hpp"
#include "commands.hpp"

namespace kinegrad::app {

int info(const InfoOptions& options) {
  const auto [model, files] = load_model(options.model);
  const std::vector<CoordinateSize> sets = coordinate_sizes(options.model);
  require_distinct(files, {{"--out", options.out}});
  KeptFiles kept;
  kept.keep(open_output(options.out), model_info_json(model, sets));
  if (!options.quiet) fmt::print("{}", model_info_text(model, sets));
  return kept.all() ? kDone : kNumericsFailed;
}

}  // namespace kinegrad::app
