// What the model and the recursions know of a joint, whatever its type.
//
// A joint connects frame F on its first body with frame M on its second one. Its coordinates q
// (with v = q̇) give the pose X_FM(q) and the motion columns
//
//   V_FM = H(q) v                                       twist of M in F, at Fo, in axes of F   [J-1]
//   V̇_FM = H a + Ḣ v,   Ḣ = dH/dt along (q, v),   Ḧ = d²H/dt² along (q, v, a)              [J-2]
//
// These four are all a joint has to say: every partial derivative of the tree, with respect to
// coordinates, speeds and geometry, follows from them (docs/theory/kinematics.md, [K-7]).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/math/spatial.hpp"

namespace kinegrad {

/// What a joint coordinate measures; decides its unit and whether `degrees: true` applies.
enum class CoordinateKind { kAngle, kLength, kEulerParameter, kDirection };

struct CoordinateInfo {
  std::string_view name;  ///< e.g. "angle", "x", "e0"
  CoordinateKind kind;
};

/// "rad", "m" or "1".
std::string_view unit_of(CoordinateKind kind);

/// A joint whose motion is a turn about z or a shift along z of its frame F alone: the sweeps over a tree
/// have a short way for it.
enum class SimpleMotion : unsigned char { kNone, kTurn, kShift };

/// How many directions place the joint: none (spherical), one axis, or two (universal).
enum class JointAxes { kNone, kOne, kTwo };

/// A piece of the closure of a cut joint: what F on the first body and M on the second have to do
/// with each other, d = Mo − Fo (docs/theory/constraints.md, [C-4]).
struct ClosurePiece {
  enum class Kind {
    kCoincident,  ///< d = 0, three rows in world axes
    kOffset,      ///< d along axis i of F is 0
    kDot,         ///< axis i of F is perpendicular to axis j of M
    kSame,        ///< axis i of F and of M are equal, three rows of rank two
    kAligned,     ///< d is along axis i of F: their cross product, three rows of rank two
  };
  Kind kind = Kind::kCoincident;
  int i = 0, j = 0;
};

inline constexpr int kMaxJointCoordinates = 12;
/// Of a joint that a file can name.
inline constexpr int kMaxNamedCoordinates = 7;

/// Run-time sized, stack-allocated: one number per coordinate of the joint.
template <typename T>
using JointVector = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMaxJointCoordinates, 1>;
/// One twist column per coordinate of the joint.
template <typename T>
using JointColumns = Eigen::Matrix<T, 6, Eigen::Dynamic, 0, 6, kMaxJointCoordinates>;

/// The functions of a joint for one scalar type.
template <Scalar T>
class JointFunctions {
 public:
  virtual ~JointFunctions() = default;

  /// X_FM(q).
  virtual Pose<T> pose(const JointVector<T>& q) const = 0;
  /// H(q) [J-1].
  virtual JointColumns<T> motion(const JointVector<T>& q) const = 0;
  /// Ḣ(q, v) [J-2].
  virtual JointColumns<T> motion_dot(const JointVector<T>& q, const JointVector<T>& v) const = 0;
  /// Ḧ(q, v, a) [J-2].
  virtual JointColumns<T> motion_ddot(const JointVector<T>& q, const JointVector<T>& v,
                                      const JointVector<T>& a) const = 0;
  /// The coordinates that give X_FM, for a cut joint whose coordinates are asked as signals.
  virtual JointVector<T> coordinates_of(const Pose<T>& X_FM) const = 0;
  /// Least-squares v of H(q) v = V; for Euler parameters the solution with pᵀv = 0.
  virtual JointVector<T> speeds_of(const JointVector<T>& q, const Twist<T>& V_FM) const = 0;
};

class Symbol;

/// A joint type. Stateless: geometry belongs to the model, not to the joint.
class JointModel : public JointFunctions<double>, public JointFunctions<Complex> {
 public:
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  /// One entry per coordinate, in order.
  virtual std::span<const CoordinateInfo> coordinates() const = 0;
  /// Number of normalisation constraints on the joint's own coordinates (1 with Euler parameters).
  virtual int normalisations() const = 0;
  virtual JointAxes axes() const = 0;
  virtual SimpleMotion simple_motion() const { return SimpleMotion::kNone; }
  /// Whether it carries a body in natural coordinates.
  virtual bool carries_natural() const { return false; }
  /// The equations that take the joint's place where a loop is cut: as many as are independent, or
  /// the redundant sets of the source.
  virtual std::span<const ClosurePiece> closure(bool redundant) const = 0;
  /// coordinates_of() in expressions of the parameters, for joints whose bodies are both placed.
  virtual std::vector<Symbol> placed_coordinates(const Pose<Symbol>& X_FM) const = 0;
  /// The same joint seen from its second body: F and M exchanged, coordinates unchanged.
  virtual const JointModel& reversed() const = 0;

  int nq() const { return static_cast<int>(coordinates().size()); }
  /// Relative degrees of freedom: coordinates less normalisations.
  int freedom() const { return nq() - normalisations(); }

  using JointFunctions<double>::pose;
  using JointFunctions<Complex>::pose;
  using JointFunctions<double>::motion;
  using JointFunctions<Complex>::motion;
  using JointFunctions<double>::motion_dot;
  using JointFunctions<Complex>::motion_dot;
  using JointFunctions<double>::motion_ddot;
  using JointFunctions<Complex>::motion_ddot;
  using JointFunctions<double>::coordinates_of;
  using JointFunctions<Complex>::coordinates_of;
  using JointFunctions<double>::speeds_of;
  using JointFunctions<Complex>::speeds_of;
};

}  // namespace kinegrad
