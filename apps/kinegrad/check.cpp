#include <fmt/core.h>

#include "commands.hpp"

namespace kinegrad::app {

int check(const CheckOptions& options) {
  const Model model = load_model(options.model);
  if (!options.quiet) {
    fmt::print("{}: the model is sound ({} bodies, {} joints, {} parameters)\n", options.model.file,
               model.bodies().size() - 1, model.joints().size(), model.parameters().size());
  }
  return kDone;
}

}  // namespace kinegrad::app
