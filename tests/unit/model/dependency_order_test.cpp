#include "model/dependency_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinegrad {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const NameIndex kNames{{"a", 0}, {"b", 1}, {"c", 2}};

TEST(DependencyOrder, NamesComeBeforeTheirUsers) {
  const DependencyOrder result = dependency_order({"2*b + c", "c^2", "1e5"}, kNames);
  EXPECT_THAT(result.order, ElementsAre(2, 1, 0));
  EXPECT_THAT(result.cycles, IsEmpty());
}

TEST(DependencyOrder, WordsAreTakenWhole) {
  const DependencyOrder result = dependency_order({"ab + b1 + b.x + 2b", "bc(", "a"}, kNames);
  EXPECT_THAT(result.order, ElementsAre(0, 1, 2));
}

TEST(DependencyOrder, ArgumentsOfReactionsAreNoDefinitions) {
  const DependencyOrder result =
      dependency_order({"-reaction(a, b) + c", "reaction (b,a)*2", "reaction(c, a"}, kNames);
  EXPECT_THAT(result.order, ElementsAre(2, 0, 1));
  EXPECT_THAT(result.cycles, IsEmpty());
}

TEST(DependencyOrder, RingsAreReportedOnce) {
  EXPECT_THAT(dependency_order({"a + a", "b", "1"}, kNames).cycles,
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  const DependencyOrder result = dependency_order({"b", "c + a", "b*a"}, kNames);
  EXPECT_THAT(result.cycles, ElementsAre(ElementsAre(1, 2)));
  EXPECT_EQ(result.order.size(), 3u);
}

TEST(DependencyOrder, TextOfARing) {
  EXPECT_EQ(cycle_text({"a"}), "a → a");
  EXPECT_EQ(cycle_text({"a", "b"}), "a → b → a");
  EXPECT_EQ(cycle_text({"a", "b", "c", "d", "e", "f", "g", "h"}), "a → b → c → d → e → f → … → a");
}

}  // namespace
}  // namespace kinegrad
