// The places and axes of bodies as a linear function of natural coordinates
// (docs/theory/global_coordinates.md, [NC]).
//
// By [NC-1] the triples (r, u, v, w) of a body are sums of its four elements,
//
//   (r, u, v, w)ᵀ = Γ(p) (element 0, …, element 3)ᵀ                                           [NC-2]
//
// with C = [ē₁ ē₂ ē₃]⁻¹ and s the local place of element 0: u_j = Σ e_k C_kj, r = element 0 − Σ e_k (C s)_k.
// Γ is constant in time. Together all of them make the coordinates of the tree, z = G(p) q + g(p), g from
// elements on the ground.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/sparse_rows.hpp"
#include "kinegrad/model/model.hpp"

namespace kinegrad {

template <Scalar T>
class NaturalMap {
 public:
  using Gamma = Mat<T, 4, 4>;  ///< row: r, u, v, w; column: element

  /// The model must outlive the map.
  explicit NaturalMap(const Model& model);

  void set_parameters(std::span<const T> p);
  int nq() const { return basis_.nq; }
  int tree_nq() const { return tree_nq_; }
  const NaturalBasis& basis() const { return basis_; }
  const Gamma& gamma(std::size_t body) const { return gamma_[body]; }

  /// G by rows of the tree.
  const SparseRows<T>& G() const { return G_; }

  /// z of coordinates, ż of rates.
  void expand(std::span<const T> q, std::span<T> z) const { expand(q, z, true); }
  void expand_rates(std::span<const T> v, std::span<T> z) const { expand(v, z, false); }
  /// y += Gᵀz.
  void pull(std::span<const T> z, std::span<T> y) const;
  /// The coordinates of bodies that are where z says; rates from rates in the same way.
  void reduce(std::span<const T> z, std::span<T> q) const;
  /// z̄ and p̄ from q̄ of reduce().
  void pull_reduction(std::span<const T> q_bar, std::span<const T> z, std::span<T> z_bar,
                      std::span<T> p_bar) const;

  /// Three numbers of an element, zero or what p has for one on the ground.
  Vec3T<T> element(int index, std::span<const T> q, bool place) const;
  /// e_k of a body, k = 1 … 3.
  Vec3T<T> direction(const NaturalBody& body, int k, std::span<const T> q, bool place) const;
  /// ē_k, and how it and Γ change along dp.
  Vec3T<T> local(const NaturalBody& body, int k) const { return local(body, k, p_); }
  Vec3T<T> local_change(const NaturalBody& body, int k, std::span<const T> dp) const {
    return local(body, k, dp);
  }
  Gamma gamma_change(std::size_t body, std::span<const T> dp) const;

 private:
  void expand(std::span<const T> q, std::span<T> z, bool place) const;
  void build_G();
  Vec3T<T> local(const NaturalBody& body, int k, std::span<const T> p) const;
  Gamma gamma_of(const NaturalBody& body, const Mat3T<T>& C, const Vec3T<T>& Cs) const;

  const Model& model_;
  const NaturalBasis& basis_;
  int tree_nq_;
  std::vector<T> p_;
  std::vector<Gamma> gamma_;
  SparseRows<T> G_;
  struct Source {
    std::size_t body;
    int row, column;
  };
  std::vector<Source> sources_;
  std::vector<int> entries_;  // by entry of G: its source, -1: it is 1
};

/// Cotangents of everything that depends on Γ, body by body, and their way to p [NC-4].
class NaturalCotangent {
 public:
  explicit NaturalCotangent(const NaturalMap<double>& map);
  void clear();
  /// Γ̄ += z̄ xᵀ for triples z̄ of the tree and elements x of a vector of coordinates or rates; with
  /// `place`, what is on the ground counts and gets its share of p̄.
  void add(std::span<const double> z_bar, std::span<const double> x, bool place,
           std::span<double> p_bar);
  /// Adds to p̄.
  void pull(std::span<const double> p, std::span<double> p_bar) const;

 private:
  const NaturalMap<double>& map_;
  std::vector<Mat<double, 4, 4>> gamma_;
};

}  // namespace kinegrad
