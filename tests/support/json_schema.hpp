// As much of JSON Schema (draft 7) as the schema of model files uses, to ask it about a model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kinegrad::test {

/// Why the schema refuses a value, with its place: "/bodies/A/mass: …"; empty if it accepts it.
/// @throws std::logic_error for a word of JSON Schema that is not known here
std::string schema_refusal(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace kinegrad::test
