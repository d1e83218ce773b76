#pragma once
// The program of one rank as three strings of bytes, and numbers for the operations in it: programs repeat themselves.
// In that of items stand the numbers of operations in a vocabulary,
// seven bits a byte, lowest first, and for each computation a byte that says how wide its amount is. Whole amounts, as
// tracers write them, take two bytes or four and follow each other in the second string, others take eight in the
// third. Our own form has the same bytes in its files, so that they are taken over as they are, once they are checked.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "core/flat_map.hpp"
#include "core/hash.hpp"
#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

class ProgramCode {
 public:
  class Reader;

  /// Items and the amounts of the computations among them.
  struct Block {
    std::span<const std::uint8_t> items, whole, real;
  };
  /// What check() finds: how many items a block has, or what is wrong with it, `found ..., expected ...`.
  struct Checked {
    std::uint64_t items = 0;
    std::string fault = {};  ///< empty if all is well
  };
  /// Checks a block that comes from elsewhere, of fewer than 2^32 bytes: its numbers must be below `operations`, its
  /// amounts finite and not negative.
  static Checked check(const Block& block, std::size_t operations);

  /// Appends an operation by its number, which is below 2^32 - 3.
  void add_operation(std::uint32_t number) {
    TOROID_ASSERT_HEAVY(number + first_number > number);
    auto* at = items_.room(most_number_bytes);
    auto rest = number + first_number;
    for (; rest >= 0x80; rest >>= 7U) *at++ = static_cast<std::uint8_t>(rest | 0x80U);
    *at++ = static_cast<std::uint8_t>(rest);
    items_.end_at(at);
  }

  /// Appends a computation. Its amount, which may be any, reads back to the last bit.
  void add_computation(double amount) {
    // The sign of minus zero would be lost.
    const bool fits = amount >= 0 && amount <= std::numeric_limits<std::uint32_t>::max() && !std::signbit(amount);
    const auto whole = fits ? static_cast<std::uint32_t>(amount) : 0;
    if (!fits || whole != amount)
      add_amount(real_, double_amount, amount);
    else if (whole <= std::numeric_limits<std::uint16_t>::max())
      add_amount(whole_, short_amount, static_cast<std::uint16_t>(whole));
    else
      add_amount(whole_, long_amount, whole);
  }

  /// Appends a block that check() found nothing wrong with.
  void add(const Block& block) {
    items_.add(block.items);
    whole_.add(block.whole);
    real_.add(block.real);
  }
  /// The whole program as a block, valid until something is added.
  Block block() const { return {items_.bytes(), whole_.bytes(), real_.bytes()}; }
  void clear() {
    items_.clear();
    whole_.clear();
    real_.clear();
  }

  /// Gives back the memory that is reserved for further items.
  void shrink_to_fit() {
    items_.shrink_to_fit();
    whole_.shrink_to_fit();
    real_.shrink_to_fit();
  }
  std::size_t memory_bytes() const { return items_.capacity() + whole_.capacity() + real_.capacity(); }

 private:
  class Walk;
  /// The first byte of an item. The first three values mean a computation; operations have first_number and above.
  enum : std::uint8_t { short_amount, long_amount, double_amount, first_number };
  static constexpr std::size_t most_number_bytes = 5;
  static_assert(std::endian::native == std::endian::little, "a number must begin with its lowest byte");

  /// Bytes that grow at their end. Behind them there is always room to read a short amount as wide as a long one.
  class Bytes {
   public:
    std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }
    std::size_t capacity() const { return bytes_.capacity(); }
    void clear() { size_ = 0; }
    /// Makes room for `more` bytes at the end. Returns where they go.
    std::uint8_t* room(std::size_t more) {
      if (bytes_.size() < size_ + more + padding) bytes_.resize(std::max(2 * bytes_.size(), size_ + more) + 64);
      return bytes_.data() + size_;
    }
    void end_at(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }
    void add(std::span<const std::uint8_t> more) {
      std::copy(more.begin(), more.end(), room(more.size()));
      size_ += more.size();
    }
    void shrink_to_fit() {
      bytes_.resize(size_ == 0 ? 0 : size_ + padding);
      bytes_.shrink_to_fit();
    }

   private:
    static constexpr std::size_t padding = sizeof(std::uint32_t) - sizeof(std::uint16_t);
    std::vector<std::uint8_t> bytes_;
    std::size_t size_ = 0;
  };

  template <class Amount>
  void add_amount(Bytes& amounts, std::uint8_t width, Amount amount) {
    auto* item = items_.room(1);
    *item = width;
    items_.end_at(item + 1);
    auto* at = amounts.room(sizeof amount);
    std::memcpy(at, &amount, sizeof amount);
    amounts.end_at(at + sizeof amount);
  }

  Bytes items_, whole_, real_;
};

/// Reads the items of a program in their order: a computation by amount(), an operation by number(). The program must
/// outlive the reader and not change.
class ProgramCode::Reader {
 public:
  Reader() = default;  ///< a reader at no program
  explicit Reader(const ProgramCode& code) : Reader(code.block()) {}

  /// Where the reader is in the three strings.
  struct Place {
    const std::uint8_t *item, *whole, *real;
  };
  Place place() const { return {at_, whole_, real_}; }
  /// Goes to a place where this reader, or another one of the same program, has been.
  void go_to(const Place& place) { std::tie(at_, whole_, real_) = std::tie(place.item, place.whole, place.real); }

  bool at_end() const { return at_ == end_; }
  /// Whether the next item is a computation.
  bool at_computation() const { return *at_ < first_number; }

  /// Takes the next item, a computation, and returns its amount. Short and long amounts come in no order that a
  /// processor could predict, so no branch depends on which of them it is.
  double amount() {
    TOROID_ASSERT_HEAVY(!at_end() && at_computation());
    const auto width = *at_++;
    if (width == double_amount) {
      const auto amount = load<double>(real_);
      real_ += sizeof amount;
      return amount;
    }
    const auto whole = load<std::uint32_t>(whole_) & (width == short_amount ? 0xffffU : ~0U);
    whole_ += sizeof(std::uint16_t) * (1U + width);  // short: 0, long: 1
    return whole;
  }

  /// Takes the next item, an operation, and returns its number.
  std::uint32_t number() {
    TOROID_ASSERT_HEAVY(!at_end() && !at_computation());
    std::uint32_t number = *at_++;
    if (number >= 0x80) number = (number & 0x7fU) | higher_bits();
    return number - first_number;
  }

  /// Takes the next item, whatever it is.
  void pass() {
    if (at_computation())
      amount();
    else
      number();
  }

 private:
  explicit Reader(const Block& block)
      : at_(block.items.data()), end_(at_ + block.items.size()), whole_(block.whole.data()), real_(block.real.data()) {}

  template <class Value>
  static Value load(const std::uint8_t* from) {
    Value value{};
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  std::uint32_t higher_bits() {
    std::uint32_t bits = 0;
    for (unsigned shift = 7;; shift += 7) {
      const auto byte = *at_++;
      bits |= (byte & 0x7fU) << shift;
      if (byte < 0x80) return bits;
    }
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  const std::uint8_t* whole_ = nullptr;
  const std::uint8_t* real_ = nullptr;
};

// Numbers for operations, for those who keep equal ones once.

/// Equal for operations that are the same. Lists are told apart by where they are, and how long.
inline auto key_of(const Operation& o) {
  const auto place = [](const auto& list) { return std::bit_cast<std::uintptr_t>(list.data()); };
  return std::tuple(o.kind, o.mode, o.comm.value(), o.to, o.from, o.root, o.tag, o.request, o.bytes,
                    std::bit_cast<std::uint64_t>(o.amount), place(o.requests), o.requests.size(), place(o.after),
                    o.after.size(), place(o.after_begin), o.after_begin.size(), place(o.send_counts),
                    o.send_counts.size(), place(o.recv_counts), o.recv_counts.size());
}

/// Operations with the same key have the same hash.
inline std::size_t hash_of(const Operation& o) {
  const auto list = [](const auto& l) { return std::bit_cast<std::uintptr_t>(l.data()) + l.size(); };
  const std::uint64_t lists = list(o.requests) + 3 * list(o.after) + 5 * list(o.after_begin) + 7 * list(o.send_counts) +
                              9 * list(o.recv_counts);
  std::uint64_t hash = 0;
  for (const std::uint64_t word :
       {core::joined(o.kind, o.mode), core::joined(o.comm.value(), o.request), core::joined(o.to, o.from),
        core::joined(o.root, o.tag), o.bytes, std::bit_cast<std::uint64_t>(o.amount), lists})
    hash = core::mix(hash, word);
  return hash;
}

/// Gives each different operation a number, from 0 in the order in which they come. Mostly what came behind one comes
/// behind it again, which is tried before all others are.
class KnownOperations {
 public:
  /// The number of the operation, and whether it is new. Lists must stay where they are as long as others come. By
  /// chance of one hash an operation may be new each time.
  std::pair<std::uint32_t, bool> number_of(const Operation& op) {
    if (last_ < behind_.size() && is_number(behind_[last_], op)) return {last_ = behind_[last_], false};
    const auto next = static_cast<std::uint32_t>(different_.size());
    auto number = *by_hash_.try_emplace(hash_of(op), next).first;
    const bool is_new = !is_number(number, op);
    if (is_new) {
      number = next;
      different_.push_back(op);
    }
    if (last_ != none) {
      behind_.resize(different_.size(), none);
      behind_[last_] = number;
    }
    return {last_ = number, is_new};
  }
  /// The operations by their numbers.
  const std::vector<Operation>& different() const { return different_; }
  void forget() {
    for (const auto& op : different_) by_hash_.erase(hash_of(op));
    different_.clear();
    behind_.clear();
    last_ = none;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  bool is_number(std::uint32_t number, const Operation& op) const {
    return number < different_.size() && key_of(different_[number]) == key_of(op);
  }

  std::vector<Operation> different_;
  core::FlatMap<std::uint64_t, std::uint32_t, core::Mix> by_hash_;
  std::vector<std::uint32_t> behind_;  ///< the number that came behind each number last
  std::uint32_t last_ = none;
};

}  // namespace toroid::workloads
