// Hundreds of random mechanisms at the edges of rank: what ends well is right, what cannot be computed says
// why, and nothing is wrong in silence.
//
//   KINEGRAD_ATTACK_CASES=5000 KINEGRAD_ATTACK_SEED=1 kinegrad_integration_tests --gtest_filter=RankAttack.*
//
// runs others. With KINEGRAD_ATTACK_FOLDER every verdict is printed and the models of those that are wrong are written
// there: `kinegrad gradient case_N.yaml --method …` repeats them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "support/judge_apart.hpp"

namespace kinegrad {
namespace {

using test::Outcome;
using test::RandomCase;
using test::Verdict;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAgrees: return "agrees";
    case Outcome::kRefused: return "refused";
    case Outcome::kFailed: return "failed";
    case Outcome::kWrong: return "WRONG";
  }
  return "";
}

/// Known to be wrong in silence and open (docs/roadmap.md, closed loops): constraints at acceleration level that depend on
/// each other and have drifted apart, or are led past singular positions (index1, penalty, fully-recursive; in 228 and 395
/// it is the run that is compared with); 392 is 8e-6 off past a singular position. Nothing else may join them.
constexpr std::uint64_t kOpen[] = {51,  84,  97,  100, 119, 147, 156, 161,
                                   174, 207, 228, 318, 389, 392, 395};

bool is_open(std::uint64_t seed) {
  return std::find(std::begin(kOpen), std::end(kOpen), seed) != std::end(kOpen);
}

void keep(const RandomCase& random, const Verdict& verdict) {
  const char* folder = std::getenv("KINEGRAD_ATTACK_FOLDER");
  if (!folder) return;
  std::filesystem::create_directories(folder);
  std::ofstream file(std::filesystem::path(folder) / fmt::format("case_{}.yaml", random.seed));
  for (const std::string& finding : verdict.wrong) file << "# " << finding << "\n";
  file << random.yaml();
}

TEST(RankAttack, NothingIsWrongInSilence) {
  const std::uint64_t first = number_from("KINEGRAD_ATTACK_SEED", 1);
  const std::uint64_t cases = number_from("KINEGRAD_ATTACK_CASES", 400);
  const bool told = std::getenv("KINEGRAD_ATTACK_FOLDER") != nullptr;
  std::map<Outcome, int> counts;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const RandomCase random = test::random_case(seed);
    const Verdict verdict = test::judge_apart(random);
    ++counts[verdict.outcome];
    if (told) fmt::print("{}: {} {}\n", random.name(), word_of(verdict.outcome), verdict.reason);
    if (verdict.outcome != Outcome::kWrong) continue;
    keep(random, verdict);
    seeds.push_back(seed);
    if (is_open(seed)) continue;
    ADD_FAILURE() << random.name() << "\n  " << fmt::format("{}", fmt::join(verdict.wrong, "\n  "));
  }
  fmt::print(
      "{} cases from seed {}: {} agree, {} refused, {} failed with a reason, {} wrong in silence\n",
      cases, first, counts[Outcome::kAgrees], counts[Outcome::kRefused], counts[Outcome::kFailed],
      counts[Outcome::kWrong]);
  if (!seeds.empty()) fmt::print("wrong: {}\n", fmt::join(seeds, " "));
  // refusing everything would not be wrong either
  if (cases >= 100) {
    EXPECT_GE(counts[Outcome::kAgrees], static_cast<int>(cases / 2));
  }
}

}  // namespace
}  // namespace kinegrad
