// Ten thousand small damages to the examples: each result is a model, or findings with places.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "support/model_promise.hpp"
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
    const test::ModelPromise promise = test::reader_promise(text);
    EXPECT_EQ(promise.broken, "");
    if (promise.sound) ++sound;
    EXPECT_LT(watch.elapsed(), test::kLongestRead);
  }
  // Both outcomes are met often: the damage is neither invisible nor always in the first line.
  EXPECT_GE(sound, kMutations / 50);
  EXPECT_LE(sound, kMutations - kMutations / 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelMutation, testing::Range(1u, 11u));

}  // namespace
}  // namespace kinegrad
