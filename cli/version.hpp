#pragma once

namespace toroid::cli {
inline constexpr const char* version = TOROID_VERSION;
}
