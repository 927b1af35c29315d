// The page docs/model_file.md: every section, key, type, unit and default of a model file, what expressions may read, and an
// example of each, made from the key tables of the reader and from the catalogue.
#pragma once

#include <string>

#include "kinegrad/model/catalogue.hpp"

namespace kinegrad {

/// Markdown; ends with a newline.
std::string model_reference(const Catalogue& catalogue = builtin_catalogue());

}  // namespace kinegrad
