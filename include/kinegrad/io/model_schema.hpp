// The JSON Schema of model files, made from the key tables of the reader. Editors complete and
// check model files with it.
#pragma once

#include <string>

#include "kinegrad/model/catalogue.hpp"

namespace kinegrad {

/// The schema as indented JSON (draft-07, which editors know best), with the catalogue's joint and
/// force types. Ends with a newline.
std::string model_schema_json(const Catalogue& catalogue = builtin_catalogue());

}  // namespace kinegrad
