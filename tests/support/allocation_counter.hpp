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
  /// What they asked for, whether it was given back or not.
  std::int64_t bytes() const;

 private:
  std::int64_t start_, start_bytes_;
};

}  // namespace kinegrad
