#include "platforms/slurm/yaml.hpp"

#include <yaml.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/file.hpp"

namespace toroid::platforms {
namespace {

constexpr std::size_t most_bytes = 16U << 20U;
constexpr int most_levels = 100;

std::string text_of(const std::string& path) {
  core::LineReader lines(path);
  std::string text;
  while (const auto line = lines.next()) {
    text += *line;
    text += '\n';
    if (text.size() > most_bytes) core::fail_input("{}: more than 16 MiB, expected a YAML file", path);
  }
  return text;
}

/// A document of libyaml's while it lives.
class Document {
 public:
  Document(const std::string& path, const std::string& text) : path_(path) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (yaml_parser_load(&parser_, &document_) == 0) {
      const auto line = parser_.problem_mark.line + 1;
      const std::string problem = parser_.problem == nullptr ? "it cannot be read" : parser_.problem;
      yaml_parser_delete(&parser_);
      core::fail_input_at(path, line, "this is no YAML here: {}", problem);
    }
  }
  ~Document() {
    yaml_document_delete(&document_);
    yaml_parser_delete(&parser_);
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Yaml root() {
    const auto* node = yaml_document_get_root_node(&document_);
    return node == nullptr ? Yaml() : value(*node, 0);
  }

 private:
  Yaml value(const yaml_node_t& node, int level) {
    Yaml value;
    value.line = node.start_mark.line + 1;
    // Anchors and aliases make a tree of a few lines as large as one likes: a configuration has none.
    if (level > most_levels || ++values_ > most_bytes)
      core::fail_input_at(path_, value.line, "found values within values {} levels deep, or that name each other",
                          level);
    if (node.type == YAML_SCALAR_NODE) {
      value.text.assign(reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length);
    } else if (node.type == YAML_SEQUENCE_NODE) {
      value.kind = Yaml::Kind::list;
      for (const auto* item = node.data.sequence.items.start; item != node.data.sequence.items.top; ++item)
        value.items.push_back(this->value(*yaml_document_get_node(&document_, *item), level + 1));
    } else {
      value.kind = Yaml::Kind::map;
      for (const auto* pair = node.data.mapping.pairs.start; pair != node.data.mapping.pairs.top; ++pair) {
        const auto key = this->value(*yaml_document_get_node(&document_, pair->key), level + 1);
        if (value.find(key.text) != nullptr)
          core::fail_input_at(path_, key.line, "'{}' is given twice", core::excerpt(key.text));
        value.fields.emplace_back(key.text, this->value(*yaml_document_get_node(&document_, pair->value), level + 1));
      }
    }
    return value;
  }

  std::string path_;
  yaml_parser_t parser_{};
  yaml_document_t document_{};
  std::size_t values_ = 0;
};

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == key; });
  return found == fields.end() ? nullptr : &found->second;
}

Yaml read_yaml(const std::string& path) {
  const auto text = text_of(path);
  return Document(path, text).root();
}

}  // namespace toroid::platforms
