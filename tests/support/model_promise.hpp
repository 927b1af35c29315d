// What the reader promises about any text: it is a model whose numbers are finite, or there are findings,
// each with its place. The seeded mutations and the fuzz target both ask.
#pragma once

#include <string>

namespace kinegrad::test {

struct ModelPromise {
  bool sound = false;  ///< the text is a model
  std::string broken;  ///< which promise does not hold; empty if all do
};

/// Reads and compiles the text and describes the model.
ModelPromise reader_promise(const std::string& text);

}  // namespace kinegrad::test
