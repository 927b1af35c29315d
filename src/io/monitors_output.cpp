#include "kinegrad/io/monitors_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run_settings_json.hpp"

namespace kinegrad {

namespace {

std::string energy_text(const Monitors& m) {
  if (!std::isfinite(m.scale) || !std::isfinite(m.balance)) return "energy balance not known";
  const double work = m.samples.back().work;
  const std::string against =
      m.conservative ? "conservative"
                     : fmt::format("work {:.3g} J, known to {:.1g} J", work, m.resolution);
  return fmt::format("energy balance {:.2g} of {:.3g} J ({})", m.balance, m.scale, against);
}

}  // namespace

std::string monitors_text(const Monitors& monitors) {
  if (monitors.samples.size() < 2) return {};
  std::string text = "  monitors: " + energy_text(monitors);
  ConstraintNorms most{0, 0, 0};
  for (const MonitorSample& x : monitors.samples) {
    for (std::size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], x.constraints[k]);
  }
  if (most[0] + most[1] + most[2] > 0) {
    text += fmt::format("; constraints {:.1g}, {:.1g}, {:.1g}", most[0], most[1], most[2]);
  }
  if (const MonitorSample* least = monitors.least_pivot()) {
    text += fmt::format("; least pivot {:.2g} at t = {:.4g} s", least->pivot, least->t);
  } else if (most[0] > 0) {
    text += "; least pivot not measured";
  }
  return text + fmt::format("; {} divided steps\n", monitors.samples.back().divided);
}

nlohmann::ordered_json monitors_json(const Monitors& monitors) {
  using Json = nlohmann::ordered_json;
  if (monitors.samples.empty()) return nullptr;
  Json columns = Json::object();
  const auto column = [&](const char* name, const auto& value) {
    Json numbers = Json::array();
    for (std::size_t k = 0; k < monitors.samples.size(); ++k) {
      const double x = value(k);
      numbers.push_back(std::isfinite(x) ? Json(x) : Json(nullptr));
    }
    columns[name] = std::move(numbers);
  };
  const auto& s = monitors.samples;
  column("t", [&](std::size_t k) { return s[k].t; });
  column("kinetic_energy", [&](std::size_t k) { return s[k].kinetic; });
  column("potential_energy", [&](std::size_t k) { return s[k].potential; });
  column("work", [&](std::size_t k) { return s[k].work; });
  column("balance", [&](std::size_t k) { return monitors.balance_at(k); });
  column("position", [&](std::size_t k) { return s[k].constraints[0]; });
  column("velocity", [&](std::size_t k) { return s[k].constraints[1]; });
  column("acceleration", [&](std::size_t k) { return s[k].constraints[2]; });
  if (monitors.least_pivot()) column("least_pivot", [&](std::size_t k) { return s[k].pivot; });
  column("divided_steps", [&](std::size_t k) { return static_cast<double>(s[k].divided); });
  return {{"conservative", monitors.conservative},
          {"energy_scale", monitors.scale},
          {"energy_balance", monitors.balance},
          {"work_resolution", monitors.resolution},
          {"samples", columns}};
}

}  // namespace kinegrad
