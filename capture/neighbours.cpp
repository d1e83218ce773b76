// Collectives of neighbours on Cartesian and graph communicators: the messages that they are.

#include <algorithm>
#include <type_traits>

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

/// A neighbour, and the tag of messages from or to it: one that programs hardly use, and of its own for each direction,
/// as a rank may be its neighbour's neighbour on both sides.
struct Neighbour {
  int rank, tag;
};
struct Neighbours {
  std::vector<Neighbour> from, to;  ///< neighbours in the order of the blocks in the buffers; some may be no process
};

constexpr int highest_tag = 0x7fffffff;

Neighbours cartesian(MPI_Comm comm) {
  Neighbours found;
  int dims = 0;
  PMPI_Cartdim_get(comm, &dims);
  for (int d = 0; d < dims; ++d) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    PMPI_Cart_shift(comm, d, 1, &below, &above);
    const int from_below = highest_tag - 2 * d, from_above = from_below - 1;
    found.from.insert(found.from.end(), {{below, from_below}, {above, from_above}});
    found.to.insert(found.to.end(), {{below, from_above}, {above, from_below}});  // whom this rank is above
  }
  return found;
}

Neighbours of_graph(MPI_Comm comm, bool is_distributed) {
  int froms = 0, tos = 0, is_weighted = 0, me = 0;
  PMPI_Comm_rank(comm, &me);
  if (is_distributed)
    PMPI_Dist_graph_neighbors_count(comm, &froms, &tos, &is_weighted);
  else
    PMPI_Graph_neighbors_count(comm, me, &froms);
  std::vector<int> from(static_cast<std::size_t>(froms)), to(static_cast<std::size_t>(tos)),
      weights(from.size() + to.size());
  if (is_distributed)
    PMPI_Dist_graph_neighbors(comm, froms, from.data(), weights.data(), tos, to.data(), weights.data() + from.size());
  else
    PMPI_Graph_neighbors(comm, me, froms, from.data());
  Neighbours found;
  for (const int rank : from) found.from.push_back({rank, highest_tag});
  for (const int rank : is_distributed ? to : from) found.to.push_back({rank, highest_tag});
  return found;
}

Neighbours neighbours_in(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  return topology == MPI_CART ? cartesian(comm) : of_graph(comm, topology == MPI_DIST_GRAPH);
}

/// The count or the type of block i: all blocks have the same, or each has its own.
template <class Given>
auto of_block(Given given, std::size_t i) {
  if constexpr (std::is_same_v<Given, const int*> || std::is_same_v<Given, const MPI_Datatype*>)
    return given[i];
  else
    return given;
}

template <class Counts, class Types>
void put_messages(Entry& entry, const std::vector<Neighbour>& all, Counts counts, Types types) {
  entry.put(std::count_if(all.begin(), all.end(), [](const auto& one) { return one.rank != MPI_PROC_NULL; }));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rank == MPI_PROC_NULL) continue;
    entry.put_signed(all[i].rank);
    entry.put_signed(all[i].tag);
    entry.put(bytes_of(of_block(counts, i), of_block(types, i)));
  }
}

template <class Sent, class SentTypes, class Received, class ReceivedTypes>
void exchange_with_neighbours(Sent sent, SentTypes sent_types, Received received, ReceivedTypes received_types,
                              MPI_Comm comm, const MPI_Request* request) {
  const auto neighbours = neighbours_in(comm);
  Entry entry(Record::neighbours);
  entry.put(number_of(comm), number_of(request));
  put_messages(entry, neighbours.from, received, received_types);
  put_messages(entry, neighbours.to, sent, sent_types);
}

/// allgather and alltoall, allgatherv, and alltoallv and alltoallw.
constexpr auto equal_blocks = [](const void*, int sent, auto sent_type, void*, int received, auto received_type,
                                 auto... rest) {
  exchange_with_neighbours(sent, sent_type, received, received_type, rest...);
};
constexpr auto own_blocks = [](const void*, int sent, auto sent_type, void*, const int* received, auto,
                               auto received_type, auto... rest) {
  exchange_with_neighbours(sent, sent_type, received, received_type, rest...);
};
constexpr auto any_blocks = [](const void*, const int* sent, auto, auto sent_types, void*, const int* received, auto,
                               auto received_types, auto... rest) {
  exchange_with_neighbours(sent, sent_types, received, received_types, rest...);
};

CAPTURE_COLLECTIVE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, equal_blocks)
CAPTURE_COLLECTIVE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, own_blocks)
CAPTURE_COLLECTIVE(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, equal_blocks)
CAPTURE_COLLECTIVE(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, any_blocks)
CAPTURE_COLLECTIVE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, any_blocks)

}  // namespace
}  // namespace toroid::capture
