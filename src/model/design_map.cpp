#include "kinegrad/model/design_map.hpp"

#include <cmath>

#include <algorithm>

namespace kinegrad {

namespace {

template <typename T>
std::span<T> part(std::span<T> p, int first, int n) {
  return p.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
}

}  // namespace

DesignMap::DesignMap(Tape tape, std::vector<SplineBlock> splines, int parameter_count)
    : tape_(std::move(tape)), splines_(std::move(splines)), parameter_count_(parameter_count) {}

template <Scalar T>
DesignMap::Workspace<T> DesignMap::make_workspace() const {
  const auto registers = static_cast<std::size_t>(tape_.register_count());
  const auto outputs = static_cast<std::size_t>(tape_.output_count());
  return {std::vector<T>(registers), std::vector<double>(registers), std::vector<double>(outputs)};
}

template <Scalar T>
void DesignMap::evaluate(std::span<const T> rho, std::span<T> p, Workspace<T>& work) const {
  tape_.evaluate<T>(rho, work.registers, p);
  for (const SplineBlock& block : splines_) {
    const int n = block.spline.size();
    block.spline.slopes<T>(part(p, block.first, n), part(p, block.first + n, n));
  }
}

void DesignMap::forward(std::span<const double> rho, std::span<const double> p,
                        std::span<const double> d_rho, std::span<double> d_p,
                        Workspace<double>& work) const {
  tape_.forward(rho, work.registers, d_rho, work.tangent_registers, d_p);
  for (const SplineBlock& block : splines_) {
    const int n = block.spline.size();
    block.spline.slopes_forward(part(p, block.first, n), part(p, block.first + n, n),
                                part(d_p, block.first, n), part(d_p, block.first + n, n));
  }
}

void DesignMap::reverse(std::span<const double> rho, std::span<const double> p,
                        std::span<const double> p_bar, std::span<double> rho_bar,
                        Workspace<double>& work) const {
  std::copy(p_bar.begin(), p_bar.end(), work.bar_outputs.begin());
  const std::span<double> bar(work.bar_outputs);
  for (const SplineBlock& block : splines_) {
    const int n = block.spline.size();
    block.spline.slopes_reverse(part(p, block.first, n), part(p, block.first + n, n),
                                part(bar, block.first + n, n), part(bar, block.first, n));
    std::ranges::fill(part(bar, block.first + n, n), 0.0);
  }
  tape_.reverse(rho, work.registers, work.bar_outputs, work.tangent_registers, rho_bar);
}

template DesignMap::Workspace<double> DesignMap::make_workspace<double>() const;
template DesignMap::Workspace<Complex> DesignMap::make_workspace<Complex>() const;
template void DesignMap::evaluate<double>(std::span<const double>, std::span<double>,
                                          Workspace<double>&) const;
template void DesignMap::evaluate<Complex>(std::span<const Complex>, std::span<Complex>,
                                           Workspace<Complex>&) const;

/// One direction in which all parameters move at different rates; two such directions, because one
/// might meet a combination that stands still.
std::vector<char> DesignMap::moved_by(std::span<const double> rho,
                                      std::span<const int> parameters) const {
  const auto n = static_cast<std::size_t>(physical_count());
  std::vector<char> moved(n, 0);
  std::vector<double> p(n), d_p(n), d_rho(rho.size(), 0.0);
  auto work = make_workspace<double>();
  evaluate<double>(rho, p, work);
  for (const double base : {0.6180339887498949, 0.4142135623730951}) {
    double rate = base;
    for (const int k : parameters) {
      rate = std::fmod(rate + base, 1.0);
      d_rho[static_cast<std::size_t>(k)] = 0.5 + rate;
    }
    forward(rho, p, d_rho, d_p, work);
    for (std::size_t i = 0; i < n; ++i) moved[i] = moved[i] || d_p[i] != 0;
  }
  return moved;
}

}  // namespace kinegrad
