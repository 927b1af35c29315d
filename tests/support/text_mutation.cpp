#include "support/text_mutation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

namespace kinegrad::test {

namespace {

using Rng = std::mt19937_64;
using Lines = std::vector<std::string>;

/// The remainder, not std::uniform_int_distribution: the same mutations with every library.
std::size_t below(Rng& rng, std::size_t n) { return n == 0 ? 0 : rng() % n; }

template <typename Container>
auto& any_of(Container& list, Rng& rng) {
  return list[below(rng, list.size())];
}

Lines split(const std::string& text) {
  Lines lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A run of characters of one kind.
struct Run {
  std::size_t begin, length;
};

template <typename Predicate>
std::vector<Run> runs(const std::string& text, Predicate&& belongs) {
  std::vector<Run> found;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && belongs(static_cast<unsigned char>(text[end]))) ++end;
    if (end > i) found.push_back({i, end - i});
    i = std::max(end, i + 1);
  }
  return found;
}

std::vector<Run> words(const std::string& text) {
  return runs(text, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}
std::vector<Run> numbers(const std::string& text) {
  return runs(text, [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

// ---- damages ---------------------------------------------------------------------------------------

using Damage = void (*)(std::string& text, std::span<const std::string> others, Rng& rng);

void change_byte(std::string& text, std::span<const std::string>, Rng& rng) {
  if (text.empty()) return;
  static constexpr std::string_view kLikely = " :,-[]{}#\"'&*!|>%@`\n\t0.eE+/^()?~<";
  char& c = any_of(text, rng);
  c = below(rng, 2) ? kLikely[below(rng, kLikely.size())] : static_cast<char>(rng() & 0xFF);
}

void flip_bit(std::string& text, std::span<const std::string>, Rng& rng) {
  if (text.empty()) return;
  char& c = any_of(text, rng);
  c = static_cast<char>(c ^ (1 << below(rng, 7)));
}

void delete_bytes(std::string& text, std::span<const std::string>, Rng& rng) {
  const std::size_t begin = below(rng, text.size());
  text.erase(begin, 1 + below(rng, 12));
}

void delete_line(std::string& text, std::span<const std::string>, Rng& rng) {
  Lines lines = split(text);
  if (lines.empty()) return;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(below(rng, lines.size())));
  text = joined(lines);
}

void double_line(std::string& text, std::span<const std::string>, Rng& rng) {
  Lines lines = split(text);
  if (lines.empty()) return;
  const std::string line = any_of(lines, rng);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(rng, lines.size())), line);
  text = joined(lines);
}

void exchange_lines(std::string& text, std::span<const std::string>, Rng& rng) {
  Lines lines = split(text);
  if (lines.empty()) return;
  std::swap(any_of(lines, rng), any_of(lines, rng));
  text = joined(lines);
}

void odd_number(std::string& text, std::span<const std::string>, Rng& rng) {
  static constexpr std::array<std::string_view, 20> kOdd = {
      "0",  "-1",  "1e308", "-1e308", "1e-320", "nan", ".inf", "",     "[]",   "{}",
      "1e", "1/0", "1e400", "1e5",    "1e-12",  "3",   "true", "null", "0x1F", "(((1)))"};
  const std::vector<Run> found = numbers(text);
  if (found.empty()) return;
  const Run run = any_of(found, rng);
  text.replace(run.begin, run.length, kOdd[below(rng, kOdd.size())]);
}

void misspell(std::string& text, std::span<const std::string>, Rng& rng) {
  const std::vector<Run> found = words(text);
  if (found.empty()) return;
  const Run run = any_of(found, rng);
  const std::size_t at = run.begin + below(rng, run.length);
  switch (below(rng, 3)) {
    case 0: text.erase(at, 1); break;
    case 1: text.insert(at, 1, static_cast<char>('a' + below(rng, 26))); break;
    default: text[at] = static_cast<char>('a' + below(rng, 26));
  }
}

void exchange_words(std::string& text, std::span<const std::string>, Rng& rng) {
  const std::vector<Run> found = words(text);
  if (found.size() < 2) return;
  Run first = any_of(found, rng), second = any_of(found, rng);
  if (first.begin == second.begin) return;
  if (first.begin > second.begin) std::swap(first, second);
  const std::string a = text.substr(first.begin, first.length);
  const std::string b = text.substr(second.begin, second.length);
  text.replace(second.begin, second.length, a);
  text.replace(first.begin, first.length, b);
}

void break_indentation(std::string& text, std::span<const std::string>, Rng& rng) {
  Lines lines = split(text);
  if (lines.empty()) return;
  std::string& line = any_of(lines, rng);
  switch (below(rng, 4)) {
    case 0: line.insert(0, 1 + below(rng, 4), ' '); break;
    case 1: line.insert(0, 1, '\t'); break;
    case 2: line.erase(0, std::min(line.find_first_not_of(' '), 1 + below(rng, 4))); break;
    default: line.erase(0, line.find_first_not_of(' '));
  }
  text = joined(lines);
}

/// A line that starts in the first column, with what belongs to it.
void move_section(std::string& text, std::span<const std::string>, Rng& rng) {
  const Lines lines = split(text);
  std::vector<Lines> sections;
  for (const std::string& line : lines) {
    const bool starts = !line.empty() && line[0] != ' ' && line[0] != '#';
    if (starts || sections.empty()) sections.emplace_back();
    sections.back().push_back(line);
  }
  if (sections.empty()) return;
  std::swap(any_of(sections, rng), any_of(sections, rng));
  text.clear();
  for (const Lines& section : sections) text += joined(section);
}

void paste(std::string& text, std::span<const std::string> others, Rng& rng) {
  const Lines source = split(any_of(others, rng));
  Lines lines = split(text);
  const std::size_t begin = below(rng, source.size());
  const std::size_t count = std::min(source.size() - begin, 1 + below(rng, 12));
  const auto from = source.begin() + static_cast<std::ptrdiff_t>(begin);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(rng, lines.size() + 1)), from,
               from + static_cast<std::ptrdiff_t>(count));
  text = joined(lines);
}

void cut_off(std::string& text, std::span<const std::string>, Rng& rng) {
  text.resize(below(rng, text.size()));
}

constexpr std::array<Damage, 16> kDamages = {
    change_byte,    flip_bit,   delete_bytes, delete_line,       double_line, exchange_lines,
    odd_number,     odd_number, odd_number,   misspell,          misspell,    exchange_words,
    exchange_words, paste,      move_section, break_indentation,
};

/// A number that can stand there: much larger, much smaller, zero, of the other sign.
void other_number(std::string& text, Rng& rng) {
  static constexpr std::array<std::string_view, 14> kOther = {
      "0",   "-1",  "1",    "1e308", "-1e308", "1e-320", "1e-12",
      "1e5", "1e9", "-2.5", "3",     "0.1",    "1e-3",   "100"};
  std::vector<Run> found = numbers(text);
  std::erase_if(found, [&](const Run& run) {  // digits of names, exponents and colours stay
    const char before = run.begin > 0 ? text[run.begin - 1] : ' ';
    return std::isalnum(static_cast<unsigned char>(before)) || before == '_' || before == '#';
  });
  if (found.empty()) return;
  const Run run = any_of(found, rng);
  text.replace(run.begin, run.length, kOther[below(rng, kOther.size())]);
}

}  // namespace

std::string with_other_numbers(const std::vector<std::string>& originals, std::mt19937_64& rng) {
  std::string text = originals[below(rng, originals.size())];
  const std::size_t count = 1 + below(rng, 3);
  for (std::size_t i = 0; i < count; ++i) other_number(text, rng);
  return text;
}

std::string damaged(std::string text, const std::vector<std::string>& others,
                    std::mt19937_64& rng) {
  if (below(rng, 50) == 0) cut_off(text, others, rng);
  const std::size_t count = 1 + below(rng, 2) * below(rng, 4);
  for (std::size_t i = 0; i < count; ++i) kDamages[below(rng, kDamages.size())](text, others, rng);
  return text;
}

std::string mutated(const std::vector<std::string>& originals, std::mt19937_64& rng) {
  return damaged(originals[below(rng, originals.size())], originals, rng);
}

}  // namespace kinegrad::test
