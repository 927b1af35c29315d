// What a formulation solves at one instant, said as data, so that its derivatives are written once
// (docs/theory/step_derivatives.md).
//
// Every formulation finds accelerations a and multipliers λ, η with
//
//   r + Φ_qᵀλ + Σ p η = 0        and one equation ℓ_i = E_i λ_i per row                        [ST-1]
//
// where the rows are the constraints and the normalisations of Euler parameters (multipliers η), and
// the formulations differ in the level ℓ of their rows and in how q and v follow from a.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/formulations/border.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

struct StageRule {
  bool position_level = false;  ///< rows of constraints in implicit steps: Φ, else as stabilised
  border::Stabilisation stabilisation = {};
  double softness = 0;  ///< E of the rows at acceleration level
  bool projects = false;
  double projection_softness = 0;  ///< E of the projections
  /// Speeds are projected, accelerations and multipliers then found anew at (q, v) [ST-12].
  bool solves_anew = false;
  bool independent = false;  ///< q and v follow from independent coordinates (Matrix R)
  /// The independent coordinates if points are among them [ST-8]; the model's.
  std::span<const IndependentCoordinate> named = {};
  /// Normalisations of Euler parameters at acceleration level in implicit steps as well.
  bool normalises_accelerations = false;

  /// M⁻¹ by recursion: where q and v are given, stages are differentiated without matrices [ST-11].
  bool recursive = false;

  /// Of equations that may depend on each other, over the diagonal of L N⁻¹Jᵀ [B-7].
  double regularisation() const {
    return position_level ? border::kSmallWhereHeld : border::kSmall;
  }
};

/// Pivots of independent coordinates below this part of the largest entry are lost: rounding, with some
/// room. In a singular position what the rows lose keeps its guess.
inline constexpr double kLostPivot = 1e-11;

/// The choice of Matrix R that a step was made with: indices of rows count the normalisations after
/// the constraints.
struct CoordinateSelection {
  std::vector<int> pivot_row, dependent;  ///< in order of elimination, those of positions first
  int position_rank = 0;
  std::vector<int> integrated, free;
  double growth = 0;    ///< what decides about choosing anew
  bool chosen = false;  ///< else the next step chooses

  friend bool operator==(const CoordinateSelection&, const CoordinateSelection&) = default;
};

}  // namespace kinegrad
