#pragma once
// The program of one rank as a string of bytes. An item is an operation's number in a vocabulary, seven bits a byte, or
// a computation's amount behind a byte that says how wide it is: whole amounts, as tracers write them, take three bytes
// or five, others nine.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace toroid::workloads {

class ProgramCode {
 public:
  class Reader;

  /// An operation's number, below 2^32 - 3.
  void add_operation(std::uint32_t number) {
    auto* at = room();
    auto rest = number + first_number;
    for (; rest >= 0x80; rest >>= 7U) *at++ = static_cast<std::uint8_t>(rest | 0x80U);
    *at++ = static_cast<std::uint8_t>(rest);
    size_ = static_cast<std::size_t>(at - bytes_.data());
  }

  /// A computation of any amount, which comes back to the last bit.
  void add_computation(double amount) {
    // The sign of minus zero would be lost.
    const bool fits = amount >= 0 && amount <= std::numeric_limits<std::uint32_t>::max() && !std::signbit(amount);
    const auto whole = fits ? static_cast<std::uint32_t>(amount) : 0;
    if (!fits || whole != amount)
      add_amount(double_amount, amount);
    else if (whole <= std::numeric_limits<std::uint16_t>::max())
      add_amount(short_amount, static_cast<std::uint16_t>(whole));
    else
      add_amount(long_amount, whole);
  }

  /// Gives back the memory that is kept for more.
  void shrink_to_fit() {
    bytes_.resize(size_ + padding);
    bytes_.shrink_to_fit();
  }
  std::size_t memory_bytes() const { return bytes_.capacity(); }

 private:
  /// First bytes of items; those of operations follow.
  enum : std::uint8_t { short_amount, long_amount, double_amount, first_number };
  static constexpr std::size_t most_item_bytes = 1 + sizeof(double);
  /// Behind the last item: a short amount is read as wide as a long one.
  static constexpr std::size_t padding = sizeof(std::uint32_t) - sizeof(std::uint16_t);
  static_assert(std::endian::native == std::endian::little, "a number must begin with its lowest byte");

  /// Where the next item goes.
  std::uint8_t* room() {
    if (bytes_.size() < size_ + most_item_bytes) bytes_.resize(2 * bytes_.size() + 64);
    return bytes_.data() + size_;
  }
  template <class Amount>
  void add_amount(std::uint8_t width, Amount amount) {
    auto* at = room();
    *at = width;
    std::memcpy(at + 1, &amount, sizeof amount);
    size_ += 1 + sizeof amount;
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

/// The items in their order: each is taken by amount() or by number(). The code must outlive it, and not change.
class ProgramCode::Reader {
 public:
  explicit Reader(const ProgramCode& code) : at_(code.bytes_.data()), end_(at_ + code.size_) {}

  bool at_end() const { return at_ == end_; }
  /// Whether the next item is a computation.
  bool at_computation() const { return *at_ < first_number; }

  /// Of the computation that is next. Short and long ones come in no order that a processor could predict, so no jump
  /// depends on it.
  double amount() {
    const auto width = *at_;
    if (width == double_amount) {
      const auto amount = load<double>(at_ + 1);
      at_ += 1 + sizeof amount;
      return amount;
    }
    const auto whole = load<std::uint32_t>(at_ + 1) & (width == short_amount ? 0xffffU : ~0U);
    at_ += 1 + sizeof(std::uint16_t) * (1U + width);  // short: 0, long: 1
    return whole;
  }

  /// Of the operation that is next.
  std::uint32_t number() {
    std::uint32_t number = *at_++;
    if (number >= 0x80) number = (number & 0x7fU) | higher_bits();
    return number - first_number;
  }

 private:
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

  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace toroid::workloads
