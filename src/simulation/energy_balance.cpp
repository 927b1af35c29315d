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
constexpr double kEnergyRounding = 1e-9;

double energies(const Samples& samples) {
  double most = 0;
  for (const MonitorSample& x : samples) {
    most = std::max({most, x.kinetic, std::abs(x.potential)});
  }
  return most;
}

/// The largest |ΔB| of the intervals up to `away` from k, for as much time as k has; how many there are.
struct Elsewhere {
  double change = 0;
  int count = 0;
};
Elsewhere elsewhere(const Monitors& m, std::size_t k, std::size_t away) {
  const Samples& s = m.samples;
  Elsewhere out;
  const std::size_t end = std::min(k + away, s.size() - 2);
  for (std::size_t j = k > away ? k - away : 0; j <= end; ++j) {
    if (j == k) continue;
    const double part = (s[k + 1].t - s[k].t) / (s[j + 1].t - s[j].t);
    out.change = std::max(out.change, part * std::abs(m.balance_at(j + 1) - m.balance_at(j)));
    ++out.count;
  }
  return out;
}

/// [MO-4]: a change between two samples that stays and that its neighbours do not explain; if it is small, nor does
/// any other interval.
std::optional<Warning> jump(const Monitors& m) {
  constexpr double kTimes = 30, kPart = 1e-3, kLeast = 1e-6, kStays = 0.5;
  constexpr std::size_t kSettled = 4;
  const Samples& s = m.samples;
  const auto change = [&](std::size_t k) { return m.balance_at(k + 1) - m.balance_at(k); };
  const double rounding = kEnergyRounding * energies(s);
  for (std::size_t k = 0; k + 1 < s.size(); ++k) {
    const double here = std::abs(change(k));
    if (here <= kLeast * m.scale || here <= rounding) continue;
    const Elsewhere beside = elsewhere(m, k, 2);
    if (beside.count < 2 || here < kTimes * beside.change) continue;
    const bool small = here <= kPart * m.scale;
    if (small && here <= 1e3 * rounding) continue;
    if (small && k < kSettled) continue;  // methods with numerical damping begin with a transient
    const Elsewhere anywhere = elsewhere(m, k, s.size());
    if (small && here < kTimes * anywhere.change) continue;
    const std::size_t before = k > 0 ? k - 1 : k, after = std::min(k + 2, s.size() - 1);
    const double stays = std::abs(m.balance_at(after) - m.balance_at(before));
    if (stays < kStays * here) continue;
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

/// [MO-7]: nothing but dampers takes energy, and nothing gives any, but there is more.
std::optional<Warning> growth(const Monitors& m) {
  constexpr double kPart = 0.02;
  const Samples& s = m.samples;
  const double duration = s.back().t - s.front().t;
  const double start = s.front().energy();
  for (const MonitorSample& x : s) {
    if (x.power * duration > kEnergyRounding * m.scale) return {};
  }
  const auto most = std::max_element(
      s.begin(), s.end(), [](const auto& a, const auto& b) { return a.energy() < b.energy(); });
  const double gained = most->energy() - start;
  if (!(gained > kPart * m.scale)) return {};
  const auto first = std::find_if(
      s.begin(), s.end(), [&](const auto& x) { return x.energy() - start > kPart * m.scale; });
  return Warning{"energy",
                 fmt::format("the energy grows by {:.2g} J, {:.2g} % of {:.3g} J, although nothing "
                             "drives the motion: the step is too long, or steps end with "
                             "constraint equations open; halve the step, and look at the "
                             "constraints among the monitors",
                             gained, 100 * gained / m.scale, m.scale),
                 "", first->t};
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
  m.conservative = no_drives && spent <= kEnergyRounding * std::max(m.scale, energies(s));
}

std::optional<Warning> energy_warning(bool no_drives, const Monitors& m) {
  if (!std::isfinite(m.scale) || !std::isfinite(m.balance)) {
    return Warning{"energy",
                   "the energy of the motion is not finite, so that its balance tells nothing: "
                   "masses, distances, speeds or stiffnesses are far beyond those of a mechanism; "
                   "look for a number in the model that is too large",
                   "", Warning{}.t};
  }
  if (!no_drives || m.balance <= kEnergyRounding * energies(m.samples)) return {};
  if (!m.conservative) return growth(m);
  if (auto found = jump(m)) return found;
  return drift(m);
}

}  // namespace kinegrad
