// Derivatives of signals and integrands at a state: backwards through their tape, and from what they
// read (motion of points and directions, reactions, energies, coordinates of cut joints) through one
// sweep of the tree (docs/theory/signals.md).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kinegrad/ports/shared_tree.hpp"
#include "kinegrad/signals/reaction_partials.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

/// Cotangents of everything a signal depends on; each is added to.
struct SignalCotangent {
  std::span<double> q, v, a, lambda, p;
};

class SignalPartials {
 public:
  /// The model must outlive the object.
  explicit SignalPartials(const Model& model)
      : SignalPartials(SharedTree<double>(model, ReferencePoint::kCom)) {}
  /// @pre bodies are taken at their centres of mass
  explicit SignalPartials(SharedTree<double> constants);

  void set_parameters(std::span<const double> p);
  /// Only marked entries of p need cotangents from now on.
  void set_active(std::span<const char> p_active);
  /// Takes a state. A tree whose motion was linearised there is read instead of a sweep of its own,
  /// where that is all that the signals need; it must stay as it is.
  void linearize(double t, std::span<const double> q, std::span<const double> v,
                 std::span<const double> a, std::span<const double> lambda,
                 LinearizedTree* there = nullptr);
  /// Value of an output there.
  double output(int k) const {
    return values_ ? values_->output(k) : outputs_[static_cast<std::size_t>(k)];
  }
  /// Adds the derivatives of weight·output.
  void pullback(int output, double weight, const SignalCotangent& out);

 private:
  VectorState state_of(int vector) const;
  void expand(std::span<const double> q, std::span<const double> v, std::span<const double> a);
  void read_inputs(double t, std::span<const double> q, std::span<const double> v,
                   std::span<const double> a);
  std::span<const double> inputs() const { return values_ ? values_->inputs() : inputs_; }
  std::span<const double> registers() const { return values_ ? values_->registers() : registers_; }
  void clear();
  void pull_natural(int output, double weight, const SignalCotangent& out);
  void pull_output(int output, double weight, const SignalCotangent& out);
  void pull_input(std::size_t k, double bar, const SignalCotangent& out);
  void pull_joint_input(const SignalInput& in, double bar, const SignalCotangent& out);
  void gather_vectors(const SignalCotangent& out);

  struct JointBar {  // of a cut joint
    JointMotion<double> motion;
    bool touched = false;
  };

  SharedTree<double> shared_;
  const LoadedTree<double>& constants_;
  const Model& model_;
  TreeState<double> state_;
  LinearizedTree own_;
  LinearizedForces forces_;
  LinearizedTree* tree_ = nullptr;  // own_, or somebody else's
  /// Where signals read reactions, energies or cut joints; all others are read from the state, whose
  /// bodies move anyway.
  std::unique_ptr<SignalEvaluator<double>> values_;
  std::vector<double> inputs_, registers_, outputs_;
  std::vector<int> moving_;                      // inputs of the tape that are not parameters
  std::vector<Vec3> places_;                     // by vector, in axes of frames M
  std::unique_ptr<ReactionPartials> reactions_;  // where a signal asks for forces or energies
  std::vector<double> p_, r_;
  std::vector<double> bar_outputs_, bar_registers_, bar_inputs_;
  std::vector<VectorCotangent> vectors_;
  std::vector<char> touched_;
  std::vector<Twist<double>> reaction_bars_;  // [n; f] by joint
  std::vector<JointBar> joint_bars_;          // by joint
  std::vector<ForceSignalBar> force_bars_;
  double kinetic_bar_ = 0, potential_bar_ = 0;
  // where the state has natural coordinates
  std::unique_ptr<NaturalMap<double>> natural_;
  std::unique_ptr<NaturalCotangent> gamma_bar_;
  VecX z_, zdot_, zddot_, z_bar_, zdot_bar_, zddot_bar_;
  std::vector<double> q_, v_, a_;
  bool reads_tree_ = false, reads_reactions_ = false;  // this time
};

}  // namespace kinegrad
