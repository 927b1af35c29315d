// What the directions dp = ∂p/∂ρ_k do to the elements of a mechanism, sorted by elements
// (docs/theory/parameter_tangents.md). Most touch little: a mass one body, a length a frame and what is
// beyond it. Turns of frames follow from the changes of their rotation matrices,
//
//   φ = ½ Σ_j R_j × dR_j                                                                        [TG-2]
#pragma once

#include <vector>

#include "kinegrad/assembly/tree_dynamics.hpp"
#include "kinegrad/model/design_jacobian.hpp"

namespace kinegrad {

/// Of a body's mass properties, in its axes.
struct MassChange {
  int node = 0;
  double m = 0;
  Vec3 c;
  Mat3 J;
};

/// Of a joint's frame, in the axes of the body that carries it: the parent, or outboard the node's own.
struct FrameChange {
  int node = 0;
  bool outboard = false;
  Vec3 shift, turn;
};

/// Of a point's or direction's coordinates in its body.
struct VectorChange {
  int vector = 0;
  Vec3 c;
};

struct AttributeChange {
  int force = 0;
  AttributeVector<double> d;
};

/// Of an input of the tapes that is an entry of p.
struct InputChange {
  int input = 0;
  double d = 0;
};

/// All that moves along one parameter.
struct ParameterDirection {
  std::vector<MassChange> masses;
  std::vector<FrameChange> frames;  ///< by node, inboard first
  std::vector<int> moved;           ///< nodes that frames displace, ascending
  std::vector<VectorChange> vectors;
  std::vector<AttributeChange> attributes;
  std::vector<InputChange> force_inputs, constraint_inputs;
  std::vector<int> forces;  ///< those whose effort or place may change, attributes included
  bool of_state = false;    ///< coordinates and speeds change, too [TG-10]: by
  std::span<const double> dq, dv;
};

/// A direction of the state alone, at fixed parameters: it displaces every body. The caller gives dq and dv.
ParameterDirection state_direction(const Model& model);

class ParameterDirections {
 public:
  /// The dynamics must outlive the object; it gives model and parameters.
  explicit ParameterDirections(const TreeDynamics<double>& dynamics);

  /// Sorts the columns of a design's Jacobian. True if they are others than those taken last, or if
  /// forget() was called: only then anything is done.
  bool take(const DesignJacobian& design);
  /// The parameters of the dynamics have changed.
  void forget() { taken_ = 0; }

  int size() const { return static_cast<int>(directions_.size()); }
  const ParameterDirection& operator[](int k) const {
    return directions_[static_cast<std::size_t>(k)];
  }

 private:
  ParameterDirection sorted(std::span<const double> dp) const;
  void add_masses(std::span<const double> dp, ParameterDirection& out) const;
  void add_frames(std::span<const double> dp, ParameterDirection& out) const;
  void add_forces(std::span<const double> dp, ParameterDirection& out) const;

  const TreeDynamics<double>& dynamics_;
  const Model& model_;
  std::vector<int> node_of_body_;
  std::vector<ParameterDirection> directions_;
  long taken_ = 0;  // number of the design, 0: none
};

}  // namespace kinegrad
