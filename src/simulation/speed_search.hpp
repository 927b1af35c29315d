// The speeds of a start [KP-2], [KP-8] (docs/theory/kinematic_problems.md).
#pragma once

#include "kinegrad/simulation/initial_state.hpp"
#include "simulation/start_problem.hpp"

namespace kinegrad {

class SpeedSearch {
 public:
  /// A run beside another one lets surplus values follow. The problem must outlive the object.
  SpeedSearch(StartProblem& problem, bool beside);

  /// Completes v at q; what was solved for goes into the sets. Else the message says what contradicts.
  bool run(const VecX& q, VecX& v, StartSets& sets);
  const std::string& message() const { return message_; }

 private:
  bool with(const StartValues& values, const VecX& q, VecX& v, StartSets& sets);
  /// Ψ̇/s at the speeds.
  VecX rates(const VecX& q, const VecX& v);
  double speed_of(const VecX& v) const;
  bool agrees(const StartValues& values, const StartChoice& choice, const VecX& q,
              const VecX& given, const VecX& v, double speed);
  void say_open(const Selection& free, const VecX& rest, double speed, const VecX& q);
  void say_off(const StartValues& values, std::size_t which, const VecX& q, const VecX& given,
               const VecX& v);
  void nearest(const Selection& free, const VecX& q, const VecX& given, StartSets& sets);

  StartProblem& problem_;
  Closing<double> closing_;
  double agreed_;
  std::string message_;
};

}  // namespace kinegrad
