#pragma once
// Algorithms from elsewhere that run in this process: what they throw is told in a line that names them.

#include <cxxabi.h>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>

#include "core/interrupt.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {

/// Calls code of somebody else, whom `who` names, and returns its result. What it throws becomes an InputError that
/// begins with `who`, unless it is an error for users, a lack of memory or the end of an interrupted run.
template <class Call>
auto blamed(std::string_view who, Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    const auto* one = &error;
    if (dynamic_cast<const InputError*>(one) != nullptr || dynamic_cast<const SimulationError*>(one) != nullptr ||
        dynamic_cast<const Interrupted*>(one) != nullptr || dynamic_cast<const std::bad_alloc*>(one) != nullptr)
      throw;
    fail_input("{}: threw an exception: {}", who, error.what());
  } catch (...) {
    const auto* type = abi::__cxa_current_exception_type();
    const std::unique_ptr<char, void (*)(void*)> name(
        type == nullptr ? nullptr : abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), std::free);
    fail_input("{}: threw {}, expected a std::exception", who, name ? name.get() : "an exception of an unknown type");
  }
}

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
