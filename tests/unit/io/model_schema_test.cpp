#include "kinegrad/io/model_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/model_keys.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "support/places.hpp"

namespace kinegrad {
namespace {

using Json = nlohmann::json;

const Json& schema() {
  static const Json json = Json::parse(model_schema_json());
  return json;
}

/// The schema of the maps of that context.
const Json& object_schema(const std::string& context) {
  return context == "model" ? schema() : schema().at("definitions").at(context);
}

TEST(SchemaReader, CommittedFileIsTheGeneratedOne) {
  std::ifstream file(test::source_path("schema/kinegrad-model.schema.json"));
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == model_schema_json())
      << "regenerate it: kinegrad schema > schema/kinegrad-model.schema.json";
}

TEST(SchemaReader, HasEveryKeyTheReaderAccepts) {
  const std::vector<io::KeyTable> tables = io::all_key_tables(builtin_catalogue());
  EXPECT_GT(tables.size(), 15u);
  for (const io::KeyTable& table : tables) {
    const Json& object = object_schema(table.context);
    EXPECT_EQ(object.at("additionalProperties"), false) << table.context;
    const Json& properties = object.at("properties");
    EXPECT_EQ(properties.size(), table.keys.size()) << table.context;
    for (const io::KeyInfo& info : table.keys) {
      ASSERT_TRUE(properties.contains(info.key)) << table.context << ": " << info.key;
      EXPECT_NE(properties.at(info.key).value("description", ""), "")
          << table.context << ": " << info.key;
      const Json required = object.value("required", Json::array());
      const bool listed = std::find(required.begin(), required.end(), info.key) != required.end();
      EXPECT_EQ(listed, info.required) << table.context << ": " << info.key;
    }
  }
}

TEST(SchemaReader, KnowsTheTypesOfTheCatalogue) {
  const Json& types = object_schema("joint").at("properties").at("type").at("enum");
  EXPECT_EQ(types.size(), builtin_catalogue().joints().size());
  const Json& forces =
      schema().at("properties").at("forces").at("additionalProperties").at("oneOf");
  EXPECT_EQ(forces.size(), builtin_catalogue().forces().size());
  const Json& constraints =
      schema().at("properties").at("constraints").at("additionalProperties").at("oneOf");
  EXPECT_EQ(constraints.size(), builtin_catalogue().constraints().size());
}

/// Every reference points at a definition.
void check_references(const Json& json) {
  if (json.is_object() && json.contains("$ref")) {
    const std::string target = json.at("$ref");
    const std::string prefix = "#/definitions/";
    ASSERT_EQ(target.rfind(prefix, 0), 0u);
    EXPECT_TRUE(schema().at("definitions").contains(target.substr(prefix.size()))) << target;
  }
  if (json.is_structured()) {
    for (const Json& child : json) check_references(child);
  }
}

TEST(SchemaReader, ReferencesAreDefined) { check_references(schema()); }

}  // namespace
}  // namespace kinegrad
