#pragma once
// Errors that say what was being read.

#include "toroid/core/error.hpp"

namespace toroid::core {

/// Calls `read` and returns its result. The message of an InputError that it throws gets `context` before it.
template <class Read>
auto in_context(std::string_view context, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    fail_input("{}: {}", context, error.what());
  }
}

}  // namespace toroid::core
