#include "kinegrad/simulation/constraint_watch.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/assembly/natural_system.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

ConstraintNorms norms_of(const StepState<double>& x, EulerSets euler, const VecX& Phi,
                         const VecX& Phi_dot, const VecX& Phi_ddot) {
  ConstraintNorms sums{Phi.squaredNorm(), Phi_dot.squaredNorm(), Phi_ddot.squaredNorm()};
  for (const int first : euler) {
    const auto p = x.q.segment<4>(first), v = x.v.segment<4>(first), a = x.a.segment<4>(first);
    const double position = p.squaredNorm() - 1, velocity = 2 * p.dot(v),
                 acceleration = 2 * (p.dot(a) + v.squaredNorm());
    sums[0] += position * position;
    sums[1] += velocity * velocity;
    sums[2] += acceleration * acceleration;
  }
  for (double& sum : sums) sum = std::sqrt(sum);
  return sums;
}

}  // namespace

ConstraintNorms constraint_norms(const StepState<double>& x,
                                 const MechanicalSystem<double>& system) {
  return norms_of(x, system.euler_sets(), system.Phi(), system.Phi_dot(), system.Phi_ddot());
}

ConstraintWatch::ConstraintWatch(const Model& model, std::span<const double> p,
                                 const LoadedTree<double>* constants)
    : euler_(euler_sets_of(model)),
      model_(model),
      p_(p.begin(), p.end()),
      constants_(constants) {
  if (!model.natural().empty()) euler_ = natural_euler_sets(model.natural(), euler_);
}

void ConstraintWatch::see(const StepState<double>& x) {
  const VecX none;
  if (model_.constraints().empty()) return take(x, none, none, none);
  if (!system_) {
    system_ = make_system<double>(model_, ReferencePoint::kCom, constants_);
    system_->set_parameters(p_);
  }
  system_->move(x.t, in(x.q), in(x.v), in(x.a));
  take(x, system_->Phi(), system_->Phi_dot(), system_->Phi_ddot());
}

void ConstraintWatch::see(const StepState<double>& x, const SystemPartials& there) {
  take(x, there.Phi(), there.Phi_dot(), there.Phi_ddot());
}

void ConstraintWatch::take(const StepState<double>& x, const VecX& Phi, const VecX& Phi_dot,
                           const VecX& Phi_ddot) {
  const ConstraintNorms here = norms_of(x, euler_, Phi, Phi_dot, Phi_ddot);
  for (std::size_t k = 0; k < here.size(); ++k) norms_[k] = std::max(norms_[k], here[k]);
}

}  // namespace kinegrad
