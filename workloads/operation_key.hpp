#pragma once
// What tells operations apart, for those who keep equal ones once.

#include <bit>
#include <cstdint>
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
  const auto pair = [](auto high, auto low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
  };
  const auto list = [](const auto& l) { return std::bit_cast<std::uintptr_t>(l.data()) + l.size(); };
  const std::uint64_t lists = list(o.requests) + 3 * list(o.after) + 5 * list(o.after_begin) + 7 * list(o.send_counts) +
                              9 * list(o.recv_counts);
  std::uint64_t h = 0;
  for (const std::uint64_t word : {pair(o.kind, o.mode), pair(o.comm.value(), o.request), pair(o.to, o.from),
                                   pair(o.root, o.tag), o.bytes, std::bit_cast<std::uint64_t>(o.amount), lists}) {
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29U;
  }
  return h;
}

}  // namespace toroid::workloads
