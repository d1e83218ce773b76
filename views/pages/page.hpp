#pragma once
// A page: one file that draws a document of columns, needs no other file and fetches nothing.

#include <string>
#include <string_view>

#include "views/columns.hpp"

namespace toroid::views {

/// What a page is made of besides its data: the files of views/web/ that its list names, as CMake embeds them.
struct PageParts {
  std::string_view style, body, script;
};

namespace web {
extern const PageParts run, schedule, platform, diff;
}  // namespace web

/// The text of the page.
std::string page(std::string_view title, const Columns& columns, const PageParts& parts);

}  // namespace toroid::views
