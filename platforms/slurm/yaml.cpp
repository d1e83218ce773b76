#include "platforms/slurm/topology.hpp"

#include <yaml.h>

#include <algorithm>
#include <unordered_set>

#include "core/file.hpp"

namespace toroid::platforms {
namespace {

constexpr std::uint64_t most_yaml_bytes = std::uint64_t{16} << 20U;
constexpr int most_levels = 100;

/// Makes a tree of the events of libyaml's parser. Its own trees cost the square of their depth before anybody can look
/// at them.
class TreeReader {
 public:
  TreeReader(const std::string& path, const std::string& text) : path_(path) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~TreeReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;

  Yaml root() {
    while (next() != YAML_DOCUMENT_START_EVENT)
      if (event_.type == YAML_STREAM_END_EVENT) return {};
    next();
    auto root = value(0);
    next();  // what stands behind it is told, too
    return root;
  }

 private:
  yaml_event_type_t next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0)
      core::fail_input_at(path_, parser_.problem_mark.line + 1, "this is no YAML here: {}",
                          parser_.problem == nullptr ? "it cannot be read" : parser_.problem);
    return event_.type;
  }

  /// The value that begins with the present event.
  Yaml value(int level) {
    Yaml value;
    value.line = event_.start_mark.line + 1;
    if (level > most_levels)
      core::fail_input_at(path_, value.line, "found values within values {} levels deep, expected {} at most", level,
                          most_levels);
    // Anchors and aliases make a tree of a few lines as large as one likes.
    if (event_.type == YAML_ALIAS_EVENT)
      core::fail_input_at(path_, value.line, "found an alias, expected the value itself");
    if (event_.type == YAML_SCALAR_EVENT) {
      value.text.assign(reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length);
    } else if (event_.type == YAML_SEQUENCE_START_EVENT) {
      value.kind = Yaml::Kind::list;
      while (next() != YAML_SEQUENCE_END_EVENT) value.items.push_back(this->value(level + 1));
    } else {
      value.kind = Yaml::Kind::map;
      std::unordered_set<std::string> keys;
      while (next() != YAML_MAPPING_END_EVENT) {
        const auto key = this->value(level + 1);
        if (!keys.insert(key.text).second)
          core::fail_input_at(path_, key.line, "'{}' is given twice", core::excerpt(key.text));
        next();
        value.fields.emplace_back(key.text, this->value(level + 1));
      }
    }
    return value;
  }

  std::string path_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  const auto found = std::ranges::find_if(fields, [&](const auto& field) { return field.first == key; });
  return found == fields.end() ? nullptr : &found->second;
}

Yaml read_yaml(const std::string& path) {
  const auto text = core::text_of_file(path, most_yaml_bytes);
  return TreeReader(path, text).root();
}

}  // namespace toroid::platforms
