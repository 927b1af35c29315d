#include "kinegrad/io/warnings_output.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

TEST(WarningsOutput, SaysWhenAndWhat) {
  const Warnings warnings{{"kink", "\"abs\" of force F is met at its kink", "F", 0.25},
                          {"energy", "the run changes its energy", "", Warning{}.t}};
  const std::string text = warnings_text(warnings);
  EXPECT_NE(text.find("warning: at t = 0.25 s: \"abs\" of force F"), std::string::npos);
  EXPECT_NE(text.find("warning: the run changes"), std::string::npos);
  EXPECT_TRUE(warnings_text({}).empty());
}

}  // namespace
}  // namespace kinegrad
