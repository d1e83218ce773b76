#include "workloads/formats/dumpi/rank.hpp"

#include <cctype>

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
void read_amounts(const Call& call, const Datatypes& types, HeldOperation& held) {
  auto& [op, requests, after, after_begin, sends, receives] = held;
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

bool is_local(std::string_view name) {
  static constexpr std::string_view names =
      "Address Alloc_mem Buffer_attach Buffer_detach Cart_map Close_port Comm_call_errhandler Comm_compare "
      "Comm_create_errhandler Comm_create_keyval Comm_delete_attr Comm_disconnect Comm_free "
      "Comm_free_keyval Comm_get_attr Comm_get_errhandler Comm_get_info Comm_get_name Comm_get_parent "
      "Comm_group Comm_rank Comm_remote_group Comm_remote_size Comm_set_attr Comm_set_errhandler "
      "Comm_set_info Comm_set_name Comm_size Comm_test_inter Dims_create Dist_graph_neighbors "
      "Dist_graph_neighbors_count Error_class Error_string Finalized Free_mem Get_address Get_count "
      "Get_elements Get_library_version Get_processor_name Get_version Graph_get Graph_map Graph_neighbors "
      "Graph_neighbors_count Graphdims_get Init Init_thread Initialized Iprobe Is_thread_main Keyval_create "
      "Keyval_free Lookup_name Open_port Pack Pack_size Pcontrol Probe Publish_name Query_thread "
      "Reduce_local Register_datarep Request_get_status Test_cancelled Topo_test Unpack Unpublish_name "
      "Wtick Wtime";
  static const auto all = core::words(names);
  if (!name.starts_with("MPI_")) return name.ends_with("_c2f") || name.ends_with("_f2c");
  const auto call = name.substr(4);
  if (std::ranges::find(all, call) != all.end()) return true;
  for (const std::string_view family :
       {"Type_", "Op_", "Group_", "Attr_", "Errhandler_", "Info_", "Cartdim", "Status_", "Add_error_", "Pack_external",
        "Cart_rank", "Cart_coords", "Cart_get", "Cart_shift"})
    if (call.starts_with(family)) return true;
  return call.ends_with("_c2f") || call.ends_with("_f2c");
}

std::optional<HeldOperation> read_collective(const Call& call, const Datatypes& datatypes) {
  static const auto kinds = [] {
    std::unordered_map<std::string, OpKind> by_name;  // MPI_Reduce_scatter and the like
    for (auto k = static_cast<std::size_t>(OpKind::barrier); k < static_cast<std::size_t>(OpKind::fence); ++k) {
      auto name = fmt::format("MPI_{}", to_string(static_cast<OpKind>(k)));
      name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
      by_name.emplace(std::move(name), static_cast<OpKind>(k));
    }
    return by_name;
  }();
  const auto found = kinds.find(call.name);
  if (found == kinds.end()) return std::nullopt;
  HeldOperation collective(Operation{.kind = found->second});
  if (has_root(found->second)) collective.operation.root = root_of(call);
  read_amounts(call, datatypes, collective);
  return collective;
}

}  // namespace toroid::workloads::dumpi
