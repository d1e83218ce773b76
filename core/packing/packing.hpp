#pragma once
// Compressed files: a file for each compression that is read and written.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace toroid::core {

/// Packed bytes that have been read from a file; the first `used` of them are unpacked already.
struct Packed {
  const char* bytes = nullptr;
  std::size_t size = 0, used = 0;
  bool is_last = false;  ///< the file has no more
};

/// Unpacks a file from its beginning to its end. Errors are InputErrors with the path.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// Takes some of the packed bytes, puts at most `size` unpacked bytes into `out`, and returns how many. It returns 0
  /// when all packed bytes are used: more must be read then, or, if they were the last, the text is complete. A file
  /// that ends too early is an error.
  virtual std::size_t unpack(Packed& packed, char* out, std::size_t size) = 0;
};

std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& path);

/// The unpacker for a file whose first bytes are `begin`; null if the file is not compressed so.
std::unique_ptr<Unpacker> make_unpacker(std::string_view begin, const std::string& path);

/// Packs a file from its beginning to its end.
class Packer {
 public:
  virtual ~Packer() = default;
  /// Packs `text`, which is the last one if `is_end`. Returns the packed bytes that are ready.
  virtual std::string pack(std::string_view text, bool is_end) = 0;
};

std::unique_ptr<Packer> make_gzip_packer();

/// The packer for a file of this name: zstd for `.zst`, gzip for `.gz`; null if the file is to be plain. Throws
/// InputError when the name is that of a compression that is known but cannot be written.
std::unique_ptr<Packer> make_packer(const std::string& path);

}  // namespace toroid::core
