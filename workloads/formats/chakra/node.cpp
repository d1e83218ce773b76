#include "workloads/formats/chakra/node.hpp"

#include "core/file.hpp"
#include "core/wire.hpp"
#include "toroid/core/json.hpp"

namespace toroid::workloads {
namespace {

using core::SearchedJson;
using core::WireReader;
using core::WireWriter;

constexpr std::array<std::string_view, 9> chakra_type_names{"INVALID",   "METADATA",  "MEM_LOAD",  "MEM_STORE", "COMP",
                                                            "COMM_SEND", "COMM_RECV", "COMM_COLL", "other"};

ChakraType type_of(std::uint64_t number) {
  return static_cast<ChakraType>(std::min<std::uint64_t>(number, static_cast<std::uint64_t>(ChakraType::other)));
}

// Messages.

struct Attribute {
  std::string_view name;
  std::uint64_t number = 0;  ///< whole numbers, and real ones without their fraction
  double real = 0;
  std::string_view text = {};
  std::vector<bool> list = {};
};

/// The numbers of fields of an attribute, and of a node, as the schema has them.
struct AttributeField {
  enum : std::uint8_t { name = 1, real64 = 3, real32 = 5, signed32 = 15, signed64 = 17, flags = 28, text };
};
struct NodeField {
  enum : std::uint8_t { id = 1, node_name, type, control, data, duration = 7, inputs = 8, attribute = 10 };
};

Attribute read_attribute(std::string_view message) {
  Attribute read;
  for (WireReader fields(message); fields.next();) {
    const auto field = fields.number();
    if (field == AttributeField::name)
      read.name = fields.bytes();
    else if (field == AttributeField::text)
      read.text = fields.bytes();
    else if (field == AttributeField::real64 || field == AttributeField::real32)
      read.real = field == AttributeField::real64 ? fields.as_double() : fields.as_float();
    else if (field == AttributeField::signed32 || field == AttributeField::signed64)
      read.number = static_cast<std::uint64_t>(fields.zigzag());
    else if (field == AttributeField::flags)
      for (WireReader values(fields.bytes()); values.next();)
        values.for_each_number([&](std::uint64_t value) { read.list.push_back(value != 0); });
    else if (!fields.is_bytes())
      read.number = fields.value();
  }
  constexpr double most = 0x1p63;
  if (read.number == 0 && read.real >= 0 && read.real < most) read.number = static_cast<std::uint64_t>(read.real);
  return read;
}

void take_attribute(const Attribute& read, ChakraNode& node) {
  for (const auto& [called, member] : chakra_numbers)
    if (called == read.name) node.*member = read.number;
  if (read.name == chakra_group) node.group = read.text.empty() ? std::to_string(read.number) : std::string(read.text);
  if (read.name == chakra_dimensions) node.dimensions = read.list;
  if (read.name == chakra_amount) node.amount = read.real;
}

ChakraNode node_of(std::string_view message) {
  ChakraNode node;
  for (WireReader fields(message); fields.next();) {
    const auto field = fields.number();
    if (field == NodeField::id) node.id = fields.value();
    if (field == NodeField::type) node.type = type_of(fields.value());
    if (field == NodeField::control)
      fields.for_each_number([&](std::uint64_t other) { node.control.push_back(other); });
    if (field == NodeField::data) fields.for_each_number([&](std::uint64_t other) { node.data.push_back(other); });
    if (field == NodeField::duration) node.micros = fields.value();
    if (field == NodeField::inputs)
      for (WireReader parts(fields.bytes()); parts.next();)
        if (parts.number() == 1) node.values = parts.bytes();
    if (field == NodeField::attribute) take_attribute(read_attribute(fields.bytes()), node);
  }
  return node;
}

ChakraHeader header_of(std::string_view message) {
  constexpr std::uint64_t attribute = 2;
  ChakraHeader header;
  for (WireReader fields(message); fields.next();) {
    if (fields.number() != attribute) continue;
    const auto read = read_attribute(fields.bytes());
    if (read.name == chakra_computation) header.computation = read.text;
    if (read.name == chakra_collectives) header.collectives = read.text;
  }
  return header;
}

/// Reads the messages of a file, each behind its length.
class FramedMessages {
 public:
  explicit FramedMessages(const std::string& path) : file_(path) {}

  /// The next message, valid until the next call; nothing at the end.
  std::optional<std::string_view> next() {
    std::uint64_t length = 0;
    std::uint8_t byte = 0;
    for (unsigned shift = 0; shift == 0 || byte >= 0x80U; shift += 7) {
      const bool is_there = file_.read(&byte, 1);
      if (!is_there && shift == 0) return std::nullopt;
      if (!is_there || shift > 28) core::fail_input("found no length of a message, expected one");
      length |= std::uint64_t{byte & 0x7fU} << shift;
    }
    // A length may be wrong: no more is taken from the memory than the file has.
    constexpr std::uint64_t step = 1U << 20U;
    for (message_.clear(); message_.size() < length;) {
      const auto begin = message_.size();
      message_.resize(begin + std::min(step, length - begin));
      if (!file_.read(reinterpret_cast<std::uint8_t*>(message_.data()) + begin, message_.size() - begin))
        core::fail_input("found the end, expected a message of {} bytes: the file is truncated", length);
    }
    return message_;
  }

 private:
  core::LineReader file_;
  std::string message_;
};

// JSON.

std::uint64_t json_number(const SearchedJson& value, std::string_view what) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  core::fail_input("found {} = {}, expected a whole number", what, core::excerpt(core::json_text(value)));
}

std::vector<std::uint64_t> json_numbers(const SearchedJson& node, std::string_view what) {
  std::vector<std::uint64_t> numbers;
  const auto found = node.find(what);
  if (found == node.end()) return numbers;
  if (!found->is_array()) core::fail_input("found no list in {}, expected one of numbers", what);
  for (const auto& value : *found) numbers.push_back(json_number(value, what));
  return numbers;
}

ChakraNode node_of(const SearchedJson& json) {
  if (!json.is_object()) core::fail_input("found no object, expected one");
  ChakraNode node;
  const auto number = [&](std::string_view key) {
    const auto found = json.find(key);
    return found == json.end() ? std::nullopt : std::optional(json_number(*found, key));
  };
  const auto given = number("Id");
  if (!given) core::fail_input("found no Id, expected one");
  node.id = *given;
  node.type = type_of(number("NodeType").value_or(0));
  node.micros = number("runtime").value_or(0);
  node.control = json_numbers(json, "ctrlDeps");
  node.data = json_numbers(json, "data_deps");
  for (const auto involved : json_numbers(json, chakra_dimensions)) node.dimensions.push_back(involved != 0);
  for (const auto& [called, member] : chakra_numbers) node.*member = number(called);
  if (const auto group = json.find(chakra_group); group != json.end())
    node.group = group->is_string() ? group->get<std::string>() : std::to_string(json_number(*group, chakra_group));
  return node;
}

/// Calls `read` for the node of that number, whose faults get their place.
template <class Read>
auto at_node(const std::string& path, std::uint64_t number, Read read) {
  try {
    return read();
  } catch (const core::InputError& error) {
    if (std::string_view(error.what()).starts_with(path + ":")) throw;  // faults of the packing tell their place
    core::fail_input("{}: node {}: {}", path, number, error.what());
  }
}

void read_json(const std::string& path, const std::function<void(ChakraNode&&, std::uint64_t)>& see) {
  SearchedJson document;
  try {
    document = core::parse_json<SearchedJson>(core::text_of_file(path));
  } catch (const core::JsonError& error) {
    core::fail_input_at(path, error.line, "{}", error.what());
  }
  const auto graph = document.is_object() ? document.find("workload_graph") : document.end();
  if (graph == document.end() || !graph->is_array())
    core::fail_input("{}: found no list workload_graph, expected one of nodes", path);
  std::uint64_t number = 0;
  for (const auto& json : *graph) {
    ++number;
    at_node(path, number, [&] { see(node_of(json), number); });
  }
}

}  // namespace

bool is_chakra_json(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".json.gz") || path.ends_with(".json.zst");
}

std::string_view to_string(ChakraType type) {
  return chakra_type_names[static_cast<std::size_t>(type)];
}

ChakraHeader read_chakra_nodes(const std::string& path, const std::function<void(ChakraNode&&, std::uint64_t)>& see) {
  ChakraHeader header;
  if (is_chakra_json(path)) {
    read_json(path, see);
    return header;
  }
  FramedMessages messages(path);
  for (std::uint64_t number = 0;; ++number) {
    const bool is_last = at_node(path, number, [&] {
      const auto message = messages.next();
      if (!message) return true;
      if (number == 0)
        header = header_of(*message);
      else
        see(node_of(*message), number);
      return false;
    });
    if (is_last && number == 0) core::fail_input("{}: found an empty file, expected an execution trace", path);
    if (is_last) return header;
  }
}

std::string chakra_text(const ChakraHeader& header) {
  WireWriter message, framed;
  message.text(1, "0.0.4");
  for (const auto& [called, value] :
       {std::pair(chakra_computation, &header.computation), std::pair(chakra_collectives, &header.collectives)}) {
    WireWriter attribute;
    attribute.text(AttributeField::name, called);
    attribute.text(AttributeField::text, *value);
    message.text(2, attribute.bytes());
  }
  framed.framed(message.bytes());
  return framed.bytes();
}

std::string chakra_text(const ChakraNode& node) {
  constexpr unsigned int64 = 9, uint64 = 13, boolean = 27;
  WireWriter message, framed;
  message.unless_zero(NodeField::id, node.id);
  message.text(NodeField::node_name, node.name);
  message.unless_zero(NodeField::type, static_cast<std::uint64_t>(node.type));
  for (const auto other : node.control) message.number(NodeField::control, other);
  for (const auto other : node.data) message.number(NodeField::data, other);
  message.unless_zero(NodeField::duration, node.micros);
  if (!node.values.empty()) {
    WireWriter values;
    values.text(1, node.values);
    message.text(NodeField::inputs, values.bytes());
  }
  const auto add = [&](std::string_view called, const auto& put) {
    WireWriter attribute;
    attribute.text(AttributeField::name, called);
    put(attribute);
    message.text(NodeField::attribute, attribute.bytes());
  };
  for (const auto& [called, member] : chakra_numbers) {
    const auto field = member == &ChakraNode::is_cpu ? boolean : member == &ChakraNode::operations ? uint64 : int64;
    if (const auto& value = node.*member) add(called, [&](WireWriter& to) { to.number(field, *value); });
  }
  if (node.group) add(chakra_group, [&](WireWriter& to) { to.text(AttributeField::text, *node.group); });
  if (node.amount) add(chakra_amount, [&](WireWriter& to) { to.real(AttributeField::real64, *node.amount); });
  framed.framed(message.bytes());
  return framed.bytes();
}

}  // namespace toroid::workloads
