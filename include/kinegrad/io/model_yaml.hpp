// Model files: YAML text to a ModelDescription. Only the structure is checked here (keys, kinds of
// values, names); compile_model() resolves names and expressions.
#pragma once

#include <string>
#include <string_view>

#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/description.hpp"

namespace kinegrad {

/// Reads a model file. The catalogue says which forces there are and what attributes they have.
/// @throws InvalidModel with everything that is wrong in the file, each with its line.
ModelDescription read_model_yaml(const std::string& path,
                                 const Catalogue& catalogue = builtin_catalogue());

/// The same for a text; `file_name` is what messages call it.
ModelDescription parse_model_yaml(std::string_view text, const std::string& file_name,
                                  const Catalogue& catalogue = builtin_catalogue());

}  // namespace kinegrad
