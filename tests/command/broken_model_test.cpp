// Broken model files, by class of mistake: tests/data/broken/CLASS/NAME.yaml. The first line of each
// says what is expected: "# expect: LINE: part of the message"; files that cannot say it are in a
// table here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_info.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"
#include "support/time_limit.hpp"

namespace kinegrad {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Expectation {
  int line = 0;
  std::string message;
};

const std::map<std::string, Expectation>& silent_files() {
  static const std::map<std::string, Expectation> table{
      {"empty/no_bytes", {1, "the file is empty"}},
      {"empty/blank_lines", {1, "the file is empty"}},
      {"empty/only_comments", {1, "the file is empty"}},
      {"empty/only_document_marker", {1, "the file is empty"}},
      {"empty/only_null", {1, "the file is empty"}},
      {"binary/zeros", {1, "not a text file: control character 0x00"}},
      {"binary/elf_header", {1, "not a text file: control character 0x7f"}},
      {"binary/png_header", {1, "not a text file: invalid UTF-8"}},
      {"binary/latin1_text", {2, "not a text file: invalid UTF-8"}},
      {"binary/utf16_text", {1, "not a text file: invalid UTF-8"}},
      {"binary/control_character", {1, "not a text file: control character 0x07"}},
  };
  return table;
}

std::vector<fs::path> sorted(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

fs::path broken_folder() { return test::source_path("tests/data/broken"); }

std::vector<fs::path> broken_files() {
  std::vector<fs::path> files;
  for (const fs::path& folder : sorted(broken_folder())) {
    for (const fs::path& file : sorted(folder)) files.push_back(file);
  }
  return files;
}

Expectation expectation_of(const fs::path& path) {
  const std::string name = path.parent_path().filename().string() + "/" + path.stem().string();
  const auto silent = silent_files().find(name);
  if (silent != silent_files().end()) return silent->second;
  std::ifstream file(path);
  std::string first;
  std::getline(file, first);
  int line = 0, length = 0;
  if (std::sscanf(first.c_str(), "# expect: %d: %n", &line, &length) != 1 || length == 0) return {};
  return {line, first.substr(static_cast<std::size_t>(length))};
}

/// Whether one line of the output is "FILE:LINE: … message …".
bool says(const std::string& output, const fs::path& path, const Expectation& expected) {
  const std::string prefix = path.string() + ":" + std::to_string(expected.line) + ": ";
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix) && line.find(expected.message) != std::string::npos) return true;
  }
  return false;
}

TEST(BrokenModel, ThereAreManyClasses) {
  int classes = 0;
  for (const fs::path& folder : sorted(broken_folder())) {
    ++classes;
    EXPECT_GE(sorted(folder).size(), 3u) << folder;
  }
  EXPECT_GE(classes, 15);
}

TEST(BrokenModel, CheckNamesFileLineAndMistake) {
  for (const fs::path& path : broken_files()) {
    const Expectation expected = expectation_of(path);
    ASSERT_GT(expected.line, 0) << path << " does not say what is expected of it";
    const test::CommandResult result = test::run_kinegrad("check '" + path.string() + "'");
    EXPECT_EQ(result.status, 2) << path << "\n" << result.output;
    EXPECT_TRUE(says(result.output, path, expected))
        << path << "\nexpected line " << expected.line << ": " << expected.message << "\nfound\n"
        << result.output;
  }
}

TEST(BrokenModel, EveryFindingHasAPlace) {
  for (const fs::path& path : broken_files()) {
    try {
      compile_model(read_model_yaml(path.string()));
      ADD_FAILURE() << path << " is accepted";
    } catch (const InvalidModel& error) {
      ASSERT_FALSE(error.findings().empty()) << path;
      for (const Diagnostic& finding : error.findings()) {
        EXPECT_EQ(finding.where.file, path.string()) << finding.message;
        EXPECT_TRUE(finding.where.known()) << path << ": " << finding.message;
        EXPECT_FALSE(finding.message.empty()) << path;
      }
    }
  }
}

TEST(BrokenModel, NoneTakesLongerThanASecond) {
  for (const fs::path& path : broken_files()) {
    const test::Stopwatch watch;
    EXPECT_THROW(compile_model(read_model_yaml(path.string())), InvalidModel) << path;
    EXPECT_LT(watch.elapsed(), test::kLongestRead) << path;
  }
}

TEST(BrokenModel, FilesThatCannotBeRead) {
  const std::string missing = test::source_path("tests/data/no_such_model.yaml");
  const test::CommandResult result = test::run_kinegrad("check " + missing);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr(missing + ": cannot read the model: No such file"));
  const std::string folder = test::source_path("tests/data");
  EXPECT_EQ(test::run_kinegrad("check " + folder).status, 2);
  EXPECT_THAT(test::run_kinegrad("check " + folder).output, HasSubstr("this is a directory"));
  EXPECT_THAT(test::run_kinegrad("check /dev/null").output, HasSubstr("the file is empty"));
  EXPECT_EQ(test::run_kinegrad("check /dev/zero").status, 2);
}

// ---- large and odd files, made here ----------------------------------------------------------------

/// Compiles and describes the text within the time allowed; the findings if there are any.
std::string outcome(const std::string& text) {
  const test::Stopwatch watch;
  std::string findings;
  try {
    const Model model = compile_model(parse_model_yaml(text, "m.yaml"));
    model_info_text(model);
    model_info_json(model);
  } catch (const InvalidModel& error) {
    findings = error.what();
    for (const Diagnostic& finding : error.findings())
      EXPECT_TRUE(finding.where.known()) << findings;
  }
  EXPECT_LT(watch.elapsed(), test::kLongestRead) << text.substr(0, 200);
  return findings;
}

std::string numbered(const std::string& heading, int count,
                     const std::function<std::string(int)>& line) {
  std::string text = heading + ":\n";
  for (int i = 0; i < count; ++i) text += "  " + line(i) + "\n";
  return text;
}

const std::string kRod = "bodies: {rod: {mass: 1}}\n";

TEST(BrokenModel, LongChainsOfNamesDoNotFillTheStack) {
  constexpr int kCount = 20000;
  const auto name = [](int i) { return "p" + std::to_string(i); };
  EXPECT_EQ(outcome(kRod + numbered("parameters", kCount,
                                    [&](int i) {
                                      return name(i) + ": " + (i + 1 < kCount ? name(i + 1) : "1");
                                    })),
            "");
  EXPECT_THAT(
      outcome(kRod + numbered("parameters", kCount,
                              [&](int i) { return name(i) + ": " + name((i + 1) % kCount); })),
      HasSubstr("m.yaml:3: parameter \"p0\" depends on itself (p0 → p1 → "));
  EXPECT_EQ(outcome(kRod + numbered("signals", kCount,
                                    [&](int i) {
                                      return name(i) + ": " + (i + 1 < kCount ? name(i + 1) : "t");
                                    })),
            "");
}

TEST(BrokenModel, ManyElementsAndUsesCostLittle) {
  constexpr int kCount = 8000;
  const auto s = [](int i) { return std::to_string(i); };
  // every parameter is used by what follows
  EXPECT_EQ(outcome(kRod +
                    numbered("parameters", kCount,
                             [&](int i) {
                               return "p" + s(i) + ": " + (i ? "p" + s(i - 1) + "+1" : "1");
                             }) +
                    numbered("signals", kCount, [&](int i) { return "s" + s(i) + ": p" + s(i); })),
            "");
  // one parameter used by all
  EXPECT_EQ(
      outcome("parameters: {m: 1}\n" +
              numbered("bodies", kCount,
                       [&](int i) { return "b" + s(i) + ": {mass: m, points: {A: [m, 0, 0]}}"; })),
      "");
}

TEST(BrokenModel, ManyConstraintsCostLittle) {
  const std::string hinge =
      "bodies: {rod: {mass: 1, points: {P: [1, 0, 0]}}}\n"
      "joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}\n";
  EXPECT_EQ(outcome(hinge + numbered("constraints", 5000,
                                     [](int i) {
                                       return "c" + std::to_string(i) +
                                              ": {type: expression, expression: P.x*sin(" +
                                              std::to_string(i) + "*t) - A.q^2*P.y}";
                                     })),
            "");
}

TEST(BrokenModel, ManyLoopsCostLittle) {
  const auto s = [](int i) { return std::to_string(i); };
  const auto body = [&](int i) { return "b" + s(i) + ": {mass: 1}"; };
  // many joints between the same two bodies
  outcome(numbered("bodies", 2, body) + numbered("joints", 5000, [&](int i) {
            return "j" + s(i) + ": {type: revolute, bodies: [ground, b" + s(i % 2) + "], axis: z}";
          }));
  // a long chain whose end is held by many joints
  constexpr int kLinks = 400;
  outcome(numbered("bodies", kLinks, body) + numbered("joints", 2 * kLinks, [&](int i) {
            const std::string from = i == 0 ? "ground" : "b" + s(i - 1), to = "b" + s(i);
            const bool chain = i < kLinks;
            return "j" + s(i) + ": {type: revolute, axis: z, bodies: [" +
                   (chain ? from + ", " + to : "ground, b" + s(i - 1 - i / 2)) + "]}";
          }));
}

TEST(BrokenModel, ManyMistakesAreSoonEnough) {
  const auto s = [](int i) { return std::to_string(i); };
  const std::string findings = outcome(
      numbered("bodies", 9000, [&](int i) { return "body_number_" + s(i) + ": {mass: m}"; }) +
      numbered("joints", 9000, [&](int i) {
        return "j" + s(i) + ": {type: spherical, bodies: [ground, bodi_number_" + s(i) + "]}";
      }));
  EXPECT_EQ(std::count(findings.begin(), findings.end(), '\n') + 1,
            static_cast<long>(Diagnostics::kLimit));
}

TEST(BrokenModel, LineEndingsAndByteOrderMarksDoNotMatter) {
  EXPECT_EQ(outcome("bodies:\r\n  rod: {mass: 1}\r\n"), "");
  EXPECT_EQ(outcome("\xEF\xBB\xBF"
                    "bodies:\n  rod: {mass: 1}\n"),
            "");
  EXPECT_THAT(outcome("bodies:\r\n  rod:\r\n    mass: -1\r\n"),
              HasSubstr("m.yaml:3: body \"rod\""));
}

}  // namespace
}  // namespace kinegrad
