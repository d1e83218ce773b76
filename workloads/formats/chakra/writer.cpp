// Programs as execution traces: what a blocking operation is followed by depends on it, and what does not block is a
// node that the wait for it depends on.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/graph/writer.hpp"

namespace toroid::workloads {
namespace {

class ChakraProgram final : public GraphWriter {
 public:
  ChakraProgram(const Trace& trace, const CollectiveChoice& collectives, Rank rank)
      : GraphWriter(trace, collectives, rank, "Chakra") {}

  /// The text of the rank's file.
  std::string text() {
    walk();
    const bool on_torus = trace().collectives() == CollectiveWorld::torus;
    const auto computation = trace().computation();
    const ChakraHeader header{computation == Computation::timed     ? "timed"
                              : computation == Computation::counted ? "counted"
                                                                    : "modelled",
                              on_torus ? "torus" : "mpi"};
    return chakra_text(header) + groups() + nodes_;
  }

 private:
  bool says_begins() const override { return false; }

  bool says(const Operation& op) const override {
    if (std::ranges::find(chakra_kinds, op.kind) == chakra_kinds.end()) return false;
    const auto& counts = op.recv_counts;
    return op.kind != OpKind::reduce_scatter || counts.empty() ||
           std::ranges::equal(counts, even_blocks(sum(counts), trace().communicator(op.comm).size()));
  }

  double slept(const Operation& op) const override {
    if (trace().computation() != Computation::timed) fail(op, "computations of the trace have no durations");
    return op.amount * 1e9;
  }

  void emit(Label label, const Node& node, const Events& after) override {
    ChakraNode written{.id = label, .name = std::string(to_string(node.kind))};
    for (const auto& event : after) written.data.push_back(event.label);
    written.is_cpu = 0;
    if (node.kind == OpKind::compute_after) {
      compute(node, written);
    } else if (node.collective != nullptr) {
      collect(*node.collective, written);
    } else {
      const bool sends = node.kind == OpKind::send_after;
      written.type = sends ? ChakraType::send : ChakraType::receive;
      const auto own = static_cast<std::uint64_t>(rank().value()),
                 partner = static_cast<std::uint64_t>(node.partner.value());
      written.source = sends ? own : partner;
      written.target = sends ? partner : own;
      written.tag = static_cast<std::uint64_t>(node.tag);
      written.bytes = node.bytes;
    }
    if (written.type == ChakraType::computation && node.core > 0)
      written.stream = static_cast<std::uint64_t>(node.core);
    nodes_ += chakra_text(written);
  }

  /// A node without an amount only waits for others. Operations are said to touch one byte where no time of memory is
  /// known of them, as simulators with a roofline pass over nodes that touch none.
  void compute(const Node& node, ChakraNode& written) const {
    if (!(node.amount > 0) && node.bytes == 0) return;
    written.type = ChakraType::computation;
    written.amount = node.amount;
    constexpr double ns_per_us = 1e3;
    const bool is_timed = trace().computation() == Computation::timed;
    if (is_timed)
      written.micros = static_cast<std::uint64_t>(std::llround(node.amount / ns_per_us));
    else
      written.operations = static_cast<std::uint64_t>(std::llround(node.amount));
    if (!is_timed || node.bytes > 0) written.tensor = std::max<std::uint64_t>(1, node.bytes);
  }

  void collect(const Operation& op, ChakraNode& written) {
    written.type = ChakraType::collective;
    const auto kind = std::ranges::find(chakra_kinds, op.kind) - chakra_kinds.begin();
    written.kind = static_cast<std::uint64_t>(kind);
    const auto& comm = trace().communicator(op.comm);
    written.bytes = !op.recv_counts.empty() ? sum(op.recv_counts)
                    : has_blocks(op.kind)   ? op.bytes * static_cast<std::uint64_t>(comm.size())
                                            : op.bytes;
    if (has_root(op.kind)) written.root = static_cast<std::uint64_t>(comm.member(op.root).value());
    if (op.comm == world) return;
    written.group = fmt::format("{}", op.comm);
    comms_.insert(op.comm);
  }

  /// A node that lists the process groups of the file.
  std::string groups() const {
    if (comms_.empty()) return {};
    std::string list;
    for (const auto id : comms_) {
      const auto& comm = trace().communicator(id);
      list += fmt::format("{}{{\"pg_name\": \"{}\", \"ranks\": [", list.empty() ? "" : ", ", id);
      for (CommRank member = 0; member < comm.size(); ++member)
        list += fmt::format("{}{}", member == 0 ? "" : ", ", comm.member(member));
      list += "]}";
    }
    return chakra_text(
        ChakraNode{.name = "process groups", .type = ChakraType::metadata, .values = "['[" + list + "]']"});
  }

  static std::uint64_t sum(std::span<const std::uint64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  std::string nodes_;
  std::set<CommId> comms_;
};

}  // namespace

void write_chakra(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                  const std::string& path) {
  if (trace.ranks() > 1 && !has_place_for_rank(path))
    core::fail_input("{}: has no place for the number of a rank; expected a name as PREFIX.%d.et", path);
  const auto place = path.rfind("%d");
  const auto name = [&](std::int32_t rank) {
    auto named = path;
    return place == std::string::npos ? named : named.replace(place, 2, std::to_string(rank));
  };
  if (place != std::string::npos && std::filesystem::exists(name(trace.ranks())))
    core::fail_input(
        "{}: found the file of a rank more, expected none beside those of {} ranks: it would be read as one of them",
        name(trace.ranks()), trace.ranks());
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    auto& file = outputs.add(name(rank.value()));
    file.write(ChakraProgram(trace, collectives, rank).text());
    file.finish();  // there may be more ranks than files that can be open
  }
}

}  // namespace toroid::workloads
