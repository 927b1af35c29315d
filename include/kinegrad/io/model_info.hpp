// What a model is made of, for people and for programs: bodies, tree, loops and cuts, coordinates and
// constraints, parameters and who uses them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinegrad/model/model.hpp"
#include "kinegrad/simulation/coordinate_choice.hpp"

namespace kinegrad {

/// Numbers of a model in joint coordinates.
struct CoordinateCount {
  int coordinates = 0;      ///< of the tree
  int normalisations = 0;   ///< of Euler parameters
  int closure_rows = 0;     ///< independent conditions of each cut joint, 6 less its freedom
  int constraint_rows = 0;  ///< of the constraints in the file
  /// coordinates less all conditions: the degrees of freedom of a tree; of a mechanism with loops or
  /// constraints a lower bound, because rows may be redundant (in a planar loop three of five are).
  int mobility() const { return coordinates - normalisations - closure_rows - constraint_rows; }
};
CoordinateCount count_coordinates(const Model& model);

/// Rows of one constraint.
struct RowCount {
  int holonomic = 0;
  int nonholonomic = 0;
};
/// By index into constraints().
std::vector<RowCount> count_rows(const Model& model);

/// A state of the file and its value at the start.
struct StateStart {
  std::string name, unit;
  double start = 0;
};
/// Of a model in joint coordinates, at the parameters p.
std::vector<StateStart> states_of(const Model& model, std::span<const double> p);
/// Whether a force is the rate of a state, and none that acts on a body.
bool is_rate(const Model& model, const Force& force);

/// What a force acts on, for people: "P1 – P2", "J.q2", "all bodies".
std::string force_place(const Model& model, const Force& force);
/// "J.q" or "J.q2".
std::string coordinate_place(const Model& model, int joint, int coordinate);

/// The report of `kinegrad info` on a model in joint coordinates; `sets`: how large it is in all of them.
std::string model_info_text(const Model& model, const std::vector<CoordinateSize>& sets = {});
/// The same as JSON, numbers with 17 significant digits.
std::string model_info_json(const Model& model, const std::vector<CoordinateSize>& sets = {});

}  // namespace kinegrad
