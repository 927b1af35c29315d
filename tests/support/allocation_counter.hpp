// Counts heap allocations of the whole test program, by replacing operator new and, with glibc,
// malloc, which Eigen calls. Linked in only where a test uses it:
//
//   const AllocationCounter counter;
//   work();
//   EXPECT_EQ(counter.count(), 0);
#pragma once

#include <cstdint>

namespace kinegrad {

/// Allocations since construction, over all threads.
class AllocationCounter {
 public:
  AllocationCounter();
  std::int64_t count() const;

 private:
  std::int64_t start_;
};

}  // namespace kinegrad
