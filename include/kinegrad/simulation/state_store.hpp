// States of one shape, number by number in large blocks: what a run keeps of its steps. Memory is reused
// after clear().
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

/// How many numbers a state has besides its time.
std::size_t numbers_of(const StepState<double>& x);

class StateStore {
 public:
  /// Forgets the states; the next ones may have another shape.
  void clear();
  /// @pre x has the shape of the others
  void push(const StepState<double>& x);
  std::size_t size() const { return size_; }
  double time(std::size_t k) const { return *place(k); }
  /// Allocates nothing where x had the shape already.
  void read(std::size_t k, StepState<double>& x) const;

 private:
  using Shape = std::array<Eigen::Index, 5>;
  static Shape shape_of(const StepState<double>& x);
  const double* place(std::size_t k) const {
    return blocks_[k / per_block_].get() + (k % per_block_) * stride_;
  }

  Shape shape_{};
  std::size_t stride_ = 1, per_block_ = 1, size_ = 0, block_ = 0;
  std::vector<std::unique_ptr<double[]>> blocks_;
};

}  // namespace kinegrad
