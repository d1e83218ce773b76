#pragma once
// What tells operations apart, for those who keep equal ones once.

#include <bit>
#include <tuple>

#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Equal for operations that are the same. Lists are told apart by where they are, and how long.
inline auto key_of(const Operation& o) {
  const auto place = [](const auto& list) { return std::bit_cast<std::uintptr_t>(list.data()); };
  return std::tuple(o.kind, o.mode, o.comm.value(), o.to, o.from, o.root, o.tag, o.request, o.bytes,
                    std::bit_cast<std::uint64_t>(o.amount), place(o.requests), o.requests.size(), place(o.after),
                    o.after.size(), place(o.after_begin), o.after_begin.size(), place(o.send_counts),
                    o.send_counts.size(), place(o.recv_counts), o.recv_counts.size());
}

inline std::size_t hash_of(const Operation& o) {
  std::size_t h = 0;
  std::apply(
      [&](const auto&... field) {
        ((h = (h ^ static_cast<std::size_t>(field)) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29U), ...);
      },
      key_of(o));
  return h;
}

}  // namespace toroid::workloads
