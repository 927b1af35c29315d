#include "kinegrad/sensitivity/adjoint_march.hpp"

#include <algorithm>

namespace kinegrad {

namespace {

void add(double factor, const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}

}  // namespace

AdjointMarch::AdjointMarch(MotionInterpolant& motion, AdjointSystem& system,
                           AdjointIntegrands& integrands, int steps, int physical)
    : motion_(motion),
      system_(system),
      integrands_(integrands),
      steps_(steps),
      h_(motion.end() / steps),
      each_(integrands.count()),
      p_(each_.size(), std::vector<double>(static_cast<std::size_t>(physical), 0.0)),
      sink_(static_cast<std::size_t>(physical)),
      rates_(each_.size(), steps, h_) {
  for (One& one : each_) one.p_node.resize(sink_.size());
  sizes_.reserve(static_cast<std::size_t>(steps) + 1);
}

void AdjointMarch::note_size() {
  double most = 0;
  for (const One& one : each_) {
    most = std::max({most, one.mu.q.lpNorm<Eigen::Infinity>(), one.mu.v.lpNorm<Eigen::Infinity>()});
  }
  sizes_.push_back({t_, most});
}

MarchStatus AdjointMarch::run(const Watch& watch) {
  t_ = motion_.end();
  if (!motion_.at(t_, here_)) return MarchStatus::kNoMotion;
  if (!end()) return MarchStatus::kNoDerivative;
  int n = steps_ - 1;
  if (!system_.has_rate() && !first_step()) return MarchStatus::kNoDerivative;
  if (!system_.has_rate()) --n;
  note_size();
  for (; n >= 0; --n) {
    if (!watch(1 - t_ / motion_.end())) return MarchStatus::kStopped;
    std::swap(here_, before_);
    t_ = n * h_;
    if (!motion_.at(t_, here_)) return MarchStatus::kNoMotion;
    if (here_.selection != before_.selection && !change()) return MarchStatus::kNoDerivative;
    if (!step(n)) return MarchStatus::kNoDerivative;
    note_size();
  }
  for (std::size_t i = 0; i < each_.size(); ++i) {
    One& one = each_[i];
    system_.start(one.source, one.mu, p_[i]);
    if (!one.mu.q.allFinite() || !one.mu.v.allFinite()) return MarchStatus::kNoDerivative;
  }
  return watch(1) ? MarchStatus::kDone : MarchStatus::kStopped;
}

/// g of all integrands at an instant, of a weight.
bool AdjointMarch::take_sources(int n, double weight) {
  const StepState<double>& x = here_.x;
  const auto nq = static_cast<int>(x.q.size()), m = static_cast<int>(x.lambda.size());
  integrands_.take(here_);
  for (std::size_t i = 0; i < each_.size(); ++i) {
    One& one = each_[i];
    one.source.weight = weight;
    one.source.g.set_zero(nq, m);
    std::fill(one.p_node.begin(), one.p_node.end(), 0.0);
    integrands_.pull(i, weight, one.source.g, one.p_node);
  }
  if (!system_.wants_a_rate()) return true;
  const auto g_a = [&](int node, std::vector<VecX>& out) { return pull_a(node, out); };
  if (!rates_.take(n, g_a)) return false;
  for (std::size_t i = 0; i < each_.size(); ++i) {
    each_[i].source.a_rate = weight * rates_.rate(i);
  }
  return true;
}

/// g_a of all integrands at a node.
bool AdjointMarch::pull_a(int node, std::vector<VecX>& g_a) {
  if (!motion_.at(node * h_, other_)) return false;
  integrands_.take(other_);
  for (std::size_t i = 0; i < each_.size(); ++i) {
    other_g_.set_zero(static_cast<int>(other_.x.q.size()),
                      static_cast<int>(other_.x.lambda.size()));
    integrands_.pull(i, 1, other_g_, sink_);
    g_a[i] = other_g_.a;
  }
  return true;
}

/// μ at t_F and, where there is one, its rate.
bool AdjointMarch::end() {
  if (!system_.linearize(here_, 0) || !take_sources(steps_, 1)) return false;
  integrands_.take(here_);
  StateCotangent terminal;
  for (std::size_t i = 0; i < each_.size(); ++i) {
    One& one = each_[i];
    terminal.set_zero(static_cast<int>(here_.x.q.size()), static_cast<int>(here_.x.lambda.size()));
    integrands_.pull_end(i, terminal, p_[i]);
    if (!system_.end(terminal, one.source, one.mu, p_[i])) return false;
    if (system_.has_rate()) system_.rate(one.mu, one.source, one.rate, one.p_node);
  }
  return true;
}

/// Into the independent coordinates of the next step: the same cotangent of the motion, at the instant
/// already reached.
bool AdjointMarch::change() {
  std::swap(here_, before_);
  const bool solved =
      motion_.solve(before_.selection, here_) && system_.linearize(here_, 0) && take_sources(-1, 1);
  for (std::size_t i = 0; solved && i < each_.size(); ++i) {
    One& one = each_[i];
    system_.change(one.mu, p_[i]);
    system_.rate(one.mu, one.source, one.rate, one.p_node);
  }
  std::swap(here_, before_);
  return solved;
}

/// From node n + 1 to node n.
bool AdjointMarch::step(int n) {
  const double c = 0.5 * h_;
  if (!system_.linearize(here_, c)) return false;
  for (std::size_t i = 0; i < each_.size(); ++i) {  // the last instant, for its other half
    add(c / each_[i].source.weight, each_[i].p_node, p_[i]);
  }
  if (!take_sources(n, c)) return false;
  for (std::size_t i = 0; i < each_.size(); ++i) {
    One& one = each_[i];
    one.mu.q += c * one.rate.q;
    one.mu.v += c * one.rate.v;
    solve(one, c);
    add(1, one.p_node, p_[i]);
  }
  return true;
}

void AdjointMarch::solve(One& one, double c) {
  b_ = one.mu;
  system_.solve(one.source, one.mu, one.p_node);
  one.rate.q = (one.mu.q - b_.q) / c;
  one.rate.v = (one.mu.v - b_.v) / c;
}

/// By Euler's rule to an instant a distance c back.
bool AdjointMarch::euler(double t, double c) {
  if (!motion_.at(t, here_) || !system_.linearize(here_, c) || !take_sources(-1, c)) return false;
  for (One& one : each_) solve(one, c);
  return true;
}

/// The step from t_F without the rate there: Euler's rule in one step and in two, extrapolated.
bool AdjointMarch::first_step() {
  t_ = (steps_ - 1) * h_;
  const double half = 0.5 * h_;
  const std::vector<One> at_end = each_;
  if (!euler(t_, h_)) return false;
  const std::vector<One> in_one = each_;
  each_ = at_end;
  if (!euler(t_ + half, half)) return false;
  for (std::size_t i = 0; i < each_.size(); ++i) add(2, each_[i].p_node, p_[i]);
  if (!euler(t_, half)) return false;
  for (std::size_t i = 0; i < each_.size(); ++i) {
    add(2, each_[i].p_node, p_[i]);
    add(-1, in_one[i].p_node, p_[i]);
    extrapolate(in_one[i], each_[i]);
  }
  return true;
}

/// Twice what two half steps gave less what one step gave, both at the same instant.
void AdjointMarch::extrapolate(const One& in_one, One& x) {
  x.mu.q = 2 * x.mu.q - in_one.mu.q;
  x.mu.v = 2 * x.mu.v - in_one.mu.v;
  x.rate.q = 2 * x.rate.q - in_one.rate.q;
  x.rate.v = 2 * x.rate.v - in_one.rate.v;
  const double to_weight = in_one.source.weight / x.source.weight;
  for (std::size_t k = 0; k < x.p_node.size(); ++k) {
    x.p_node[k] = 2 * to_weight * x.p_node[k] - in_one.p_node[k];
  }
  x.source = in_one.source;
}

}  // namespace kinegrad
