// Derivatives of the signals over time, as `gradient --sensitivities` leaves them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinegrad/io/run_output.hpp"

namespace kinegrad {

/// ∂signal/∂parameter over time as CSV: t, then columns SIGNAL/PARAMETER.
class SensitivityFile {
 public:
  /// @throws InvalidArgument if the file cannot be written.
  SensitivityFile(const Model& model, const std::string& path);
  void write(double t, std::span<const int> parameters, const MatX& ds);
  /// Whether there was a sample.
  bool any() const { return !row_.empty(); }
  /// As OutputFile::keep().
  [[nodiscard]] std::string keep() { return file_.keep(); }
  const std::string& path() const { return file_.path(); }

 private:
  const Model& model_;
  LineFile file_;
  std::vector<double> row_;
};

}  // namespace kinegrad
