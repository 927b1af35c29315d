// The real parts of a tree's constants and of its state, at which derivatives for Newton's method are taken. Where
// all numbers are real they are the constants and the state themselves, and nothing is computed again.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "kinegrad/ports/loaded_tree.hpp"

namespace kinegrad {

template <Scalar T>
class RealTree {
 public:
  /// The tree must outlive the object.
  explicit RealTree(const LoadedTree<T>& tree, TriadInertia inertia = TriadInertia::kHere)
      : tree_(tree) {
    if constexpr (!std::is_same_v<T, double>) {
      own_ = std::make_unique<LoadedTree<double>>(tree.model(), tree.bodies.point, inertia);
      p_.resize(tree.bodies.p.size());
    }
  }

  /// Takes over the parameters of the tree.
  void update() {
    if constexpr (!std::is_same_v<T, double>) {
      for (std::size_t k = 0; k < p_.size(); ++k) p_[k] = real_part(tree_.bodies.p[k]);
      own_->set(p_);
    }
  }

  const LoadedTree<double>& get() const {
    if constexpr (std::is_same_v<T, double>) {
      return tree_;
    } else {
      return *own_;
    }
  }

 private:
  const LoadedTree<T>& tree_;
  std::unique_ptr<LoadedTree<double>> own_;
  std::vector<double> p_;
};

/// The real parts of a state that residual() was evaluated at.
template <Scalar T>
class RealState {
 public:
  /// The tree and the state must outlive the object.
  RealState(const RealTree<T>& tree, const TreeState<T>& state) : tree_(tree), state_(state) {
    if constexpr (!std::is_same_v<T, double>) {
      own_ = std::make_unique<TreeState<double>>(tree.get());
      const auto n = static_cast<std::size_t>(tree.get().nq());
      for (auto* x : {&own_q_, &own_v_, &own_a_, &own_r_}) x->resize(n);
    }
  }

  /// Of the last residual(t, q, v, a) of the state.
  void evaluate(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a) {
    t_ = real_part(t);
    if constexpr (std::is_same_v<T, double>) {
      q_ = q;
      v_ = v;
      a_ = a;
    } else {
      const auto take = [](std::span<const T> from, std::vector<double>& to) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = real_part(from[k]);
        return std::span<const double>(to);
      };
      q_ = take(q, own_q_);
      v_ = take(v, own_v_);
      a_ = take(a, own_a_);
      residual<double>(tree_.get(), t_, q_, v_, a_, *own_, own_r_);
    }
  }

  const TreeState<double>& get() const {
    if constexpr (std::is_same_v<T, double>) {
      return state_;
    } else {
      return *own_;
    }
  }
  double t() const { return t_; }
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  std::span<const double> a() const { return a_; }

 private:
  const RealTree<T>& tree_;
  const TreeState<T>& state_;
  std::unique_ptr<TreeState<double>> own_;
  std::vector<double> own_q_, own_v_, own_a_, own_r_;
  double t_ = 0;
  std::span<const double> q_, v_, a_;
};

}  // namespace kinegrad
