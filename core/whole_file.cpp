#include "core/whole_file.hpp"

#include <array>

#include "core/error.hpp"
#include "core/file.hpp"

namespace toroid::core {
namespace {

void check_size(const std::string& name, std::size_t size, std::uint64_t most) {
  if (size > most) fail_input("{}: found more than {} MiB, expected a smaller file", name, most >> 20U);
}

}  // namespace

std::string text_of_file(const std::string& path, std::uint64_t most) {
  LineReader lines(path);
  std::string text;
  while (const auto line = lines.next()) {
    text.append(*line).push_back('\n');
    check_size(path, text.size(), most);
  }
  return text;
}

std::string first_content(const std::string& path) {
  LineReader lines(path);
  while (const auto line = lines.next()) {
    const auto text = trim(*line);
    if (!text.empty() && !text.starts_with('#')) return std::string(text);
  }
  return {};
}

std::string text_of_stream(std::istream& stream, const std::string& name) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20U;
  std::string text;
  for (std::array<char, 1 << 16> part{}; stream.read(part.data(), part.size()), stream.gcount() > 0;) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    check_size(name, text.size(), most);
  }
  return text;
}

}  // namespace toroid::core
