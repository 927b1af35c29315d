#include "kinegrad/simulation/state_store.hpp"

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

constexpr std::size_t kBlock = 2048;  // numbers

auto parts_of(const StepState<double>& x) {
  return std::array<const VecX*, 5>{&x.q, &x.v, &x.a, &x.lambda, &x.own};
}

}  // namespace

std::size_t numbers_of(const StepState<double>& x) {
  std::size_t count = 0;
  for (const VecX* part : parts_of(x)) count += static_cast<std::size_t>(part->size());
  return count;
}

StateStore::Shape StateStore::shape_of(const StepState<double>& x) {
  return {x.q.size(), x.v.size(), x.a.size(), x.lambda.size(), x.own.size()};
}

void StateStore::clear() { size_ = 0; }

void StateStore::push(const StepState<double>& x) {
  if (size_ == 0) {
    shape_ = shape_of(x);
    stride_ = 1 + numbers_of(x);
    per_block_ = std::max<std::size_t>(1, kBlock / stride_);
    if (per_block_ * stride_ > block_) {
      blocks_.clear();
      block_ = std::max(kBlock, stride_);
    }
  }
  KINEGRAD_DEMAND(shape_of(x) == shape_);
  if (size_ / per_block_ == blocks_.size()) {
    blocks_.push_back(std::make_unique_for_overwrite<double[]>(block_));
  }
  double* to = blocks_[size_ / per_block_].get() + (size_ % per_block_) * stride_;
  *to++ = x.t;
  for (const VecX* part : parts_of(x))
    to = std::copy(part->data(), part->data() + part->size(), to);
  ++size_;
}

void StateStore::read(std::size_t k, StepState<double>& x) const {
  const double* from = place(k);
  x.t = *from++;
  const std::array<VecX*, 5> parts{&x.q, &x.v, &x.a, &x.lambda, &x.own};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    *parts[i] = Eigen::Map<const VecX>(from, shape_[i]);
    from += shape_[i];
  }
}

}  // namespace kinegrad
