// What the model and the assemblies know of a force element, whatever its type.
//
// A force acts on a port. The port has variables x (with rates ẋ) and an effort e of the same size,
// so that the power is eᵀẋ; the assembly knows how to get x from the motion and how to apply e:
//
//   port               x                                  e                                   [F-1]
//   point pair         r₂ − r₁ (world axes)               force on point 2, its opposite on 1
//   joint coordinate   one joint coordinate               generalised force on it
//   body point         r (world axes)                     force on the point
//   body               none, rate ω (world axes)           torque on the body
//   frame pair         d, R of marker 2 in marker 1       wrench [n; f] on body 2 at marker 2, its
//                      rates [ω; ḋ], axes of marker 1      opposite on body 1
//   field              centre of mass of each body        force per unit mass
//
//   e = e(x, ẋ, t; attributes)                                                                [F-2]
//
// A force may have states of its own, which the compiler turns into speeds of auxiliary coordinates [OS-1]:
//
//   e = e(x, ẋ, z, t; attributes)      ż = g(x, ẋ, z, t; attributes)                          [OS-4]
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/model/joint_model.hpp"
#include "kinegrad/model/port_kind.hpp"

namespace kinegrad {

/// A designable number (size 1), vector (size 3) or 6×6 matrix (size 36, row by row) of a force type.
struct AttributeInfo {
  std::string_view name;
  std::string_view unit;
  int size = 1;
  bool required = true;  ///< if not, 0
  std::string_view description = {};
  bool variable = false;  ///< may depend on time and on signals
  bool reactive = false;  ///< is the whole effort, and may depend on reactions
  bool stores = true;     ///< the energy depends on it, where there is one
  /// One of these, "a|b|c", instead of a number; p has its place among them, the first one if it is not given.
  std::string_view words = {};
  /// Height g of a ground z = g(x, y) of the first frame, an expression of x and y; p has the five numbers
  /// x_f, y_f, g, g_x, g_y at the foot of the second frame's origin.                          [GR-1]
  bool ground = false;
};

/// The place of a word among "a|b|c", -1 if it is none of them.
int word_place(std::string_view words, std::string_view word);
std::vector<std::string> words_of(std::string_view words);

/// A state of a force: z of [OS-4].
struct StateInfo {
  std::string_view name;  ///< FORCE.name is its signal
  std::string_view unit;
  std::string_view start = {};  ///< the attribute that it starts with; 0 without one
};

/// A branch of a law: where it begins or ends, and what would make it smooth.                    [KN-4]
struct SwitchInfo {
  std::string_view where;  ///< "it touches", behind the name of the force
  std::string_view cure;   ///< "give it an exponent above 1"
};

/// A number that a force tells of itself; FORCE.name is its signal.                               [SG-9]
struct ForceSignal {
  std::string_view name;
  std::string_view unit;
};

inline constexpr int kMaxPortSize = 6;
inline constexpr int kMaxPortVariables = 12;
inline constexpr int kMaxForceAttributes = 96;
inline constexpr int kMaxForceStates = 4;
inline constexpr int kMaxSwitches = 8;
inline constexpr int kMaxForceSignals = 8;

template <typename T>
using PortVector = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMaxPortVariables, 1>;
template <typename T>
using AttributeVector = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMaxForceAttributes, 1>;

template <typename T>
using ForceStates = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMaxForceStates, 1>;

/// The values of signals().
template <typename T>
using ForceSignals = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMaxForceSignals, 1>;

/// Switching functions σ of a law: it has one formula where they keep their signs. Not a number: without meaning there.
using SwitchValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxSwitches, 1>;

/// Where a force is evaluated.
template <typename T>
struct PortState {
  PortVector<T> x, xdot;
  T t = T(0);
  ForceStates<T> z = ForceStates<T>(0);
};

/// What the variables x of a port do per unit of time: ẋ itself, and of a pose Ṙ = ω~R.            [FP-4]
PortVector<double> variable_rates(PortKind port, const PortState<double>& state);

/// ∂e of [F-2] with respect to everything it depends on.
struct ForcePartials {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPortSize, kMaxPortVariables> e_x;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPortSize, kMaxPortSize> e_xdot;
  PortVector<double> e_t;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPortSize, kMaxForceAttributes> e_p;
  // of forces with states: e_z, and the partials of their rates g
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPortSize, kMaxForceStates> e_z;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxPortVariables> g_x;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxPortSize> g_xdot;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxForceStates> g_z;
  ForceStates<double> g_t;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxForceAttributes>
      g_p;
};

/// A force type. Stateless: attributes are physical parameters of the model.
class ForceModel {
 public:
  virtual ~ForceModel() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual PortKind port() const = 0;
  virtual std::span<const AttributeInfo> attributes() const = 0;
  /// All states that it may have.
  virtual std::span<const StateInfo> states() const { return {}; }
  /// How many of them it has, which depends on words among the attributes alone.
  virtual int state_count(const AttributeVector<double>&) const {
    return static_cast<int>(states().size());
  }

  virtual PortVector<double> effort(const PortState<double>& state,
                                    const AttributeVector<double>& attributes) const = 0;
  virtual PortVector<Complex> effort(const PortState<Complex>& state,
                                     const AttributeVector<Complex>& attributes) const = 0;
  /// g of [OS-4], of all states(); none where it has none.
  virtual ForceStates<double> rates(const PortState<double>&,
                                    const AttributeVector<double>&) const {
    return ForceStates<double>(0);
  }
  virtual ForceStates<Complex> rates(const PortState<Complex>&,
                                     const AttributeVector<Complex>&) const {
    return ForceStates<Complex>(0);
  }
  virtual void partials(const PortState<double>& state, const AttributeVector<double>& attributes,
                        ForcePartials& out) const = 0;
  /// Potential energy (of a field: per unit mass) where the force has one, else 0; e = −∂V/∂x for
  /// its conservative part.
  virtual double energy(const PortState<double>& state,
                        const AttributeVector<double>& attributes) const = 0;
  virtual Complex energy(const PortState<Complex>& state,
                         const AttributeVector<Complex>& attributes) const = 0;
  /// Whether energy() is the potential of its conservative part; without one, all that it does is work.
  virtual bool has_energy() const { return false; }
  /// Whether energy_rate() is its own, varying attributes included.
  virtual bool knows_energy_rate() const { return false; }
  /// V̇ = V_x ẋ + V_t at constant attributes, by the complex step of the element.                [MO-2]
  virtual double energy_rate(const PortState<double>& state,
                             const AttributeVector<double>& attributes) const {
    if (!has_energy()) return 0;
    constexpr double kStep = 1e-30;
    const PortState<Complex> along{
        state.x.cast<Complex>() + Complex(0, kStep) * variable_rates(port(), state).cast<Complex>(),
        state.xdot.cast<Complex>(), Complex(state.t, kStep), state.z.cast<Complex>()};
    const AttributeVector<Complex> p = attributes.cast<Complex>();
    return energy(along, p).imag() / kStep;
  }
  /// Whether the partials are hand-derived (else they come from dual numbers).
  virtual bool has_hand_partials() const = 0;
  /// The kind of joint coordinate that it acts on; any if it does not say so.
  virtual std::optional<CoordinateKind> coordinate_kind() const { return {}; }
  /// Whether its law is one for relative rotations below half a turn.                          [KN-3]
  virtual bool below_half_turn() const { return false; }
  /// Where the formulas of its law change; what it does there is measured [KN-4].
  virtual std::span<const SwitchInfo> switches() const { return {}; }
  virtual SwitchValues switch_values(const PortState<double>&,
                                     const AttributeVector<double>&) const {
    return SwitchValues(0);
  }
  /// What it tells of itself beside its states.                                                  [SG-9]
  virtual std::span<const ForceSignal> signals() const { return {}; }
  virtual ForceSignals<double> signal_values(const PortState<double>&,
                                             const AttributeVector<double>&) const {
    return ForceSignals<double>(0);
  }
  virtual ForceSignals<Complex> signal_values(const PortState<Complex>&,
                                              const AttributeVector<Complex>&) const {
    return ForceSignals<Complex>(0);
  }
  /// Why it does not act on a coordinate of that kind, empty if it does. `given`: as of refusal().
  virtual std::string coordinate_refusal(CoordinateKind,
                                         const std::function<bool(std::string_view)>&) const {
    return {};
  }
  /// A field whose effort depends on its attributes alone, the same at every place and time.
  virtual bool uniform() const = 0;

  /// Why values of the attributes make no sense together, empty if they do. `given`: whether the file has one.
  virtual std::string refusal(const AttributeVector<double>&,
                              const std::function<bool(std::string_view)>&) const {
    return {};
  }

  /// Whether the energy depends on the number at that place among the attributes.
  bool stores(int place) const {
    for (const AttributeInfo& a : attributes()) {
      if (place < a.size) return a.stores;
      place -= a.size;
    }
    return true;
  }
  /// Total length of the attributes.
  int attribute_count() const {
    int n = 0;
    for (const AttributeInfo& a : attributes()) n += a.size;
    return n;
  }
};

}  // namespace kinegrad
