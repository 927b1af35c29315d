// One example for each table of keys: of sections written by hand, of forces and constraints made of the keys that they need.
#pragma once

#include <string>

#include "io/model_keys.hpp"

namespace kinegrad::io {

/// A model that uses every section: what each of them looks like, in the order of the reference.
const std::string& example_model();

/// The lines of the example model that belong to one section, "joints" say, its key included; empty if it has none.
std::string example_of_section(const std::string& section);

/// "NAME: {type: …, …}" with the keys that are required.
std::string example_of(const KeyTable& table, const std::string& name);

}  // namespace kinegrad::io
