#pragma once
// In tests, ids are compared with the numbers that a reader expects: CHECK(machine.router(5) == 2).

#include "toroid/core/id.hpp"

namespace toroid::core {

template <class Tag>
constexpr bool operator==(Id<Tag> id, std::int32_t number) {
  return id.value() == number;
}

}  // namespace toroid::core
