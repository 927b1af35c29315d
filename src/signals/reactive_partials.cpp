#include "kinegrad/signals/reactive_partials.hpp"

#include <algorithm>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_forces.hpp"

namespace kinegrad {

ReactivePartials::ReactivePartials(const Model& model, std::unique_ptr<SystemPartials> system)
    : system_(std::move(system)),
      signals_(model),
      f_(system_->nq()),
      no_q_(static_cast<std::size_t>(system_->nq())),
      no_v_(no_q_),
      no_a_(no_q_),
      no_lambda_(static_cast<std::size_t>(system_->rows())),
      no_p_(static_cast<std::size_t>(system_->physical())),
      dp_(no_p_) {
  for (const ReactiveForce& force : model.reactive_forces()) {
    forces_.push_back({force.output, state_coordinate(model, force), VecX::Zero(nq()),
                       VecX::Zero(nq()), VecX::Zero(nq()), VecX::Zero(rows())});
  }
}

void ReactivePartials::set_parameters(std::span<const double> p) {
  system_->set_parameters(p);
  signals_.set_parameters(p);
}

void ReactivePartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                                 std::span<const double> a, std::span<const double> lambda) {
  system_->linearize(t, q, v, a, lambda);
  signals_.linearize(t, q, v, a, lambda);
  f_ = system_->f();
  for (Gradient& force : forces_) {
    f_(force.coordinate) -= signals_.output(force.output);
    for (VecX* x : {&force.q, &force.v, &force.a, &force.lambda}) x->setZero();
    signals_.pullback(force.output, 1,
                      {out(force.q), out(force.v), out(force.a), out(force.lambda), no_p_});
  }
}

/// f_q, f_v and f_a of [RL-2].
void ReactivePartials::matrices(MatX& f_q, MatX& f_v, MatX& f_a) {
  system_->matrices(f_q, f_v, f_a);
  for (const Gradient& force : forces_) {
    f_q.row(force.coordinate) -= force.q.transpose();
    f_v.row(force.coordinate) -= force.v.transpose();
    f_a.row(force.coordinate) -= force.a.transpose();
  }
}

void ReactivePartials::matrices(SparseRows<double>&, SparseRows<double>&, SparseRows<double>&) {
  throw InvalidArgument("forces that read reactions have whole matrices");
}

/// What f_λ has beyond Φ_qᵀ.
void ReactivePartials::add_reactive_columns(const ColumnVisitor& visit) const {
  for (const Gradient& force : forces_) {
    for (int i = 0; i < rows(); ++i) visit(force.coordinate, i, -force.lambda(i));
  }
}

/// What f_a has beyond M.
void ReactivePartials::add_reactive_masses(const ColumnVisitor& visit) const {
  for (const Gradient& force : forces_) {
    for (int j = 0; j < nq(); ++j) visit(force.coordinate, j, -force.a(j));
  }
}

void ReactivePartials::pullback(std::span<const double> w, const LevelCotangent& levels,
                                const ResidualCotangent& out) {
  system_->pullback(w, levels, out);
  if (w.empty()) return;
  const auto wanted = [](std::span<double> x, std::vector<double>& spare) {
    return x.empty() ? std::span<double>(spare) : x;
  };
  for (const Gradient& force : forces_) {
    const double weight = -w[static_cast<std::size_t>(force.coordinate)];
    if (weight == 0) continue;
    signals_.pullback(force.output, weight,
                      {wanted(out.q, no_q_), wanted(out.v, no_v_), wanted(out.a, no_a_), no_lambda_,
                       wanted(out.p, no_p_)});
  }
}

void ReactivePartials::linearize_accelerations(double, std::span<const double>,
                                               std::span<const double>, std::span<const double>) {
  throw InvalidArgument("forces that read reactions have no accelerations by recursion");
}

void ReactivePartials::pullback_accelerations(std::span<const double>, std::span<double>,
                                              std::span<double>, std::span<double>) {
  throw InvalidArgument("forces that read reactions have no accelerations by recursion");
}

void ReactivePartials::tangents(const DesignJacobian& design, MatX* f_p, LevelTangent* levels) {
  system_->tangents(design, f_p, levels);
  if (!f_p) return;
  for (const Gradient& force : forces_) {
    std::fill(no_p_.begin(), no_p_.end(), 0.0);
    signals_.pullback(force.output, 1, {no_q_, no_v_, no_a_, no_lambda_, no_p_});
    for (int k = 0; k < design.parameters(); ++k) {
      design.column(k, dp_);
      (*f_p)(force.coordinate, k) -= read(std::span<const double>(no_p_)).dot(read(dp_));
    }
  }
}

std::unique_ptr<SystemPartials> make_system_partials(const Model& model, ReferencePoint point,
                                                     RowSet rows) {
  auto plain = make_plain_partials(model, point, rows);
  if (model.reactive_forces().empty()) return plain;
  return std::make_unique<ReactivePartials>(model, std::move(plain));
}

std::unique_ptr<SystemPartials> make_system_partials(const LoadedTree<double>& constants,
                                                     RowSet rows) {
  auto plain = std::make_unique<JointPartials>(SharedTree<double>(constants), rows);
  if (constants.model().reactive_forces().empty()) return plain;
  return std::make_unique<ReactivePartials>(constants.model(), std::move(plain));
}

}  // namespace kinegrad
