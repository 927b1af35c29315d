#include "kinegrad/simulation/unique_reactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/row_span.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad {

namespace {

constexpr const char* kComponents[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

VecX row_of(const MechanicalSystem<double>& system, int i) {
  VecX row = VecX::Zero(system.nq());
  system.Phi_q().add_row(i, 1, out(row));
  return row;
}

/// −c with Σ c_k row_k = row, over the rows that count.
VecX combination(const MatX& counting, const VecX& row) {
  if (counting.cols() == 0) return {};
  const VecX sizes = counting.colwise().norm();
  const MatX scaled = counting * sizes.cwiseInverse().asDiagonal();
  const VecX c = scaled.colPivHouseholderQr().solve(row);
  return -c.cwiseQuotient(sizes);
}

}  // namespace

std::vector<SelfStress> self_stresses(const MechanicalSystem<double>& system,
                                      std::span<const double> q) {
  std::vector<SelfStress> found;
  RowSpan span;
  MatX counting(system.nq(), 0);
  std::vector<int> equations;  // of the columns, -1: of a normalisation
  const auto add = [&](const VecX& row, int equation) {
    counting.conservativeResize(Eigen::NoChange, counting.cols() + 1);
    counting.rightCols<1>() = row;
    equations.push_back(equation);
  };
  for (const int first : system.euler_sets()) {
    VecX row = VecX::Zero(system.nq());
    row.segment<4>(first) = read(q).segment<4>(first);
    VecX copy = row;
    if (span.add(copy, 1)) add(row, -1);
  }
  for (int i = 0; i < system.rows(); ++i) {
    const VecX row = row_of(system, i);
    VecX copy = row;
    if (span.add(copy, system.remaining(i))) {
      add(row, i);
      continue;
    }
    SelfStress stress{i, VecX::Zero(system.rows())};
    stress.lambda(i) = 1;
    if (system.remaining(i) > 0 && row.norm() > 0) {
      const VecX c = combination(counting, row);
      for (std::size_t k = 0; k < equations.size(); ++k) {
        if (equations[k] >= 0) stress.lambda(equations[k]) = c(static_cast<Eigen::Index>(k));
      }
    }
    found.push_back(std::move(stress));
  }
  return found;
}

namespace {

/// The mechanism at one configuration, its reactions and what reads them.
class Statics {
 public:
  Statics(const Model& model, std::span<const double> p, std::span<const double> q)
      : model_(model),
        p_(p.begin(), p.end()),
        q_(q.begin(), q.end()),
        zero_(q.size(), 0.0),
        signals_(model),
        reactions_(model),
        system_(make_system<double>(model, ReferencePoint::kCom)) {
    system_->set_parameters(p);
    system_->place(0, q);
    stresses_ = self_stresses(*system_, q);
    signals_.move(p_, q_, zero_, zero_);
  }
  const std::vector<SelfStress>& stresses() const { return stresses_; }

  /// What multipliers add to the reactions, in axes of the joints: force and torque.
  std::vector<Twist<double>> loads(const VecX& lambda) {
    const std::vector<Twist<double>> all = wrenches(lambda), none = wrenches(VecX::Zero(rows()));
    std::vector<Twist<double>> out(all.size());
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Joint& joint = model_.joints()[j];
      const Mat3 R = signals_.position().X_WB[static_cast<std::size_t>(joint.body1)].R *
                     frame_at(std::span<const double>(p_), joint.F).R;
      const Twist<double> W = all[j] - none[j];
      out[j] << R.transpose() * W.tail<3>(), R.transpose() * W.head<3>();
    }
    return out;
  }
  /// Values of the forces that read reactions.
  std::vector<double> forces(const VecX& v, const VecX& a, const VecX& lambda) {
    signals_.evaluate(p_, 0, q_, in(v), in(a), in(lambda));
    std::vector<double> out;
    for (const ReactiveForce& force : model_.reactive_forces()) {
      out.push_back(signals_.output(force.output));
    }
    return out;
  }
  int rows() const { return system_->rows(); }
  int nq() const { return system_->nq(); }

 private:
  std::vector<Twist<double>> wrenches(const VecX& lambda) {
    reactions_.evaluate(p_, 0, signals_.tree_q(), signals_.tree_v(), signals_.tree_a(), in(lambda));
    std::vector<Twist<double>> out;
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      out.push_back(reactions_.reaction(static_cast<int>(j)));
    }
    return out;
  }

  const Model& model_;
  std::vector<double> p_, q_, zero_;
  SignalEvaluator<double> signals_;
  JointReactions<double> reactions_;
  std::unique_ptr<MechanicalSystem<double>> system_;
  std::vector<SelfStress> stresses_;
};

/// Distances between the joints: what turns forces into torques.
double reach(const Model& model, std::span<const double> p, std::span<const double> q) {
  SignalEvaluator<double> signals(model);
  const std::vector<double> zero(q.size(), 0.0);
  signals.move(p, q, zero, zero);
  double size = 0;
  Vec3 first = Vec3::Zero();
  bool any = false;
  for (const Joint& joint : model.joints()) {
    const Vec3 at =
        (signals.position().X_WB[static_cast<std::size_t>(joint.body1)] * frame_at(p, joint.F)).p;
    if (!any) first = at;
    any = true;
    size = std::max(size, (at - first).norm());
  }
  return size > 0 ? size : 1;
}

}  // namespace

std::string names_of(const std::array<bool, 6>& components) {
  std::string names;
  for (std::size_t k = 0; k < components.size(); ++k) {
    if (components[k]) names += (names.empty() ? "" : ", ") + std::string(kComponents[k]);
  }
  return names;
}

bool can_judge_reactions(const Model& model) {
  constexpr double kMostWork = 1e9;  // a second
  const auto m = static_cast<double>(model.constraint_rows().size());
  return m * m * m * static_cast<double>(model.state_size()) <= kMostWork;
}

/// A load is none beside the largest of the same self-stress, torques over the size of the mechanism.
std::vector<int> ambiguous_multipliers(const Model& model, std::span<const double> p,
                                       std::span<const double> q) {
  const auto system = make_system<double>(model, ReferencePoint::kCom);
  system->set_parameters(p);
  system->place(0, q);
  std::vector<int> rows;
  for (const SelfStress& stress : self_stresses(*system, q)) {
    const double largest = stress.lambda.lpNorm<Eigen::Infinity>();
    for (int i = 0; i < stress.lambda.size(); ++i) {
      if (std::abs(stress.lambda(i)) > rank::kDependent * largest) {  // holomorphic: double
        rows.push_back(i);
      }
    }
  }
  return rows;
}

std::vector<AmbiguousReaction> ambiguous_reactions(const Model& model, std::span<const double> p,
                                                   std::span<const double> q) {
  Statics statics(model, p, q);
  if (statics.stresses().empty()) return {};
  const double length = reach(model, p, q);
  std::map<int, AmbiguousReaction> found;
  for (const SelfStress& stress : statics.stresses()) {
    const auto loads = statics.loads(stress.lambda);
    double largest = 0;
    for (const Twist<double>& load : loads) {
      largest = std::max(                                                     // holomorphic: double
          {largest, load.head<3>().norm(), load.tail<3>().norm() / length});  // holomorphic: double
    }
    for (std::size_t j = 0; j < loads.size(); ++j) {
      for (int k = 0; k < 6; ++k) {
        const double part = std::abs(loads[j](k)) / (k < 3 ? 1 : length);  // holomorphic: double
        if (!(part > rank::kDependent * largest)) continue;
        AmbiguousReaction& one = found[static_cast<int>(j)];
        one.joint = static_cast<int>(j);
        one.components[static_cast<std::size_t>(k)] = true;
      }
    }
  }
  std::vector<AmbiguousReaction> out;
  for (const auto& [joint, one] : found) {
    const Joint& of = model.joints()[static_cast<std::size_t>(joint)];
    if (!of.automatic) out.push_back(one);
  }
  return out;
}

namespace {

/// The first force of the model that changes along a self-stress, at random speeds that wake laws of friction, and the
/// equations of the self-stresses that change it.
struct Changed {
  int force = -1;
  std::vector<int> equations;
};

Changed changed_force(const Model& model, Statics& statics) {
  constexpr int kSamples = 4;
  constexpr double kSame = 1e-9;
  std::mt19937_64 rng(20);
  std::normal_distribution<double> normal;
  const auto random = [&](int n) {
    VecX x(n);
    for (double& entry : x) entry = normal(rng);
    return x;
  };
  const std::size_t count = model.reactive_forces().size();
  std::vector<Changed> changed(count);
  for (int sample = 0; sample < kSamples; ++sample) {
    const VecX v = random(statics.nq()), a = random(statics.nq()), lambda = random(statics.rows());
    const std::vector<double> here = statics.forces(v, a, lambda);
    for (const SelfStress& stress : statics.stresses()) {
      for (const double sign : {1.0, -1.0}) {
        const std::vector<double> there = statics.forces(v, a, lambda + sign * stress.lambda);
        for (std::size_t k = 0; k < count; ++k) {
          const double size = std::abs(here[k]) + std::abs(there[k]);
          if (!(std::abs(there[k] - here[k]) > kSame * size)) continue;
          std::vector<int>& equations = changed[k].equations;
          changed[k].force = static_cast<int>(k);
          if (std::find(equations.begin(), equations.end(), stress.equation) == equations.end()) {
            equations.push_back(stress.equation);
          }
        }
      }
    }
  }
  const auto first = std::find_if(changed.begin(), changed.end(),
                                  [](const Changed& one) { return one.force >= 0; });
  return first == changed.end() ? Changed{} : *first;
}

/// "3 equations of joint "D", 1 equation of constraint "drive"".
std::string describe_equations(const Model& model, const std::vector<int>& equations) {
  std::map<int, int> counts;  // by constraint
  for (const int i : equations) {
    ++counts[model.constraint_rows()[static_cast<std::size_t>(i)].constraint];
  }
  std::string text;
  for (const auto& [c, n] : counts) {
    const Constraint& constraint = model.constraints()[static_cast<std::size_t>(c)];
    text +=
        fmt::format("{}{} equation{} of {} \"{}\"", text.empty() ? "" : ", ", n, n == 1 ? "" : "s",
                    constraint.joint >= 0 ? "joint" : "constraint", constraint.name);
  }
  return text;
}

/// Joints whose reactions the value of a force reads.
std::vector<int> joints_read(const Model& model, const ReactiveForce& force) {
  std::vector<int> joints;
  const std::vector<bool> inputs = model.signal_tape().inputs_of(force.output);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const SignalInput& in = model.signal_inputs()[k];
    if (!inputs[k] || in.kind != SignalInput::Kind::kReaction) continue;
    if (std::find(joints.begin(), joints.end(), in.element) == joints.end()) {
      joints.push_back(in.element);
    }
  }
  return joints;
}

}  // namespace

std::string reactive_refusal(const Model& model, std::span<const double> p,
                             std::span<const double> q) {
  if (model.reactive_forces().empty() || model.constraint_rows().empty()) return {};
  Statics statics(model, p, q);
  if (statics.stresses().empty()) return {};
  const Changed changed = changed_force(model, statics);
  if (changed.force < 0) return {};
  const ReactiveForce& force = model.reactive_forces()[static_cast<std::size_t>(changed.force)];
  const std::vector<int> read = joints_read(model, force);
  std::string text = fmt::format("force \"{}\" reads reactions that are not unique:", force.name);
  for (const AmbiguousReaction& one : ambiguous_reactions(model, p, q)) {
    if (std::find(read.begin(), read.end(), one.joint) == read.end()) continue;
    text += fmt::format(" those of joint \"{}\" ({} in its own axes),",
                        model.joints()[static_cast<std::size_t>(one.joint)].name,
                        names_of(one.components));
  }
  text.pop_back();
  return text + fmt::format(
                    ", because {} follow from the others; give the loop joints that leave it just "
                    "free, as spherical and universal ones instead of revolute ones, or read what "
                    "is unique (kinegrad info shows it)",
                    describe_equations(model, changed.equations));
}

}  // namespace kinegrad
