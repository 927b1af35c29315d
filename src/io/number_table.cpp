#include "number_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kinegrad/base/error.hpp"
#include "regular_file.hpp"

namespace kinegrad::io {

NumberTable::NumberTable(const std::string& path, const std::string& named_by)
    : path_(path), named_by_(named_by) {
  std::ifstream file = open_regular(path, ", which " + named_by + " names");
  std::string line;
  for (std::size_t n = 1; std::getline(file, line) && !file.eof(); ++n) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    n == 1 ? read_names(line) : read_row(line, n);
  }
  if (names_.empty())
    throw InvalidArgument(path + " is empty: a line of column names was expected");
}

void NumberTable::read_names(const std::string& line) {
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    names_.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (names_.front() != "t") {
    throw InvalidArgument(
        fmt::format("{}:1: the first column should be t, found \"{:.40}\"", path_, names_.front()));
  }
  columns_.resize(names_.size());
}

void NumberTable::read_row(const std::string& text, std::size_t line) {
  const char* at = text.c_str();
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    const bool last = k + 1 == columns_.size();
    if (end == at || *end != (last ? '\0' : ',')) {
      throw InvalidArgument(
          fmt::format("{}:{}: {} numbers were expected; \"{:.40}\" is not the one for {}", path_,
                      line, columns_.size(), at, names_[k]));
    }
    columns_[k].push_back(x);
    at = end + (last ? 0 : 1);
  }
  const std::vector<double>& t = columns_.front();
  if (!std::isfinite(t.back()) || (t.size() > 1 && t.back() < t[t.size() - 2])) {
    throw InvalidArgument(fmt::format("{}:{}: time runs backwards", path_, line));
  }
}

std::span<const double> NumberTable::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    throw InvalidArgument(
        fmt::format("{} has no column {}, which {} needs", path_, name, named_by_));
  }
  return columns_[static_cast<std::size_t>(found - names_.begin())];
}

}  // namespace kinegrad::io
