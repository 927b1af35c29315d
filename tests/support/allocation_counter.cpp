#include "support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations{0}, allocated_bytes{0};

[[maybe_unused]] void count(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(static_cast<std::int64_t>(size), std::memory_order_relaxed);
}

}  // namespace

// The sanitizers bring operators and a malloc of their own, which check that the two match: there
// nothing is replaced and nothing counted. The release suite is where the counts are made.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// Eigen calls malloc by itself, so where the C library allows it malloc is counted and operator new
// with it.
#ifdef __GLIBC__
constexpr bool kCountsMalloc = true;
#else
constexpr bool kCountsMalloc = false;
#endif

void* counted(std::size_t size) {
  if (!kCountsMalloc) count(size);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* counted(std::size_t size, std::align_val_t alignment) {
  count(size);
  const std::size_t unit = static_cast<std::size_t>(alignment);
  void* const memory = std::aligned_alloc(unit, (size + unit) / unit * unit);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#ifdef __GLIBC__
extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT: the name is the C library's

void* malloc(std::size_t size) noexcept {
  count(size);
  return __libc_malloc(size);
}
}
#endif

// The nothrow forms of the standard library call these.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t unit) { return counted(size, unit); }
void* operator new[](std::size_t size, std::align_val_t unit) { return counted(size, unit); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif  // no sanitizer

namespace kinegrad {

AllocationCounter::AllocationCounter()
    : start_(allocations.load()), start_bytes_(allocated_bytes.load()) {}

std::int64_t AllocationCounter::count() const { return allocations.load() - start_; }
std::int64_t AllocationCounter::bytes() const { return allocated_bytes.load() - start_bytes_; }

}  // namespace kinegrad
