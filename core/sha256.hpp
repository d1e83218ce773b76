#pragma once
// SHA-256, which tells files from each other.

#include <memory>
#include <string>
#include <string_view>

namespace toroid::core {

/// Of bytes that come one after the other.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  /// Of all that was added; nothing may be added after that.
  std::string hexadecimal();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_of_text(std::string_view text);

}  // namespace toroid::core
