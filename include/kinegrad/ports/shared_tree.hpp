// The constants of a tree for an object that reads them: its own, which follow its parameters, or those of
// somebody else, who sets them and outlives it. A run makes one set of constants for all that it consists of.
#pragma once

#include <memory>
#include <span>

#include "kinegrad/ports/loaded_tree.hpp"

namespace kinegrad {

template <Scalar T>
class SharedTree {
 public:
  /// Of its own. The model must outlive the object.
  SharedTree(const Model& model, ReferencePoint point, TriadInertia inertia = TriadInertia::kHere)
      : own_(std::make_unique<LoadedTree<T>>(model, point, inertia)), tree_(*own_) {}
  /// Of somebody else.
  explicit SharedTree(const LoadedTree<T>& tree) : tree_(tree) {}
  /// Of somebody else where there are any.
  SharedTree(const Model& model, ReferencePoint point, const LoadedTree<T>* constants)
      : own_(constants ? nullptr : std::make_unique<LoadedTree<T>>(model, point)),
        tree_(constants ? *constants : *own_) {}

  /// Its own constants follow p; those of somebody else are at p.
  void set(std::span<const T> p) {
    if (own_) own_->set(p);
  }
  const LoadedTree<T>& get() const { return tree_; }

 private:
  std::unique_ptr<LoadedTree<T>> own_;
  const LoadedTree<T>& tree_;
};

}  // namespace kinegrad
