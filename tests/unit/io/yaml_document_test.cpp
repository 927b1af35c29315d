#include "io/yaml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "io/yaml_text.hpp"
#include "kinegrad/base/error.hpp"

namespace kinegrad::io {
namespace {

using ::testing::HasSubstr;

/// The findings of a text, one per line; empty if it can be read.
std::string findings_of(std::string_view text) {
  Diagnostics diagnostics;
  try {
    parse_yaml(text, "f.yaml", diagnostics);
    diagnostics.throw_if_any();
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return {};
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(YamlReader, KeepsTextsQuotesAndPlaces) {
  Diagnostics diagnostics;
  const YamlDocument document =
      parse_yaml("a: L/2\nb:\n  - \"yes\"\n  - yes\nc:\nd: {e: ~}\n", "f.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  const YamlNode& root = document.root();
  ASSERT_TRUE(root.is_map());
  ASSERT_EQ(root.entries.size(), 4u);
  const YamlEntry* a = root.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->value->text, "L/2");
  EXPECT_EQ(a->value->line, 1);
  EXPECT_EQ(a->value->column, 4);
  const YamlNode& b = *root.find("b")->value;
  ASSERT_EQ(b.items.size(), 2u);
  EXPECT_TRUE(b.items[0]->was_quoted);
  EXPECT_FALSE(b.items[1]->was_quoted);
  EXPECT_EQ(b.items[1]->line, 4);
  EXPECT_TRUE(root.find("c")->value->is_null());
  EXPECT_EQ(root.find("c")->line, 5);
  EXPECT_TRUE(root.find("d")->value->find("e")->value->is_null());
  EXPECT_EQ(root.find("x"), nullptr);
}

TEST(YamlReader, AliasesShareTheAnchoredNode) {
  Diagnostics diagnostics;
  const YamlDocument document = parse_yaml("a: &v [1, 2]\nb: *v\n", "f.yaml", diagnostics);
  EXPECT_EQ(document.root().find("a")->value, document.root().find("b")->value);
}

TEST(YamlReader, DuplicateKeysAreFindingsAndTheRestIsRead) {
  Diagnostics diagnostics;
  const YamlDocument document = parse_yaml("a: 1\nb: {c: 1, c: 2}\na: 3\n", "f.yaml", diagnostics);
  ASSERT_EQ(diagnostics.findings().size(), 2u);
  EXPECT_EQ(diagnostics.findings()[0].text(),
            "f.yaml:2: duplicate key \"c\", first given in line 2");
  EXPECT_EQ(diagnostics.findings()[1].text(),
            "f.yaml:3: duplicate key \"a\", first given in line 1");
  EXPECT_EQ(document.root().entries.size(), 2u);
  EXPECT_EQ(document.root().find("a")->value->text, "1");
}

TEST(YamlReader, RefusesWhatIsNoModelTextWithItsLine) {
  const std::string nul("a: 1\nb: \0\n", 10);
  EXPECT_EQ(findings_of(""), "f.yaml:1: the file is empty");
  EXPECT_EQ(findings_of("# nothing\n\n"), "f.yaml:1: the file is empty");
  EXPECT_EQ(findings_of("~"), "f.yaml:1: the file is empty");
  EXPECT_EQ(findings_of(nul), "f.yaml:2: not a text file: control character 0x00");
  EXPECT_EQ(findings_of("a: 1\nb: \xff\n"), "f.yaml:2: not a text file: invalid UTF-8");
  EXPECT_EQ(findings_of("a: 1\nb: \xc3"), "f.yaml:2: not a text file: invalid UTF-8");
  EXPECT_EQ(findings_of("\xed\xa0\x80: 1"), "f.yaml:1: not a text file: invalid UTF-8");
  EXPECT_EQ(findings_of("a:\n\tb: 1\n"),
            "f.yaml:2: the line is indented with a tab; indent with spaces");
  EXPECT_EQ(findings_of("a: 1\n---\nb: 1\n"),
            "f.yaml:2: a model file holds one YAML document, a second one starts here");
  EXPECT_EQ(
      findings_of("a: 1\n? [1, 2]\n: 3\n"),
      "f.yaml:2: a key must be a single word, not a list or a map (is a bracket never closed?)");
  EXPECT_EQ(findings_of("a: &b [1, *b]\n"),
            "f.yaml:1: the alias stands inside the node it refers to");
  EXPECT_THAT(findings_of("a: 1\nb: *c\n"), HasSubstr("f.yaml:2: not valid YAML: "));
  EXPECT_THAT(findings_of("a: 1\nb: [1, 2\nc: 3\n"), HasSubstr("f.yaml:3: not valid YAML: "));
  EXPECT_THAT(findings_of("a: !!str 1\n"), HasSubstr("f.yaml:1: YAML tags are not used"));
}

TEST(YamlReader, AcceptsByteOrderMarkTabsElsewhereAndReturns) {
  EXPECT_EQ(findings_of("\xef\xbb\xbf"
                        "a: 1\t# comment\r\n\t\r\nb:\t2\r\n...\n"),
            "");
}

TEST(YamlReader, NestingIsLimited) {
  const auto nested = [](std::size_t depth) {
    return "a: " + repeated("[", depth) + repeated("]", depth);
  };
  EXPECT_EQ(findings_of(nested(60)), "");
  EXPECT_EQ(findings_of(nested(64)), "f.yaml:1: nested deeper than 64 levels");
  EXPECT_EQ(findings_of(nested(10000)), "f.yaml:1: nested deeper than 64 levels");
  std::string block;
  for (std::size_t i = 0; i < 1000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(findings_of(block), "f.yaml:65: nested deeper than 64 levels");
  // Shallow text, deep once its aliases are expanded.
  std::string chain = "a0: &a0 []\n";
  for (int i = 1; i < 100; ++i) {
    const std::string k = std::to_string(i);
    chain += "a" + k + ": &a" + k + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(findings_of(chain), HasSubstr("nested deeper than 64 levels"));
}

TEST(YamlReader, AliasBombsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string k = std::to_string(i), previous = "*a" + std::to_string(i - 1);
    bomb += "a" + k + ": &a" + k + " [" + repeated(previous + ", ", 9) + previous + "]\n";
  }
  EXPECT_EQ(findings_of(bomb), "f.yaml:5: more than 100000 values, aliases expanded");
  // Few values, but long ones.
  const std::string text = "a: &a " + std::string(100000, 'x') + "\nb: [" + repeated("*a, ", 1000);
  EXPECT_THAT(findings_of(text + "*a]\n"), HasSubstr("f.yaml:2: more than 8388608 bytes"));
}

TEST(YamlReader, LargeInputsEndQuickly) {
  const std::size_t size = YamlLimits::kFileBytes - 16;
  const std::string inputs[] = {
      repeated("[", size),
      repeated("{", size),
      repeated("- ", size / 2),
      repeated("a: 1\n", size / 5),
      "[" + repeated("1,", size / 2),
      repeated("? ", size / 2),
      repeated("&a ", size / 3),
      repeated("\n", size),
      "a: " + repeated("b ", size / 2),
      "a: |\n" + repeated(" x\n", size / 3 - 4),
  };
  for (const std::string& input : inputs) {
    const auto start = std::chrono::steady_clock::now();
    findings_of(input);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    // Generous: a tenth of this is usual. Quadratic behaviour would take hours.
    EXPECT_LT(elapsed.count(), 10) << input.substr(0, 20);
  }
  EXPECT_EQ(findings_of(std::string(YamlLimits::kFileBytes + 1, ' ')),
            "f.yaml:1: the file is larger than 4194304 bytes");
}

TEST(YamlReader, FilesThatCannotBeRead) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      read_text_file(path);
    } catch (const InvalidModel& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(message("no/such/file.yaml"),
            "no/such/file.yaml: cannot read the model: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(message(folder), folder + ": cannot read the model: this is a directory");
}

TEST(YamlReader, ShownTextsAreShortAndPrintable) {
  EXPECT_EQ(shown("mas"), "\"mas\"");
  EXPECT_EQ(shown("a\nb\x01"), "\"a\\x0ab\\x01\"");
  EXPECT_LT(shown(std::string(1000, 'x')).size(), 80u);
}

}  // namespace
}  // namespace kinegrad::io
