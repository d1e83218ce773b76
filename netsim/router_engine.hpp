#pragma once
// The engine for a second opinion: it has what the others leave out, routers that hold up packets.

#include <string_view>

namespace toroid::netsim {

/// Its name. Keys give its routers other properties than the machine's: `routing=adaptive`.
extern const std::string_view router_engine;

}  // namespace toroid::netsim
