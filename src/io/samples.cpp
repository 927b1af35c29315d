#include "io/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/key_words.hpp"
#include "io/literal.hpp"
#include "io/regular_file.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/expression_parser.hpp"

namespace kinegrad::io {

namespace {

constexpr std::size_t kMostSamples = 20000, kLongestLine = 4096, kLongestScale = 200;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// What stands between the commas.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    out.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

/// A file of samples, read line by line; lines that are empty or begin with # are none.
class SampleFile {
 public:
  SampleFile(ReadContext& context, const Field& field, std::string path)
      : context_(context), field_(field), path_(std::move(path)) {}

  /// Of one column: numbers with their lines; empty, and reported, if something is wrong.
  std::vector<std::pair<std::string, int>> column(const std::string& name) {
    std::ifstream file;
    try {
      file = open_regular(path_);
    } catch (const InvalidArgument& error) {
      context_.report(field_.where, field_.label, error.what());
      return {};
    }
    std::vector<std::pair<std::string, int>> out;
    std::string text;
    for (line_ = 1; std::getline(file, text); ++line_) {
      if (text.size() > kLongestLine || text.find('\0') != std::string::npos) {
        return wrong("not a line of numbers between commas");
      }
      if (line_ == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a byte order mark
      const std::string_view line = trimmed(text);
      if (line.empty() || line.front() == '#') continue;
      const std::vector<std::string_view> cells = cells_of(line);
      if (names_ == 0 && !find_column(cells, name)) return {};
      if (names_ > 0 && !take_number(cells, out)) return {};
      names_ = cells.size();
      if (out.size() > kMostSamples) return wrong(fmt::format("more than {} lines", kMostSamples));
    }
    if (out.size() < 2) return wrong("at least two lines of numbers were expected");
    return out;
  }

 private:
  std::vector<std::pair<std::string, int>> wrong(const std::string& message) const {
    context_.report({path_, line_, 1}, field_.label, message);
    return {};
  }
  bool find_column(const std::vector<std::string_view>& names, const std::string& name) {
    const auto is_it = [&](std::string_view other) {
      const bool quoted = other.size() > 1 && other.front() == '"' && other.back() == '"';
      return name == (quoted ? other.substr(1, other.size() - 2) : other);
    };
    const auto found = std::find_if(names.begin(), names.end(), is_it);
    column_ = static_cast<std::size_t>(found - names.begin());
    if (std::count_if(names.begin(), names.end(), is_it) > 1) {
      wrong(fmt::format("two columns are called \"{}\"", name));
      return false;
    }
    if (found != names.end()) return true;
    std::string has;
    for (const std::string_view other : names) {
      has += (has.empty() ? "" : ", ") + std::string(other.substr(0, 40));
    }
    wrong(fmt::format("there is no column \"{}\" among {}", name, has.substr(0, 200)));
    return false;
  }
  bool take_number(const std::vector<std::string_view>& cells,
                   std::vector<std::pair<std::string, int>>& out) {
    if (cells.size() != names_) {
      wrong(fmt::format("{} columns were expected, found {}", names_, cells.size()));
      return false;
    }
    const std::string text(cells[column_]);
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(x)) {
      wrong(fmt::format("expected a number, found \"{:.40}\"", text));
      return false;
    }
    out.emplace_back(fmt::format("{:.17g}", x), line_);
    return true;
  }

  ReadContext& context_;
  const Field& field_;
  std::string path_;
  int line_ = 1;
  std::size_t names_ = 0, column_ = 0;
};

}  // namespace

const KeyTable& samples_keys() {
  using key_words::kOptional, key_words::kRequired;
  static const KeyTable table{
      "samples",
      {
          {"file", FieldKind::kText, kRequired,
           "A CSV file beside the model: a line of names, then lines of numbers."},
          {"column", FieldKind::kText, kRequired, "The name of the column."},
          {"scale", FieldKind::kNumber, kOptional,
           "What its numbers are multiplied by; 1 if not given."},
      }};
  return table;
}

bool names_samples(const Field& field) { return field.node->is_map() && field.node->find("file"); }

namespace {

/// It will stand between parentheses: it must be an expression by itself.
bool usable_scale(ReadContext& context, const Field& field, const NumberSpec& scale) {
  std::string wrong;
  if (scale.text.size() > kLongestScale) wrong = "the scale is too long";
  try {
    if (wrong.empty()) referenced_names(scale.text);
  } catch (const ExpressionError& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) context.report(scale.where, field.label, wrong);
  return wrong.empty();
}

}  // namespace

std::vector<NumberSpec> read_samples(ReadContext& context, const Field& field,
                                     std::vector<std::string>& files) {
  const MapReader map(context, field, samples_keys());
  const std::string file = find_text(map, "file"), column = find_text(map, "column");
  const auto scale = find_number(map, "scale");
  if (file.empty() || column.empty()) return {};
  if (scale && !usable_scale(context, field, *scale)) return {};
  std::filesystem::path path(file);
  if (path.is_relative()) path = std::filesystem::path(field.where.file).parent_path() / path;
  files.push_back(path.string());
  std::vector<NumberSpec> out;
  for (const auto& [number, line] : SampleFile(context, field, path.string()).column(column)) {
    const std::string text = scale ? fmt::format("({})*({})", scale->text, number) : number;
    out.emplace_back(text, scale ? scale->where : SourceLocation{path.string(), line, 1});
  }
  return out;
}

void require_increasing(ReadContext& context, const Field& field,
                        const std::vector<NumberSpec>& samples) {
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const auto one = literal<double>(samples[k - 1].text), other = literal<double>(samples[k].text);
    if (!one || !other || *other > *one) continue;
    return context.report(
        samples[k].where, field.label,
        fmt::format("{} is not above {} of the line before", samples[k].text, samples[k - 1].text));
  }
}

}  // namespace kinegrad::io
