#pragma once
// A node of an execution trace of Chakra (mlcommons/chakra, schema et_def.proto), from either of its forms: messages of
// protocol buffers, or JSON.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

enum class ChakraType : std::uint8_t {
  invalid,
  metadata,
  load,
  store,
  computation,
  send,
  receive,
  collective,
  other  ///< types that came later, such as those of storage
};
std::string_view to_string(ChakraType type);

struct ChakraNode {
  std::uint64_t id = 0;
  std::string name = {};
  ChakraType type = ChakraType::invalid;
  std::vector<std::uint64_t> control = {}, data = {};  ///< ids of the nodes that it depends on
  std::uint64_t micros = 0;                            ///< how long it lasted
  std::string values = {};                             ///< its inputs; of metadata, the process groups
  // Attributes; none: the node has no such attribute.
  std::optional<std::uint64_t> is_cpu = {}, operations = {}, tensor = {}, kind = {}, bytes = {}, source = {},
                               target = {}, tag = {}, root = {}, stream = {};
  std::optional<std::string> group = {};
  std::vector<bool> dimensions = {};  ///< dimensions that a collective goes along
  std::optional<double> amount = {};  ///< exact amount of computation, in traces that we have written
};

/// Attributes that are numbers, by their names.
struct ChakraNumber {
  std::string_view name;
  std::optional<std::uint64_t> ChakraNode::*member;
};
inline constexpr std::array<ChakraNumber, 10> chakra_numbers{{{"is_cpu_op", &ChakraNode::is_cpu},
                                                              {"num_ops", &ChakraNode::operations},
                                                              {"tensor_size", &ChakraNode::tensor},
                                                              {"comm_type", &ChakraNode::kind},
                                                              {"comm_size", &ChakraNode::bytes},
                                                              {"comm_src", &ChakraNode::source},
                                                              {"comm_dst", &ChakraNode::target},
                                                              {"comm_tag", &ChakraNode::tag},
                                                              {"root_rank", &ChakraNode::root},
                                                              {"stream", &ChakraNode::stream}}};
inline constexpr std::string_view chakra_group = "pg_name", chakra_dimensions = "involved_dim",
                                  chakra_amount = "toroid_amount", chakra_computation = "toroid_computation",
                                  chakra_collectives = "toroid_collectives";

/// The kinds of collectives, by their numbers in comm_type.
inline constexpr std::array chakra_kinds{
    OpKind::allreduce, OpKind::reduce,   OpKind::allgather,      OpKind::gather,         OpKind::scatter,
    OpKind::bcast,     OpKind::alltoall, OpKind::reduce_scatter, OpKind::reduce_scatter, OpKind::barrier};

/// Whether operations of a kind have the bytes of a block, where traces have those of all blocks.
inline bool has_blocks(OpKind kind) {
  return kind == OpKind::alltoall || kind == OpKind::scatter || kind == OpKind::reduce_scatter;
}

/// Bytes of a vector as a block for each rank, the first ones a byte longer where it does not divide.
inline std::vector<std::uint64_t> even_blocks(std::uint64_t bytes, CommRank ranks) {
  const auto p = static_cast<std::uint64_t>(ranks);
  std::vector<std::uint64_t> all(p, bytes / p);
  for (std::uint64_t i = 0; i < bytes % p; ++i) ++all[i];
  return all;
}

/// What a file says of all its nodes.
struct ChakraHeader {
  std::string computation, collectives;  ///< kinds of both, in traces that we have written
};

/// Whether the name of a file is one of the JSON form.
bool is_chakra_json(const std::string& path);

/// Reads the nodes of a file, in either form, plain or compressed; `see` gets each node and its number, from 1. Throws
/// InputError with the number of the node.
ChakraHeader read_chakra_nodes(const std::string& path, const std::function<void(ChakraNode&&, std::uint64_t)>& see);

/// The nodes of a file that we write, as messages behind their lengths.
std::string chakra_text(const ChakraHeader& header);
std::string chakra_text(const ChakraNode& node);

}  // namespace toroid::workloads
