#include "kinegrad/io/sensitivity_file.hpp"

#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {

SensitivityFile::SensitivityFile(const Model& model, const std::string& path)
    : model_(model), file_(path) {}

void SensitivityFile::write(double t, std::span<const int> parameters, const MatX& ds) {
  if (row_.empty()) {
    std::string header = "t";
    for (const Signal& signal : model_.signals()) {
      for (const int k : parameters)
        header += "," + signal.name + "/" + parameter_at(model_, k).name;
    }
    file_.write(header);
  }
  row_.assign(1, t);
  for (Eigen::Index i = 0; i < ds.rows(); ++i) {
    row_.insert(row_.end(), ds.row(i).begin(), ds.row(i).end());
  }
  file_.write(row_);
}

}  // namespace kinegrad
