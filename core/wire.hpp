#pragma once
// The wire format of protocol buffers, as far as execution traces and Perfetto need it. The library would bring a
// compiler of schemas into the build and generated code into every message of ours; this is a page.
//
//   for (WireReader fields(message); fields.next();)
//     if (fields.number() == 2) name = fields.bytes();

#include <bit>
#include <string>
#include <string_view>

#include "toroid/core/error.hpp"

namespace toroid::core {

/// The fields of a message, one after the other. Throws InputError, without a place, where the message is broken.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Goes to the next field; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const auto key = varint();
    number_ = key >> 3U;
    bytes_ = {};
    value_ = 0;
    switch (const auto type = key & 7U) {
      case 0:
        value_ = varint();
        break;
      case 1:
        value_ = fixed(8);
        break;
      case 2:
        bytes_ = take(varint());
        break;
      case 5:
        value_ = fixed(4);
        break;
      default:
        fail_input("found wire type {}, expected 0, 1, 2 or 5", type);
    }
    is_bytes_ = (key & 7U) == 2;
    return true;
  }

  std::uint64_t number() const { return number_; }  ///< the number of the field
  bool is_bytes() const { return is_bytes_; }       ///< whether its value is a text, a message or a packed list
  std::string_view bytes() const { return bytes_; }
  std::uint64_t value() const { return value_; }
  std::int64_t zigzag() const {
    return static_cast<std::int64_t>(value_ >> 1U) ^ -static_cast<std::int64_t>(value_ & 1U);
  }
  double as_double() const { return std::bit_cast<double>(value_); }
  double as_float() const { return double{std::bit_cast<float>(static_cast<std::uint32_t>(value_))}; }

  /// Calls visit(number) for each number of a repeated field, which may be packed.
  template <class Visit>
  void for_each_number(Visit visit) const {
    if (!is_bytes_) return visit(value_);
    for (WireReader packed(bytes_); !packed.rest_.empty();) visit(packed.varint());
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80U) return value;
    }
    fail_input("found a number of more than 64 bits");
  }
  std::uint64_t fixed(unsigned bytes) {
    std::uint64_t value = 0;
    const auto text = take(bytes);
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{static_cast<std::uint8_t>(text[i])} << (8 * i);
    return value;
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) fail_input("found the end within a field");
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  std::uint64_t number_ = 0, value_ = 0;
  bool is_bytes_ = false;
  std::string_view bytes_;
};

/// A message that is being written, field by field.
class WireWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3U);
    varint(value);
  }
  void unless_zero(std::uint32_t field, std::uint64_t value) {
    if (value != 0) number(field, value);
  }
  void fixed(std::uint32_t field, std::uint64_t value) {
    varint((std::uint64_t{field} << 3U) | 1U);
    for (unsigned i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }
  void real(std::uint32_t field, double value) { fixed(field, std::bit_cast<std::uint64_t>(value)); }
  /// A text, or a message.
  void text(std::uint32_t field, std::string_view value) {
    varint((std::uint64_t{field} << 3U) | 2U);
    framed(value);
  }
  /// A message behind its length.
  void framed(std::string_view message) {
    varint(message.size());
    bytes_ += message;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace toroid::core
