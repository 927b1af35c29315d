// Journals: resumed after every line, refused where a line is wrong, never lost and never shared.
#include "kinegrad/optimization/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "support/analytic_problems.hpp"
#include "support/report_bits.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using test::Analytic;
using test::bits_of;
using test::same_bits;
using test::TemporaryFile;
using test::with;
using testing::HasSubstr;

JournalSubject subject_of(const Analytic& analytic) {
  return {{{"parameters", "x1, x2"}},
          analytic.problem.start.size(),
          static_cast<Eigen::Index>(analytic.problem.rows.size()),
          1};
}

/// An optimisation that is cut off after any of its lines, or in the middle of one, and resumed makes
/// only the evaluations that are missing and ends at the same bits.
void check_every_cut(const Analytic& analytic, const OptimizeOptions& options,
                     const std::string& name) {
  const TemporaryFile whole("journal_" + name + ".whole"), part("journal_" + name + ".part");
  std::atomic<int> made{0};
  std::vector<double> expected;
  {
    Journal journal(whole.path(), subject_of(analytic), false);
    expected = bits_of(
        optimize(analytic.problem, options, journaled(test::evaluator(analytic, &made), journal)));
  }
  const std::string text = whole.text();
  const int all = made;
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\n') ends.push_back(k + 1);
  }
  ASSERT_EQ(ends.size(), static_cast<std::size_t>(all) + 1);
  for (std::size_t line = 0; line < ends.size(); ++line) {
    const std::size_t torn = line + 1 < ends.size() ? (line % 3) * 7 : 0;
    std::ofstream(part.path(), std::ios::binary) << text.substr(0, ends[line] + torn);
    made = 0;
    {
      Journal journal(part.path(), subject_of(analytic), true);
      EXPECT_EQ(journal.resumed(), line);
      const auto resumed = bits_of(optimize(analytic.problem, options,
                                            journaled(test::evaluator(analytic, &made), journal)));
      EXPECT_TRUE(same_bits(resumed, expected)) << name << ", cut after line " << line;
    }
    EXPECT_EQ(made, all - static_cast<int>(line));
    EXPECT_EQ(part.text(), text);
  }
}

TEST(Journal, ResumesAfterEveryLineToTheSameBits) {
  for (const OptimizerInfo& info : optimizers()) {
    if (!info.available()) continue;
    const std::string name(info.name);
    OptimizeOptions options = with(name);
    options.evaluations = 40;
    check_every_cut(test::rosenbrock(), options, name);
    if (info.equations) check_every_cut(test::hock_schittkowski_71(), options, name + "_71");
  }
}

TEST(Journal, ResumesManyStarts) {
  check_every_cut(test::many_valleys(), with("lbfgsb", 3), "many");
}

TEST(Journal, KeepsFailuresToo) {
  Analytic wall = test::rosenbrock();
  wall.problem.scale.setConstant(10);
  wall.failure = [](const VecX& x) { return x(1) < 6 ? "" : "too high: \"é\"\n"; };
  check_every_cut(wall, with("lbfgsb"), "failures");
}

/// Why a file of that text is refused; empty if it is not.
std::string refusal(const TemporaryFile& file, const std::string& text) {
  std::ofstream(file.path(), std::ios::binary) << text;
  try {
    const Journal journal(file.path(), subject_of(test::rosenbrock()), true);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

const std::string kHeader =
    "{\"kinegrad\":\"evaluations\",\"version\":1,\"parameters\":\"x1, x2\"}\n";

TEST(Journal, OtherFilesAreRefused) {
  const TemporaryFile file("journal_other");
  EXPECT_THAT(refusal(file, ""), HasSubstr(":1: not a journal"));
  EXPECT_THAT(refusal(file, "name: pendulum\n"), HasSubstr(":1: not a journal"));
  EXPECT_THAT(refusal(file, "{}\n"), HasSubstr(":1: not a journal"));
  EXPECT_THAT(refusal(file, "{\"kinegrad\": 3, \"version\": [1]}\n"),
              HasSubstr(":1: not a journal"));
  EXPECT_EQ(refusal(file, kHeader), "");
  EXPECT_THAT(refusal(file, "{\"kinegrad\":\"evaluations\",\"version\":1,\"parameters\":\"y\"}\n"),
              HasSubstr(":1: was recorded with other parameters: y, not x1, x2"));
  EXPECT_THAT(refusal(file, "{\"kinegrad\":\"evaluations\",\"version\":1,\"parameters\":7}\n"),
              HasSubstr(":1: was recorded with other parameters: 7"));
  EXPECT_THROW(Journal("/nowhere/at/all", subject_of(test::rosenbrock()), true), InvalidArgument);
  EXPECT_THROW(Journal("/nowhere/at/all", subject_of(test::rosenbrock()), false), InvalidArgument);
}

/// The answers of a journal are believed, so nothing of the wrong size or kind may come in.
TEST(Journal, LinesThatAreNoEvaluationsAreRefused) {
  const TemporaryFile file("journal_lines");
  const auto line = [](const char* parameters, const char* objectives, const char* gradient,
                       const char* stage = "0", const char* seconds = "0.1") {
    return std::string("{\"stage\":") + stage + ",\"parameters\":" + parameters +
           ",\"objectives\":" + objectives + ",\"gradient\":" + gradient +
           ",\"seconds\":" + seconds + "}\n";
  };
  const std::string good = line("[1,2]", "[3]", "[[4,5]]");
  EXPECT_EQ(refusal(file, kHeader + good), "") << "journals from before there were sums";
  const std::string wrong[] = {
      "{\"stage\": 0}\n",
      "[]\n",
      "\n",
      "null\n",
      line("[1]", "[3]", "[[4]]"),
      line("[1,2,3]", "[3]", "[[4,5,6]]"),
      line("[1,2]", "[]", "[]"),
      line("[1,2]", "[3,4]", "[[4,5],[6,7]]"),
      line("[1,2]", "[3]", "[]"),
      line("[1,2]", "[3]", "[[4]]"),
      line("[1,2]", "[3]", "[[4,5],[4,5]]"),
      line("[1,2]", "[3]", "{\"a\":[4,5]}"),
      line("[1,2]", "[3]", "null"),
      line("[1,null]", "[3]", "[[4,5]]"),
      line("[1,2]", "[null]", "[[4,5]]"),
      line("[1,2]", "[\"3\"]", "[[4,5]]"),
      line("[1,2]", "[1e999]", "[[4,5]]"),
      line("\"12\"", "[3]", "[[4,5]]"),
      line("[1,2]", "[3]", "[[4,5]]", "1"),
      line("[1,2]", "[3]", "[[4,5]]", "-1"),
      line("[1,2]", "[3]", "[[4,5]]", "0.5"),
      line("[1,2]", "[3]", "[[4,5]]", "99999999999999999999"),
      line("[1,2]", "[3]", "[[4,5]]", "0", "\"long\""),
      "{\"stage\":0,\"parameters\":[1,2],\"failed\":7,\"seconds\":1}\n",
      "{\"stage\":0,\"parameters\":[1],\"failed\":\"no\",\"seconds\":1}\n"};
  for (const std::string& text : wrong) {
    EXPECT_THAT(refusal(file, kHeader + good + text),
                HasSubstr(file.path() + ":3: not an evaluation"))
        << text;
  }
  EXPECT_THAT(refusal(file, kHeader + good + line("[1,2]", "[3.5]", "[[4,5]]")),
              HasSubstr(":3: line 2 has other values of the same parameters"));
}

/// Every character of a line counts.
TEST(Journal, ChangedLinesAreRefused) {
  const TemporaryFile file("journal_rot");
  const Analytic valley = test::rosenbrock();
  {
    Journal journal(file.path(), subject_of(valley), false);
    const Evaluation evaluation = test::evaluator(valley)({valley.problem.start, 0, {}});
    ASSERT_EQ(journal.add(0, evaluation), "");
  }
  const std::string text = file.text();
  const std::size_t begin = text.find('\n') + 1;
  for (std::size_t k = begin; k + 1 < text.size(); ++k) {
    std::string changed = text;
    changed[k] = changed[k] == '7' ? '8' : '7';
    EXPECT_THAT(refusal(file, changed), HasSubstr(":2: not an evaluation")) << changed;
  }
  EXPECT_EQ(refusal(file, text), "");
}

/// Without sums a changed number is found when its point is evaluated again.
TEST(Journal, PointsAreComparedWithTheModel) {
  const TemporaryFile file("journal_compared");
  const Analytic valley = test::rosenbrock();
  const VecX rho = valley.problem.start;
  const std::function<bool()> go_on = [] { return true; };
  const auto differs = [&](const std::string& psi, const std::string& slope) {
    std::ofstream(file.path()) << kHeader << "{\"stage\":0,\"parameters\":[-2,1],\"objectives\":["
                               << psi << "],\"gradient\":[[" << slope << ",-600]],\"seconds\":1}\n";
    const Journal journal(file.path(), subject_of(valley), true);
    EXPECT_EQ(journal.line_of(0, rho), 2);
    EXPECT_EQ(journal.line_of(0, 2 * rho), 0);
    return disagreement(journal, 0, rho, test::evaluator(valley), go_on);
  };
  EXPECT_EQ(differs("909", "-2406"), "");
  EXPECT_THAT(differs("1e-9", "-2406"), HasSubstr(file.path() + ":2: an objective is"));
  EXPECT_THAT(differs("909", "0"), HasSubstr(file.path() + ":2: a derivative is"));
}

TEST(Journal, OldOneIsKept) {
  const TemporaryFile file("journal_kept"), old("journal_kept~");
  std::ofstream(file.path()) << "what was there\n";
  {
    const Journal journal(file.path(), subject_of(test::rosenbrock()), false);
    EXPECT_EQ(old.text(), "what was there\n");
  }
  EXPECT_EQ(file.text(), kHeader);
}

TEST(Journal, BelongsToOneProcess) {
  const TemporaryFile file("journal_shared"), old("journal_shared~");
  const JournalSubject subject = subject_of(test::rosenbrock());
  {
    const Journal journal(file.path(), subject, false);
    for (const bool resume : {false, true}) {
      try {
        const Journal other(file.path(), subject, resume);
        ADD_FAILURE() << "the second was let in";
      } catch (const InvalidArgument& error) {
        EXPECT_THAT(error.what(), HasSubstr(file.path() + ": another process is using it"));
      }
    }
    EXPECT_EQ(file.text(), kHeader);
  }
  EXPECT_NO_THROW(Journal(file.path(), subject, true));
}

/// An optimisation whose journal cannot be written ends, and says so; what it has found stays.
TEST(Journal, FullDeviceEndsTheSearch) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Analytic valley = test::rosenbrock();
  Journal journal("/dev/full", subject_of(valley), false);
  const auto report =
      optimize(valley.problem, with("lbfgsb"), journaled(test::evaluator(valley), journal));
  EXPECT_FALSE(report.done());
  EXPECT_THAT(report.winner().message, HasSubstr("cannot write /dev/full: No space left"));
}

}  // namespace
}  // namespace kinegrad
