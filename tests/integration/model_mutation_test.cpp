// Ten thousand small damages to the examples: each result is a model, or findings with places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_info.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/sample_models.hpp"
#include "support/text_mutation.hpp"
#include "support/time_limit.hpp"

namespace kinegrad {
namespace {

std::vector<std::string> example_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// True if the text is a model; findings must have places, and nothing else may come of it.
bool read_and_compile(const std::string& text) {
  static const std::string kFile = "mutant.yaml";
  try {
    const Model model = compile_model(parse_model_yaml(text, kFile));
    EXPECT_FALSE(model_info_text(model).empty());
    EXPECT_FALSE(model_info_json(model).empty());
    for (const double value : model.default_physical()) EXPECT_TRUE(std::isfinite(value));
    return true;
  } catch (const InvalidModel& error) {
    EXPECT_FALSE(error.findings().empty());
    for (const Diagnostic& finding : error.findings()) {
      EXPECT_EQ(finding.where.file, kFile) << finding.message;
      EXPECT_GE(finding.where.line, 1) << finding.message;
      EXPECT_FALSE(finding.message.empty());
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an exception of another kind: " << error.what();
  }
  return false;
}

constexpr int kMutations = 1000;

class ModelMutation : public testing::TestWithParam<unsigned> {};

TEST_P(ModelMutation, GivesAModelOrFindingsWithPlaces) {
  const std::vector<std::string> originals = example_texts();
  ASSERT_GE(originals.size(), 7u);
  std::mt19937_64 rng(GetParam());
  int sound = 0;
  for (int k = 0; k < kMutations && !HasFailure(); ++k) {
    const std::string text = test::mutated(originals, rng);
    SCOPED_TRACE("mutation " + std::to_string(k) + ":\n" + text);
    const test::Stopwatch watch;
    if (read_and_compile(text)) ++sound;
    EXPECT_LT(watch.elapsed(), test::kLongestRead);
  }
  // Both outcomes are met often: the damage is neither invisible nor always in the first line.
  EXPECT_GE(sound, kMutations / 50);
  EXPECT_LE(sound, kMutations - kMutations / 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelMutation, testing::Range(1u, 11u));

}  // namespace
}  // namespace kinegrad
