// What a force struct must offer, and the adapter that makes it a ForceModel.
//
// A force is a stateless struct with one function templated on the scalar. Hand-derived `partials`
// are optional: without them the adapter differentiates `effort` with dual numbers.
//
// A force with states of its own [OS-4] also has
//   static constexpr std::array<StateInfo, ns> states      names, units, where they start
//   template <typename T> static Vec<T, ns> rate(const ForceInput<F, T>& in)
//   static int state_count(const Vec<double, np>& p)       where words among the attributes choose: how many it has
// and reads in.z. States that it does not have are 0, and so should be their rates. Where values make no sense together,
//   static std::string refusal(const Vec<double, np>& p, const std::function<bool(std::string_view)>& given)
// says why.
//
// A force whose law has branches (an if on a number that moves) says where they meet [KN-4]:
//   static constexpr std::array<SwitchInfo, n> switches                        where, in words
//   static Vec<double, n> switch_values(const ForceInput<F, double>& in)       zero there; not a number: without meaning
// One with bristles, states that the motion of a contact which sticks bends [KP-19],
//   static constexpr int bristles                          how many: the first ones of its states
//   static double carried(z, const Vec<double, np>& p)     what they carry, as a part of what they can; 0 without a limit
// and one that tells more of itself than its effort
//   static constexpr std::array<ForceSignal, n> signals                        FORCE.name and units [SG-9]
//   template <typename T> static Vec<T, n> signal_values(const ForceInput<F, T>& in)
// The conformance tests find the places where effort, rates or partials jump, and want a switch at each.
#pragma once

#include <array>

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/bristles.hpp"
#include "kinegrad/model/force_model.hpp"

namespace kinegrad {

namespace internal {
/// Total length of a list of attributes.
template <std::size_t N>
constexpr int total_size(const std::array<AttributeInfo, N>& attributes) {
  int n = 0;
  for (const AttributeInfo& a : attributes) n += a.size;
  return n;
}
/// Number of states of a force struct, 0 where it lists none.
template <typename F>
constexpr int state_size() {
  if constexpr (requires { F::states; }) {
    return static_cast<int>(F::states.size());
  } else {
    return 0;
  }
}
}  // namespace internal

/// Fixed-size view of a force's inputs: port variables, rates, time, attributes in order.
template <typename F, typename T>
struct ForceInput {
  static constexpr int nx = port_variables(F::port);
  static constexpr int ne = port_size(F::port);
  static constexpr int np = internal::total_size(F::attributes);
  static constexpr int ns = internal::state_size<F>();
  Vec<T, nx> x;
  Vec<T, ne> xdot;
  T t;
  Vec<T, np> p;
  Vec<T, ns> z = Vec<T, ns>::Constant(T(0));
};

template <typename F, typename T>
concept ForceOver = requires(const ForceInput<F, T>& in) {
  { F::template effort<T>(in) } -> std::same_as<Vec<T, port_size(F::port)>>;
};

/// name, summary, port, attributes, effort<T>(ForceInput) [F-2].
template <typename F>
concept ForceStruct =
    ForceOver<F, double> && ForceOver<F, Complex> && ForceOver<F, Dual> && requires {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::summary } -> std::convertible_to<std::string_view>;
  { F::port } -> std::convertible_to<PortKind>;
};

/// Fixed-size partials of a force struct.
template <typename F>
struct ForceStructPartials {
  static constexpr int nx = ForceInput<F, double>::nx;
  static constexpr int ne = ForceInput<F, double>::ne;
  static constexpr int np = ForceInput<F, double>::np;
  static constexpr int ns = ForceInput<F, double>::ns;
  Mat<double, ne, nx> e_x;
  Mat<double, ne, ne> e_xdot;
  Vec<double, ne> e_t;
  Mat<double, ne, np> e_p;
  // of forces with states; empty where there are none
  Mat<double, ne, ns> e_z;
  Mat<double, ns, nx> g_x;
  Mat<double, ns, ne> g_xdot;
  Vec<double, ns> g_t;
  Mat<double, ns, np> g_p;
  Mat<double, ns, ns> g_z;
};

template <typename F>
concept Switching = requires(const ForceInput<F, double>& in) {
  F::switches;
  F::switch_values(in);
};

template <typename F>
concept HandPartials = requires(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  F::partials(in, out);
};

/// The partials of `effort` and of `rate` by dual numbers, one direction at a time.
template <ForceStruct F>
void dual_partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  using In = ForceInput<F, Dual>;
  In seeded{in.x.template cast<Dual>(), in.xdot.template cast<Dual>(), Dual(in.t),
            in.p.template cast<Dual>(), in.z.template cast<Dual>()};
  const auto along = [&](Dual& number, auto&& e_column, auto&& g_column) {
    number.derivative = 1;
    const Vec<Dual, In::ne> e = F::template effort<Dual>(seeded);
    for (int i = 0; i < In::ne; ++i) e_column(i) = e(i).derivative;
    if constexpr (In::ns > 0) {
      const Vec<Dual, In::ns> g = F::template rate<Dual>(seeded);
      for (int i = 0; i < In::ns; ++i) g_column(i) = g(i).derivative;
    }
    number.derivative = 0;
  };
  for (int k = 0; k < In::nx; ++k) along(seeded.x(k), out.e_x.col(k), out.g_x.col(k));
  for (int k = 0; k < In::ne; ++k) along(seeded.xdot(k), out.e_xdot.col(k), out.g_xdot.col(k));
  for (int k = 0; k < In::np; ++k) along(seeded.p(k), out.e_p.col(k), out.g_p.col(k));
  for (int k = 0; k < In::ns; ++k) along(seeded.z(k), out.e_z.col(k), out.g_z.col(k));
  along(seeded.t, out.e_t, out.g_t);
}

/// What forces tell that name no signals of their own: their efforts. Between points the force along their line, positive where it
/// pushes them apart; on a coordinate the force along it; else components, of forces on bodies as the element gives them.   [SG-9]
inline std::span<const ForceSignal> effort_signals(PortKind port) {
  static constexpr std::array<ForceSignal, 1> kOne{{{"force", "N"}}};
  static constexpr std::array<ForceSignal, 3> kForce{{{"fx", "N"}, {"fy", "N"}, {"fz", "N"}}},
      kTorque{{{"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}}};
  static constexpr std::array<ForceSignal, 6> kWrench{
      {{"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}, {"fx", "N"}, {"fy", "N"}, {"fz", "N"}}};
  switch (port) {
    case PortKind::kPointPair:
    case PortKind::kJointCoordinate: return kOne;
    case PortKind::kBodyPoint: return kForce;
    case PortKind::kBody: return kTorque;
    case PortKind::kFramePair: return kWrench;
    case PortKind::kField: break;
  }
  return {};
}

/// ForceModel made from a force struct.
template <ForceStruct F>
class ForceAdapter : public ForceModel {
 public:
  std::string_view name() const override { return F::name; }
  std::string_view summary() const override { return F::summary; }
  PortKind port() const override { return F::port; }
  std::span<const AttributeInfo> attributes() const override { return F::attributes; }
  std::span<const StateInfo> states() const override {
    if constexpr (kStates > 0) {
      return F::states;
    } else {
      return {};
    }
  }
  int state_count(const AttributeVector<double>& attributes) const override {
    if constexpr (requires(const Vec<double, ForceInput<F, double>::np>& p) {
                    F::state_count(p);
                  }) {
      return F::state_count(attributes);
    } else {
      return ForceModel::state_count(attributes);
    }
  }
  std::string refusal(const AttributeVector<double>& attributes,
                      const std::function<bool(std::string_view)>& given) const override {
    if constexpr (requires(const Vec<double, ForceInput<F, double>::np>& p) {
                    F::refusal(p, given);
                  }) {
      return F::refusal(attributes, given);
    } else {
      return {};
    }
  }
  bool has_hand_partials() const override { return HandPartials<F>; }
  bool has_energy() const override {
    return requires(const ForceInput<F, double>& in) { F::template energy<double>(in); };
  }
  bool knows_energy_rate() const override {
    return requires(const ForceInput<F, double>& in) { F::energy_rate(in); };
  }
  double energy_rate(const PortState<double>& state,
                     const AttributeVector<double>& attributes) const override {
    if constexpr (requires(const ForceInput<F, double>& in) { F::energy_rate(in); }) {
      return F::energy_rate(input(state, attributes));
    } else {
      return ForceModel::energy_rate(state, attributes);
    }
  }
  std::optional<CoordinateKind> coordinate_kind() const override {
    if constexpr (requires { F::coordinate_kind; }) {
      return F::coordinate_kind;
    } else {
      return {};
    }
  }
  bool below_half_turn() const override {
    return requires { requires F::below_half_turn; };
  }
  std::span<const ForceSignal> signals() const override {
    if constexpr (requires { F::signals; }) {
      return F::signals;
    } else {
      return effort_signals(F::port);
    }
  }
  ForceSignals<double> signal_values(const PortState<double>& state,
                                     const AttributeVector<double>& attributes) const override {
    return signals_of(input(state, attributes));
  }
  ForceSignals<Complex> signal_values(const PortState<Complex>& state,
                                      const AttributeVector<Complex>& attributes) const override {
    return signals_of(input(state, attributes));
  }
  std::string coordinate_refusal(
      CoordinateKind kind, const std::function<bool(std::string_view)>& given) const override {
    if constexpr (requires { F::coordinate_refusal(kind, given); }) {
      return F::coordinate_refusal(kind, given);
    } else {
      return {};
    }
  }
  std::span<const SwitchInfo> switches() const override {
    if constexpr (Switching<F>) {
      return F::switches;
    } else {
      return {};
    }
  }
  SwitchValues switch_values(const PortState<double>& state,
                             const AttributeVector<double>& attributes) const override {
    if constexpr (Switching<F>) {
      return F::switch_values(input(state, attributes));
    } else {
      return ForceModel::switch_values(state, attributes);
    }
  }
  bool uniform() const override {
    if constexpr (requires { F::uniform; }) {
      return F::uniform;
    } else {
      return false;
    }
  }

  PortVector<double> effort(const PortState<double>& state,
                            const AttributeVector<double>& attributes) const override {
    return F::template effort<double>(input(state, attributes));
  }
  PortVector<Complex> effort(const PortState<Complex>& state,
                             const AttributeVector<Complex>& attributes) const override {
    return F::template effort<Complex>(input(state, attributes));
  }
  ForceStates<double> rates(const PortState<double>& state,
                            const AttributeVector<double>& attributes) const override {
    return rates_of(input(state, attributes));
  }
  ForceStates<Complex> rates(const PortState<Complex>& state,
                             const AttributeVector<Complex>& attributes) const override {
    return rates_of(input(state, attributes));
  }
  double energy(const PortState<double>& state,
                const AttributeVector<double>& attributes) const override {
    return energy_of(input(state, attributes));
  }
  Complex energy(const PortState<Complex>& state,
                 const AttributeVector<Complex>& attributes) const override {
    return energy_of(input(state, attributes));
  }
  void partials(const PortState<double>& state, const AttributeVector<double>& attributes,
                ForcePartials& out) const override {
    ForceStructPartials<F> fixed;
    if constexpr (HandPartials<F>) {
      F::partials(input(state, attributes), fixed);
    } else {
      dual_partials<F>(input(state, attributes), fixed);
    }
    out.e_x = fixed.e_x;
    out.e_xdot = fixed.e_xdot;
    out.e_t = fixed.e_t;
    out.e_p = fixed.e_p;
    if constexpr (kStates > 0) {
      out.e_z = fixed.e_z;
      out.g_x = fixed.g_x;
      out.g_xdot = fixed.g_xdot;
      out.g_t = fixed.g_t;
      out.g_p = fixed.g_p;
      out.g_z = fixed.g_z;
    }
  }

 private:
  static constexpr int kStates = ForceInput<F, double>::ns;

  template <typename T>
  static ForceStates<T> rates_of(const ForceInput<F, T>& in) {
    if constexpr (kStates > 0) {
      return F::template rate<T>(in);
    } else {
      return ForceStates<T>(0);
    }
  }
  template <typename T>
  static ForceSignals<T> signals_of(const ForceInput<F, T>& in) {
    if constexpr (requires { F::signals; }) {
      return F::template signal_values<T>(in);
    } else if constexpr (F::port == PortKind::kPointPair) {
      const Vec<T, 3> e = F::template effort<T>(in);
      const T length = la::norm(in.x), along = la::dot(in.x, e);
      // between points that coincide only a force that vanishes has a number
      const bool none = real_part(length) == 0 && real_part(la::squared_norm(e)) == 0;
      return ForceSignals<T>::Constant(1, none ? T(0) : along / length);
    } else if constexpr (F::port == PortKind::kField) {
      return ForceSignals<T>(0);
    } else {
      return F::template effort<T>(in);
    }
  }
  template <typename T>
  static T energy_of(const ForceInput<F, T>& in) {
    if constexpr (requires { F::template energy<T>(in); }) {
      return F::template energy<T>(in);
    } else {
      return T(0);
    }
  }
  template <typename T>
  static ForceInput<F, T> input(const PortState<T>& state, const AttributeVector<T>& attributes) {
    ForceInput<F, T> in{state.x, state.xdot, state.t, attributes};
    if constexpr (kStates > 0) {
      for (Eigen::Index i = 0; i < state.z.size(); ++i) in.z(i) = state.z(i);
    }
    return in;
  }
};

/// The same of a force with bristles.
template <ForceStruct F>
class BristledAdapter final : public ForceAdapter<F>, public Bristles {
 public:
  int bristles() const override { return F::bristles; }
  double carried(const ForceStates<double>& z,
                 const AttributeVector<double>& attributes) const override {
    return F::carried(z, attributes);
  }
};

/// The one instance of the model of force struct F.
template <ForceStruct F>
const ForceModel& force_model() {
  static const std::conditional_t<requires { F::bristles; }, BristledAdapter<F>, ForceAdapter<F>>
      model;
  return model;
}

}  // namespace kinegrad
