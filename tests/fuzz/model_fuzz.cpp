// libFuzzer: any bytes as a model file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "support/model_promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const kinegrad::test::ModelPromise promise = kinegrad::test::reader_promise(text);
  if (promise.broken.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", promise.broken.c_str());
  std::abort();
}
