#include "kinegrad/sensitivity/force_line.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

constexpr double kRounding = 1e-11;  // of a variable, relative to its size
constexpr double kJump = 1e-6, kJumpOfVarying = 1e-3, kKink = 1e-3;  // parts of [KN-6]

double size_of(const Eigen::Ref<const MatX>& block) { return block.norm(); }

/// Whether something differs beside a place, and not because of the distance; what is not finite tells nothing.
template <typename Block>
bool differ(const Block& one, const Block& other, const Block& far_one, const Block& far_other,
            double part, double least = 0) {
  double most = least;
  for (const Block* block : {&one, &other, &far_one, &far_other}) {
    if (!(size_of(*block) <= most)) most = size_of(*block);
  }
  const double near = size_of(one - other), far = size_of(far_one - far_other);
  return std::isfinite(most) && near > part * most && near > 0.5 * far;
}

}  // namespace

ForceLine::ForceLine(const Model& model, std::span<const double> p)
    : model_(model),
      p_(p.begin(), p.end()),
      r_(static_cast<std::size_t>(model.nq())),
      tree_(model, ReferencePoint::kCom),
      at_(tree_),
      registers_(static_cast<std::size_t>(model.force_tape().register_count())),
      outputs_(static_cast<std::size_t>(model.force_tape().output_count())) {
  tree_.set(p_);
  if (model.natural().empty()) return;
  natural_ = std::make_unique<NaturalMap<double>>(model);
  natural_->set_parameters(p_);
  for (VecX* x : {&z_, &zdot_, &zddot_}) x->resize(model.nq());
}

void ForceLine::move(const StepState<double>& x) {
  t_ = x.t;
  if (!natural_) return residual<double>(tree_, x.t, in(x.q), in(x.v), in(x.a), at_, r_);
  natural_->expand(in(x.q), out(z_));
  natural_->expand_rates(in(x.v), out(zdot_));
  natural_->expand_rates(in(x.a), out(zddot_));
  residual<double>(tree_, x.t, in(z_), in(zdot_), in(zddot_), at_, r_);
}

bool ForceLine::read(const Force& force, End& out) const {
  if (force.attached_nowhere()) return false;
  const auto k = static_cast<std::size_t>(&force - model_.forces().data());
  tree_.ports[k]->each_state(port_site(tree_, at_, t_),
                             [&](const PortState<double>& state, int) { out.port = state; });
  out.attributes = attributes(tree_, at_, force);
  out.t = t_;
  if (force.variable.empty()) return true;
  out.inputs.clear();
  for (const std::size_t i : tree_.expressions.moving) {
    out.inputs.push_back(
        at_.expressions.inputs[static_cast<std::size_t>(model_.force_inputs()[i])]);
  }
  return true;
}

void ForceLine::take(const Force& force, const End& from, const End& to) {
  force_ = &force;
  from_ = &from;
  to_ = &to;
  // parameters do not move along the line
  if (!force.variable.empty()) inputs_ = at_.expressions.inputs;
  told_.clear();
  for (const SignalInput& in : model_.signal_inputs()) {
    if (in.kind != SignalInput::Kind::kForce) continue;
    if (&model_.forces()[static_cast<std::size_t>(in.element)] == &force) {
      told_.push_back(in.component);
    }
  }
}

void ForceLine::go(double part) {
  const auto at = [&](const auto& a, const auto& b) { return a + part * (b - a); };
  state_.x = at(from_->port.x, to_->port.x);
  state_.xdot = at(from_->port.xdot, to_->port.xdot);
  state_.z = at(from_->port.z, to_->port.z);
  state_.t = at(from_->port.t, to_->port.t);
  attributes_ = from_->attributes;
  if (force_->variable.empty()) return;
  const std::vector<std::size_t>& moving = tree_.expressions.moving;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    inputs_[static_cast<std::size_t>(model_.force_inputs()[moving[k]])] =
        at(from_->inputs[k], to_->inputs[k]);
  }
  read_attributes();
}

void ForceLine::read_attributes() {
  model_.force_tape().evaluate<double>(inputs_, registers_, outputs_);
  for (const auto& [place, output] : force_->variable) {
    attributes_(place) = outputs_[static_cast<std::size_t>(output)];
  }
}

ForceLine::Look ForceLine::look() const {
  Look out;
  const ForceModel& type = *force_->type;
  out.effort = type.effort(state_, attributes_);
  out.rates = type.rates(state_, attributes_).head(state_.z.size());
  type.partials(state_, attributes_, out.slopes);
  if (!told_.empty()) {
    const VecX all = type.signal_values(state_, attributes_);
    out.told.resize(static_cast<Eigen::Index>(told_.size()));
    for (std::size_t k = 0; k < told_.size(); ++k) {
      out.told(static_cast<Eigen::Index>(k)) = all(told_[k]);
    }
  }
  return out;
}

ForceBreak ForceLine::between(const Sides& at) const {
  using Kind = ForceBreak::Kind;
  const bool varies = !force_->variable.empty();
  const auto jumps = [&](const VecX Look::*y, double least) {
    return differ(at.before.*y, at.behind.*y, at.far_before.*y, at.far_behind.*y,
                  varies ? kJumpOfVarying : kJump, least);
  };
  // what rounding of the variables makes of efforts and rates is no jump
  const Eigen::Index ns = state_.z.size();
  const auto rounding = [&](const MatX& by_x, const MatX& by_xdot, const MatX& by_z) {
    return kRounding / kJump *
           (size_of(by_x) * size_of(state_.x) + size_of(by_xdot) * size_of(state_.xdot) +
            size_of(by_z) * size_of(state_.z));
  };
  double effort = varies ? largest_effort_ : 0, rate = largest_rate_;
  for (const Look* x : {&at.before, &at.behind}) {
    const ForcePartials& d = x->slopes;
    const MatX e_z = ns > 0 ? MatX(d.e_z.leftCols(ns)) : MatX();
    effort = std::max(effort, rounding(d.e_x, d.e_xdot, e_z));  // holomorphic: double
    if (ns == 0) continue;
    const double of_rates =
        rounding(d.g_x.topRows(ns), d.g_xdot.topRows(ns), d.g_z.topLeftCorner(ns, ns));
    rate = std::max(rate, of_rates);  // holomorphic: double
  }
  if (jumps(&Look::effort, effort) || jumps(&Look::rates, rate) || jumps(&Look::told, 0)) {
    const double of_effort = size_of(at.before.effort - at.behind.effort);
    const double of_told = size_of(at.before.told - at.behind.told);
    return {Kind::kJump, std::max(of_effort, of_told)};  // holomorphic: double
  }
  const auto kinked = [&](const auto& block) {
    return differ<MatX>(block(at.before.slopes), block(at.behind.slopes),
                        block(at.far_before.slopes), block(at.far_behind.slopes), kKink);
  };
  using P = const ForcePartials&;
  bool kink =
      kinked([](P d) -> MatX { return d.e_x; }) || kinked([](P d) -> MatX { return d.e_xdot; });
  for (const auto& [place, output] : force_->variable) {
    kink = kink || kinked([place = place](P d) -> MatX { return d.e_p.col(place); });
  }
  if (ns > 0) {
    kink = kink || kinked([&](P d) -> MatX { return d.e_z.leftCols(ns); }) ||
           kinked([&](P d) -> MatX { return d.g_x.topRows(ns); }) ||
           kinked([&](P d) -> MatX { return d.g_xdot.topRows(ns); }) ||
           kinked([&](P d) -> MatX { return d.g_z.topLeftCorner(ns, ns); });
  }
  return {kink ? Kind::kKink : Kind::kSmooth};
}

void ForceLine::take_sizes(const Look& one, const Look& other) {
  largest_effort_ = std::max(size_of(one.effort), size_of(other.effort));
  largest_rate_ = std::max(size_of(one.rates), size_of(other.rates));
}

ForceBreak ForceLine::find(const std::function<bool()>& before) {
  constexpr int kHalvings = 45;
  constexpr double kFar = 1e-9;
  double low = 0, high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    go(middle);
    (before() ? low : high) = middle;
  }
  const auto look_at = [&](double part) {
    go(part);
    return look();
  };
  take_sizes(look_at(0), look_at(1));
  ForceBreak out =
      between({look_at(low), look_at(high), look_at(low - kFar), look_at(high + kFar)});
  out.part = low;
  return out;
}

ForceBreak ForceLine::around_start(int which) {
  constexpr double kNear = 1e-13, kFar = 1e-10;
  ForceBreak worst;
  go(0);
  take_sizes(look(), look());
  // `leave` goes away from the beginning along one number
  const auto compare = [&](const auto& leave) {
    const auto look_at = [&](double away) {
      go(0);
      leave(away);
      return look();
    };
    const Look far_behind = look_at(kFar);
    const double behind = switch_values()(which);
    const Look far_before = look_at(-kFar);
    if (!(behind * switch_values()(which) < 0)) return;
    const ForceBreak found = between({look_at(-kNear), look_at(kNear), far_before, far_behind});
    if (found.kind > worst.kind) worst = found;
  };
  const auto beside = [&](auto PortState<double>::*block, Eigen::Index i) {
    compare([&](double away) {
      double& y = (state_.*block)(i);
      y += away * std::max(1.0, std::abs(y));
    });
  };
  for (Eigen::Index i = 0; i < from_->port.x.size(); ++i) beside(&PortState<double>::x, i);
  for (Eigen::Index i = 0; i < from_->port.xdot.size(); ++i) beside(&PortState<double>::xdot, i);
  for (Eigen::Index i = 0; i < from_->port.z.size(); ++i) beside(&PortState<double>::z, i);
  if (force_->variable.empty()) return worst;
  for (const std::size_t k : tree_.expressions.moving) {
    const int input = model_.force_inputs()[k];
    // no parameter moves an instant of the time
    const SignalInput& read = model_.signal_inputs()[static_cast<std::size_t>(input)];
    if (read.kind == SignalInput::Kind::kTime) continue;
    double& y = inputs_[static_cast<std::size_t>(input)];
    compare([&](double away) {
      y += away * std::max(1.0, std::abs(y));
      read_attributes();
    });
  }
  return worst;
}

}  // namespace kinegrad
