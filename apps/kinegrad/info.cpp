#include "kinegrad/io/model_info.hpp"

#include <fmt/core.h>

#include "commands.hpp"

namespace kinegrad::app {

int info(const InfoOptions& options) {
  const Model model = load_model(options.model);
  const std::vector<CoordinateSize> sets = coordinate_sizes(options.model);
  if (!options.out.empty()) write_file(options.out, model_info_json(model, sets));
  if (!options.quiet) fmt::print("{}", model_info_text(model, sets));
  return kDone;
}

}  // namespace kinegrad::app
