// The words of `analysis`: every choice a run has may stand in a file, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string text_with(const std::string& analysis) {
  return "bodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\nanalysis:\n" + analysis;
}

AnalysisDefaults defaults_of(const std::string& analysis) {
  return compile_model(parse_model_yaml(text_with(analysis), "f")).analysis();
}

/// What the file is refused with: one finding on each line of `analysis` from line 4 on.
std::vector<std::string> findings_of(const std::string& analysis) {
  std::vector<std::string> out;
  try {
    parse_model_yaml(text_with(analysis), "f");
  } catch (const InvalidModel& error) {
    for (const Diagnostic& finding : error.findings()) out.push_back(finding.text());
  }
  return out;
}

TEST(AnalysisWords, EveryChoiceMayStandInAFile) {
  for (const NamedChoice& choice : coordinate_sets()) {
    EXPECT_EQ(defaults_of("  coordinates: " + std::string(choice.name)).coordinates, choice.name);
  }
  for (const NamedChoice& choice : formulations()) {
    EXPECT_EQ(defaults_of("  formulation: " + std::string(choice.name)).formulation, choice.name);
  }
  for (const NamedChoice& choice : integrators()) {
    EXPECT_EQ(defaults_of("  integrator: " + std::string(choice.name)).integrator, choice.name);
  }
}

TEST(AnalysisWords, AreEmptyWhereTheFileIsSilent) {
  const AnalysisDefaults defaults = defaults_of("  {step: 0.5}");
  EXPECT_EQ(defaults.step, 0.5);
  EXPECT_EQ(defaults.coordinates, "");
  EXPECT_EQ(defaults.formulation, "");
  EXPECT_EQ(defaults.integrator, "");
}

TEST(AnalysisWords, LargestStep) {
  EXPECT_EQ(defaults_of("  {max_step: 0.25}").max_step, 0.25);
  EXPECT_EQ(defaults_of("  {step: 0.5}").max_step, 0);
  EXPECT_THROW(defaults_of("  {max_step: 0}"), InvalidModel);
}

TEST(AnalysisWords, UnknownOnesAreFoundWithLineAndSuggestion) {
  const std::vector<std::string> findings = findings_of(
      "  coordinates: joint-orign\n  formulation: semi_recursive\n  integrator: dopri\n");
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_THAT(findings[0], AllOf(HasSubstr("f:4: "), HasSubstr("did you mean \"joint-origin\"?")));
  EXPECT_THAT(findings[1],
              AllOf(HasSubstr("f:5: "), HasSubstr("did you mean \"semi-recursive\"?")));
  EXPECT_THAT(findings[2], AllOf(HasSubstr("f:6: "), HasSubstr("did you mean \"dopri5\"?")));
}

TEST(AnalysisWords, FarOffOnesListTheChoices) {
  const std::vector<std::string> findings = findings_of("  integrator: magic\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0],
              AllOf(HasSubstr("f:4: "), HasSubstr("trapezoidal"), HasSubstr("generalized-alpha")));
}

TEST(AnalysisWords, AListIsNoWord) { EXPECT_EQ(findings_of("  integrator: [rk4]\n").size(), 1u); }

}  // namespace
}  // namespace kinegrad
