#pragma once
// A node of an execution trace of Chakra (mlcommons/chakra, schema et_def.proto), from either of its forms: messages of
// protocol buffers, or JSON.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

// The files of an execution trace: one a rank, PREFIX.RANK.et (or .json), each perhaps packed.

/// Whether a file is called like one of an execution trace.
bool has_chakra_name(const std::string& path);

/// Whether a path has %d where the number of a rank stands in the names of files that are read, PREFIX.%d.et.
bool has_place_for_rank(const std::string& path);

/// The files of all ranks, in order: those beside `path` that are called as it but for the rank, or `path` alone if no
/// rank stands in its name. The path may have %d for the rank. Throws InputError where a rank has no file, or one
/// that is packed otherwise.
std::vector<std::string> chakra_files(const std::string& path);

/// The file of rank 0 in a folder; empty if there is none. Throws InputError if there are several.
std::string chakra_file_in(const std::string& folder);

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

/// The most ranks of a trace that files list.
inline constexpr std::int32_t most_trace_ranks = 1 << 20;

struct ChakraOptions {
  bool control = false;                ///< whether nodes wait for those that they depend on by control, too
  bool streams = false;                ///< whether each stream of an accelerator computes beside the others
  std::optional<Computation> by = {};  ///< `timed`: by durations; `modelled`: by operations; none: as the trace has
  std::string groups = {};             ///< a file of process groups; empty: none
  std::int32_t ranks = 0;              ///< this many ranks do what one file says; 0: each has its file
};

/// Reads an execution trace by one of its files.
std::unique_ptr<CompactTrace> read_chakra(const std::string& path, const ChakraOptions& options = {});

}  // namespace toroid::workloads
