#include "kinegrad/simulation/energy_balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinegrad {

namespace {

using Samples = std::vector<MonitorSample>;

/// dP/dt at a sample by the parabola through it and its neighbours, those `stride` away.
double power_rate(const Samples& s, std::size_t k, std::size_t stride) {
  const std::size_t last = s.size() - 1;
  if (last < 2 * stride) return 0;
  const std::size_t i = std::clamp(k, stride, last - stride);
  const std::size_t a = i - stride, b = i + stride;
  const double h0 = s[i].t - s[a].t, h1 = s[b].t - s[i].t;
  const double d0 = (s[i].power - s[a].power) / h0, d1 = (s[b].power - s[i].power) / h1;
  const double curvature = (d1 - d0) / (h0 + h1);  // half of P̈
  const double middle = (d0 * h1 + d1 * h0) / (h0 + h1);
  return middle + 2 * curvature * (s[k].t - s[i].t);
}

/// The trapezoidal rule with its correction −H²/12 (Ṗ₁ − Ṗ₀), of fourth order.
double work_between(const Samples& s, std::size_t i, std::size_t j, std::size_t stride) {
  const double H = s[j].t - s[i].t;
  return 0.5 * H * (s[i].power + s[j].power) -
         H * H / 12 * (power_rate(s, j, stride) - power_rate(s, i, stride));
}

/// How far the work of every second sample differs from that of all.
double work_resolution(const Samples& s) {
  double coarse = 0, most = 0;
  for (std::size_t i = 0; i + 2 < s.size(); i += 2) {
    coarse += work_between(s, i, i + 2, 2);
    most = std::max(most, std::abs(coarse - s[i + 2].work));
  }
  return most;
}

/// Less than this part of the energies themselves is rounding.
constexpr double kRounding = 1e-9;

double energies(const Samples& samples) {
  double most = 0;
  for (const MonitorSample& x : samples) {
    most = std::max({most, x.kinetic, std::abs(x.potential)});
  }
  return most;
}

/// [MO-4]: a change between two samples that stays and that its neighbours do not explain.
std::optional<Warning> jump(const Monitors& m) {
  constexpr double kTimes = 30, kPart = 1e-3, kStays = 0.5;
  const Samples& s = m.samples;
  const auto change = [&](std::size_t k) { return m.balance_at(k + 1) - m.balance_at(k); };
  for (std::size_t k = 0; k + 1 < s.size(); ++k) {
    const double here = std::abs(change(k));
    if (here <= kPart * m.scale) continue;
    double others = 0;
    int count = 0;
    for (const int d : {-2, -1, 1, 2}) {
      const long j = static_cast<long>(k) + d;
      if (j < 0 || j + 1 >= static_cast<long>(s.size())) continue;
      const auto at = static_cast<std::size_t>(j);
      const double part = (s[k + 1].t - s[k].t) / (s[at + 1].t - s[at].t);
      others = std::max(others, std::abs(change(at)) * part);
      ++count;
    }
    const std::size_t before = k > 0 ? k - 1 : k, after = std::min(k + 2, s.size() - 1);
    const double stays = std::abs(m.balance_at(after) - m.balance_at(before));
    if (count < 2 || here < kTimes * others || stays < kStays * here) continue;
    return Warning{
        "energy",
        fmt::format(
            "the energy of a conservative motion jumps by {:.2g} J, {:.2g} % of {:.3g} J, before "
            "t = {:.6g} s and hardly changes before and after: a force jumps there, or a step lost "
            "its way; repeat the run with half the step, and look at the gradient's warnings for a "
            "kink",
            change(k), 100 * here / m.scale, m.scale, s[k + 1].t),
        "", s[k].t};
  }
  return {};
}

/// [MO-5]: more than a documented part of the energy in all.
std::optional<Warning> drift(const Monitors& m) {
  constexpr double kPart = 0.02;
  if (m.balance <= kPart * m.scale) return {};
  for (std::size_t k = 0; k < m.samples.size(); ++k) {
    if (std::abs(m.balance_at(k)) <= kPart * m.scale) continue;
    return Warning{
        "energy",
        fmt::format(
            "the energy of a conservative motion changes by {:.2g} J, {:.2g} % of {:.3g} J, "
            "and should not: the step is too long for this motion, or the formulation lets the "
            "constraints drift; halve the step until this share falls with the order of the "
            "integrator, and compare ali3p or matrix-r",
            m.balance, 100 * m.balance / m.scale, m.scale),
        "", m.samples[k].t};
  }
  return {};
}

}  // namespace

void balance_energy(bool no_drives, Monitors& m) {
  Samples& s = m.samples;
  if (s.empty()) return;
  double most = 0, low = s[0].potential, high = low, spent = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    most = std::max(most, s[k].kinetic);
    low = std::min(low, s[k].potential);
    high = std::max(high, s[k].potential);
    s[k].work = k == 0 ? 0 : s[k - 1].work + work_between(s, k - 1, k, 1);
    if (k > 0)
      spent += 0.5 * (s[k].t - s[k - 1].t) * (std::abs(s[k].power) + std::abs(s[k - 1].power));
  }
  m.scale = std::max(most, high - low);
  m.resolution = work_resolution(s);
  m.balance = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    const double here = std::abs(m.balance_at(k));
    if (!(here <= m.balance)) m.balance = here;
    if (!std::isfinite(here)) break;  // and stays so: std::max would forget it
  }
  m.conservative = no_drives && spent <= kRounding * std::max(m.scale, energies(s));
}

std::optional<Warning> energy_warning(const Monitors& m) {
  if (!std::isfinite(m.scale) || !std::isfinite(m.balance)) {
    return Warning{"energy",
                   "the energy of the motion is not finite, so that its balance tells nothing: "
                   "masses, distances, speeds or stiffnesses are far beyond those of a mechanism; "
                   "look for a number in the model that is too large",
                   "", Warning{}.t};
  }
  if (!m.conservative || m.balance <= kRounding * energies(m.samples)) return {};
  if (auto found = jump(m)) return found;
  return drift(m);
}

}  // namespace kinegrad
