// The real parts of a tree's constants. Where all numbers are real they are the constants themselves.
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

}  // namespace kinegrad
