// Notices where the two points of a force pass through each other (docs/theory/monitors.md):
//
//   the force jumps there if it does not vanish with their distance                               [KN-2]
//   objectives that read their distance or its rate have a kink or jump there                     [KN-9]
//
// From one sample of a run to the next, in the order of time; points that are far from each other beside their speed are passed
// over.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

class PairWatch {
 public:
  /// `objectives`: whose integrals count. The model must outlive the object.
  PairWatch(const Model& model, std::span<const double> p, std::span<const int> objectives);

  bool empty() const { return pairs_.empty(); }
  void see(const StepState<double>& x);
  void report(Warnings& warnings) const;

 private:
  /// What an integrand does where the points meet.
  struct Integrand {
    int objective, output;
    long kinks = 0, jumps = 0;
    double t = 0;  ///< the first time
  };
  struct Pair {
    int force = -1;
    Vec3 before = Vec3::Zero();
    long turned = 0;
    double t = 0, jump = 0;
    std::vector<Integrand> integrands;
  };
  Vec3 distance(const Pair& pair) const;
  void see_passage(Pair& pair, const StepState<double>& x);
  void measure(Pair& pair, const StepState<double>& x0, const StepState<double>& x1);
  double meeting(const Pair& pair, const StepState<double>& x0, const StepState<double>& x1);
  std::vector<double> outputs_at(const StepState<double>& x0, const StepState<double>& x1,
                                 double theta);
  void read_forces(const StepState<double>& x);
  double force_at_zero(const Force& force, const Vec3& direction, double t) const;

  const Model& model_;
  std::vector<double> p_;
  SignalEvaluator<double> signals_;
  std::vector<Pair> pairs_;
  std::vector<double> registers_, force_registers_;
  std::vector<double> force_outputs_;   // of attributes that vary
  StepState<double> before_, between_;  // the sample before, where it was looked at
  bool started_ = false;
  bool known_ = false;  // `before` is of the sample before
  long skipped_ = 0;    // samples that need not be looked at
  double t_ = 0;
};

}  // namespace kinegrad
