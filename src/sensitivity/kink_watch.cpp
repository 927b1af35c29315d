#include "kinegrad/sensitivity/kink_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/math/rotation_vector.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/model.hpp"
#include "kinegrad/model/physical.hpp"

namespace kinegrad {

namespace {

/// "abs()", and what has no name.
std::string name_of(const Tape::Kink& kink) {
  const bool divides = kink.jumps() && kink.op != Op::kSign && kink.op != Op::kAtan2;
  const char* by = divides ? "a quotient by " : "";
  switch (kink.op) {
    case Op::kAbs: return std::string(by) + "abs()";
    case Op::kMin: return "min()";
    case Op::kMax: return "max()";
    case Op::kSqrt: return std::string(by) + "the square root of squares";
    case Op::kSign: return "sign()";
    case Op::kAtan2: return "atan2()";
    case Op::kTan: return "tan()";
    case Op::kPowInt: return "a power with a negative exponent";
    default: return "a quotient whose divisor passes zero";
  }
}

/// What has no kink in its place.
const char* cure_of(const Tape::Kink& kink) {
  switch (kink.op) {
    case Op::kSpline: return "use the type cubic";
    case Op::kAtan2: return "turn the axes so that the angle stays away from half a turn";
    case Op::kDiv:
    case Op::kPowInt: return "keep the divisor away from zero, or use atan2(y, x) for atan(y/x)";
    case Op::kTan: return "keep the angle away from a quarter of a turn";
    case Op::kMin:
    case Op::kMax: return "use the smooth_ function of the same name";
    case Op::kAbs:
    case Op::kSqrt: break;
    default: return "smooth_sign is a sign that can be differentiated";
  }
  return kink.jumps() ? "use smooth_sign for a sign, smooth_abs for an absolute value"
                      : "use smooth_abs";
}

/// Whether a kink lies between two sides. The root of two squares turns about where both change their sign; a quotient
/// has no pole where its numerator vanishes with the divisor.                                     [KN-1]
bool passes(const Tape::Kink& kink, int one, int other) {
  if (!kink.passed(one, other)) return false;
  const auto sign = [](int part) { return part - 1; };
  const int first = sign(one / 3) * sign(other / 3), second = sign(one % 3) * sign(other % 3);
  if (kink.op == Op::kDiv) return first < 0 && second >= 0;
  if (kink.op == Op::kSqrt && kink.b >= 0) {
    return first <= 0 && second <= 0 && (first < 0 || second < 0);
  }
  return true;
}

/// "once", "3 times".
std::string times(long count) { return count == 1 ? "once" : fmt::format("{} times", count); }

std::string jump_text(const std::string& what, long count, const Tape::Kink& kink) {
  return fmt::format(
      "{} ({}): the instant of a jump moves with the parameters, and no derivative of the "
      "recorded steps contains that, so the gradient may be wrong altogether; {}",
      what, times(count), cure_of(kink));
}

std::string crossed_text(const std::string& what, long count, const Tape::Kink& kink) {
  return fmt::format(
      "{} passes its kink ({}): the derivative of the recorded steps is right, but beside that of "
      "the motion it has an error of first order in the step; halve the step to see how large it "
      "is, or {}",
      what, times(count), cure_of(kink));
}

std::string met_text(const std::string& what, long count, const Tape::Kink& kink) {
  return fmt::format(
      "{} is evaluated exactly at its kink ({}): the derivative of one side is taken, and that of "
      "the other side is another one; move the start off the kink, or {}",
      what, times(count), cure_of(kink));
}

}  // namespace

KinkWatch::KinkWatch(const Model& model, std::span<const double> p, std::span<const int> objectives,
                     bool signals)
    : model_(model),
      p_(p.begin(), p.end()),
      signals_(model),
      forces_(model, p),
      pairs_(model, p, objectives) {
  struct Owner {
    std::string where, element;
    int force = -1;
  };
  std::vector<Owner> owners;
  const auto own = [&](int output, const char* kind, const std::string& name, int force = -1) {
    if (output >= 0)
      owners[static_cast<std::size_t>(output)] = {fmt::format("{} \"{}\"", kind, name), name,
                                                  force};
  };
  const auto clear = [&](const Tape& tape) {
    owners.assign(static_cast<std::size_t>(tape.output_count()), {});
  };
  const auto owner = [&](int output) -> const Owner& {
    return owners[static_cast<std::size_t>(output)];
  };

  clear(model.force_tape());
  for (std::size_t k = 0; k < model.forces().size(); ++k) {
    const Force& force = model.forces()[k];
    for (const auto& [place, output] : force.variable) {
      own(output, "force", force.name, static_cast<int>(k));
    }
  }
  add_tape(model.force_tape(), owner);

  clear(model.constraint_tape());
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (row.expression < 0) continue;
    const auto& values =
        model.constraint_expressions()[static_cast<std::size_t>(row.expression)].value;
    const std::string& name = model.constraints()[static_cast<std::size_t>(row.constraint)].name;
    for (const int output : values) own(output, "constraint", name);
  }
  add_tape(model.constraint_tape(), owner);

  clear(model.signal_tape());
  for (const Signal& signal : model.signals()) {
    if (signals) own(signal.output, "signal", signal.name);
  }
  for (const int k : objectives) {
    const Objective& objective = model.objectives()[static_cast<std::size_t>(k)];
    own(objective.terminal, "objective", objective.name);
    own(objective.integral, "objective", objective.name);
  }
  for (const ReactiveForce& force : model.reactive_forces()) {
    own(force.output, "force", force.name);
  }
  add_tape(model.signal_tape(), owner);

  for (std::size_t k = 0; k < model.forces().size(); ++k) {
    const Force& force = model.forces()[k];
    if (force.type->below_half_turn()) turns_.push_back({static_cast<int>(k)});
  }
}

/// One site per operation and element that an output belongs to.
template <typename NameOf>
void KinkWatch::add_tape(const Tape& tape, const NameOf& name_of_output) {
  Expressions out{&tape, {}, {}, {}};
  for (const Tape::Kink& kink : tape.kinks()) {
    if (!depends_on_more_than_time(kink)) continue;
    const std::size_t first = out.sites.size();
    for (const int output : kink.outputs) {
      const auto& owner = name_of_output(output);
      if (owner.where.empty()) continue;
      auto site =
          std::find_if(out.sites.begin() + static_cast<std::ptrdiff_t>(first), out.sites.end(),
                       [&](const Site& other) { return other.where == owner.where; });
      if (site == out.sites.end()) {
        out.sites.push_back({kink, owner.where, owner.element, {}, kink.jumps()});
        site = out.sites.end() - 1;
      }
      const bool known =
          owner.force < 0 || std::count(site->forces.begin(), site->forces.end(), owner.force) > 0;
      if (!known) site->forces.push_back(owner.force);
    }
  }
  if (out.sites.empty()) return;
  out.registers.resize(static_cast<std::size_t>(tape.register_count()));
  out.outputs.resize(static_cast<std::size_t>(tape.output_count()));
  tapes_.push_back(std::move(out));
}

/// A kink of the time alone stays where it is; a divisor of parameters alone passes no zero.
bool KinkWatch::depends_on_more_than_time(const Tape::Kink& kink) const {
  using Kind = SignalInput::Kind;
  const auto reads_other_than = [&](Kind kind) {
    return std::any_of(kink.reads.begin(), kink.reads.end(), [&](int input) {
      return model_.signal_inputs()[static_cast<std::size_t>(input)].kind != kind;
    });
  };
  const bool pole = kink.op == Op::kDiv || kink.op == Op::kPowInt || kink.op == Op::kTan;
  return reads_other_than(Kind::kTime) && (!pole || reads_other_than(Kind::kPhysical));
}

/// "abs() in force "F"", "the linear spline "u" in force "F"".
std::string KinkWatch::what(const Site& site) const {
  if (site.kink.op != Op::kSpline) {
    return fmt::format("{} in {}", name_of(site.kink), site.where);
  }
  const int entry = model_.signal_inputs()[static_cast<std::size_t>(site.kink.first_input)].element;
  const std::string& value = model_.physical()[static_cast<std::size_t>(entry)].name;  // "u.value0"
  return fmt::format("the linear spline \"{}\" in {}", value.substr(0, value.rfind('.')),
                     site.where);
}

void KinkWatch::see(const StepState<double>& x) {
  if (!tapes_.empty() && !started_) {
    evaluate(x);
    for (Expressions& expressions : tapes_) {
      for (Site& site : expressions.sites) {
        if (site.kink.side(expressions.registers) != Tape::Kink::kMet) continue;
        site.met = 1;
        site.t_met = x.t;
      }
    }
  }
  if (!pairs_.empty()) pairs_.see(x);
  if (!turns_.empty()) see_turns(x);
  started_ = true;
}

/// All expressions into their registers.
void KinkWatch::evaluate(const StepState<double>& x) {
  signals_.evaluate(p_, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
  inputs_ = signals_.all_inputs();
  for (Expressions& expressions : tapes_) {
    expressions.tape->evaluate<double>(inputs_, expressions.registers, expressions.outputs);
  }
}

void KinkWatch::see_step(const StepRecord& record) {
  // who has no expressions has been asked already whether the forces want the step
  const bool wanted = tapes_.empty() || !forces_.passes_over();
  if (!forces_.empty() && wanted) forces_.see_step(record);
  if (!tapes_.empty()) see_expressions(record);
}

void KinkWatch::see_expressions(const StepRecord& record) {
  const auto each_site = [&](const auto& visit) {
    for (Expressions& expressions : tapes_) {
      for (Site& site : expressions.sites) visit(site, site.kink.side(expressions.registers));
    }
  };
  evaluate(*record.x0);
  each_site([](Site& site, int side) {
    site.first = side;
    site.passed = false;
  });
  const auto look = [&](const StepState<double>& x) {
    evaluate(x);
    each_site([&](Site& site, int side) {
      if (side == Tape::Kink::kMet && (site.met++ == 0 || x.t < site.t_met)) site.t_met = x.t;
      if (site.first == Tape::Kink::kMet) site.first = side;
      site.passed = site.passed || passes(site.kink, site.first, side);
    });
  };
  for (const StepState<double>& stage : record.stages) look(stage);
  look(*record.x1);
  const double t = record.x1->t;
  each_site([&](Site& site, int) {
    if (site.passed && (site.crossed++ == 0 || t < site.t_crossed)) site.t_crossed = t;
    if (site.passed && !site.jumps && !site.forces.empty()) measure(site, record);
  });
}

/// What a force makes of the kink of an expression: that of a potential is a jump of the force, that of a ground one of its
/// normal.                                                                                        [KN-8]
void KinkWatch::measure(Site& site, const StepRecord& record) {
  constexpr long kMostMeasured = 16;
  if (site.measured++ >= kMostMeasured) return;
  const auto beyond = [&](const StepState<double>& x) {
    evaluate(x);
    return passes(site.kink, site.first, site.kink.side(tapes_.front().registers));
  };
  const auto stage = std::find_if(record.stages.begin(), record.stages.end(), beyond);
  const StepState<double>& other = stage == record.stages.end() ? *record.x1 : *stage;
  if (!line_) line_.emplace(model_, p_);
  for (const int k : site.forces) {
    const Force& force = model_.forces()[static_cast<std::size_t>(k)];
    ForceLine::End from, to;
    line_->move(*record.x0);
    if (!line_->read(force, from)) continue;
    line_->move(other);
    line_->read(force, to);
    line_->take(force, from, to);
    const ForceBreak found = line_->find(
        [&] { return !passes(site.kink, site.first, site.kink.side(line_->registers())); });
    if (found.kind != ForceBreak::Kind::kJump) continue;
    site.jumps = true;
    site.jump = found.jump;
  }
}

/// Frames that pass half a turn: their rotation vector is the opposite one afterwards.             [KN-3]
void KinkWatch::see_turns(const StepState<double>& x) {
  constexpr double kFar = 1.5;  // rad: what is near zero may change its sign
  signals_.move(p_, in(x.q), in(x.v), in(x.a));
  const auto frame = [&](int body, FrameBlock block) -> Mat3 {
    return signals_.position().X_WB[static_cast<std::size_t>(body)].R *
           frame_at(std::span<const double>(p_), block).R;
  };
  for (Turn& turn : turns_) {
    const Force& force = model_.forces()[static_cast<std::size_t>(turn.force)];
    const Mat3 R = frame(force.body1, force.F).transpose() * frame(force.body2, force.M);
    const Vec3 phi = rotation_vector<double>(R);
    const bool far = phi.norm() > kFar && turn.before.norm() > kFar;
    if (started_ && far && phi.dot(turn.before) < 0 && turn.passed++ == 0) turn.t = x.t;
    turn.before = phi;
  }
}

void KinkWatch::report(Warnings& warnings) const {
  forces_.report(warnings);
  for (const Expressions& expressions : tapes_) {
    for (const Site& site : expressions.sites) {
      const auto add = [&](const std::string& text, double t) {
        warnings.push_back({"kink", text, site.element, t});
      };
      const long all = site.crossed + site.met;
      const bool crossed_first = site.crossed > 0 && (site.met == 0 || site.t_crossed < site.t_met);
      if (all == 0) continue;
      const Tape::Kink& kink = site.kink;
      if (site.jumps) {
        const std::string of =
            site.jump > 0 ? fmt::format("{} makes the force jump by {:.3g}", what(site), site.jump)
                          : what(site) + " jumps";
        add(jump_text(of, all, kink), crossed_first ? site.t_crossed : site.t_met);
      } else if (site.met > 0) {
        add(met_text(what(site), site.met, kink), site.t_met);
      } else {
        add(crossed_text(what(site), site.crossed, kink), site.t_crossed);
      }
    }
  }
  for (const Turn& turn : turns_) {
    if (turn.passed == 0) continue;
    const std::string& name = model_.forces()[static_cast<std::size_t>(turn.force)].name;
    warnings.push_back(
        {"kink",
         fmt::format("the frames of force \"{}\" pass half a turn ({}), where their rotation "
                     "vector, and with it the torque, jumps to the other side: the law is "
                     "one for smaller rotations",
                     name, times(turn.passed)),
         name, turn.t});
  }
  pairs_.report(warnings);
}

void find_design_kinks(const Model& model, std::span<const double> rho, std::span<const double> p,
                       std::span<const int> parameters, Warnings& warnings) {
  const DesignMap& map = model.design_map();
  const std::vector<Tape::Kink> kinks = map.tape().kinks();
  const auto has_kink = [&](const SplineBlock& block) {
    return block.spline.slopes_have_kink(p.subspan(static_cast<std::size_t>(block.first),
                                                   static_cast<std::size_t>(block.spline.size())));
  };
  if (kinks.empty() && std::none_of(map.splines().begin(), map.splines().end(), has_kink)) return;
  const std::vector<char> moved = map.moved_by(rho, parameters);
  const auto moves = [&](int entry) { return moved[static_cast<std::size_t>(entry)] != 0; };
  for (const SplineBlock& block : map.splines()) {
    bool any = false;
    for (int i = 0; i < block.spline.size(); ++i) any = any || moves(block.first + i);
    if (!any || !has_kink(block)) continue;
    const std::string& first = model.physical()[static_cast<std::size_t>(block.first)].name;
    const std::string name = first.substr(0, first.rfind('.'));  // "torque.value0"
    warnings.push_back({"kink",
                        fmt::format("the monotone spline \"{}\" has equal neighbouring values: its "
                                    "limiter has a kink there, and "
                                    "no gradient exists, only partial derivatives by single "
                                    "values, which are given where both "
                                    "sides agree; a step along several values at once may do "
                                    "otherwise; use the type cubic or linear",
                                    name),
                        name, Warning{}.t});
  }
  auto work = map.make_workspace<double>();
  std::vector<double> same(p.size());
  map.evaluate<double>(rho, same, work);
  for (const Tape::Kink& kink : kinks) {
    // atan2 of geometry: whether an angle of half a turn jumps depends on what moves it
    if (kink.op == Op::kAtan2 || kink.side(work.registers) != Tape::Kink::kMet) continue;
    const auto at = std::find_if(kink.outputs.begin(), kink.outputs.end(), moves);
    if (at == kink.outputs.end()) continue;
    const std::string& name = model.physical()[static_cast<std::size_t>(*at)].name;
    const std::string what = fmt::format("{} in \"{}\"", name_of(kink), name);
    warnings.push_back({"kink", met_text(what, 1, kink), name, Warning{}.t});
  }
}

}  // namespace kinegrad
