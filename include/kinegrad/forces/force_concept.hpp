// What a force struct must offer, and the adapter that makes it a ForceModel.
//
// A force is a stateless struct with one function templated on the scalar. Hand-derived `partials`
// are optional: without them the adapter differentiates `effort` with dual numbers.
#pragma once

#include <array>

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
}  // namespace internal

/// Fixed-size view of a force's inputs: port variables, rates, time, attributes in order.
template <typename F, typename T>
struct ForceInput {
  static constexpr int nx = port_variables(F::port);
  static constexpr int ne = port_size(F::port);
  static constexpr int np = internal::total_size(F::attributes);
  Vec<T, nx> x;
  Vec<T, ne> xdot;
  T t;
  Vec<T, np> p;
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
  Mat<double, ne, nx> e_x;
  Mat<double, ne, ne> e_xdot;
  Vec<double, ne> e_t;
  Mat<double, ne, np> e_p;
};

template <typename F>
concept HandPartials = requires(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  F::partials(in, out);
};

/// The partials of `effort` by dual numbers, one direction at a time.
template <ForceStruct F>
void dual_partials(const ForceInput<F, double>& in, ForceStructPartials<F>& out) {
  using In = ForceInput<F, Dual>;
  const In base{in.x.template cast<Dual>(), in.xdot.template cast<Dual>(), Dual(in.t),
                in.p.template cast<Dual>()};
  const auto derivative = [](const In& seeded) {
    const Vec<Dual, In::ne> e = F::template effort<Dual>(seeded);
    Vec<double, In::ne> d;
    for (int i = 0; i < In::ne; ++i) d(i) = e(i).derivative;
    return d;
  };
  In seeded = base;
  for (int k = 0; k < In::nx; ++k) {
    seeded.x(k).derivative = 1;
    out.e_x.col(k) = derivative(seeded);
    seeded.x(k).derivative = 0;
  }
  for (int k = 0; k < In::ne; ++k) {
    seeded.xdot(k).derivative = 1;
    out.e_xdot.col(k) = derivative(seeded);
    seeded.xdot(k).derivative = 0;
  }
  for (int k = 0; k < In::np; ++k) {
    seeded.p(k).derivative = 1;
    out.e_p.col(k) = derivative(seeded);
    seeded.p(k).derivative = 0;
  }
  seeded.t.derivative = 1;
  out.e_t = derivative(seeded);
}

/// ForceModel made from a force struct.
template <ForceStruct F>
class ForceAdapter final : public ForceModel {
 public:
  std::string_view name() const override { return F::name; }
  std::string_view summary() const override { return F::summary; }
  PortKind port() const override { return F::port; }
  std::span<const AttributeInfo> attributes() const override { return F::attributes; }
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
  }

 private:
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
    return {state.x, state.xdot, state.t, attributes};
  }
};

/// The one instance of the model of force struct F.
template <ForceStruct F>
const ForceModel& force_model() {
  static const ForceAdapter<F> model;
  return model;
}

}  // namespace kinegrad
