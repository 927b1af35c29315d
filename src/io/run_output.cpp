#include "kinegrad/io/run_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/euler_parameters.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

LineFile::LineFile(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw InvalidArgument("cannot write " + path + ": " + std::strerror(errno));
}

LineFile::~LineFile() { std::fclose(file_); }

void LineFile::write(const std::string& line) {
  good_ = std::fwrite(line.data(), 1, line.size(), file_) == line.size() && good_;
  good_ = std::fputc('\n', file_) != EOF && good_;
}

bool LineFile::flush() {
  good_ = std::fflush(file_) == 0 && good_;
  return good_;
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

RunRecorder::RunRecorder(const Model& model, std::vector<double> p, const std::string& csv,
                         const std::string& motion)
    : model_(model), p_(std::move(p)), signals_(model), constraints_(model, p_) {
  names_ = recorded_names(model);
  last_.assign(names_.size(), std::numeric_limits<double>::quiet_NaN());
  if (!csv.empty()) {
    csv_ = std::make_unique<LineFile>(csv);
    csv_->write(header(names_));
  }
  if (motion.empty()) return;
  motion_ = std::make_unique<LineFile>(motion);
  std::vector<std::string> columns;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    if (model.bodies()[b].auxiliary) continue;
    for (const char* part : {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"}) {
      columns.push_back(model.bodies()[b].name + part);
    }
  }
  for (const std::string& name : names_) columns.push_back("signal:" + name);
  motion_->write(header(columns));
}

void RunRecorder::record(const StepState<double>& x) {
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
  if (csv_) csv_->write(row_);
  constraints_.see(x);
  if (motion_) write_motion(x.t);
}

void RunRecorder::write_motion(double t) {
  row_.assign(1, t);
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    if (model_.bodies()[b].auxiliary) continue;
    const Pose<double>& X = signals_.position().X_WB[b];
    const Vec<double, 4> e = euler_parameters(X.R);
    row_.insert(row_.end(), X.p.data(), X.p.data() + 3);
    row_.insert(row_.end(), e.data(), e.data() + 4);
  }
  row_.insert(row_.end(), last_.begin(), last_.end());
  motion_->write(row_);
}

bool RunRecorder::flush() {
  const bool csv = !csv_ || csv_->flush(), motion = !motion_ || motion_->flush();
  return csv && motion;
}

}  // namespace kinegrad
