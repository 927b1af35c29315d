// The estimate [LO-3] against the motion that three passes of [B-2] really miss.
#include "kinegrad/formulations/open_equations.hpp"

#include <gtest/gtest.h>

#include "kinegrad/formulations/border.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {
namespace {

/// Two equations on two unit masses, a₁ = 1 and a₁ + r a₂ = g: the second says a₂ = (g − 1)/r.
struct Passes {
  Mat<double, 2, 2> J;
  Vec<double, 2> g, y[4];

  Passes(double r, double g2) {
    J << 1, 0, 1, r;
    g << 1, g2;
    y[0].setZero();
    const Vec<double, 2> E = border::kSmall * (J * J.transpose()).diagonal();
    Mat<double, 2, 2> S = J * J.transpose();
    S.diagonal() += E;
    for (int pass = 1; pass <= border::kPasses; ++pass) {
      y[pass] = S.inverse() * (g + E.cwiseProduct(y[pass - 1]));
    }
  }
  Vec<double, 2> motion() const { return J.transpose() * y[3]; }
  double estimate() const {
    OpenEquations open;
    for (int i = 0; i < 2; ++i) {
      const double size = J.row(i).squaredNorm(), E = border::kSmall * size;
      open.add(
          {size, 1, E, E * std::abs(y[2](i) - y[1](i)), E * std::abs(y[3](i) - y[2](i)), y[3](i)});
      open.add_motion(motion()(i) * motion()(i));
    }
    return open.value();
  }
};

TEST(OpenEquations, EstimatesTheMotionThatIsMissed) {
  for (const double r : {1e-3, 2e-3, 5e-3, 1e-2, 2e-2}) {
    const Passes passes(r, 1 + r);  // a₂ = 1
    const double error = std::abs(passes.motion()(1) - 1);
    EXPECT_GT(passes.estimate(), 0.1 * error / 1e3) << r;  // over reactions of 1/r, too
    EXPECT_LT(passes.estimate(), 10 * error + 1e-12) << r;
    if (error > 1e-3) {
      EXPECT_GT(passes.estimate(), 1e-6) << r;
    }
  }
}

TEST(OpenEquations, SeesEquationsThatDependAndContradict) {
  EXPECT_LT(Passes(0, 1).estimate(), 1e-9) << "they agree";
  EXPECT_GT(Passes(1e-9, 1 + 1e-6).estimate(), 1e-6) << "they do not";
}

TEST(OpenEquations, EquationsThatVanishDoNotCount) {
  OpenEquations open;
  open.add_motion(1);
  open.add({1, 1e-12, 1e-6, 1, 1, 0});
  open.add({0, 1, 1e-6, 1, 1, 0});
  EXPECT_EQ(open.value(), 0);
}

}  // namespace
}  // namespace kinegrad
