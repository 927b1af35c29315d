// What the search for a start works on (docs/theory/kinematic_problems.md): the equations with their scales
// [KP-12], the coordinates that equations reach with their units [KP-11], the values that the file gives,
// and which of those are degrees of freedom [KP-13].
#pragma once

#include "kinegrad/simulation/equation_scale.hpp"
#include "simulation/start_choice.hpp"
#include "simulation/start_closing.hpp"

namespace kinegrad {

enum class StartLevel { kPosition, kVelocity };

/// A value that the file gives: of a coordinate or its speed, or of a point by its equation.
struct StartValue {
  int column = -1, row = -1;
  std::string name;
};

/// Values in the order of the file; behind the first `given` of them, what rests because no speed is given.
struct StartValues {
  std::vector<StartValue> list;
  int given = 0;

  std::size_t size() const { return list.size(); }
  std::string names() const;
};

class StartProblem {
 public:
  /// p must hold the parameters of the system, `drawn` the coordinates of the file; all must outlive
  /// the object.
  StartProblem(const Model& model, MechanicalSystem<double>& system, std::span<const double> p,
               double t, const VecX& drawn);

  const Model& model() const { return model_; }
  std::span<const double> parameters() const { return p_; }
  MechanicalSystem<double>& system() { return system_; }
  StartRows<double>& rows() { return rows_; }
  const StartUnits& units() const { return units_; }
  /// Coordinates that equations reach: the others are as the file says.
  const std::vector<int>& columns() const { return columns_; }
  const VecX& drawn() const { return drawn_; }
  double t() const { return t_; }

  StartValues positions() const;
  /// With coordinates and points that are given without a speed and hence rest, or without them.
  StartValues speeds(bool rests) const;

  /// The columns that may change and the equations that count if these values are held.
  Selection select(const StartValues& values, const std::vector<bool>& held,
                   StartLevel level) const;
  /// The values that are degrees of freedom at q [KP-13].
  StartChoice choose(const VecX& q, const StartValues& values, StartLevel level);
  /// Degrees of freedom of the constraints at q.
  int freedom(const VecX& q);

  /// How far equations are open as a length or an angle, at q.
  EquationScale openings(const VecX& q) const;
  /// Where bodies and joints are at q.
  PositionKinematics<double> position(const VecX& q) const;
  /// s by equation.
  std::vector<double> scales() const;

 private:
  void find_columns();
  void measure();
  StartValue value_of(const InitialCondition& condition) const;
  std::vector<int> equations(const std::vector<bool>& held_columns, StartLevel level) const;
  std::vector<bool> held_columns(const StartValues& values, const std::vector<bool>& held) const;
  IndependentRows independent(const MatX& J, const std::vector<int>& equations) const;
  MatX in_units(const MatX& J, const std::vector<int>& equations) const;

  const Model& model_;
  MechanicalSystem<double>& system_;
  std::span<const double> p_;
  double t_, size_ = 1;
  const VecX& drawn_;
  StartRows<double> rows_;
  StartUnits units_;
  std::vector<int> columns_;
};

}  // namespace kinegrad
