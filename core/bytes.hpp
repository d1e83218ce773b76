#pragma once
// Values as bytes, for another process of the same program: a forked worker's result, a message to another rank. No
// format for files: it has no version and does not outlive the program.

#include <cstring>
#include <string_view>
#include <type_traits>

#include "toroid/core/id.hpp"

namespace toroid::core {

/// Appends values to a string of bytes: values that may be copied byte by byte, strings, and pairs and vectors of
/// these.
class ByteWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <class A, class B>
  void operator()(const std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    for (const auto& value : values) (*this)(value);
  }
  template <class I, class T>
  void operator()(const IdVector<I, T>& values) {
    (*this)(values.elements());
  }

  std::string finish() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads the values back that a ByteWriter has written, in the same order. The bytes must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(static_cast<void*>(&value), take(sizeof value).data(), sizeof value);
  }
  void operator()(std::string& text) { text = take(size()); }
  template <class A, class B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.resize(size());
    for (auto& value : values) (*this)(value);
  }
  template <class I, class T>
  void operator()(IdVector<I, T>& values) {
    (*this)(values.elements());
  }

 private:
  std::size_t size() {
    std::size_t size = 0;
    (*this)(size);
    return size;
  }
  std::string_view take(std::size_t count) {
    TOROID_ASSERT(count <= bytes_.size());
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace toroid::core
