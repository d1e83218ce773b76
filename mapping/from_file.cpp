#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class FromFile final : public Mapper {
 public:
  explicit FromFile(const core::Arguments& arguments)
      : path_(arguments.spec().argument()), mapping_(read_mapping(path_)) {}
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  std::string file() const override { return path_; }
  Mapping map(const MappingProblem&) const override { return mapping_; }
  void check(const MappingProblem& problem) const override { check_mapping(mapping_, problem, path_); }

 private:
  std::string path_;
  Mapping mapping_;
};

}  // namespace

core::Entry<MakeMapper> file_mapper() {
  return {"file", "a mapping file: one node per line, in rank order", make<FromFile>, {}, "PATH"};
}

Mapping read_mapping(const std::string& path) {
  Mapping mapping;
  core::LineReader reader(path);
  while (const auto line = reader.next()) {
    const auto text = core::trim(line->substr(0, line->find('#')));
    if (text.empty()) continue;
    const auto node = core::parse_number<NodeId::Value>(text);
    if (!node) core::fail_input_at(path, reader.line(), "found '{}', expected one node number", core::excerpt(text));
    mapping.add(NodeId(*node));
  }
  return mapping;
}

std::string mapping_text(const Mapping& mapping) {
  std::string text;
  for (const NodeId node : mapping) text += fmt::format("{}\n", node);
  return text;
}

}  // namespace toroid::mapping
