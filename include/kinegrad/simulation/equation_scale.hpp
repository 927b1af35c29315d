// The sizes that constraint equations are judged by (docs/theory/kinematic_problems.md), so that a watch and
// a crane are held to the same number of digits:
//
//   ℓ    size of the mechanism: the diagonal of the box around its joints and points
//   d_j  unit of coordinate j: ℓ of lengths, 1 of angles and Euler parameters                    [KP-11]
//   s_i = Σ |∂Φ_i/∂x| d_x            over what the terms of equation i read, each for itself      [KP-12]
//
// Terms are not added up before their size is taken: an equation whose terms cancel has the scale of
// what cancels, so that Φ_i/s_i and (Φ_q)_ij d_j/s_i are numbers to compare with rounding.
#pragma once

#include <span>
#include <string>

#include "kinegrad/model/coordinate_units.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

/// ℓ of a model in joint coordinates at q; and R ≥ ℓ, how far from the world's origin it is: positions
/// are rounded at that.
struct MechanismSize {
  double size = 1, distance = 1;
};
MechanismSize mechanism_size(const Model& model, std::span<const double> p,
                             std::span<const double> q);

class EquationScale {
 public:
  /// At a state of the model, in any coordinates; model and p must outlive the object.
  EquationScale(const Model& model, std::span<const double> p, double t, std::span<const double> q,
                double size);

  /// s of an equation [KP-12].
  double of(const ConstraintRow& row) const { return sums(row).scale; }
  /// How far an equation is open as a length or an angle: "0.31 m", "0.02 rad".
  std::string opening(const ConstraintRow& row, double value) const;
  /// The same of several equations that are open in the same unit.
  struct Opening {
    double value = 0;
    const char* unit = "";
  };
  Opening opened(const ConstraintRow& row, double value) const;

 private:
  struct Sums {
    double scale = 0;      // s
    double per_metre = 0;  // |∂Φ/∂x| of points and lengths
    double per_radian = 0;
  };
  Sums sums(const ConstraintRow& row) const;
  void add(const ConstraintTerm& term, Sums& sums) const;
  void add(const ConstraintExpression& expression, const ConstraintSlope& slope, Sums& sums) const;
  double path_size(const ConstraintExpression& expression, const ConstraintSlope& slope) const;
  void take_path_sizes();
  bool is_point(int vector) const;
  /// |A|, not below a thousandth of ℓ where A is a difference of points, and how far A moves.
  struct Extent {
    double length, reach;
    bool points;
  };
  Extent extent(const WorldVector& vector) const;

  const Model& model_;
  double size_;
  SignalEvaluator<double> motion_;
  std::vector<double> inputs_;                   // of the constraint tape
  std::vector<std::vector<double>> path_sizes_;  // of all its outputs, by constraint_inputs()
};

}  // namespace kinegrad
