// Hundreds of random mechanisms at the edges of rank: what ends well is right, what cannot be computed says
// why, and nothing is wrong in silence.
//
//   KINEGRAD_ATTACK_CASES=5000 KINEGRAD_ATTACK_SEED=1 kinegrad_integration_tests --gtest_filter=RankAttack.*
//
// runs others. With KINEGRAD_ATTACK_FOLDER every verdict is printed and the models of those that are wrong are written
// there: `kinegrad gradient case_N.yaml --method …` repeats them.
#include <fmt/format.h>
#include <gtest/gtest.h>

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
    case Outcome::kWarned: return "warned";
    case Outcome::kSlow: return "slow";
    case Outcome::kWrong: return "WRONG";
  }
  return "";
}

/// Cases in a hundred that may still be wrong in silence: one in a thousand is (docs/roadmap.md, closed loops), and rounding decides
/// otherwise on other machines. And those that may be slow: one in three hundred is.
constexpr double kStillOpen = 1, kMostSlow = 3;

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
    fmt::print("{}\n  {}\n", random.name(), fmt::join(verdict.wrong, "\n  "));
  }
  fmt::print(
      "{} cases from seed {}: {} agree, {} refused, {} failed with a reason, {} with a "
      "warning, {} slow, {} wrong in silence\n",
      cases, first, counts[Outcome::kAgrees], counts[Outcome::kRefused], counts[Outcome::kFailed],
      counts[Outcome::kWarned], counts[Outcome::kSlow], counts[Outcome::kWrong]);
  if (!seeds.empty()) fmt::print("wrong: {}\n", fmt::join(seeds, " "));
  if (cases < 100) return;
  EXPECT_LE(counts[Outcome::kWrong], kStillOpen * static_cast<double>(cases) / 100);
  EXPECT_LE(counts[Outcome::kSlow], kMostSlow * static_cast<double>(cases) / 100);
  // refusing everything would not be wrong either
  EXPECT_GE(counts[Outcome::kAgrees], static_cast<int>(9 * cases / 10));
}

/// Implicit steps of fully-recursive whose redundant equations drift apart: multipliers that go on from step to step hold
/// them after all, with motions off by 1e-3 and gradients by 27 times [FR-3].
TEST(RankAttack, MultipliersDoNotHoldWhatDriftMadeDifferent) {
  for (const std::uint64_t seed : {638, 1026, 1372, 1409, 1728, 2431}) {
    const RandomCase random = test::random_case(seed);
    const Verdict verdict = test::judge_apart(random);
    EXPECT_TRUE(verdict.outcome != Outcome::kWrong)
        << random.name() << ": " << fmt::format("{}", fmt::join(verdict.wrong, "; "));
  }
}

/// Two ropes whose equations hardly differ (pivot 0.05), held at acceleration level: derivatives take the equations as solved, the steps
/// leave a part of 1e-3 of one to their next correction, and gradients are off by 2e-6 [SC-7].
TEST(RankAttack, EquationsThatHardlyDifferAreConfirmed) {
  const RandomCase random = test::random_case(1798);
  const Verdict verdict = test::judge_apart(random);
  EXPECT_TRUE(verdict.outcome != Outcome::kWrong)
      << random.name() << ": " << fmt::format("{}", fmt::join(verdict.wrong, "; "));
}

/// A step that ends beside a singular position, least pivot 2e-4: rounding, magnified by 1/d², decides about the sixth digit of the
/// gradient, and the noise of differences hides it. The complex step does not [SC-9].
TEST(RankAttack, NoiseOfDifferencesHidesNothing) {
  const RandomCase random = test::random_case(392);
  const Verdict verdict = test::judge_apart(random);
  EXPECT_TRUE(verdict.outcome != Outcome::kWrong)
      << random.name() << ": " << fmt::format("{}", fmt::join(verdict.wrong, "; "));
}

}  // namespace
}  // namespace kinegrad
