#include <fmt/core.h>

#include "commands.hpp"
#include "kinegrad/io/model_reference.hpp"
#include "kinegrad/io/model_schema.hpp"
#include "kinegrad/model/catalogue.hpp"

namespace kinegrad::app {

int schema(bool markdown) {
  const Catalogue& catalogue = builtin_catalogue();
  fmt::print("{}", markdown ? model_reference(catalogue) : model_schema_json(catalogue));
  return kDone;
}

}  // namespace kinegrad::app
