// How large the equations of a mechanism are in each coordinate set, what a step costs by that, and which
// set `auto` takes (docs/theory/global_coordinates.md, [GC-5]).
#pragma once

#include <string>
#include <vector>

#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/description.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

struct CoordinateSize {
  std::string name;        ///< as `--coordinates` names it
  int coordinates = 0;     ///< of a state
  int normalisations = 0;  ///< of Euler parameters
  int rows = 0;            ///< of constraints, those of rigid bodies included
  long mass_entries = 0;   ///< of M that can be other than zero, both triangles
  long row_entries = 0;    ///< of Φ_q
  double step = 0;         ///< estimated time of a step, µs
};

/// Of a model in the coordinates that it is compiled in.
CoordinateSize coordinate_size(const Model& model);
/// Of all sets, joint coordinates first. @throws InvalidModel
std::vector<CoordinateSize> coordinate_sizes(const ModelDescription& description,
                                             const Catalogue& catalogue = builtin_catalogue());
/// The name of the set whose steps should be the fastest.
const std::string& fastest(const std::vector<CoordinateSize>& sizes);

}  // namespace kinegrad
