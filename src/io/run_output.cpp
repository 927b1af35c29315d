#include "kinegrad/io/run_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "kinegrad/math/euler_parameters.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

void LineFile::write(const std::string& line) {
  file_.write(line);
  file_.write("\n");
}

void LineFile::write(const std::vector<double>& row) {
  buffer_.clear();
  for (std::size_t k = 0; k < row.size(); ++k) {
    fmt::format_to(std::back_inserter(buffer_), "{}{:.17g}", k ? "," : "", row[k]);
  }
  write(buffer_);
}

namespace {

std::string header(const std::vector<std::string>& names) {
  std::string line = "t";
  for (const std::string& name : names) line += "," + name;
  return line;
}

}  // namespace

std::vector<std::string> recorded_names(const Model& model) {
  std::vector<std::string> names;
  for (const Signal& signal : model.signals()) names.push_back(signal.name);
  if (!names.empty()) return names;
  names = model.coordinate_names();
  for (const std::string& name : model.coordinate_names()) {
    const std::size_t dot = name.rfind('.');
    const bool numbered = name[dot + 1] == 'q';  // A.q2, A.v2; but link.x, link.vx
    names.push_back(name.substr(0, dot + 1) + "v" + name.substr(dot + (numbered ? 2 : 1)));
  }
  return names;
}

RunRecorder::RunRecorder(const Model& model, std::vector<double> p, LineFile* csv, LineFile* motion)
    : model_(model),
      p_(std::move(p)),
      signals_(model),
      constraints_(model, p_),
      csv_(csv),
      motion_(motion) {
  names_ = recorded_names(model);
  last_.assign(names_.size(), std::numeric_limits<double>::quiet_NaN());
  if (csv_) csv_->write(header(names_));
  if (!motion_) return;
  std::vector<std::string> columns;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    if (model.bodies()[b].auxiliary) continue;
    for (const char* part : {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"}) {
      columns.push_back(model.bodies()[b].name + part);
    }
  }
  for (const std::string& name : names_) columns.push_back("signal:" + name);
  contacts_.emplace(model, p_);
  const std::vector<std::string> contacts = contacts_->columns();
  columns.insert(columns.end(), contacts.begin(), contacts.end());
  motion_->write(header(columns));
}

void RunRecorder::record(const StepState<double>& x) {
  any_ = true;
  signals_.evaluate(p_, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
  row_.assign(1, x.t);
  if (model_.signals().empty()) {
    row_.insert(row_.end(), x.q.data(), x.q.data() + x.q.size());
    row_.insert(row_.end(), x.v.data(), x.v.data() + x.v.size());
  } else {
    for (int k = 0; k < static_cast<int>(model_.signals().size()); ++k) {
      row_.push_back(signals_.signal(k));
    }
  }
  std::copy(row_.begin() + 1, row_.end(), last_.begin());
  for (std::size_t k = 0; k < last_.size() && not_finite_.name.empty(); ++k) {
    if (!std::isfinite(last_[k])) not_finite_ = {names_[k], x.t};
  }
  if (csv_) csv_->write(row_);
  constraints_.see(x);
  if (motion_) write_motion(x);
}

void RunRecorder::write_motion(const StepState<double>& x) {
  row_.assign(1, x.t);
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    if (model_.bodies()[b].auxiliary) continue;
    const Pose<double>& X = signals_.position().X_WB[b];
    const Vec<double, 4> e = euler_parameters(X.R);
    row_.insert(row_.end(), X.p.data(), X.p.data() + 3);
    row_.insert(row_.end(), e.data(), e.data() + 4);
  }
  row_.insert(row_.end(), last_.begin(), last_.end());
  contacts_->append(x, row_);
  motion_->write(row_);
}

}  // namespace kinegrad
