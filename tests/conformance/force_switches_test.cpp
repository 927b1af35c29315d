// Where effort, rates or partials of a force jump, the force has a switch [KN-4]: along random lines through its inputs, for every
// force of forces/all.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/force_samples.hpp"

namespace kinegrad {
namespace {

/// Everything that must not jump, block by block.
template <typename F>
std::vector<VecX> blocks_at(const ForceInput<F, double>& in) {
  using In = ForceInput<F, double>;
  const auto flat = [](const auto& block) {
    const MatX whole = block;
    return VecX(Eigen::Map<const VecX>(whole.data(), whole.size()));
  };
  ForcePartials d;
  const ForceModel& model = force_model<F>();
  const PortState<double> state{in.x, in.xdot, in.t, in.z};
  model.partials(state, in.p, d);
  std::vector<VecX> out{flat(model.effort(state, in.p)), flat(d.e_x), flat(d.e_xdot)};
  if constexpr (In::ns > 0) {
    const int n = model.state_count(in.p);
    for (const VecX& more :
         {flat(model.rates(state, in.p).head(n)), flat(d.e_z.leftCols(n)), flat(d.g_x.topRows(n)),
          flat(d.g_xdot.topRows(n)), flat(d.g_z.topLeftCorner(n, n))}) {
      out.push_back(more);
    }
  }
  return out;
}

/// The largest difference of a block beside its size, and which it is.
struct Difference {
  double part = 0;
  std::size_t block = 0;
};
Difference difference(const std::vector<VecX>& one, const std::vector<VecX>& other,
                      const std::vector<double>& sizes) {
  Difference out;
  for (std::size_t k = 0; k < one.size(); ++k) {
    const double part = (one[k] - other[k]).norm() / sizes[k];
    if (part > out.part) out = {part, k};
  }
  return out;
}

/// A straight line through the inputs at constant attributes.
template <typename F>
struct Line {
  ForceInput<F, double> from, to;

  ForceInput<F, double> at(double part) const {
    ForceInput<F, double> out = from;
    out.x += part * (to.x - from.x);
    out.xdot += part * (to.xdot - from.xdot);
    out.z += part * (to.z - from.z);
    return out;
  }
};

template <typename F>
bool switches_between(const ForceInput<F, double>& one, const ForceInput<F, double>& other) {
  const ForceModel& model = force_model<F>();
  const auto values = [&](const ForceInput<F, double>& in) {
    return model.switch_values({in.x, in.xdot, in.t, in.z}, in.p);
  };
  const SwitchValues a = values(one), b = values(other);
  for (int k = 0; k < a.size(); ++k) {
    if (a(k) * b(k) <= 0) return true;
  }
  return false;
}

/// Breaks of a line that were found, and those without a switch.
struct Found {
  int breaks = 0, silent = 0;
};

/// Halves intervals where something changes most: what is smooth vanishes, what jumps stays.
template <typename F>
Found search(const Line<F>& line) {
  // down to 1e-11 of the line: nearer, the ends stand at the break to rounding, and on no side of it
  constexpr int kParts = 64, kHalvings = 30;
  constexpr double kStays = 1e-3;
  Found found;
  std::vector<std::vector<VecX>> values;
  for (int k = 0; k <= kParts; ++k) values.push_back(blocks_at(line.at(double(k) / kParts)));
  std::vector<double> sizes(values[0].size(), 1e-9);
  for (const auto& at : values) {
    for (std::size_t k = 0; k < at.size(); ++k) sizes[k] = std::max(sizes[k], at[k].norm());
  }
  for (int k = 0; k < kParts; ++k) {
    double low = double(k) / kParts, high = double(k + 1) / kParts;
    std::vector<VecX> one = values[std::size_t(k)], other = values[std::size_t(k) + 1];
    Difference left = difference(one, other, sizes);
    for (int h = 0; h < kHalvings && left.part > kStays; ++h) {
      const double middle = 0.5 * (low + high);
      const std::vector<VecX> at = blocks_at(line.at(middle));
      const Difference first = difference(one, at, sizes), second = difference(at, other, sizes);
      const bool in_first = first.part > second.part;
      (in_first ? high : low) = middle;
      (in_first ? other : one) = at;
      left = in_first ? first : second;
    }
    if (!(left.part > kStays)) continue;
    ++found.breaks;
    if (switches_between(line.at(low), line.at(high))) continue;
    ++found.silent;
    ADD_FAILURE() << F::name << ": block " << left.block << " jumps by " << left.part
                  << " of itself at " << low << " of the line, and no switch says so";
  }
  return found;
}

/// Of every other line without the attributes that need not be given, so that laws are what they are without them.
template <typename F>
void choose_numbers(unsigned seed, Vec<double, ForceInput<F, double>::np>& p) {
  int place = 0;
  for (const AttributeInfo& a : F::attributes) {
    // numbers that make sense: F is no longer a force below n = 1, and Ambrósio's ramp ends above its beginning
    if (a.name == "exponent") p(place) = 1 + 0.5 * p(place);
    if (a.name == "rest_speed") p(place) *= 0.1;
    const bool out = a.ground ? seed % 4 < 2 : !a.required && a.words.empty() && seed % 2 == 0;
    if (out) p.segment(place, a.size).setZero();
    place += a.size;
  }
}

template <typename F>
class ForceSwitches : public testing::Test {};
TYPED_TEST_SUITE(ForceSwitches, test::ForceTypes, test::ForceName);

TYPED_TEST(ForceSwitches, StandWhereverTheLawBreaks) {
  using F = TypeParam;
  if (force_model<F>().below_half_turn()) GTEST_SKIP() << "half a turn is watched by [KN-3]";
  constexpr unsigned kLines = 60;
  int breaks = 0;
  for (unsigned seed = 1; seed <= kLines; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Line<F> line{test::random_input<F>(seed), test::random_input<F>(seed + 1000)};
    choose_numbers<F>(seed, line.from.p);
    line.to.p = line.from.p;
    breaks += search(line).breaks;
    if (testing::Test::HasFailure()) return;
  }
  // a switch that nothing ever shows would be one of a law that has none
  if constexpr (Switching<F>) {
    EXPECT_GT(breaks, 0);
  }
}

TYPED_TEST(ForceSwitches, SayWhereInWords) {
  using F = TypeParam;
  const ForceModel& model = force_model<F>();
  const auto in = test::random_input<F>(1);
  ASSERT_LE(model.switches().size(), static_cast<std::size_t>(kMaxSwitches));
  EXPECT_EQ(model.switch_values({in.x, in.xdot, in.t, in.z}, in.p).size(),
            static_cast<Eigen::Index>(model.switches().size()));
  for (const SwitchInfo& at : model.switches()) {
    EXPECT_FALSE(at.where.empty());
    EXPECT_FALSE(at.cure.empty());
  }
}

}  // namespace
}  // namespace kinegrad
