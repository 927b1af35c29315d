// The matrices of natural coordinates: those of the tree between Gᵀ and G, whole or in a pattern.
#include "kinegrad/assembly/natural_partials.hpp"
#include "kinegrad/base/index.hpp"
#include "kinegrad/math/pattern_builder.hpp"

namespace kinegrad {

namespace {

/// Columns that row i of XG has.
std::vector<int> mapped(const SparseRows<double>& X, const SparseRows<double>& G, int i) {
  std::vector<int> columns;
  X.each(i, [&](int j, double) { G.each(j, [&](int c, double) { columns.push_back(c); }); });
  return columns;
}

}  // namespace

SystemPattern NaturalPartials::pattern() const {
  const SparseRows<double>& G = map_.G();
  const SystemPattern tree = tree_.pattern();
  const auto congruent = [&](const SparseRows<double>& X, PatternBuilder& out) {
    for (int i = 0; i < X.rows(); ++i) {
      const std::vector<int> columns = mapped(X, G, i);
      G.each(i, [&](int row, double) { out.add_row(row, columns); });
    }
  };
  PatternBuilder mass(nq(), nq()), equations(nq(), nq()), of_rows(rows(), nq());
  congruent(tree.mass, mass);
  congruent(tree.mass, equations);
  congruent(tree.equations, equations);
  for (int i = 0; i < rows(); ++i) of_rows.add_row(i, mapped(tree.rows, G, i));
  const auto columns = rigid_.columns(rows());
  for (const RigidRow& row : map_.basis().rows) {
    const auto& own = columns[index(row.row)];
    const std::vector<int> list(own.begin(), own.end());
    of_rows.add_row(row.row, list);
    equations.add_block(list, list);
  }
  return {mass.build(), equations.build(), of_rows.build()};
}

/// out += X G.
template <typename Matrix>
void NaturalPartials::add_mapped_rows(const SparseRows<double>& X, Matrix& out) const {
  const SparseRows<double>& G = map_.G();
  for (int i = 0; i < X.rows(); ++i) {
    X.each(i, [&](int j, double x) {
      if (x != 0) G.each(j, [&](int c, double g) { out(i, c) += x * g; });
    });
  }
}

/// (Φ_qᵀλ)_q of the rigid rows: products of elements, so λ on both sides.
template <typename Matrix>
void NaturalPartials::add_rigid_matrix(std::span<const double> lambda, Matrix& f_q) const {
  const auto& elements = map_.basis().elements;
  for (const RigidRow& row : map_.basis().rows) {
    const double s = lambda[index(row.row)] * rigid_.factor(row);
    const auto left = rigid_.side(row, row.i), right = rigid_.side(row, row.j);
    for (int m = 0; m < left.count; ++m) {
      for (int n = 0; n < right.count; ++n) {
        const int i = elements[index(left.element[m])].first;
        const int j = elements[index(right.element[n])].first;
        if (i < 0 || j < 0) continue;
        for (int c = 0; c < 3; ++c) {
          f_q(i + c, j + c) += s * left.sign[m] * right.sign[n];
          f_q(j + c, i + c) += s * left.sign[m] * right.sign[n];
        }
      }
    }
  }
}

/// Of the tree at the current state, the inertia of bodies included.
void NaturalPartials::tree_matrices() {
  if (has_matrices_) return;
  has_matrices_ = true;
  tree_.matrices(tree_q_, tree_v_, tree_a_);
  for (std::size_t b = 0; b < mu_.size(); ++b) {
    const int first = map_.basis().bodies[b].tree;
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < 4; ++l) {
        for (int c = 0; c < 3; ++c) tree_a_(first + 3 * k + c, first + 3 * l + c) += mu_[b](k, l);
      }
    }
  }
}

template <typename Matrix>
void NaturalPartials::fill_matrices(Matrix& f_q, Matrix& f_v, Matrix& f_a) {
  tree_matrices();
  for (Matrix* x : {&f_q, &f_v, &f_a}) clear(*x, nq(), nq());
  congruence_.add(tree_q_, map_.G(), f_q);
  congruence_.add(tree_v_, map_.G(), f_v);
  congruence_.add(tree_a_, map_.G(), f_a);
  add_rigid_matrix(lambda_, f_q);
}

void NaturalPartials::matrices(MatX& f_q, MatX& f_v, MatX& f_a) { fill_matrices(f_q, f_v, f_a); }
void NaturalPartials::matrices(SparseRows<double>& f_q, SparseRows<double>& f_v,
                               SparseRows<double>& f_a) {
  fill_matrices(f_q, f_v, f_a);
}

void NaturalPartials::tree_jacobians() {
  if (has_jacobians_) return;
  has_jacobians_ = true;
  tree_.jacobians(SparseRowJacobians{Phi_z_, Phidot_z_, Phiddot_z_, Phiddot_zdot_},
                  RowLevels::kAll);
  mapped_.apply(tree_.constraints(), tree_.motion(), map_.G());
}

template <typename Jacobians>
void NaturalPartials::fill_jacobians(Jacobians& out, RowLevels levels) {
  tree_jacobians();
  clear(out.Phi_q, rows(), nq());
  clear(out.Phidot_q, rows(), nq());
  clear(out.Phiddot_q, rows(), nq());
  clear(out.Phiddot_v, rows(), nq());
  const bool places = levels != RowLevels::kMotion, motion = levels != RowLevels::kPlaces;
  if (places) {
    const SparseRows<double>& Phi_q = mapped_.Phi_q();
    for (int i = 0; i < rows(); ++i) {
      Phi_q.each(i, [&](int c, double x) { out.Phi_q(i, c) = x; });
    }
  }
  if (motion) {
    add_mapped_rows(Phidot_z_, out.Phidot_q);
    add_mapped_rows(Phiddot_z_, out.Phiddot_q);
    add_mapped_rows(Phiddot_zdot_, out.Phiddot_v);
  }
  const auto& elements = map_.basis().elements;
  for (const RigidRow& row : map_.basis().rows) {
    const NaturalBody& body = map_.basis().bodies[index(row.body)];
    const double half = rigid_.factor(row);
    const auto add = [&](int k, int other, std::span<const double> x, bool place, double scale,
                         auto& to) {
      const Vec3 e = half * scale * map_.direction(body, other, x, place);
      const auto side = rigid_.side(row, k);
      for (int n = 0; n < side.count; ++n) {
        const int first = elements[index(side.element[n])].first;
        for (int c = 0; c < 3 && first >= 0; ++c) to(row.row, first + c) += side.sign[n] * e(c);
      }
    };
    for (const auto& [k, other] : {std::pair{row.i, row.j}, std::pair{row.j, row.i}}) {
      if (places) add(k, other, q_, true, 1, out.Phi_q);
      if (!motion) continue;
      add(k, other, v_, false, 1, out.Phidot_q);
      add(k, other, a_, false, 1, out.Phiddot_q);
      add(k, other, v_, false, 2, out.Phiddot_v);
    }
  }
}

void NaturalPartials::jacobians(RowJacobians& out, RowLevels levels) {
  fill_jacobians(out, levels);
}
void NaturalPartials::jacobians(const SparseRowJacobians& out, RowLevels levels) {
  fill_jacobians(out, levels);
}

template <typename Matrix>
void NaturalPartials::fill_inertia(Matrix& f_q) {
  clear(f_q, nq(), nq());
  tree_.inertia_matrix(tree_u_);
  congruence_.add(tree_u_, map_.G(), f_q);
  add_rigid_matrix(u_lambda_, f_q);
}

void NaturalPartials::inertia_matrix(MatX& f_q) { fill_inertia(f_q); }
void NaturalPartials::inertia_matrix(SparseRows<double>& f_q) { fill_inertia(f_q); }

}  // namespace kinegrad
