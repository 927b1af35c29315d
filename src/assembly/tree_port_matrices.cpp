// The parts of r_q and r_v that come from applied forces.
#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

namespace {

/// Adds blocks to whole matrices, or to such in a pattern.
template <typename Matrix>
class BlockAdder final : public PortBlockSink {
 public:
  BlockAdder(Matrix& r_q, Matrix& r_v) : r_q_(r_q), r_v_(r_v) {}
  void add(std::span<const int> columns, const Eigen::Ref<const MatX>& r_q,
           const Eigen::Ref<const MatX>& r_v) override {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
        r_q_(columns[i], columns[j]) += r_q(row, column);
        r_v_(columns[i], columns[j]) += r_v(row, column);
      }
    }
  }

 private:
  Matrix& r_q_;
  Matrix& r_v_;
};

}  // namespace

/// What varying attributes add: the effort they make, applied by Jᵀ, times their gradient.
template <typename Matrix>
void TreePartials::add_varying(std::size_t i, Matrix& r_q, Matrix& r_v) {
  const Force& force = model_.forces()[i];
  const std::span<const int> rows = ports_[i]->columns();
  VecX& applied = varying_[i].by_attribute;
  for (std::size_t k = 0; k < force.variable.size(); ++k) {
    const auto& [place, output] = force.variable[k];
    const std::vector<int>& columns = varying_[i].columns[k];
    expressions_.gradient(state_.expressions, port_site(tree_, state_, at_.t), at_, output, columns,
                          variable_q_, variable_v_);
    applied.setZero();
    ports_[i]->add_attribute_column(place, {applied.data(), rows.size()});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double by = applied(static_cast<Eigen::Index>(r));
      for (const int c : columns) {
        r_q(rows[r], c) += by * variable_q_(c);
        r_v(rows[r], c) += by * variable_v_(c);
      }
    }
  }
}

template <typename Matrix>
void TreePartials::add_port_matrices(Matrix& r_q, Matrix& r_v, bool exact) {
  BlockAdder<Matrix> sink(r_q, r_v);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i]->add_matrices(port_site(tree_, state_, at_.t), at_, exact, sink);
    add_varying(i, r_q, r_v);
  }
}

template void TreePartials::add_port_matrices(MatX&, MatX&, bool);
template void TreePartials::add_port_matrices(SparseRows<double>&, SparseRows<double>&, bool);

}  // namespace kinegrad
