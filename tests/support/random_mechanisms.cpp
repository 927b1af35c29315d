#include "support/random_mechanisms.hpp"

#include <algorithm>
#include <cmath>

#include "support/random_drafter.hpp"

namespace kinegrad::test {

double Dice::decades(double low, double high) {
  return std::exp(uniform(std::log(low), std::log(high)));
}

namespace {

/// What the library refuses anyhow, with the reason, and penalties that explicit methods cannot follow.
bool go_together(const RunOptions& run) {
  const std::string &f = run.formulation, &i = run.integrator;
  const bool explicit_method = i == "rk4" || i == "dopri5";
  if (explicit_method && (f == "ali3p" || f == "index3" || f == "penalty")) return false;
  if (f == "index3" && i != "hht" && i != "generalized-alpha") return false;
  return f != "fully-recursive" || run.coordinates.starts_with("joint");
}

}  // namespace

RunOptions random_run(Dice& dice, const RandomMechanism& mechanism) {
  using Words = std::vector<std::string>;
  static const Words coordinates{"joint-com", "joint-com", "joint-origin", "cartesian", "natural"};
  static const Words formulations{"ali3p",  "ali3p",  "ali3p",           "matrix-r", "matrix-r",
                                  "index1", "index3", "fully-recursive", "penalty"};
  static const Words integrators{"trapezoidal", "trapezoidal",       "trapezoidal", "newmark",
                                 "hht",         "generalized-alpha", "rk4",         "dopri5"};
  RunOptions run;
  do {
    run.coordinates = dice.of(coordinates);
    run.formulation = dice.of(formulations);
    run.integrator = dice.of(integrators);
  } while (!go_together(run));
  run.step = mechanism.step;
  run.end = mechanism.end;
  // of Δq in metres; of the local error
  run.details.tolerance = run.integrator == "dopri5" ? 1e-8 : 1e-12 * std::max(1.0, mechanism.size);
  return run;
}

RandomCase random_case(std::uint64_t seed) {
  Dice dice(seed);
  RandomCase out;
  out.seed = seed;
  Drafter draft(dice, out.mechanism);
  using Family = void (Drafter::*)();
  static const std::vector<Family> kFamilies{
      &Drafter::pendulum,        &Drafter::spherical_pendulum,
      &Drafter::four_bar,        &Drafter::parallelogram,
      &Drafter::parallelogram,   &Drafter::windows,
      &Drafter::slider_crank,    &Drafter::slider_crank,
      &Drafter::closed_chain,    &Drafter::bricard,
      &Drafter::disc_in_contact, &Drafter::free_disc,
      &Drafter::blades,          &Drafter::rope,
      &Drafter::massless_cross,  &Drafter::two_ropes,
      &Drafter::hanging_chain};
  (draft.*dice.of(kFamilies))();
  draft.finish();
  out.run = random_run(dice, out.mechanism);
  return out;
}

std::string RandomCase::name() const {
  return format("{} {}: {} × {} × {}", seed, mechanism.family, run.coordinates, run.formulation,
                run.integrator);
}

std::string RandomCase::text(bool with_extras) const {
  std::string out =
      format("name: \"case {}: {}{}\"\n", seed, mechanism.family, with_extras ? "" : ", twin");
  const auto section = [&](const char* name, std::vector<std::string> entries) {
    if (entries.empty()) return;
    out += format("{}:\n", name);
    for (const std::string& entry : entries) out += "  " + entry + "\n";
  };
  const bool plain = !with_extras && !mechanism.plain.empty();
  std::vector<std::string> constraints = plain ? mechanism.plain : mechanism.constraints;
  if (with_extras)
    constraints.insert(constraints.end(), mechanism.extras.begin(), mechanism.extras.end());
  section("parameters", mechanism.parameters);
  section("points", mechanism.points);
  section("bodies", mechanism.bodies);
  section("joints", mechanism.joints);
  section("constraints", constraints);
  section("forces", mechanism.forces);
  section("initial", mechanism.initial);
  section("signals", {"total_energy: energy", "motion_energy: kinetic_energy"});
  section("objectives", mechanism.objectives);
  out += format(
      "analysis: {{coordinates: {}, formulation: {}, integrator: {}, step: {}, end: {}, tolerance: "
      "{}}}\n",
      run.coordinates, run.formulation, run.integrator, digits(run.step), digits(run.end),
      digits(run.details.tolerance));
  return out;
}

}  // namespace kinegrad::test
