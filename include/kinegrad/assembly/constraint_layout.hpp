// What the equations of a tree's constraints are made of, and the vectors that they read at one state, as plain
// values (docs/theory/constraints.md). An equation Φ = Σ s A⊙B + E sees the motion through world vectors x
// (points, directions) and through coordinates; g = ∂Φ/∂x are its weights.                       [C-1]
#pragma once

#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/model/constraint_model.hpp"

namespace kinegrad {

/// Of the model alone: no number of p.
struct ConstraintLayout {
  struct Pair {  // a world vector: slots
    int plus = -1, minus = -1;
  };
  struct Term {
    ConstraintTerm::Product product;
    Pair A, B;
    int axis;
    double factor;
    int weight_A, weight_B;  // places of g of the plus slots; the minus ones follow
  };
  struct Weight {  // g of one slot in one row
    int slot = -1;
    int climb = 0, climb_end = 0;
    int place = 0, place_end = 0;  // of its entries in the row, column by column of its ancestors
  };
  struct Climb {  // the columns of one ancestor in a row of the Jacobian
    int node = -1;
    int value = 0;
  };
  struct Place {  // of one column in a row of the Jacobian
    int column = -1;
    int value = 0;
  };
  struct Move {  // of a point by a column
    int node = -1, column = -1;
  };
  struct SlopeUse {
    int output = 0;
    int weight = -1;  // of a vector component
    int component = 0;
    int value = -1;  // of a coordinate: its place in the row
  };
  struct Row {
    int first_term = 0, terms = 0;
    int first_weight = 0, weights = 0;
    int first_slope = 0, slopes = 0;
    int expression = -1;
  };

  std::vector<int> slot_vector;  ///< by slot: the vector of the model
  std::vector<Row> rows;
  std::vector<Term> terms;
  std::vector<Weight> weights;
  std::vector<Climb> climbs;
  std::vector<Place> places;
  std::vector<Move> moves;
  std::vector<SlopeUse> slopes;
  std::vector<int> input_slot;  ///< by constraint input; -1: not a vector
};

/// At one state.
template <typename T>
struct ConstraintVectors {
  struct Slot {  // a point or direction that rows read
    int node = -1;
    bool is_point = true;
    int first_move = 0;  // of a point, among what the columns of its ancestors move it by
    Vec3T<T> c;          // in axes of the body's frame M; in world axes on the ground
    Vec3T<T> x, xdot, xddot;
  };
  struct World {
    Vec3T<T> x, xdot, xddot;
  };

  World world(const ConstraintLayout::Pair& pair) const {
    if (pair.plus < 0) return {};
    const Slot& a = slots[static_cast<std::size_t>(pair.plus)];
    if (pair.minus < 0) return {a.x, a.xdot, a.xddot};
    const Slot& b = slots[static_cast<std::size_t>(pair.minus)];
    return {a.x - b.x, a.xdot - b.xdot, a.xddot - b.xddot};
  }

  std::vector<Slot> slots;
  std::vector<Vec3T<T>> g;                    ///< by weight
  std::vector<T> inputs, registers, outputs;  ///< of the tape of the expressions
};

}  // namespace kinegrad
