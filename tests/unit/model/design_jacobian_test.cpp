// Columns of ∂p/∂ρ are what the forward pass of the map gives, and rows their transposes.
#include "kinegrad/model/design_jacobian.hpp"

#include <gtest/gtest.h>

#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

TEST(DesignJacobian, ColumnsAreForwardPasses) {
  const Model model = test::example("five_bar");
  const DesignMap& map = model.design_map();
  const VecX defaults = model.default_rho();
  const std::vector<double> rho(defaults.begin(), defaults.end());
  const std::vector<int> parameters{4, 0, 2};
  const DesignJacobian design(map, rho, parameters);
  const auto n = std::size_t(map.physical_count());
  std::vector<double> p(n), expected(n), column(n, 7.0), d_rho(rho.size(), 0.0);
  auto work = map.make_workspace<double>();
  map.evaluate<double>(rho, p, work);
  for (int j = 0; j < 3; ++j) {
    const auto k = std::size_t(parameters[std::size_t(j)]);
    d_rho[k] = 1;
    map.forward(rho, p, d_rho, expected, work);
    d_rho[k] = 0;
    design.column(j, column);
    EXPECT_EQ(column, expected);
  }
}

TEST(DesignJacobian, NumbersTellThemApart) {
  const Model model = test::example("five_bar");
  const VecX defaults = model.default_rho();
  const std::vector<double> rho(defaults.begin(), defaults.end());
  const std::vector<int> one{0}, other{1};
  const DesignJacobian a(model.design_map(), rho, one), b(model.design_map(), rho, other);
  const DesignJacobian copy = a;
  EXPECT_NE(a.number(), b.number());
  EXPECT_EQ(a.number(), copy.number());
}

}  // namespace
}  // namespace kinegrad
