#include <fmt/core.h>

#include "commands.hpp"
#include "kinegrad/io/model_schema.hpp"
#include "kinegrad/model/catalogue.hpp"

namespace kinegrad::app {

int schema() {
  fmt::print("{}", model_schema_json(builtin_catalogue()));
  return kDone;
}

}  // namespace kinegrad::app
