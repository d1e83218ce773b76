#include "cli/config_file.hpp"

#include <exception>
#include <fstream>
#include <string_view>

#include "core/file.hpp"
#include "core/json.hpp"
#include "core/whole_file.hpp"

namespace toroid::cli {

std::optional<std::string> config_of(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word(words[i]), name(config_option);
    if (word == name && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return std::string(word.substr(name.size() + 1));
  }
  return std::nullopt;
}

std::vector<std::string> plugins_of_config(const std::vector<std::string>& words) {
  const auto path = config_of(words);
  if (!path || !core::is_file(*path)) return {};
  try {
    std::ifstream file(*path);
    const auto result = core::parse_json(core::text_of_stream(file, *path));
    const auto& found = result.at("manifest").at("arguments").at(plugins_in_record);
    return found.is_string() ? std::vector{found.get<std::string>()} : found.get<std::vector<std::string>>();
  } catch (const std::exception&) {
    return {};  // what is wrong with it is told when the command reads it
  }
}

}  // namespace toroid::cli
