#pragma once
// SHA-256, which tells files from each other.

#include <memory>
#include <string>
#include <string_view>

namespace toroid::core {

/// The SHA-256 of bytes that are added piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// The hash of all bytes that were added, in hexadecimal. Nothing may be added after that.
  std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_of_text(std::string_view text);

}  // namespace toroid::core
