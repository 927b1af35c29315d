#include "kinegrad/formulations/named_motion.hpp"

#include <algorithm>

namespace kinegrad {

int named_rows(std::span<const IndependentCoordinate> named) {
  return static_cast<int>(std::count_if(named.begin(), named.end(),
                                        [](const IndependentCoordinate& y) { return y.row >= 0; }));
}

NamedMotion::NamedMotion(std::unique_ptr<SystemPartials> system,
                         std::span<const IndependentCoordinate> named)
    : system_(std::move(system)), rows_(*system_) {
  f_.add_named(named, system_->rows() - named_rows(named));
  for (auto* phi : {&phi_, &phi_dot_, &phi_ddot_}) {
    phi->resize(static_cast<std::size_t>(system_->rows()));
  }
}

void NamedMotion::linearize(const StagePoint& x) {
  system_->linearize_motion(x.t, x.q, x.v, x.a);
  rows_.take(*system_, x);
  f_.take(rows_);
}

void NamedMotion::take_parameters(const DesignJacobian& design) {
  system_->tangents(design, nullptr, &levels_);
  f_.take_parameters(levels_);
}

void NamedMotion::place_tangent(const MatX& dq, MatX& y) const {
  y = f_.p.Phi;
  y.noalias() += f_.J.Phi_q * dq;
}

void NamedMotion::speed_tangent(const MatX& dq, const MatX& dv, MatX& ydot) const {
  ydot = f_.p.Phi_dot;
  ydot.noalias() += f_.J.Phidot_q * dq;
  ydot.noalias() += f_.J.Phi_q * dv;
}

void NamedMotion::acceleration_tangent(const MatX& dq, const MatX& dv, const MatX& da,
                                       MatX& yddot) const {
  yddot = f_.p.Phi_ddot;
  yddot.noalias() += f_.J.Phiddot_q * dq;
  yddot.noalias() += f_.J.Phiddot_v * dv;
  yddot.noalias() += f_.J.Phi_q * da;
}

void NamedMotion::adjoint(const VecX& y, const VecX& ydot, const VecX& yddot, VecX& q, VecX& v,
                          VecX& a, std::span<double> p) {
  q.noalias() += f_.J.Phi_q.transpose() * y;
  q.noalias() += f_.J.Phidot_q.transpose() * ydot;
  q.noalias() += f_.J.Phiddot_q.transpose() * yddot;
  v.noalias() += f_.J.Phi_q.transpose() * ydot;
  v.noalias() += f_.J.Phiddot_v.transpose() * yddot;
  a.noalias() += f_.J.Phi_q.transpose() * yddot;
  f_.hand_back(y, 1, phi_);
  f_.hand_back(ydot, 1, phi_dot_);
  f_.hand_back(yddot, 1, phi_ddot_);
  system_->pullback({}, {phi_, phi_dot_, phi_ddot_}, {{}, {}, {}, p});
}

}  // namespace kinegrad
