#pragma once
// What formats of text share. Programs repeat themselves, so most lines need to be understood only once when they are
// read, and most operations to be spelled only once when they are written.

#include <cmath>
#include <cstring>
#include <deque>

#include "core/flat_map.hpp"
#include "core/hash.hpp"
#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

/// What lines mean that were read before.
class KnownLines {
 public:
  /// An operation of a rank, by its number in the trace.
  struct Meaning {
    Rank rank;
    std::uint32_t number;
  };

  /// What the line means; null if it is not known.
  const Meaning* find(std::string_view line) const { return meanings_.find(Key(line)); }

  /// Remembers a line that is not known.
  void add(std::string_view line, Meaning meaning) { meanings_.try_emplace(Key(texts_.emplace_back(line)), meaning); }

  void clear() {
    meanings_ = {};
    texts_.clear();
  }

 private:
  struct Key {
    Key() = default;
    explicit Key(std::string_view line) : hash(hash_of(line)), text(line) {}
    bool operator==(const Key& other) const { return hash == other.hash && text == other.text; }

    std::uint64_t hash = 0;
    std::string_view text;
  };
  struct Hash {
    std::uint64_t operator()(const Key& key) const { return key.hash; }
  };

  /// The hash of a text, computed from eight bytes at a time; the last eight may overlap those before.
  static std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = text.size();
    const auto mix = [&](const char* at, std::size_t bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, bytes);
      hash = core::mix(hash, word);
    };
    constexpr std::size_t step = sizeof(std::uint64_t);
    if (text.size() < step) {
      if (!text.empty()) mix(text.data(), text.size());
      return hash;
    }
    for (std::size_t i = 0; i + step < text.size(); i += step) mix(text.data() + i, step);
    mix(text.data() + text.size() - step, step);
    return hash;
  }

  core::FlatMap<Key, Meaning, Hash> meanings_;
  std::deque<std::string> texts_;  ///< what the keys point into
};

/// Whether the fields of an operation say all of it: the address of a list does not say what is in it.
inline bool has_no_lists(const Operation& op) {
  return op.requests.empty() && op.after.empty() && op.after_begin.empty() && op.send_counts.empty() &&
         op.recv_counts.empty();
}

/// Appends an amount in the fewest digits that read back to the same number. Most amounts are whole and are written
/// faster.
inline void append_amount(std::string& text, double amount) {
  constexpr double whole_below = 1e15;
  if (amount >= 0 && amount < whole_below && !std::signbit(amount) && amount == std::floor(amount)) {
    const fmt::format_int digits(static_cast<std::uint64_t>(amount));
    text.append(digits.data(), digits.size());
  } else {
    text += fmt::format("{}", amount);
  }
}

}  // namespace toroid::workloads
