// kinegrad report as a user meets it: the page, messages, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::run_kinegrad;
using test::TemporaryFile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A build without node has no page: then a report is refused with a word on how to get it.
bool has_page() {
  const auto result = run_kinegrad("report /nowhere/at/all.json -o /nowhere/at/all.html");
  EXPECT_EQ(result.status, 2);
  if (result.output.find("built without the page") == std::string::npos) return true;
  EXPECT_THAT(result.output, AllOf(HasSubstr("node"), HasSubstr("npm")));
  return false;
}

std::string run(const std::string& what, const std::string& example, const TemporaryFile& out) {
  return what + " " + test::source_path("examples/" + example + ".yaml") +
         " --end 0.1 --quiet --out " + out.path();
}

TEST(CommandLineReport, OnePageOfSimulationAndGradient) {
  if (!has_page()) GTEST_SKIP() << "built without node and npm";
  for (const char* what : {"simulate", "gradient"}) {
    const TemporaryFile out("report_one.json"), motion("report_one.motion"),
        page("report_one.html");
    ASSERT_EQ(run_kinegrad(run(what, "five_bar", out)).status, 0);
    const auto result = run_kinegrad("report " + out.path() + " -o " + page.path());
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr(page.path()));
    const std::string html = page.text();
    EXPECT_THAT(html, HasSubstr("<title>five bar</title>"));
    EXPECT_THAT(html, HasSubstr("\"poses\":{\"A1\":["));
    EXPECT_THAT(html, Not(HasSubstr("{{data}}")));
    EXPECT_THAT(html, AllOf(HasSubstr("contains three"), HasSubstr("contains uplot")))
        << "licences";
  }
}

TEST(ReportSize, PageOfALongRunIsSmall) {
  if (!has_page()) GTEST_SKIP() << "built without node and npm";
  const TemporaryFile out("report_long.json"), motion("report_long.motion"),
      page("report_long.html");
  ASSERT_EQ(run_kinegrad("simulate " + test::source_path("examples/five_bar.yaml") +
                         " --step 1e-3 --end 10 --quiet --out " + out.path())
                .status,
            0);
  ASSERT_EQ(run_kinegrad("report " + out.path() + " --quiet -o " + page.path()).status, 0);
  EXPECT_LT(std::filesystem::file_size(page.path()), 5'000'000u);
}

TEST(CommandLineReport, WrongInputExitsWithTwoAndNamesTheFile) {
  if (!has_page()) GTEST_SKIP() << "built without node and npm";
  const TemporaryFile out("report_bad.json"), motion("report_bad.motion"), page("report_bad.html");
  const std::string report = "report " + out.path() + " -o " + page.path();
  const auto missing = run_kinegrad(report);
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.output, HasSubstr(out.path()));
  std::ofstream(out.path()) << "{\"settings\": ";
  const auto broken = run_kinegrad(report);
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.output, HasSubstr(out.path()));
  ASSERT_EQ(run_kinegrad(run("simulate", "pendulum", out)).status, 0);
  std::filesystem::remove(motion.path());
  const auto still = run_kinegrad(report);
  EXPECT_EQ(still.status, 2);
  EXPECT_THAT(still.output, HasSubstr(motion.path()));
  ASSERT_EQ(run_kinegrad(run("simulate", "pendulum", out)).status, 0);
  EXPECT_EQ(run_kinegrad("report " + out.path() + " -o /nowhere/at/all.html").status, 2);
  EXPECT_EQ(run_kinegrad("report " + out.path()).status, 2) << "no page is named";
}

}  // namespace
}  // namespace kinegrad
