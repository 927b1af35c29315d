// Text inside a page of HTML.
#pragma once

#include <string>
#include <string_view>

namespace kinegrad::io {

/// JSON that may stand inside <script>: no text in it can end the element or begin a comment.
std::string script_json(std::string_view json);

/// Text that may stand between tags.
std::string html_text(std::string_view text);

}  // namespace kinegrad::io
