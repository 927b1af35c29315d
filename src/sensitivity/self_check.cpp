#include "kinegrad/sensitivity/self_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "sensitivity/seeded_numbers.hpp"
#include "sensitivity/step_difference.hpp"

namespace kinegrad {

namespace {

/// ε of the pair that every sample gets, and of those that decide about a suspicion. [SC-4]
constexpr double kNear = 1e-7;
constexpr std::array kDecades{1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
/// What tangents lose to rounding and to Newton's method of the run, of the largest entry of a part.
constexpr double kRounding = 1e-6;
/// What tangent and adjoint, which solve with the same matrices, lose against each other.
constexpr double kTransposed = 1e-6;

using StatePart = MatX StateTangent::*;
constexpr std::array<StatePart, 5> kParts{&StateTangent::q, &StateTangent::v, &StateTangent::a,
                                     &StateTangent::lambda, &StateTangent::own};
using CotangentPart = VecX StateCotangent::*;
constexpr std::array<CotangentPart, 5> kCotangents{&StateCotangent::q, &StateCotangent::v,
                                                   &StateCotangent::a, &StateCotangent::lambda,
                                                   &StateCotangent::own};

double largest(const MatX& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

/// An entry of a state and how far two derivatives of it are apart, of the largest of its part.
struct Gap {
  double relative = 0;
  std::size_t part = 0;
  Eigen::Index entry = 0;
};

class SelfCheck {
 public:
  SelfCheck(const GradientTask& task, const GradientReport& report, const SampledSteps& samples,
            StepPartials& step, StartPartials& start)
      : task_(task),
        report_(report),
        step_(step),
        start_(start),
        d_rho_(seeded_direction(task.rho, report.parameters)),
        design_(DesignJacobian::along(task.model.design_map(), task.rho, d_rho_)),
        differences_(task, report.settings, d_rho_),
        reader_(*task.trajectory, task.model, report.settings, task.p, task.plan),
        n_(task.model.state_size()),
        m_(static_cast<int>(task.model.constraint_rows().size())),
        dp_(task.p.size()),
        p_bar_(task.p.size()) {
    design_.column(0, dp_);
    for (const SampledStep& sampled : samples.kept()) steps_.push_back(&sampled);
  }

  Warnings run() {
    check_rank();
    check_start();
    check_steps();
    return std::move(warnings_);
  }

 private:
  /// Two derivatives of one map along the direction.
  struct Compared {
    MapDifference difference;
    StateTangent tangent;
    double coordinates = 0;  // the largest of the state
    bool usable() const { return difference.usable && finite(); }
    bool finite() const {
      return std::all_of(kParts.begin(), kParts.end(),
                         [&](StatePart part) { return (tangent.*part).allFinite(); });
    }
    /// Of a part of the state; what is far smaller than other parts and than coordinates is rounding.
    double size(std::size_t part) const {
      constexpr double kNothing = 1e-8, kLeast = 1e-3;
      double most = std::max(coordinates, kLeast);
      for (const StatePart other : kParts) most = std::max(most, largest(tangent.*other));
      return std::max(
          {largest(tangent.*kParts[part]), largest(difference.to.*kParts[part]), kNothing * most});
    }
    double gap(const Gap& at) const {
      const StatePart part = kParts[at.part];
      return (tangent.*part)(at.entry, 0) - (difference.to.*part)(at.entry, 0);
    }
  };

  // the derivatives

  Compared with_tangent(const SampledStep& sampled, MapDifference difference) {
    Compared out{std::move(difference), {}, largest(sampled.x0.q)};
    if (!out.difference.usable) return out;
    out.tangent = out.difference.from;
    out.difference.usable =
        step_.tangent(sampled.record(), design_, out.tangent, [](int, const StateTangent&) {});
    return out;
  }

  Compared of_start(double epsilon) {
    const StepState<double>& x0 = task_.trajectory->first();
    Compared out{differences_.of_start(x0, epsilon), {}, largest(x0.q)};
    if (!out.difference.usable) return out;
    out.tangent.resize(n_, m_, 1);
    start_.tangent(design_, out.tangent);
    out.difference.usable =
        step_.start_tangent(x0, reader_.start_selection(), design_, out.tangent);
    return out;
  }

  /// w of [SC-3]: every part alike.
  StateCotangent weights(const Compared& of, std::uint64_t seed) const {
    SeededNumbers numbers(seed);
    StateCotangent w;
    w.set_zero(n_, m_);
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      const double size = of.size(part);
      for (double& x : w.*kCotangents[part]) x = size > 0 ? numbers.next() / size : 0;
    }
    if (!unique_multipliers_) w.lambda.setZero();
    return w;
  }

  /// |w·T − x̄₀·δx₀ − p̄·δp| over the sizes of what is added up. Weights make the largest terms of a derivative about 1;
  /// what adds up to far less is the rounding of derivatives that vanish.
  double transposed_gap(const StateCotangent& w, const StateCotangent& bar, const Compared& of) {
    double difference = 0, sizes = 0;
    const auto add = [&](double term) {
      difference += term;
      sizes += std::abs(term);
    };
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      const MatX& to = of.tangent.*kParts[part];
      const MatX& from = of.difference.from.*kParts[part];
      for (Eigen::Index i = 0; i < to.rows(); ++i) add((w.*kCotangents[part])(i)*to(i, 0));
      for (Eigen::Index i = 0; i < from.rows(); ++i) add(-(bar.*kCotangents[part])(i)*from(i, 0));
    }
    for (const int k : design_.active()) {
      add(-p_bar_[static_cast<std::size_t>(k)] * dp_[static_cast<std::size_t>(k)]);
    }
    constexpr double kVanishes = 1e-3;
    return sizes > kVanishes ? std::abs(difference) / sizes : 0;
  }

  // the comparisons

  /// Multipliers of equations that depend on each other are one solution of many.
  bool counts(std::size_t part) const {
    return unique_multipliers_ || kParts[part] != &StateTangent::lambda;
  }

  /// By how much D and T are apart, over what rounding and the bend of D explain: above 1, differences with
  /// other ε have to decide. The error of D is of higher order than the bend. [SC-4]
  double suspicion(const Compared& of) const {
    constexpr double kOfBend = 0.3;
    double most = 0;
    for (std::size_t part = 0; part < kParts.size(); ++part) {
      if (!counts(part)) continue;
      const double size = of.size(part);
      const MatX& bend = of.difference.bend.*kParts[part];
      for (Eigen::Index i = 0; size > 0 && i < bend.rows(); ++i) {
        const double gap = std::abs(of.gap({0, part, i}));
        most = std::max(most, gap / (kRounding * size + kOfBend * std::abs(bend(i, 0))));
      }
    }
    return most;
  }

  /// A gap that differences with ε of three decades agree about. [SC-5]
  std::optional<Gap> confirmed(const std::vector<Compared>& decades) const {
    constexpr double kAgree = 0.1;
    std::optional<Gap> worst;
    for (std::size_t k = 0; k + 2 < decades.size(); ++k) {
      const Compared &one = decades[k], &two = decades[k + 1], &three = decades[k + 2];
      if (!one.usable() || !two.usable() || !three.usable()) continue;
      for (std::size_t part = 0; part < kParts.size(); ++part) {
        if (!counts(part)) continue;
        const double size = two.size(part);
        for (Eigen::Index i = 0; i < (two.tangent.*kParts[part]).rows(); ++i) {
          Gap here{0, part, i};
          const double a = one.gap(here), b = two.gap(here), c = three.gap(here);
          const double least = std::min({std::abs(a), std::abs(b), std::abs(c)});
          const double spread = std::max({a, b, c}) - std::min({a, b, c});
          if (!(least > kRounding * size) || spread > kAgree * least) continue;
          here.relative = std::abs(b) / size;
          if (!worst || here.relative > worst->relative) worst = here;
        }
      }
    }
    return worst;
  }

  void check_start() {
    const StepState<double>& x0 = task_.trajectory->first();
    if (!start_.linearize(x0, *task_.start, report_.settings.starts_at_rest())) return;
    Compared first = of_start(kNear);
    if (!first.usable()) return warn_unchecked("the start", obstacle_of(first), x0.t);
    if (suspicion(first) > 1) {
      std::vector<Compared> decades;
      for (const double epsilon : kDecades) decades.push_back(of_start(epsilon));
      const std::optional<Gap> gap = confirmed(decades);
      if (gap) {
        warn(fmt::format(
                 "the derivative of the start differs from differences of the start by {:.2g} "
                 "of the largest in {}",
                 gap->relative, name(*gap)),
             x0.t);
      }
    }
    StateCotangent w = weights(first, 1);
    // accelerations of what rests are zero because forces cancel: their derivatives are rounding
    const double moves = std::max(largest(first.tangent.q), largest(first.tangent.v));
    if (report_.settings.starts_at_rest() && largest(first.tangent.a) <= kRounding * moves) {
      w.a.setZero();
      w.own.setZero();
    }
    StateCotangent bar = w;
    std::fill(p_bar_.begin(), p_bar_.end(), 0.0);
    if (!step_.start_adjoint(x0, reader_.start_selection(), bar, p_bar_)) return;
    start_.adjoint(bar, p_bar_);
    bar.set_zero(n_, m_);  // nothing comes before it
    first.difference.from = {};
    report_transposed(transposed_gap(w, bar, first), "start", x0.t);
  }

  void check_steps() {
    const std::vector<MapDifference> all = differences_.of(steps_, kNear, false);
    std::vector<std::pair<double, const SampledStep*>> suspected;
    double transposed = 0, transposed_t = 0;
    bool any = all.empty();
    const char* obstacle = "";
    for (std::size_t k = 0; k < all.size(); ++k) {
      const SampledStep& sampled = *steps_[k];
      const Compared one = with_tangent(sampled, all[k]);
      if (!one.usable()) {
        obstacle = obstacle_of(one);
        continue;
      }
      any = true;
      if (const double excess = suspicion(one); excess > 1)
        suspected.emplace_back(excess, &sampled);
      const double gap = adjoint_gap(sampled, one);
      if (gap > transposed) {
        transposed = gap;
        transposed_t = sampled.x1.t;
      }
    }
    if (!any) return warn_unchecked("every sampled step", obstacle, steps_.front()->x1.t);
    decide(suspected);
    report_transposed(transposed, "step that ends there", transposed_t);
  }

  /// The worst of those that are suspected, by differences with other ε.
  void decide(std::vector<std::pair<double, const SampledStep*>>& suspected) {
    constexpr std::size_t kMost = 3;  // more tell nothing new
    std::stable_sort(suspected.begin(), suspected.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (suspected.size() > kMost) suspected.resize(kMost);
    std::optional<Gap> worst;
    double t = 0;
    for (const auto& [excess, sampled] : suspected) {
      const std::optional<Gap> gap = decided(*sampled);
      if (!gap || (worst && gap->relative <= worst->relative)) continue;
      worst = gap;
      t = sampled->x1.t;
    }
    if (!worst) return;
    warn(fmt::format("the derivative of the step that ends there differs from differences of the "
                     "step by {:.2g} of the largest in {}",
                     worst->relative, name(*worst)),
         t);
  }

  std::optional<Gap> decided(const SampledStep& sampled) {
    std::vector<Compared> decades;
    const SampledStep* const one[] = {&sampled};
    for (const double epsilon : kDecades) {
      decades.push_back(with_tangent(sampled, differences_.of(one, epsilon, false)[0]));
    }
    return confirmed(decades);
  }

  double adjoint_gap(const SampledStep& sampled, const Compared& of) {
    if (!step_.linearize(sampled.record())) return 0;
    const StateCotangent w = weights(of, sampled.number + 2);
    StateCotangent bar = w;
    std::fill(p_bar_.begin(), p_bar_.end(), 0.0);
    step_.adjoint(bar, p_bar_, [](int, StateCotangent&) {});
    return transposed_gap(w, bar, of);
  }

  void report_transposed(double gap, const char* map, double t) {
    if (gap <= kTransposed) return;
    warn(fmt::format("forward and adjoint derivatives of the {} differ by {:.2g} of their terms",
                     map, gap),
         t);
  }

  /// Rank at the samples against that of the start, which `info` gives.
  void check_rank() {
    constexpr double kMostWork = 1e6;  // of elimination, some steps of a small mechanism
    unique_multipliers_ = m_ == 0;
    if (m_ == 0 || static_cast<double>(m_) * n_ * n_ > kMostWork) return;
    MechanicalSystem<double>& system = differences_.system();
    const StepState<double>& x0 = task_.trajectory->first();
    const int expected = constraint_rank(system, x0.t, x0.q);
    unique_multipliers_ = expected == m_;
    // equations at acceleration level drift, and what depends only where a loop is closed no longer does
    const bool drifts = !task_.rule.position_level && !task_.rule.independent;
    drift_apart_ = drifts && expected < m_;
    for (const SampledStep* sampled : steps_) {
      const StepState<double>& x = sampled->x1;
      const int rank = constraint_rank(system, x.t, x.q);
      if (rank == expected || (drifts && rank > expected)) continue;
      warnings_.push_back(
          {"self-check",
           fmt::format("the constraint equations have rank {} there and {} where the run starts: "
                       "the mechanism passes a singular position, where gradients lose digits; "
                       "compare with --check and with other steps",
                       rank, expected),
           "", x.t});
      return;
    }
  }

  /// What differs, and the likely cause with its cure [SC-7].
  void warn(const std::string& what, double t) {
    const char* advice =
        drift_apart_ ? "constraint equations that depend on each other do so only where the loop "
                       "is closed exactly; at acceleration level they drift apart and are solved "
                       "as far as they agree, so that no derivative of these steps is exact: take "
                       "ali3p or matrix-r, or judge with --check what is left of the gradient"
                     : "do not trust this gradient before --check, which names the element, and "
                       "--method finite-difference have been asked";
    warnings_.push_back({"self-check", what + ": " + advice, "", t});
  }

  static const char* obstacle_of(const Compared& of) {
    if (*of.difference.obstacle) return of.difference.obstacle;
    return of.finite() ? "it has no derivative" : "its derivative is not finite";
  }
  /// A check that compared nothing is no check.
  void warn_unchecked(const char* what, const char* obstacle, double t) {
    warnings_.push_back({"self-check",
                         fmt::format("nothing could be compared of {}, because {}: this gradient "
                                     "has not been checked; --check compares it with other methods",
                                     what, obstacle),
                         "", t});
  }

  std::string name(const Gap& gap) const {
    const auto i = static_cast<std::size_t>(gap.entry);
    if (kParts[gap.part] == &StateTangent::lambda) {
      const auto c = static_cast<std::size_t>(task_.model.constraint_rows()[i].constraint);
      return "the multipliers of " + task_.model.constraints()[c].name;
    }
    const std::string& q = task_.model.coordinate_names()[i];
    if (kParts[gap.part] == &StateTangent::q) return q;
    return (kParts[gap.part] == &StateTangent::v ? "the speed of " : "the acceleration of ") + q;
  }

  const GradientTask& task_;
  const GradientReport& report_;
  StepPartials& step_;
  StartPartials& start_;
  std::vector<double> d_rho_;
  DesignJacobian design_;
  StepDifferences differences_;
  TrajectoryReader reader_;
  int n_, m_;
  std::vector<double> dp_, p_bar_;
  std::vector<const SampledStep*> steps_;
  bool unique_multipliers_ = true;
  bool drift_apart_ =
      false;  // equations depend on each other, and nothing holds them at position level
  Warnings warnings_;
};

}  // namespace

Warnings self_check(const GradientTask& task, const GradientReport& report,
                    const SampledSteps& samples, StepPartials& step, StartPartials& start) {
  return SelfCheck(task, report, samples, step, start).run();
}

void self_check(const GradientTask& task, const SampledSteps& samples, GradientReport& report) {
  RunPartials& partials = *samples.partials();
  for (Warning& warning : self_check(task, report, samples, partials.step(), partials.start())) {
    report.run.warnings.push_back(std::move(warning));
  }
}

}  // namespace kinegrad
