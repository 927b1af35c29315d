#include "simulation/speed_search.hpp"

#include <fmt/format.h>

namespace kinegrad {

namespace {

constexpr double kTyped = 1e-6, kBeside = 0.3;  // as positions have them
constexpr double kMet = 1e-9;                   // of the speeds

}  // namespace

SpeedSearch::SpeedSearch(StartProblem& problem, bool beside)
    : problem_(problem),
      closing_(problem.rows(), problem.units()),
      agreed_(beside ? kBeside : kTyped) {}

/// A coordinate or point that is given without a speed rests, if the constraints let it.
bool SpeedSearch::run(const VecX& q, VecX& v, StartSets& sets) {
  const VecX given = v;
  if (with(problem_.speeds(true), q, v, sets)) return true;
  v = given;
  return with(problem_.speeds(false), q, v, sets);
}

VecX SpeedSearch::rates(const VecX& q, const VecX& v) {
  const VecX zero = VecX::Zero(v.size());
  problem_.system().evaluate(problem_.t(), in(q), in(v), in(zero));
  problem_.system().measure_targets(problem_.t(), in(q), in(v));
  VecX all;
  problem_.rows().velocities(in(q), in(v), all);
  return all;
}

double SpeedSearch::speed_of(const VecX& v) const {
  double most = 0;
  for (const int c : problem_.columns())
    most = std::max(most, std::abs(v(c)) / problem_.units().d(c));
  return most;
}

bool SpeedSearch::with(const StartValues& values, const VecX& q, VecX& v, StartSets& sets) {
  const StartChoice choice = problem_.choose(q, values, StartLevel::kVelocity);
  Selection free = problem_.select(values, choice.held, StartLevel::kVelocity);
  const VecX given = v;
  VecX rest;
  double speed = speed_of(given);
  for (int pass = 0; pass < 2; ++pass) {  // the second takes the rounding of the first
    const VecX rate = Selection::pick(rates(q, v), free.rows);
    speed = std::max(speed, largest(rate));
    const VecX step = closing_.least_change(free, q, VecX(-rate));
    rest = rate + free.part * step;
    free.add(step, v);
  }
  speed = std::max(speed, speed_of(v));
  if (!(largest(rest) <= kMet * speed)) {
    say_open(free, rest, speed, q);
    return false;
  }
  if (!agrees(values, choice, q, given, v, speed)) return false;
  sets.velocity_columns = free.columns;
  sets.velocity_rows = free.rows;
  sets.velocity_multipliers.clear();
  constexpr double kNothing = 1e-14;
  if (choice.left > 0 && speed_of(v - given) > kNothing * speed) nearest(free, q, given, sets);
  return true;
}

/// Values beyond the degrees of freedom: those that are given to the digits typed, rest exactly.
bool SpeedSearch::agrees(const StartValues& values, const StartChoice& choice, const VecX& q,
                         const VecX& given, const VecX& v, double speed) {
  const VecX all = rates(q, v);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (choice.held[i]) continue;
    const int c = values.list[i].column;
    const double off = c >= 0 ? std::abs(v(c) - given(c)) / problem_.units().d(c)
                              : std::abs(all(values.list[i].row));
    const bool rests = static_cast<int>(i) >= values.given;
    if (off <= (rests ? kMet : agreed_) * speed) continue;
    if (!rests) say_off(values, i, q, given, v);
    return false;
  }
  return true;
}

/// [KP-8]: the multipliers of the speeds that were found.
void SpeedSearch::nearest(const Selection& free, const VecX& q, const VecX& given,
                          StartSets& sets) {
  Selection all = free;
  problem_.rows().place(q);
  all.take(problem_.rows().J(in(q)));
  MatX beside;
  const Selection some = all.independent(beside);
  Nearest<double> system;
  if (beside.cols() == 0 || !system.take(some.exact(problem_.rows(), q))) return;
  const VecX zero = VecX::Zero(static_cast<Eigen::Index>(free.columns.size()));
  const VecX b = -Selection::pick(rates(q, given), some.rows);
  system.solve(zero, b);
  const VecX nu = system.multipliers();
  sets.velocity_rows = some.rows;
  sets.velocity_multipliers.clear();
  for (std::size_t i = 0; i < some.rows.size(); ++i) {
    sets.velocity_multipliers.push_back(nu(static_cast<Eigen::Index>(i)) /
                                        problem_.rows().scale(some.rows[i]));
  }
}

void SpeedSearch::say_open(const Selection& free, const VecX& rest, double speed, const VecX& q) {
  int worst = 0;
  const double most = largest(rest, &worst);
  const int row = free.rows[static_cast<std::size_t>(worst)];
  std::string left = fmt::format("{:.3g} of the speeds", most / speed);
  if (const ConstraintRow* equation = problem_.rows().equation(row)) {
    left = problem_.openings(q).opening(*equation, most * problem_.rows().scale(row)) + "/s";
  }
  message_ = fmt::format("other constraints' speeds contradict {}: {} is left",
                         problem_.rows().name(row), left);
}

/// A given speed against what the others make it; the equation that suffers most is named.
void SpeedSearch::say_off(const StartValues& values, std::size_t which, const VecX& q,
                          const VecX& given, const VecX& v) {
  StartValues only = values;
  only.list.resize(static_cast<std::size_t>(only.given));
  const std::vector<bool> all(only.size(), true);
  Selection free = problem_.select(only, all, StartLevel::kVelocity);
  const VecX rate = Selection::pick(rates(q, given), free.rows);
  const VecX step = closing_.least_change(free, q, VecX(-rate));
  int worst = 0;
  largest(rate + free.part * step, &worst);
  const StartValue& value = values.list[which];
  std::string other = " is another there";
  if (value.column >= 0) {
    const double off = given(value.column), found = v(value.column);
    const bool rests = std::abs(found) <= kMet * std::abs(off);  // rounding is no speed
    other = fmt::format(" is {:.6g} there, not {:.6g}", rests ? 0 : found, off);
  }
  message_ = fmt::format(
      "the speeds that initial gives contradict {}: {}{}; correct it, leave it out, or write it "
      "under "
      "guess",
      problem_.rows().name(free.rows[static_cast<std::size_t>(worst)]), value.name, other);
}

}  // namespace kinegrad
