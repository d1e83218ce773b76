// Execution traces as programs: each node is an operation of its rank's graph (formats/graph). Computations of the CPU,
// of each stream of the accelerator, memory operations and messages have a core each, so that they go on beside each
// other; collectives begin as soon as what they depend on has ended.

#include <map>

#include "core/file.hpp"
#include "toroid/core/json.hpp"
#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/graph/order.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using core::SearchedJson;
using Groups = std::map<std::string, std::vector<Rank>, std::less<>>;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 53U;

struct Core {
  enum : std::uint8_t { cpu, memory, network, accelerator };
};

/// What is in a file of groups: {"0": [0, 1], ...}.
Groups read_groups(const std::string& path) {
  Groups groups;
  if (path.empty()) return groups;
  const auto fail = [&] {
    core::fail_input("{}: expected an object with a list of ranks for each process group", path);
  };
  try {
    const auto json = core::parse_json<SearchedJson>(core::text_of_file(path));
    if (!json.is_object()) fail();
    for (const auto& [name, ranks] : json.items()) {
      if (!ranks.is_array()) fail();
      auto& members = groups[name];
      for (const auto& rank : ranks) {
        if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() > most_trace_ranks) fail();
        members.push_back(Rank(rank.get<std::int32_t>()));
      }
    }
  } catch (const core::JsonError& error) {
    core::fail_input_at(path, error.line, "{}", error.what());
  }
  return groups;
}

class ChakraReader {
 public:
  ChakraReader(const std::string& path, const ChakraOptions& options)
      : options_(options),
        files_(options.ranks > 0 && path.find("%d") == std::string::npos ? std::vector{path} : chakra_files(path)),
        groups_(read_groups(options.groups)) {
    ranks_ = static_cast<std::int32_t>(files_.size());
    if (options_.ranks > 0 && ranks_ > 1)
      core::fail_input("{}: found the files of {} ranks; ranks={} takes one file for all ranks", path, ranks_,
                       options_.ranks);
    if (options_.ranks > 0) ranks_ = options_.ranks;
    trace_ = std::make_unique<CompactTrace>(ranks_);
  }

  std::unique_ptr<CompactTrace> read() {
    for (const Rank rank : core::ids<Rank>(ranks_)) {
      rank_ = rank;
      if (rank.index() < files_.size()) read_file(files_[rank.index()]);
      add_rank();
    }
    trace_->set_collectives(header_.collectives == "mpi" ? CollectiveWorld::mpi : CollectiveWorld::torus);
    trace_->set_computation(what_, {.coverage = coverage_});
    trace_->finish();
    return std::move(trace_);
  }

 private:
  struct Numbered {
    ChakraNode node;
    std::uint64_t number;
  };

  void read_file(const std::string& path) {
    path_ = path;
    nodes_.clear();
    const auto header = read_chakra_nodes(path, [&](ChakraNode&& node, std::uint64_t number) {
      nodes_.push_back({std::move(node), number});
    });
    own_groups_.clear();
    for (const auto& [node, number] : nodes_) {
      number_ = number;
      if (node.type == ChakraType::metadata) note_groups(node.values);
    }
    if (rank_ == Rank(0)) decide(header);
    std::stable_sort(nodes_.begin(), nodes_.end(), [](auto& a, auto& b) { return a.node.id < b.node.id; });
  }

  void add_rank() {
    RankGraph graph;
    streams_.clear();
    for (const auto& [node, number] : nodes_) {
      number_ = number;
      graph.operations.push_back({operation(node), number});
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) require(graph, i);
    trace_->set_file(rank_, path_);
    if (!nodes_.empty()) add_graph_rank(*trace_, rank_, graph, path_);
  }

  /// What the amounts of computations are: as the key says, or as the trace says if it is ours, whose streams are
  /// cores, or durations if there are any.
  void decide(const ChakraHeader& header) {
    header_ = header;
    options_.streams = options_.streams || !header.computation.empty();
    const auto computes = [&](auto has) {
      return std::ranges::any_of(
          nodes_, [&](const Numbered& n) { return n.node.type == ChakraType::computation && has(n.node); });
    };
    const bool has_durations = computes([](const ChakraNode&node) { return node.micros > 0; }),
               has_operations = computes([](const ChakraNode&node) { return node.operations.value_or(0) > 0; });
    what_ = options_.by                        ? *options_.by
            : header.computation == "timed"    ? Computation::timed
            : header.computation == "counted"  ? Computation::counted
            : header.computation == "modelled" ? Computation::modelled
            : has_operations && !has_durations ? Computation::modelled
                                               : Computation::timed;
  }

  void require(RankGraph& graph, std::uint32_t index) {
    const auto& node = nodes_[index].node;
    number_ = nodes_[index].number;
    if (index > 0 && nodes_[index - 1].node.id == node.id)
      fail("found the id {} of node {} again, expected another one", node.id, nodes_[index - 1].number);
    const auto add = [&](const std::vector<std::uint64_t>& ids) {
      for (const auto id : ids) {
        const auto other = std::ranges::lower_bound(nodes_, id, {}, [](const Numbered& n) { return n.node.id; });
        if (other == nodes_.end() || other->node.id != id)
          fail("found that it depends on node {}, expected the id of a node of the file", id);
        graph.requirements.push_back({index, static_cast<std::uint32_t>(other - nodes_.begin()), false});
      }
    };
    add(node.data);
    if (options_.control) add(node.control);
  }

  // Nodes.

  Operation operation(const ChakraNode& node) {
    switch (node.type) {
      case ChakraType::computation:
      case ChakraType::load:
      case ChakraType::store:
        return computation(node);
      case ChakraType::send:
      case ChakraType::receive:
        return message(node);
      case ChakraType::collective:
        return collective(node);
      case ChakraType::other:
        return left_out(node, "that no rule of replay is known for");
      default:
        return {.kind = OpKind::compute_after};  // only says that others have ended
    }
  }

  Operation computation(const ChakraNode& node) {
    Operation op{.kind = OpKind::compute_after, .root = core_of(node)};
    const bool is_exact = node.amount && !options_.by;
    if (is_exact)
      op.amount = *node.amount;
    else if (what_ == Computation::timed)
      op.amount = 1e3 * static_cast<double>(node.micros);
    else
      op.amount = static_cast<double>(node.operations.value_or(0));
    op.bytes = touched(node, is_exact);
    const bool has_none = !(op.amount > 0) && op.bytes == 0 && !is_exact;
    if (has_none && node.type == ChakraType::computation && node.operations.value_or(0) == 0 && node.micros == 0)
      return left_out(node, "without a duration or a number of operations");
    if (has_none) return left_out(node, what_ == Computation::timed ? "without a duration" : "without operations");
    if (!(op.amount >= 0 && op.amount < 0x1p63)) fail("found an amount of computation that is no number, expected one");
    cover(node, 0);
    return op;
  }

  /// The bytes of memory that a node touches, where these count beside its operations or for want of a duration. Traces
  /// that we have written say one byte where they know of none.
  std::uint64_t touched(const ChakraNode& node, bool is_exact) const {
    const bool counts =
        what_ != Computation::timed || is_exact || (node.micros == 0 && node.type != ChakraType::computation);
    const auto bytes = counts ? size(node.tensor, "tensor_size") : 0;
    return is_exact && bytes == 1 ? 0 : bytes;
  }

  CommRank core_of(const ChakraNode& node) {
    if (node.type != ChakraType::computation) return Core::memory;
    if (node.is_cpu.value_or(0) != 0) return Core::cpu;
    if (!options_.streams) return Core::accelerator;
    const auto stream = streams_.try_emplace(node.stream.value_or(0), streams_.size()).first->second;
    constexpr std::size_t most = 256 - Core::accelerator;
    if (stream >= most) fail("found {} streams, expected at most {}", stream + 1, most);
    return static_cast<CommRank>(Core::accelerator + stream);
  }

  Operation message(const ChakraNode& node) {
    const bool sends = node.type == ChakraType::send;
    const auto& partner = sends ? node.target : node.source;
    if (!partner) return left_out(node, sends ? "without a comm_dst" : "without a comm_src");
    const auto own = (sends ? node.source : node.target).value_or(static_cast<std::uint64_t>(rank_.value()));
    if (own != static_cast<std::uint64_t>(rank_.value()))
      fail("found a {} of rank {}, expected one of rank {}", to_string(node.type), static_cast<std::int64_t>(own),
           rank_);
    Operation op{.kind = sends ? OpKind::send_after : OpKind::recv_after, .root = Core::network};
    (sends ? op.to : op.from) = rank_number(*partner);
    const auto tag = node.tag.value_or(0);
    if (tag >= 2 * comm_tags) fail("found tag {}, expected 0 to {}", tag, 2 * comm_tags - 1);
    if (tag >= comm_tags) op.comm = comm_of_large_tags();
    op.tag = static_cast<std::int32_t>(tag % comm_tags);
    op.bytes = size(node.bytes, "comm_size");
    if (node.bytes)
      cover(node, sends ? op.bytes : 0);
    else
      note_left_out(node, "without a comm_size, taken as one of no bytes");
    return op;
  }

  Operation collective(const ChakraNode& node) {
    const auto kind = node.kind.value_or(node.bytes ? 0 : chakra_kinds.size());
    if (kind >= chakra_kinds.size()) return left_out(node, "without a comm_type that is known");
    Operation op{.kind = chakra_kinds[kind], .request = by_itself};
    if (!node.bytes && op.kind != OpKind::barrier) return left_out(node, "without a comm_size");
    if (std::ranges::count(node.dimensions, false) > 0)
      return left_out(node, "along some dimensions of a network that the trace does not tell");
    op.comm = communicator(node.group);
    const auto& comm = trace_->communicator(op.comm);
    const auto bytes = size(node.bytes, "comm_size");
    hand_in(op, op.kind == OpKind::barrier ? 0 : bytes, op.comm == world ? ranks_ : comm.size());
    if (has_root(op.kind) && node.root) {
      const auto root = rank_number(*node.root);
      op.root = op.comm == world ? root : comm.rank_of(Rank(root));
      if (op.root < 0) fail("found the root {}, expected a member of the process group", root);
    }
    cover(node, bytes);
    return op;
  }

  /// Gives an operation the bytes that a rank hands in: operations of ours have those of a block where all ranks get
  /// one. Where an all-to-all or a scatter does not divide into blocks of whole bytes, the rest, less than a byte for
  /// each rank, is dropped.
  void hand_in(Operation& op, std::uint64_t bytes, CommRank ranks) {
    const auto p = static_cast<std::uint64_t>(ranks);
    if (op.kind == OpKind::reduce_scatter && bytes % p > 0)
      op.recv_counts = trace_->keep(even_blocks(bytes, ranks));
    else
      op.bytes = has_blocks(op.kind) ? bytes / p : bytes;
  }

  std::uint64_t size(const std::optional<std::uint64_t>& bytes, std::string_view what) const {
    if (bytes > most_bytes) fail("found a {} of {} bytes, expected at most {}", what, *bytes, most_bytes);
    return bytes.value_or(0);
  }

  CommRank rank_number(std::uint64_t rank) const {
    if (rank >= static_cast<std::uint64_t>(ranks_))
      fail("found rank {}, expected 0 to {}: there are the files of so many ranks{}", static_cast<std::int64_t>(rank),
           ranks_ - 1, ranks_ == 1 ? "; chakra:FILE,ranks=N takes one file for all of N ranks" : "");
    return static_cast<CommRank>(rank);
  }
  // Process groups.

  /// Metadata may list process groups: [{"pg_name": "0", "ranks": [0, 1]}, ...], with other text around.
  void note_groups(std::string_view text) {
    const auto begin = text.find("[{"), end = text.rfind("}]");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return;
    SearchedJson list;
    try {
      list = core::parse_json<SearchedJson>(text.substr(begin, end + 2 - begin));
    } catch (const core::JsonError&) {
      return;  // metadata of another kind
    }
    for (const auto& item : list) {
      const auto name = item.find(chakra_group), ranks = item.find("ranks");
      if (name == item.end() || ranks == item.end() || !name->is_string() || !ranks->is_array()) continue;
      auto& members = own_groups_[name->get<std::string>()];
      members.clear();
      for (const auto& rank : *ranks)
        if (rank.is_number_unsigned()) members.push_back(Rank(rank_number(rank.get<std::uint64_t>())));
    }
  }

  CommId communicator(const std::optional<std::string>& group) {
    if (!group || group->empty()) return world;
    const auto own = own_groups_.find(*group), given = groups_.find(*group);
    if (own == own_groups_.end() && given == groups_.end())
      fail(
          "found the process group '{}', expected one that a METADATA node lists or the file of chakra:...,groups=FILE",
          core::excerpt(*group));
    const auto& listed = own == own_groups_.end() ? given->second : own->second;
    auto [known, is_new] = comms_.try_emplace({*group, listed}, world);
    if (is_new) known->second = listed.empty() ? trace_->add_communicator(Communicator::all(ranks_)) : added(listed);
    if (trace_->communicator(known->second).rank_of(rank_) < 0)
      fail("found the process group '{}', expected one with rank {}", core::excerpt(*group), rank_);
    return known->second;
  }

  CommId added(const std::vector<Rank>& members) {
    auto sorted = members;
    std::sort(sorted.begin(), sorted.end());
    for (const Rank rank : sorted) rank_number(static_cast<std::uint64_t>(rank.value()));
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      fail("found a process group with a rank twice, expected different ones");
    return trace_->add_communicator(Communicator(members));
  }

  // What is replayed, and what is not.

  void count(const ChakraNode& node, std::uint64_t bytes, bool is_replayed) {
    const double seconds = 1e-6 * static_cast<double>(node.micros);
    for (auto* of : {&coverage_.all, is_replayed ? &coverage_.replayed : nullptr}) {
      if (of == nullptr) continue;
      ++of->nodes;
      of->bytes += static_cast<double>(bytes);
      of->seconds += seconds;
    }
  }
  void cover(const ChakraNode& node, std::uint64_t bytes) { count(node, bytes, true); }
  void note_left_out(const ChakraNode& node, std::string_view why) {
    count(node, node.type == ChakraType::receive ? 0 : std::min(node.bytes.value_or(0), most_bytes), false);
    ++coverage_.left_out[fmt::format("{} {}", to_string(node.type), why)];
  }
  /// The node only says that others have ended.
  Operation left_out(const ChakraNode& node, std::string_view why) {
    note_left_out(node, why);
    return {.kind = OpKind::compute_after};
  }

  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    core::fail_input("{}: node {}: {}", path_, number_, fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  /// Tags have 32 bits, ours 31: those above are tags of a second communicator of all ranks.
  static constexpr std::uint64_t comm_tags = std::uint64_t{1} << 31U;
  CommId comm_of_large_tags() {
    if (!large_tags_) large_tags_ = trace_->add_communicator(Communicator::all(ranks_));
    return *large_tags_;
  }

  ChakraOptions options_;
  std::vector<std::string> files_;
  Groups groups_, own_groups_;  ///< process groups of the file that was given, and of the rank that is read
  std::int32_t ranks_ = 0;
  std::unique_ptr<CompactTrace> trace_;
  std::map<std::pair<std::string, std::vector<Rank>>, CommId> comms_;
  std::optional<CommId> large_tags_;
  Computation what_ = Computation::timed;
  ChakraHeader header_;
  Coverage coverage_;
  // The rank that is read, its file, the nodes and streams in there, and the number of a node:
  Rank rank_ = 0;
  std::string path_;
  std::vector<Numbered> nodes_;
  std::map<std::uint64_t, std::size_t> streams_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<CompactTrace> read_chakra(const std::string& path, const ChakraOptions& options) {
  return ChakraReader(path, options).read();
}

}  // namespace toroid::workloads
