#pragma once
// YAML files as trees, by libyaml.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::platforms {

/// A value in a YAML file.
struct Yaml {
  enum class Kind : std::uint8_t { text, list, map };
  Kind kind = Kind::text;
  std::uint64_t line = 1;                                 ///< where it begins, from 1
  std::string text = {};                                  ///< of a text
  std::vector<Yaml> items = {};                           ///< of a list
  std::vector<std::pair<std::string, Yaml>> fields = {};  ///< of a map, in the order of the file

  /// The value of a key of a map; null if there is none.
  const Yaml* find(std::string_view key) const;
};

/// The document in a file; only the first counts. Throws InputError, with file and line, on what is no YAML, on a key
/// that is given twice, on more than 16 MiB, on values that are deeper than 100 levels, on aliases.
Yaml read_yaml(const std::string& path);

}  // namespace toroid::platforms
