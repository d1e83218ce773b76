#pragma once
// The files of views/web/ as CMake embeds them: what pages are made of besides their data.

#include <string_view>

namespace toroid::views::web {

extern const std::string_view run_style, run_body, run_script;

}  // namespace toroid::views::web
