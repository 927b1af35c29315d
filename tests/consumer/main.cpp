// What a user of the installed library does: bring a force, build a model that names it, read the
// effort and its exact partials, which nobody derived by hand.
#include <cmath>
#include <iostream>
#include <kinegrad/kinegrad.hpp>
#include <span>

#include "cubic_spring.hpp"

namespace {

int failures = 0;

void expect_near(const char* what, double actual, double expected) {
  // A handful of products of numbers of size 1 to 1000: a few rounding errors.
  if (std::abs(actual - expected) <= 1e-13 * (1 + std::abs(expected))) return;
  std::cerr << what << ": " << actual << " instead of " << expected << "\n";
  ++failures;
}

void expect(const char* what, bool holds) {
  if (holds) return;
  std::cerr << what << ": does not hold\n";
  ++failures;
}

/// A mass on a vertical guide, held by the spring from a point beside it.
kinegrad::Model make_model(const kinegrad::Catalogue& catalogue) {
  kinegrad::BodySpec mass;
  mass.name = "mass";
  mass.mass = "m";
  mass.com = kinegrad::VectorSpec(0.0, 0.0, 0.0);
  mass.inertia = kinegrad::InertiaSpec{.xx = 0.1, .yy = 0.1, .zz = 0.1};
  mass.points = {{"hook", kinegrad::VectorSpec(0.0, 0.0, 0.0)}};

  kinegrad::ForceSpec spring;
  spring.name = "spring";
  spring.type = "cubic-spring";
  spring.points = {"anchor", "hook"};
  spring.numbers = {{"stiffness", "k"}, {"cubic", "10*k"}};

  kinegrad::ModelBuilder builder(catalogue);
  builder.name("mass on a cubic spring")
      .parameter("m", 2.0, "kg")
      .parameter("k", 50.0, "N/m")
      .ground_point("anchor", {1.0, 0.0, 0.0})
      .body(mass)
      .prismatic("guide", "ground", "mass", {0.0, 0.0, 0.0}, "z")
      .force(spring);
  return builder.build();
}

/// e = −(k + k₃ s) d,  e_d = −(k + k₃ s) I − 2k₃ ddᵀ,  e_k = −d,  e_k₃ = −s d.
void check_force(const kinegrad::ForceModel& force, double k, double k3) {
  using kinegrad::Vec3;
  const Vec3 d(0.3, -0.4, 0.5);
  const double s = d.squaredNorm();
  const kinegrad::PortState<double> state{.x = d, .xdot = Vec3(1, 2, 3), .t = 0};
  kinegrad::AttributeVector<double> attributes(2);
  attributes << k, k3;

  const kinegrad::PortVector<double> effort = force.effort(state, attributes);
  kinegrad::ForcePartials partials;
  force.partials(state, attributes, partials);
  expect("partials come from dual numbers", !force.has_hand_partials());
  for (int i = 0; i < 3; ++i) {
    expect_near("effort", effort(i), -(k + k3 * s) * d(i));
    expect_near("e_k", partials.e_p(i, 0), -d(i));
    expect_near("e_k3", partials.e_p(i, 1), -s * d(i));
    for (int j = 0; j < 3; ++j) {
      expect_near("e_x", partials.e_x(i, j), -(i == j ? k + k3 * s : 0) - 2 * k3 * d(i) * d(j));
      expect_near("e_xdot", partials.e_xdot(i, j), 0);
    }
  }
}

}  // namespace

int main() {
  kinegrad::Catalogue catalogue = kinegrad::builtin_catalogue();
  catalogue.add(kinegrad::force_model<CubicSpring>());
  expect("the built-in catalogue is untouched",
         kinegrad::builtin_catalogue().find_force("cubic-spring") == nullptr);

  const kinegrad::Model model = make_model(catalogue);
  expect("one coordinate", model.nq() == 1);
  expect("one force", model.forces().size() == 1);
  const kinegrad::Force& force = model.forces().at(0);
  expect("of our type", force.type == catalogue.find_force("cubic-spring"));

  // p = P(ρ) at a stiffness other than the default: the expression 10*k follows.
  const kinegrad::DesignMap& map = model.design_map();
  auto work = map.make_workspace<double>();
  kinegrad::VecX rho = model.default_rho();
  kinegrad::VecX p = kinegrad::VecX::Zero(map.physical_count());
  rho(1) = 80;
  map.evaluate<double>(std::span<const double>(rho.data(), 2),
                       std::span<double>(p.data(), static_cast<std::size_t>(p.size())), work);
  const double k = p(force.attributes), k3 = p(force.attributes + 1);
  expect_near("stiffness", k, 80);
  expect_near("cubic", k3, 800);
  check_force(*force.type, k, k3);

  std::cout << "kinegrad " << kinegrad::kVersion << ": " << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
