// The first state of a run from its physical parameters: the assembled start, or an
// equilibrium, with the speeds of the file. Keeps what it needs, so that runs can be repeated.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "kinegrad/assembly/coordinate_change.hpp"
#include "kinegrad/ports/loaded_tree.hpp"
#include "kinegrad/simulation/initial_state.hpp"
#include "kinegrad/simulation/run.hpp"

namespace kinegrad {

template <Scalar T>
class RunStart {
 public:
  /// The model must outlive it; `constants` as in make_system(). @throws InvalidArgument: an equilibrium of a model
  /// that cannot have one.
  RunStart(const Model& model, const RunOptions& options,
           const LoadedTree<T>* constants = nullptr);

  /// t, q and v of the start at p; false and the reason in the report if there is none.
  bool find(std::span<const T> p, StepState<T>& x, RunReport& report);

  /// The start as it was found, in joint coordinates.
  const StepState<T>& found() const { return joints_ ? joints_->found() : found_; }
  /// What the start solved for.
  const StartSets& sets() const { return joints_ ? joints_->sets() : sets_; }
  /// The equations at p.
  MechanicalSystem<T>& system() { return *system_; }
  /// The constraint that is open most at a state of the run, in parts of its scale [KP-12], in words.
  struct MostOpen {
    double share = 0;
    std::string text;  ///< "constraint "drive" is open by 0.0045 m"
  };
  MostOpen most_open(const StepState<T>& x);
  /// Size of the mechanism at the start [KP-11].
  double size() const;
  /// "constraint "drive"", "the loop at joint "B"": where a level of the constraints is largest.
  std::string worst_constraint(const VecXT<T>& level) const;

 private:
  std::vector<double> physical() const;
  bool describes(const NaturalMap<T>& natural, RunReport& report) const;
  bool assemble(std::span<const T> p, StepState<T>& x, RunReport& report);
  bool rest(std::span<const T> p, StepState<T>& x, RunReport& report);
  bool release(std::span<const T> p, StepState<T>& x, RunReport& report);
  bool prescribed(std::span<const T> p, RunReport& report) const;
  bool choice_describes(const StepState<T>& x, RunReport& report);
  bool reactions_are_unique(std::span<const T> p, const StepState<T>& x, RunReport& report) const;

  const Model& model_;
  RunOptions options_;
  ReferencePoint point_;
  std::unique_ptr<MechanicalSystem<T>> system_;  // of the run
  std::unique_ptr<RunStart> joints_;             // in joint coordinates, where the run has others
  std::unique_ptr<FromJointCoordinates<T>> change_;
  StepState<T> found_;  // in joint coordinates
  StartSets sets_;
};

}  // namespace kinegrad
