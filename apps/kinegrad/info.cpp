#include "kinegrad/io/model_info.hpp"

#include <fmt/core.h>

#include "commands.hpp"

namespace kinegrad::app {

int info(const InfoOptions& options) {
  const Model model = load_model(options.model);
  if (!options.out.empty()) write_file(options.out, model_info_json(model));
  if (!options.quiet) fmt::print("{}", model_info_text(model));
  return kDone;
}

}  // namespace kinegrad::app
