#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

double normalisation_force(const SystemPartials& system, std::span<const double> q, int first) {
  const auto p = read(q).segment<4>(first);
  return -p.dot(system.f().segment<4>(first)) / p.squaredNorm();
}

/// Speeds have no Φ, normalisations no parameters.
void pick_rows(std::span<const int> which, const MatX& rows, MatX& some) {
  some.resize(static_cast<Eigen::Index>(which.size()), rows.cols());
  for (std::size_t i = 0; i < which.size(); ++i) {
    auto to = some.row(static_cast<Eigen::Index>(i));
    if (which[i] >= 0 && which[i] < rows.rows()) {
      to = rows.row(which[i]);
    } else {
      to.setZero();
    }
  }
}

StageRows::StageRows(const SystemPartials& system)
    : euler_(system.euler_sets().begin(), system.euler_sets().end()),
      m_(system.rows()),
      rows_(m_ + static_cast<int>(euler_.size())),
      remaining_(static_cast<std::size_t>(rows_), 1.0) {}

void StageRows::set_pattern(const SparseRows<double>& pattern) {
  for (PatternMatrix* A : {&J.Phi_q, &J.Phidot_q, &J.Phiddot_q, &J.Phiddot_v}) {
    A->set_pattern(pattern);
  }
}

void StageRows::take_whole(SystemPartials& system, RowLevels levels) {
  system.jacobians(part_, levels);
  const auto take = [&](MatX& from, MatX& to) {
    to.resize(rows_, from.cols());
    if (rows_ == m_) return to.swap(from);
    to.topRows(m_) = from;
    to.bottomRows(rows_ - m_).setZero();
  };
  take(part_.Phi_q, J.Phi_q.whole());
  take(part_.Phidot_q, J.Phidot_q.whole());
  take(part_.Phiddot_q, J.Phiddot_q.whole());
  take(part_.Phiddot_v, J.Phiddot_v.whole());
}

void StageRows::take(SystemPartials& system, const StagePoint& x, RowLevels levels) {
  if (J.Phi_q.sparse()) {
    const SparseRowJacobians out{J.Phi_q.by_rows(), J.Phidot_q.by_rows(), J.Phiddot_q.by_rows(),
                                 J.Phiddot_v.by_rows()};
    system.jacobians(out, levels);
  } else {
    take_whole(system, levels);
  }
  if (levels != RowLevels::kMotion) {
    for (int i = 0; i < m_; ++i) remaining_[static_cast<std::size_t>(i)] = system.remaining(i);
  }
  for (std::size_t e = 0; e < euler_.size(); ++e) {
    const int row = m_ + static_cast<int>(e);
    for (int c = euler_[e]; c < euler_[e] + 4; ++c) {
      const auto k = static_cast<std::size_t>(c);
      J.Phi_q.add(row, c, x.q[k]);
      J.Phidot_q.add(row, c, x.v[k]);
      J.Phiddot_q.add(row, c, x.a[k]);
      J.Phiddot_v.add(row, c, 2 * x.v[k]);
    }
  }
}

}  // namespace kinegrad
