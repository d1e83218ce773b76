#include "workloads/formats/dumpi/collective.hpp"

#include <array>
#include <limits>
#include <unordered_map>

#include "workloads/operation_kinds.hpp"

namespace toroid::workloads::dumpi {
namespace {

/// Bytes of datatypes by their numbers, of MPI_DATATYPE_ERROR (0) to MPI_LONG_DOUBLE_INT (27), where the text does not
/// say them.
constexpr std::array<std::uint64_t, 28> usual_sizes{0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                    8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

std::uint64_t scaled(const Call& call, std::int64_t count, std::uint64_t size) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53U;
  if (count < 0 || (size > 0 && static_cast<std::uint64_t>(count) > most / size))
    call.fail("found {} elements of {} bytes, expected 0 to 2^53 bytes", count, size);
  return static_cast<std::uint64_t>(count) * size;
}

CommRank root_of(const Call& call) {
  const auto root = call.count("root");
  if (root > std::numeric_limits<CommRank>::max()) call.fail("found root={}, expected a rank", root);
  return static_cast<CommRank>(root);
}

bool is_root(const Call& call, const Operation& op) {
  return call.integer("commrank") == op.root;
}
std::uint64_t of_root(const Call& call, const Operation& op, const std::vector<std::uint64_t>& bytes) {
  if (static_cast<std::size_t>(op.root) >= bytes.size())
    call.fail("found root={}, expected a rank below {}", op.root, bytes.size());
  return bytes[static_cast<std::size_t>(op.root)];
}

/// Reads what a collective sends and receives, by the counts that say something in place, too.
void read_amounts(const Call& call, const Datatypes& types, Operation& op, std::vector<std::uint64_t>& sends,
                  std::vector<std::uint64_t>& receives) {
  const auto sent = [&] { return types.bytes(call, "sendcount", "sendtype"); };
  const auto received = [&] { return types.bytes(call, "recvcount", "recvtype"); };
  switch (op.kind) {
    case OpKind::barrier:
      return;
    case OpKind::gather:
    case OpKind::scatter:
      op.bytes = is_root(call, op) == (op.kind == OpKind::gather) ? received() : sent();
      return;
    case OpKind::allgather:
    case OpKind::alltoall:
      op.bytes = received();
      return;
    case OpKind::gatherv:
      if (is_root(call, op)) receives = types.all_bytes(call, "recvcounts", "recvtype");
      op.bytes = is_root(call, op) ? of_root(call, op, receives) : sent();
      return;
    case OpKind::scatterv:
      if (is_root(call, op)) sends = types.all_bytes(call, "sendcounts", "sendtype");
      op.bytes = is_root(call, op) ? of_root(call, op, sends) : received();
      return;
    case OpKind::allgatherv:
      receives = types.all_bytes(call, "recvcounts", "recvtype");  // what it contributes is known when its place is
      return;
    case OpKind::alltoallv:
      sends = types.all_bytes(call, "sendcounts", "sendtype");
      receives = types.all_bytes(call, "recvcounts", "recvtype");
      return;
    case OpKind::reduce_scatter:
      receives = types.all_bytes(call, "recvcounts", "datatype");
      return;
    default:
      op.bytes = types.bytes(call, "count", "datatype");
  }
}

}  // namespace

std::uint64_t Datatypes::size(const Call& call, const char* argument) const {
  const auto type = call.integer(argument);
  const auto said = totals_.datatype_sizes.find(type);
  if (said != totals_.datatype_sizes.end()) return said->second;
  if (type > 1 && static_cast<std::size_t>(type) < usual_sizes.size())
    return usual_sizes[static_cast<std::size_t>(type)];
  call.fail("found datatype {}, expected one whose size the file says: print it with dumpi2ascii -a", type);
}

std::uint64_t Datatypes::bytes(const Call& call, const char* count, const char* type) const {
  return scaled(call, call.count(count), size(call, type));
}

std::vector<std::uint64_t> Datatypes::all_bytes(const Call& call, const char* counts, const char* type) const {
  const auto one = size(call, type);
  const auto ranks = call.count("commsize");
  if (ranks == 0) call.fail("found commsize=0, expected 1 or more");
  std::vector<std::uint64_t> bytes;
  for (const auto count : call.list(counts, ranks)) bytes.push_back(scaled(call, count, one));
  return bytes;
}

std::optional<Collective> read_collective(const Call& call, const Datatypes& datatypes) {
  static const std::unordered_map<std::string_view, OpKind> kinds{{"MPI_Barrier", OpKind::barrier},
                                                                  {"MPI_Bcast", OpKind::bcast},
                                                                  {"MPI_Reduce", OpKind::reduce},
                                                                  {"MPI_Allreduce", OpKind::allreduce},
                                                                  {"MPI_Scan", OpKind::scan},
                                                                  {"MPI_Exscan", OpKind::exscan},
                                                                  {"MPI_Gather", OpKind::gather},
                                                                  {"MPI_Gatherv", OpKind::gatherv},
                                                                  {"MPI_Scatter", OpKind::scatter},
                                                                  {"MPI_Scatterv", OpKind::scatterv},
                                                                  {"MPI_Allgather", OpKind::allgather},
                                                                  {"MPI_Allgatherv", OpKind::allgatherv},
                                                                  {"MPI_Alltoall", OpKind::alltoall},
                                                                  {"MPI_Alltoallv", OpKind::alltoallv},
                                                                  {"MPI_Reduce_scatter", OpKind::reduce_scatter}};
  const auto found = kinds.find(call.name);
  if (found == kinds.end()) return std::nullopt;
  Collective collective;
  auto& op = collective.operation;
  op.kind = found->second;
  if (has_root(op.kind)) op.root = root_of(call);
  read_amounts(call, datatypes, op, collective.send_counts, collective.recv_counts);
  return collective;
}

}  // namespace toroid::workloads::dumpi
