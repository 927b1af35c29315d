// A force along the straight line between two states of a run: where on it a law changes its branch, and what the force does
// there (docs/theory/monitors.md). With the variables, rates and states of the port, and what expressions of attributes read, at both
// ends, y(θ) = (1 − θ) y₀ + θ y₁:
//
//   θ*: σ changes its sign between θ* and θ* + 2⁻⁴⁵                                                 [KN-5]
//   jump:  e or g differs between θ* and θ* + 2⁻⁴⁵        kink:  e_y or g_y does, or e_p of what varies                     [KN-6]
//
// A difference counts if it is more than half of that between θ* − 10⁻⁹ and θ* + 10⁻⁹, so that it does not vanish with the distance, and
// above a part of the numbers themselves: 10⁻⁶ of e and g, 10⁻³ where attributes vary, which follow the line less closely, 10⁻³ of the slopes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kinegrad/assembly/natural_map.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/ports/loaded_tree.hpp"

namespace kinegrad {

/// What a force does where its law changes its branch.
struct ForceBreak {
  enum class Kind { kSmooth, kKink, kJump };
  Kind kind = Kind::kSmooth;
  double jump = 0;  ///< |[e]|
  double part = 0;  ///< θ*
};

class ForceLine {
 public:
  /// The model must outlive the object.
  ForceLine(const Model& model, std::span<const double> p);

  /// A force at a state.
  struct End {
    PortState<double> port;
    AttributeVector<double> attributes;
    std::vector<double> inputs;  ///< of the tape of the forces that move, where attributes vary
    double t = 0;
  };
  /// The state that read() reads.
  void move(const StepState<double>& x);
  /// False for fields, which have no place of their own.
  bool read(const Force& force, End& out) const;

  /// The line that the other functions are about; the ends must live on.
  void take(const Force& force, const End& from, const End& to);
  /// Goes to θ.
  void go(double part);
  SwitchValues switch_values() const { return force_->type->switch_values(state_, attributes_); }
  /// Of the tape of the forces, where attributes vary.
  std::span<const double> registers() const { return registers_; }

  /// `before`: whether the law has at the current place the branch of the line's beginning; it has another one at the end.
  ForceBreak find(const std::function<bool()>& before);
  /// Around the beginning, where a switch stands at zero: the worst of what the force does beside it.
  ForceBreak around_start(int which);

 private:
  /// The force at the current place.
  struct Look {
    VecX effort, rates, told;  ///< told: what signals read of it
    ForcePartials slopes;
  };
  Look look() const;
  /// Attributes that vary, of the inputs.
  void read_attributes();
  void take_sizes(const Look& one, const Look& other);
  /// Beside a place and farther away from it, before and behind.
  struct Sides {
    Look before, behind, far_before, far_behind;
  };
  ForceBreak between(const Sides& at) const;

  const Model& model_;
  std::vector<double> p_, r_;
  LoadedTree<double> tree_;
  TreeState<double> at_;
  std::unique_ptr<NaturalMap<double>> natural_;  // where the state has natural coordinates
  VecX z_, zdot_, zddot_;
  double t_ = 0;

  const Force* force_ = nullptr;
  const End *from_ = nullptr, *to_ = nullptr;
  std::vector<int> told_;                         // of its signals, those that are read
  double largest_effort_ = 0, largest_rate_ = 0;  // at the ends
  PortState<double> state_;
  AttributeVector<double> attributes_;
  std::vector<double> inputs_, registers_, outputs_;
};

}  // namespace kinegrad
