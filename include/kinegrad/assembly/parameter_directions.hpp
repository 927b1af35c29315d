// What the directions dp = ∂p/∂ρ_k do to the elements of a mechanism, sorted by elements
// (docs/theory/parameter_tangents.md). Most touch little: a mass one body, a length a frame and what is
// beyond it. Turns of frames follow from the changes of their rotation matrices,
//
//   φ = ½ Σ_j R_j × dR_j                                                                        [TG-2]
#pragma once

#include <vector>

#include "kinegrad/model/design_jacobian.hpp"
#include "kinegrad/tree/parameter_direction.hpp"

namespace kinegrad {

/// A direction of the state alone, at fixed parameters: it displaces every body. The caller gives dq and dv.
ParameterDirection state_direction(const Model& model);

class ParameterDirections {
 public:
  /// The tree must outlive the object; it gives model and parameters.
  explicit ParameterDirections(const TreeParameters<double>& tree);

  /// Sorts the columns of a design's Jacobian. True if they are others than before, or if
  /// forget() was called: only then anything is done.
  bool take(const DesignJacobian& design);
  /// The parameters of the tree have changed.
  void forget() { taken_ = 0; }

  int size() const { return static_cast<int>(directions_.size()); }
  const ParameterDirection& operator[](int k) const {
    return directions_[static_cast<std::size_t>(k)];
  }

 private:
  ParameterDirection sorted(std::span<const double> dp) const;
  void add_masses(std::span<const double> dp, ParameterDirection& out) const;
  Vec3 turn_of(std::span<const double> dp, FrameBlock block) const;
  void add_frames(std::span<const double> dp, ParameterDirection& out) const;
  void add_forces(std::span<const double> dp, ParameterDirection& out) const;

  const TreeParameters<double>& tree_;
  const Model& model_;
  std::vector<int> node_of_body_;
  std::vector<ParameterDirection> directions_;
  long taken_ = 0;  // number of the design, 0: none
};

}  // namespace kinegrad
