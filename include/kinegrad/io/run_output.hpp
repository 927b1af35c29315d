// What a run leaves behind: signals as CSV, the motion of the bodies, and a JSON summary.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "kinegrad/assembly/signal_evaluator.hpp"
#include "kinegrad/simulation/constraint_watch.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {

/// A text file that is written line by line and is whole up to the last line if the run ends early.
class LineFile {
 public:
  /// @throws InvalidArgument if the file cannot be written.
  explicit LineFile(const std::string& path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  void write(const std::vector<double>& row);
  void write(const std::string& line);
  /// Hands everything to the device; false if it refused some of it (disk full).
  bool flush();

 private:
  std::FILE* file_;
  std::string buffer_;
  bool good_ = true;
};

/// What a recorder writes about a run: the names of the signals, or of the coordinates and speeds
/// where the model has none.
std::vector<std::string> recorded_names(const Model& model);

/// Watches a run: evaluates the signals at every sample, writes them and the poses of the bodies. The
/// motion has the columns t, BODY.x … BODY.e3 of every body, then signal:NAME of every recorded name.
class RunRecorder {
 public:
  /// Empty paths: nothing is written. The model must outlive the recorder.
  RunRecorder(const Model& model, std::vector<double> p, const std::string& csv,
              const std::string& motion);

  void record(const StepState<double>& x);

  /// Names of the CSV's columns after t: recorded_names().
  const std::vector<std::string>& names() const { return names_; }
  /// Values of them at the last sample, NaN before the first.
  const std::vector<double>& last() const { return last_; }
  /// Largest |Φ|, |Φ̇|, |Φ̈| met so far, normalisations of Euler parameters included.
  const ConstraintNorms& constraint_norms() const { return constraints_.norms(); }
  /// The physical parameters of the run.
  const std::vector<double>& physical() const { return p_; }
  /// False if the device refused some of what was written.
  bool flush();

 private:
  void write_motion(double t);

  const Model& model_;
  std::vector<double> p_;
  SignalEvaluator<double> signals_;
  ConstraintWatch constraints_;
  std::unique_ptr<LineFile> csv_, motion_;
  std::vector<std::string> names_;
  std::vector<double> last_, row_;
};

/// The JSON of `simulate --out`; numbers carry 17 significant digits.
std::string run_json(const Model& model, const RunOptions& options, const RunReport& report,
                     const RunRecorder& recorder, const std::string& motion_file);

}  // namespace kinegrad
