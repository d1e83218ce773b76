#pragma once
// Errors that say what was being read.

#include <string_view>

#include "core/error.hpp"

namespace toroid::core {

/// What `read` returns. An InputError that it throws says `context` first.
template <class Read>
auto in_context(std::string_view context, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    fail_input("{}: {}", context, error.what());
  }
}

}  // namespace toroid::core
