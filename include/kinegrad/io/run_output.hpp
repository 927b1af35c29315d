// What a run leaves behind: signals as CSV, the motion of the bodies, and a JSON summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kinegrad/base/output_file.hpp"
#include "kinegrad/io/contact_record.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"
#include "kinegrad/simulation/constraint_watch.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad {

/// A text file of lines, whole or not there. A run that ends early keeps the lines it came to.
class LineFile {
 public:
  /// @throws InvalidArgument if the file cannot be written.
  explicit LineFile(const std::string& path) : file_(path) {}

  void write(const std::vector<double>& row);
  void write(const std::string& line);
  /// As OutputFile::keep().
  [[nodiscard]] std::string keep() { return file_.keep(); }
  const std::string& path() const { return file_.path(); }

 private:
  OutputFile file_;
  std::string buffer_;
};

/// What a recorder writes about a run: the names of the signals, or of the coordinates and speeds
/// where the model has none.
std::vector<std::string> recorded_names(const Model& model);

/// Watches a run: evaluates the signals at every sample, writes them and the poses of the bodies. The
/// motion has the columns t, BODY.x … BODY.e3 of every body, signal:NAME of every recorded name, and those of the contacts.
class RunRecorder {
 public:
  /// Null: nothing is written there. Model and files must outlive the recorder.
  RunRecorder(const Model& model, std::vector<double> p, LineFile* csv, LineFile* motion);

  void record(const StepState<double>& x);

  /// Names of the CSV's columns after t: recorded_names().
  const std::vector<std::string>& names() const { return names_; }
  /// Values of them at the last sample, NaN before the first.
  const std::vector<double>& last() const { return last_; }
  /// Largest |Φ|, |Φ̇|, |Φ̈| met so far, normalisations of Euler parameters included.
  const ConstraintNorms& constraint_norms() const { return constraints_.norms(); }
  /// The first recorded value that was not finite, and when; no name: none.
  struct NotFinite {
    std::string name;
    double t = 0;
  };
  const NotFinite& not_finite() const { return not_finite_; }
  /// The physical parameters of the run.
  const std::vector<double>& physical() const { return p_; }
  /// Whether there was a sample.
  bool any() const { return any_; }

 private:
  void write_motion(const StepState<double>& x);

  const Model& model_;
  std::vector<double> p_;
  SignalEvaluator<double> signals_;
  ConstraintWatch constraints_;
  LineFile *csv_, *motion_;
  std::optional<ContactRecord> contacts_;  // where a motion is written
  bool any_ = false;
  NotFinite not_finite_;
  std::vector<std::string> names_;
  std::vector<double> last_, row_;
};

/// The JSON of `simulate --out`; numbers carry 17 significant digits.
std::string run_json(const Model& model, const RunOptions& options, const RunReport& report,
                     const RunRecorder& recorder, const std::string& motion_file);

}  // namespace kinegrad
