#include "kinegrad/ports/single_port.hpp"

#include <algorithm>

namespace kinegrad {

namespace {

/// Of f(state, attributes), by complex steps.
template <typename Number>
ScalarPartials partials_of(const Number& f, const PortState<double>& state,
                           const AttributeVector<double>& attributes) {
  PortState<Complex> s{state.x.cast<Complex>(), state.xdot.cast<Complex>(), Complex(state.t),
                       state.z.cast<Complex>()};
  AttributeVector<Complex> p = attributes.cast<Complex>();
  const auto along = [&](auto& y, auto& out) {
    out.resize(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const Complex here = y(i);
      y(i) += Complex(0, kComplexStep);
      out(i) = f(s, p).imag() / kComplexStep;
      y(i) = here;
    }
  };
  ScalarPartials out;
  out.value = f(state, attributes);
  along(s.x, out.x);
  along(s.xdot, out.xdot);
  along(s.z, out.z);
  along(p, out.attributes);
  return out;
}

}  // namespace

ScalarPartials energy_partials(const ForceModel& type, const PortState<double>& state,
                               const AttributeVector<double>& attributes) {
  return partials_of([&](const auto& s, const auto& p) { return type.energy(s, p); }, state,
                     attributes);
}

ScalarPartials signal_partials(const ForceModel& type, int which, const PortState<double>& state,
                               const AttributeVector<double>& attributes) {
  return partials_of([&](const auto& s, const auto& p) { return type.signal_values(s, p)(which); },
                     state, attributes);
}

std::vector<int> columns_of(const TreeParameters<double>& tree, std::span<const int> nodes) {
  std::vector<int> columns;
  for (const int node : nodes) {
    tree.each_column(node, [&](int c) { columns.push_back(c); });
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::vector<Climb> climb_of(const TreeParameters<double>& tree, int node,
                            std::span<const int> columns) {
  std::vector<Climb> out;
  for (int k = node; k >= 0; k = tree.node(k).parent) {
    const TreeBody<double>& body = tree.node(k);
    if (body.nq == 0) continue;
    const auto place = std::lower_bound(columns.begin(), columns.end(), body.q);
    out.push_back({k, body.q, body.nq, static_cast<int>(place - columns.begin())});
  }
  return out;
}

}  // namespace kinegrad
