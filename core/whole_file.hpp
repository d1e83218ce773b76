#pragma once
// Files that are read whole, never without bound, or only looked at.

#include <cstdint>
#include <istream>
#include <limits>
#include <string>

namespace toroid::core {

/// The text of a file, plain or compressed, each line of it with \n at its end. Throws InputError as LineReader does,
/// which bounds the length of lines, and on more than `most` bytes, a whole number of MiB.
std::string text_of_file(const std::string& path, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// The first line of a file that is not blank and does not start with `#`, trimmed; empty if there is none.
std::string first_content(const std::string& path);

/// The text of a stream, which goes on no list of inputs. Throws InputError on more than 256 MiB; `name` is what the
/// message calls the stream.
std::string text_of_stream(std::istream& stream, const std::string& name);

}  // namespace toroid::core
