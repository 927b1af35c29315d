#include "kinegrad/io/model_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/model_examples.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/places.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

TEST(ModelReferenceReader, CommittedPageIsTheGeneratedOne) {
  std::ifstream file(test::source_path("docs/model_file.md"));
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == model_reference())
      << "regenerate it: kinegrad schema --markdown > docs/model_file.md";
}

TEST(ModelReferenceReader, HasEveryKeyAndEveryType) {
  const std::string page = model_reference();
  for (const io::KeyTable& table : io::all_key_tables(builtin_catalogue())) {
    const bool of_element =
        table.context.starts_with("force-") || table.context.starts_with("constraint-");
    EXPECT_THAT(
        page, HasSubstr(of_element ? "`" + table.keys.front().words.front() + "`" : table.context));
    for (const io::KeyInfo& key : table.keys) {
      EXPECT_THAT(page, HasSubstr("`" + key.key + "`")) << table.context;
    }
  }
}

TEST(ModelReferenceReader, ExampleOfEverySectionCompiles) {
  const ModelDescription description = parse_model_yaml(io::example_model(), "example.yaml");
  EXPECT_EQ(compile_model(description).bodies().size(), 5u);  // ground, two bodies, two states
  for (const io::KeyInfo& section : io::model_keys().keys) {
    EXPECT_NE(io::example_of_section(section.key), "") << section.key;
  }
}

/// A model with what the examples of forces and constraints name.
std::string around(const std::string& section, const std::string& element) {
  return "bodies:\n"
         "  A: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 0, 0]}, vectors: {d: x}}\n"
         "  B: {mass: 1, inertia: [1, 1, 1], points: {P: [0, 1, 0]}, vectors: {d: y}}\n"
         "  C: {mass: 1, inertia: [1, 1, 1]}\n"
         "joints:\n"
         "  J: {type: revolute, bodies: [ground, A], point: [0, 0, 0], axis: z}\n"
         "  S: {type: prismatic, bodies: [ground, C], point: [0, 0, 0], axis: x}\n"
         "  K: {type: revolute, bodies: [ground, B], point: [0, 0, 0], axis: z}\n" +
         section + ":\n  " + element + "\n";
}

TEST(ModelReferenceReader, ExamplesOfElementsAreRead) {
  for (const ForceModel* force : builtin_catalogue().forces()) {
    const std::string text = around("forces", io::example_of(io::force_keys(*force), "F"));
    EXPECT_NO_THROW(compile_model(parse_model_yaml(text, "force.yaml"))) << text;
  }
  for (const ConstraintModel* c : builtin_catalogue().constraints()) {
    const std::string text = around("constraints", io::example_of(io::constraint_keys(*c), "C"));
    EXPECT_NO_THROW(parse_model_yaml(text, "constraint.yaml")) << text;
  }
}

TEST(ModelReferenceReader, DefaultsAreSaidTheSameWayEverywhere) {
  for (const io::KeyTable& table : io::all_key_tables(builtin_catalogue())) {
    for (const io::KeyInfo& key : table.keys) {
      const std::size_t mark = key.description.find("if not given");
      if (mark == std::string::npos) continue;
      EXPECT_FALSE(key.required) << table.context << ": " << key.key;
      EXPECT_NE(key.description.rfind("; ", mark), std::string::npos)
          << table.context << ": " << key.key << ": " << key.description;
    }
  }
}

}  // namespace
}  // namespace kinegrad
