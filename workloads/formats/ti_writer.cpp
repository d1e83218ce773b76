#include <filesystem>

#include "core/error.hpp"
#include "workloads/formats/ti.hpp"

namespace toroid::workloads {
namespace {

constexpr int byte_type = 6;
constexpr int undefined_rank = -333;

int ti_rank(Rank rank) {
  return rank < 0 ? undefined_rank : rank;
}
int ti_tag(std::int32_t tag) {
  return tag == any_tag ? -444 : tag;
}

std::string send_name(const Operation& op) {
  const bool blocking = op.kind == OpKind::send;
  switch (op.mode) {
    case SendMode::standard:
      return blocking ? "send" : "isend";
    case SendMode::synchronous:
      return blocking ? "Ssend" : "ISsend";
    case SendMode::buffered:
      return blocking ? "bsend" : "ibsend";
  }
  return "";
}

std::string counts_text(std::span<const std::uint64_t> counts, Rank ranks) {
  std::string text;
  for (Rank r = 0; r < ranks; ++r) text += fmt::format(" {}", counts.empty() ? 0 : counts[static_cast<std::size_t>(r)]);
  return text;
}

/// The action and its arguments, without the rank in front.
std::string action_text(const Operation& op, Rank ranks) {
  if (is_collective(op.kind) && op.comm != world)
    core::fail_input("{} on a communicator that is not the world: the time-independent format cannot say that",
                     to_string(op.kind));
  const bool receives = op.kind == OpKind::irecv || op.kind == OpKind::sendrecv;
  if (receives && (op.kind == OpKind::irecv ? op.peer : op.other) == no_process)
    core::fail_input("{} from no process: the time-independent format would mean any process by that",
                     to_string(op.kind));
  switch (op.kind) {
    case OpKind::compute:
      return fmt::format("compute {}", op.amount);
    case OpKind::sleep:
      return fmt::format("sleep {}", op.amount);
    case OpKind::send:
    case OpKind::isend:
      return fmt::format("{} {} {} {} {}", send_name(op), ti_rank(op.peer), ti_tag(op.tag), op.bytes, byte_type);
    case OpKind::recv:
    case OpKind::irecv:
      return fmt::format("{} {} {} {} {}", to_string(op.kind), ti_rank(op.peer), ti_tag(op.tag), op.bytes, byte_type);
    case OpKind::sendrecv:
      if (op.tag != 0) core::fail_input("sendrecv with tag {}: the time-independent format has no tag there", op.tag);
      return fmt::format("sendRecv {} {} {} {} {} {}", op.bytes, ti_rank(op.peer), op.bytes, ti_rank(op.other),
                         byte_type, byte_type);
    case OpKind::wait:
    case OpKind::test:
      return fmt::format("{} {} {} {}", to_string(op.kind), ti_rank(op.peer), ti_rank(op.other), ti_tag(op.tag));
    case OpKind::waitall:
      return fmt::format("waitall {}", op.bytes);
    case OpKind::waitany:
      return fmt::format("waitAny {}", op.bytes);
    case OpKind::barrier:
      return "barrier";
    case OpKind::bcast:
      return fmt::format("bcast {} {} {}", op.bytes, op.peer, byte_type);
    case OpKind::reduce:
      return fmt::format("reduce {} {} {} {}", op.bytes, op.amount, op.peer, byte_type);
    case OpKind::allreduce:
    case OpKind::scan:
    case OpKind::exscan:
      return fmt::format("{} {} {} {}", to_string(op.kind), op.bytes, op.amount, byte_type);
    case OpKind::gather:
    case OpKind::scatter:
      return fmt::format("{} {} {} {} {} {}", to_string(op.kind), op.bytes, op.bytes, op.peer, byte_type, byte_type);
    case OpKind::allgather:
    case OpKind::alltoall:
      return fmt::format("{} {} {} {} {}", to_string(op.kind), op.bytes, op.bytes, byte_type, byte_type);
    case OpKind::gatherv:
      return fmt::format("gatherv {}{} {} {} {}", op.bytes, counts_text(op.recv_counts, ranks), op.peer, byte_type,
                         byte_type);
    case OpKind::scatterv:
      return fmt::format("scatterv{} {} {} {} {}", counts_text(op.send_counts, ranks), op.bytes, op.peer, byte_type,
                         byte_type);
    case OpKind::allgatherv:
      return fmt::format("allgatherv {}{} {} {}", op.bytes, counts_text(op.recv_counts, ranks), byte_type, byte_type);
    case OpKind::alltoallv:
      return fmt::format("alltoallv 0{} 0{} {} {}", counts_text(op.send_counts, ranks),
                         counts_text(op.recv_counts, ranks), byte_type, byte_type);
    case OpKind::reduce_scatter:
      return fmt::format("reducescatter{} {} {}", counts_text(op.recv_counts, ranks), op.amount, byte_type);
  }
  return "";
}

void write_rank(const Trace& trace, Rank rank, core::OutputFile& file) {
  const auto prefix = std::to_string(rank) + " ";
  file.write(prefix + "init\n");
  const auto stream = trace.open(rank);
  Operation op;
  while (stream->next(op)) {
    if (is_point_to_point(op.kind) && op.comm != world) {
      const auto& members = trace.members(op.comm);
      if (op.peer >= 0) op.peer = members.at(static_cast<std::size_t>(op.peer));
      if (op.other >= 0) op.other = members.at(static_cast<std::size_t>(op.other));
    }
    if (op.kind == OpKind::recv && op.peer == no_process) continue;  // does nothing; TI would mean any process by it
    file.write(prefix + action_text(op, trace.ranks()) + "\n");
  }
  file.write(prefix + "finalize\n");
}

}  // namespace

void write_ti(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  auto& file = outputs.add(path);
  for (Rank r = 0; r < trace.ranks(); ++r) write_rank(trace, r, file);
}

void write_ti_per_rank(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  if (path.ends_with(".zst"))
    core::fail_input("{}: per-rank files are written plain: smpirun cannot read others", path);
  if (path == "-") core::fail_input("-: expected a file, with others beside it for the ranks");
  std::string names;
  for (Rank r = 0; r < trace.ranks(); ++r) {
    const auto name = fmt::format("{}.rank{}", path, r);
    auto& file = outputs.add(name);
    write_rank(trace, r, file);
    file.finish();  // there may be more ranks than files that can be open
    names += name + "\n";
  }
  outputs.add(path).write(names);  // last, so that it never names what is not there
}

void write_ti(const Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  write_ti(trace, outputs, path);
  outputs.commit();
}

void write_ti_per_rank(const Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  write_ti_per_rank(trace, outputs, path);
  outputs.commit();
}

}  // namespace toroid::workloads
