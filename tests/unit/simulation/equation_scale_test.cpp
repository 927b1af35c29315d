#include "kinegrad/simulation/equation_scale.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/constraint_oracles.hpp"

namespace kinegrad {
namespace {

/// A slide of a body of 0.3 × 0.4 units with all kinds of equations on it, S units large.
Model slide(double S) {
  return test::model_of(fmt::format(R"(
points: {{G: [0, 0, 0]}}
bodies: {{A: {{mass: 1, points: {{P: [{0:.17g}*0.3, {0:.17g}*0.4, 0], K: [0, 0, 0]}}, vectors: {{e: [1, 0, 0]}}}}}}
joints: {{X: {{type: planar, bodies: [ground, A], points: [G, [0, 0, 0]], axes: [z, z], references: [x, x]}}}}
constraints:
  meet: {{type: coincident, points: [G, A.K]}}
  rod: {{type: distance, points: [G, A.P], length: {0:.17g}*0.5}}
  axis: {{type: dot, directions: [y, A.e]}}
  drive: {{type: prescribed, coordinate: X.q1, value: 0}}
  spin: {{type: prescribed, coordinate: X.q3, value: 0}}
)",
                                    S));
}

TEST(EquationScale, GrowsWithTheMechanism) {
  for (const double S : {1e-3, 1.0, 1e4}) {
    SCOPED_TRACE(S);
    const Model model = slide(S);
    const std::vector<double> p = model.default_physical();
    const std::vector<double> q(3, 0.0);
    const MechanismSize size = mechanism_size(model, p, q);
    EXPECT_NEAR(size.size, 0.5 * S, 1e-12 * S);  // from (0, 0) to (0.3, 0.4)
    const VecX d = coordinate_units(model, size.size);
    EXPECT_EQ(d(0), size.size);
    EXPECT_EQ(d(2), 1);
    const EquationScale scale(model, p, 0, q, size.size);
    const auto row = [&](const std::string& name) -> const ConstraintRow& {
      for (const ConstraintRow& r : model.constraint_rows()) {
        if (model.constraints()[std::size_t(r.constraint)].name == name) return r;
      }
      throw std::runtime_error(name);
    };
    EXPECT_NEAR(scale.of(row("meet")), 0.5 * S, 1e-12 * S);
    EXPECT_NEAR(scale.of(row("rod")), 0.25 * S * S, 1e-12 * S * S);
    EXPECT_NEAR(scale.of(row("axis")), 2, 1e-12);
    EXPECT_NEAR(scale.of(row("drive")), 0.5 * S, 1e-12 * S);
    EXPECT_NEAR(scale.of(row("spin")), 1, 1e-12);
    // ½((L + δ)² − L²) ≈ Lδ
    const auto opening = scale.opened(row("rod"), 0.5 * S * 1e-3 * S);
    EXPECT_NEAR(opening.value, 1e-3 * S, 1e-12 * S);
    EXPECT_STREQ(opening.unit, " m");
    EXPECT_STREQ(scale.opened(row("spin"), 1).unit, " rad");
  }
}

}  // namespace
}  // namespace kinegrad
