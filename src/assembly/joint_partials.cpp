#include "kinegrad/assembly/joint_partials.hpp"

namespace kinegrad {

JointPartials::JointPartials(const Model& model, ReferencePoint point)
    : dynamics_(model, point),
      constraints_(dynamics_),
      tree_(dynamics_),
      rows_(constraints_, tree_),
      euler_(euler_sets_of(model)),
      r_(static_cast<std::size_t>(model.nq())),
      zero_(r_.size(), 0.0) {}

void JointPartials::set_parameters(std::span<const double> p) {
  dynamics_.set_parameters(p);
  constraints_.update_parameters();
}

void JointPartials::linearize(double t, std::span<const double> q, std::span<const double> v,
                              std::span<const double> a, std::span<const double> lambda) {
  dynamics_.residual(t, q, v, a, r_);
  tree_.linearize(t, q, v, a);
  if (rows() == 0) return;
  constraints_.motion(t, q, v, a);
  rows_.apply(lambda);
}

void JointPartials::linearize_inertia(double t, std::span<const double> q,
                                      std::span<const double> u, std::span<const double> lambda) {
  dynamics_.move_bodies(q, zero_, u);
  tree_.linearize_inertia(q, zero_, u);
  if (rows() == 0) return;
  constraints_.motion(t, q, zero_, zero_);
  rows_.apply(lambda);
}

void JointPartials::matrices(MatX& f_q, MatX& f_v, MatX& f_a) {
  tree_.matrices(f_q, f_v, f_a);
  if (rows() > 0) rows_.add_matrix(f_q);
}

void JointPartials::pullback(std::span<const double> w, const LevelCotangent& levels,
                             const ResidualCotangent& out) {
  tree_.open(w, out);
  if (rows() > 0) rows_.gather(levels, w, out);
  tree_.close(w, out);
}

}  // namespace kinegrad
