// What natural coordinates consist of (docs/theory/global_coordinates.md, [NC]).
//
// Elements are points and unit vectors; joints share them between bodies. A body is described by one
// point and three more elements, which give its directions: with e_k = element k less the point, or
// the unit vector itself, and ē_k the same in the body's own axes,
//
//   [u v w] = [e₁ e₂ e₃] [ē₁ ē₂ ē₃]⁻¹,      e_i·e_j = ē_i·ē_j                                  [NC-1]
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace kinegrad {

struct NaturalElement {
  std::string name;
  bool is_point = true;
  int first = -1;   ///< first of its three coordinates, -1: it is on the ground
  int ground = -1;  ///< then its place in p
  int owner = -1;   ///< first of the bodies() that have it
  int slot = 0;     ///< its number there
};

struct NaturalBody {
  int body = 0;
  int tree = 0;                  ///< first of its twelve coordinates in the tree
  std::array<int, 4> element{};  ///< a point first
  std::array<int, 4> local{};    ///< where p has them in the body's axes
};

/// e_i·e_j = ē_i·ē_j, the half of it where i = j.
struct RigidRow {
  int body = 0;  ///< index into bodies
  int i = 0, j = 0;
  int row = -1;  ///< index into the model's constraint_rows()
};

struct NaturalBasis {
  std::vector<NaturalElement> elements;
  std::vector<NaturalBody> bodies;
  std::vector<RigidRow> rows;
  /// Coordinates that are the tree's own: of joints that something reads, and of states.
  struct Copied {
    int first = 0, tree = 0, count = 0;
  };
  std::vector<Copied> copied;
  int nq = 0;

  bool empty() const { return elements.empty() && copied.empty(); }
};

}  // namespace kinegrad
