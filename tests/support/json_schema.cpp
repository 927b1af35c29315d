#include "support/json_schema.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <stdexcept>

namespace kinegrad::test {

namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  throw std::logic_error("unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::string refusal(const Json& schema, const Json& value, const std::string& at) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + ": not allowed";
    if (schema.contains("$ref")) return refusal(definition(schema.at("$ref")), value, at);
    for (const auto& [word, rule] : schema.items()) {
      const std::string reason = check(schema, word, rule, value, at);
      if (!reason.empty()) return reason;
    }
    return {};
  }

 private:
  const Json& definition(const std::string& target) const {
    return root_.at("definitions").at(target.substr(std::string("#/definitions/").size()));
  }

  std::string check(const Json& schema, const std::string& word, const Json& rule,
                    const Json& value, const std::string& at) const {
    static constexpr std::array<const char*, 5> kNotes{"$schema", "title", "description",
                                                       "definitions", "properties"};
    if (std::find(kNotes.begin(), kNotes.end(), word) != kNotes.end()) {
      return word == "properties" ? properties(rule, value, at) : "";
    }
    const auto refuse = [&](bool wrong) { return wrong ? at + ": " + word : std::string(); };
    if (word == "type") return refuse(!any_type(rule, value));
    if (word == "enum") return refuse(std::find(rule.begin(), rule.end(), value) == rule.end());
    if (word == "pattern") {
      return refuse(value.is_string() && !std::regex_search(value.get<std::string>(),
                                                            std::regex(rule.get<std::string>())));
    }
    if (word == "minimum") return refuse(value.is_number() && value < rule);
    if (word == "minItems") return refuse(value.is_array() && value.size() < rule);
    if (word == "maxItems") return refuse(value.is_array() && value.size() > rule);
    if (word == "minProperties") return refuse(value.is_object() && value.size() < rule);
    if (word == "required") {
      return refuse(value.is_object() && !std::all_of(rule.begin(), rule.end(), [&](const Json& k) {
                      return value.contains(k.get<std::string>());
                    }));
    }
    if (word == "anyOf") return refuse(accepted_by(rule, value, at) == 0);
    if (word == "oneOf") return refuse(accepted_by(rule, value, at) != 1);
    if (word == "items") return items(rule, value, at);
    if (word == "propertyNames") return names(rule, value, at);
    if (word == "additionalProperties") return others(schema, rule, value, at);
    throw std::logic_error("unknown word " + word);
  }

  static bool any_type(const Json& rule, const Json& value) {
    if (rule.is_string()) return has_type(value, rule);
    return std::any_of(rule.begin(), rule.end(),
                       [&](const Json& type) { return has_type(value, type); });
  }
  long accepted_by(const Json& choices, const Json& value, const std::string& at) const {
    return std::count_if(choices.begin(), choices.end(),
                         [&](const Json& choice) { return refusal(choice, value, at).empty(); });
  }
  std::string properties(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [key, schema] : rule.items()) {
      if (!value.contains(key)) continue;
      const std::string reason = refusal(schema, value.at(key), at + "/" + key);
      if (!reason.empty()) return reason;
    }
    return {};
  }
  std::string items(const Json& rule, const Json& value, const std::string& at) const {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      const std::string reason = refusal(rule, value[i], at + "/" + std::to_string(i));
      if (!reason.empty()) return reason;
    }
    return {};
  }
  std::string names(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [key, entry] : value.items()) {
      const std::string reason = refusal(rule, key, at + "/" + key);
      if (!reason.empty()) return reason;
    }
    return {};
  }
  std::string others(const Json& schema, const Json& rule, const Json& value,
                     const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [key, entry] : value.items()) {
      if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
      const std::string reason = refusal(rule, entry, at + "/" + key);
      if (!reason.empty()) return reason;
    }
    return {};
  }

  const Json& root_;
};

}  // namespace

std::string schema_refusal(const Json& schema, const Json& value) {
  return Validator(schema).refusal(schema, value, "");
}

}  // namespace kinegrad::test
