// Units in which coordinates of different kinds can be compared, so that a watch and a crane are judged alike.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

/// d_j of the model's coordinates: `size` of lengths, 1 of angles and Euler parameters [KP-11].
VecX coordinate_units(const Model& model, double size);

/// Of one component of a joint's coordinates.
double unit_of_coordinate(const Model& model, const Joint& joint, int component, double size);

/// The lever on which points of a body turn, of the body in the middle: from its centre of mass to the furthest of
/// its joints and points, or its radius of gyration; 1 if nothing has a length.
double usual_lever(const Model& model, std::span<const double> p);

/// d_j at these parameters, with that lever for size; real parts decide.
template <typename T>
VecX units_at(const Model& model, std::span<const T> p) {
  std::vector<double> real(p.size());
  for (std::size_t k = 0; k < p.size(); ++k) real[k] = real_part(p[k]);
  return coordinate_units(model, usual_lever(model, real));
}

}  // namespace kinegrad
