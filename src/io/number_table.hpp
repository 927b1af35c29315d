// A CSV file of numbers with a line of names: the motion of a run, or its sensitivities over time.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kinegrad::io {

class NumberTable {
 public:
  /// The first column is t and does not fall. A last line without its end, as a killed run leaves it,
  /// is not read. `named_by` is the file that wants this one, for messages.
  /// @throws InvalidArgument with file and line.
  NumberTable(const std::string& path, const std::string& named_by);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t rows() const { return columns_.front().size(); }
  std::span<const double> t() const { return columns_.front(); }
  std::span<const double> column(std::size_t k) const { return columns_[k]; }
  /// @throws InvalidArgument where the file has no such column.
  std::span<const double> column(const std::string& name) const;

 private:
  void read_names(const std::string& line);
  void read_row(const std::string& text, std::size_t line);

  std::string path_, named_by_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace kinegrad::io
