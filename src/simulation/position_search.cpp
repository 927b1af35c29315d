#include "simulation/position_search.hpp"

#include "kinegrad/assembly/tree_kinematics.hpp"
#include "kinegrad/model/markers.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

// of the digits that people type; beside a run, far enough for the steps of differences and too near for
// the other way to assemble a loop
constexpr double kTyped = 1e-6, kBeside = 0.3;

/// The weld of a marker holds half a turn away as well, where the coordinates of its joint are not those of its bodies [BF-8].
bool welds_upside_down(const Model& model, std::span<const double> p, const VecX& q) {
  PositionKinematics<double> position;
  bool placed = false;
  for (const Joint& weld : model.joints()) {
    if (!joint_of_weld(model, weld)) continue;
    if (!placed) position_kinematics<double>(model, p, in(q), position);
    placed = true;
    const auto side = [&](int body, FrameBlock frame) {
      return Mat3(position.X_WB[static_cast<std::size_t>(body)].R * frame_at(p, frame).R);
    };
    if ((side(weld.body1, weld.F).transpose() * side(weld.body2, weld.M)).trace() < 1) return true;
  }
  return false;
}

}  // namespace

PositionSearch::PositionSearch(StartProblem& problem, bool beside)
    : problem_(problem),
      closing_(problem.rows(), problem.units()),
      values_(problem.positions()),
      agreed_(beside ? kBeside : kTyped),
      rng_(20240607) {}

bool PositionSearch::run() {
  found_ = attempt(problem_.drawn());
  if (good(found_)) return true;
  // dense factorisations: fewer guesses where each costs much
  const int most = problem_.columns().size() > 60 ? 6 : 24;
  constexpr double kClearly = 1 - 1e-3;  // equally near ones: the first
  std::optional<StartAttempt> best;
  double least = HUGE_VAL;
  for (guesses_ = 0; guesses_ < most; ++guesses_) {
    StartAttempt a = attempt(other_guess(guesses_));
    if (good(a)) {
      const double far = distance(a.q);
      if (best && !(far < kClearly * least)) continue;
      least = far;
      best = std::move(a);
    } else if (nearer_to_success(a)) {
      found_ = std::move(a);
    }
  }
  if (best) found_ = std::move(*best);
  return best.has_value();
}

/// With all values first, then with those that are degrees of freedom where that led to [KP-13].
StartAttempt PositionSearch::attempt(const VecX& guess) {
  constexpr int kRounds = 5;
  StartAttempt a;
  a.q = guess;
  a.choice.held.assign(values_.size(), true);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const int c = values_.list[i].column;
      if (a.choice.held[i] && c >= 0) a.q(c) = problem_.drawn()(c);
    }
    Selection free = problem_.select(values_, a.choice.held, StartLevel::kPosition);
    const bool closed = closing_.close(free, a.q);
    a.open = closing_.open();
    a.iterations += closing_.iterations();
    const std::vector<bool> held = a.choice.held;
    a.choice = problem_.choose(a.q, values_, StartLevel::kPosition);
    a.closed = closed && a.choice.held == held;
    if (a.choice.held == held || (round > 0 && !closed)) break;
  }
  a.upside_down =
      a.closed && welds_upside_down(problem_.model(), problem_.parameters(), a.q);
  a.closed = a.closed && !a.upside_down;
  compare(a);
  return a;
}

void PositionSearch::compare(StartAttempt& a) {
  problem_.rows().place(a.q);
  VecX all;
  problem_.rows().positions(in(a.q), all);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (a.choice.held[i]) continue;
    const StartValue& value = values_.list[i];
    const int c = value.column;
    const double off = c >= 0 ? std::abs(a.q(c) - problem_.drawn()(c)) / problem_.units().d(c)
                              : std::abs(all(value.row));
    if (a.worst >= 0 && off <= a.off) continue;
    a.off = off;
    a.worst = static_cast<int>(i);
  }
}

bool PositionSearch::good(const StartAttempt& a) const { return a.closed && a.off <= agreed_; }

/// Loops that close against a value tell more than loops that do not close.
bool PositionSearch::nearer_to_success(const StartAttempt& a) const {
  if (a.closed != found_.closed) return a.closed;
  return a.closed ? a.off < found_.off : a.open < found_.open;
}

/// The drawing mirrored, then at random farther and farther away; values of the file stay [KP-14].
VecX PositionSearch::other_guess(int k) {
  constexpr double kFar[] = {0.2, 0.5, 1, 2, 3};
  std::uniform_real_distribution<double> uniform(-1, 1);
  VecX q = problem_.drawn();
  const std::vector<bool> all(values_.size(), true);
  for (const int c : problem_.select(values_, all, StartLevel::kPosition).columns) {
    const double away = kFar[k % 5] * problem_.units().d(c) * uniform(rng_);
    q(c) = k == 0 ? -q(c) : q(c) + away;
  }
  for (const int first : problem_.system().euler_sets()) {
    const double length = q.segment<4>(first).norm();
    if (length > 0) q.segment<4>(first) /= length;
  }
  return q;
}

double PositionSearch::distance(const VecX& q) const {
  const VecX away = q - problem_.drawn();
  return problem_.units().size(Selection::pick(away, problem_.columns()), problem_.columns());
}

}  // namespace kinegrad
