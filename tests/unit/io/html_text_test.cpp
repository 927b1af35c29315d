// Text in a page: nothing a model says can leave its place.
#include "io/html_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kinegrad::io {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ScriptJson, CannotEndItsElement) {
  const nlohmann::json data{{"name", "</script><!-- <script> & \"quoted\" \\ é"}};
  const std::string text = script_json(data.dump());
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr(">")));
  EXPECT_EQ(nlohmann::json::parse(text), data) << "it means the same";
}

TEST(HtmlText, EscapesWhatIsMarkup) {
  EXPECT_EQ(html_text("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
}

}  // namespace
}  // namespace kinegrad::io
