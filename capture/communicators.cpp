#include <numeric>

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

std::vector<int> members_of(MPI_Comm comm) {
  int size = 0;
  MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> numbers(static_cast<std::size_t>(size)), members(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  PMPI_Group_translate_ranks(group, size, numbers.data(), all, members.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&all);
  return members;
}

void put(MPI_Comm parent, bool of_group, int tag, MPI_Comm made) {
  const auto members = made == MPI_COMM_NULL ? std::vector<int>{} : members_of(made);
  Entry entry(Record::communicator);
  entry.put(number_of(parent), of_group);
  entry.put_signed(tag);
  entry.put(number_of(made), members.size());
  int before = 0;
  for (const int member : members) {
    entry.put_signed(member - before);
    before = member;
  }
}

/// All these have the old communicator first, and the place of the new one last.
template <class... Arguments>
void make(MPI_Comm parent, Arguments... arguments) {
  record_communicator(parent, *last_of(arguments...));
}

void make_of_group(MPI_Comm parent, MPI_Group, int tag, MPI_Comm* made) {
  record_communicator_of_group(parent, tag, *made);
}

/// Open MPI has the communicator as soon as this returns, though it may be used only later. Waiting for it is no
/// operation of a trace.
int idup(Call& call, decltype(&MPI_Comm_idup) real, MPI_Comm parent, MPI_Comm* made, MPI_Request* request) {
  const int result = real(parent, made, request);
  if (!call.succeeded(result)) return result;
  make_unique(*request);
  record_communicator(parent, *made);
  Entry(Record::silent).put(number_of(*request));
  return result;
}

CAPTURE(MPI_Comm_dup, plain<make<MPI_Comm*>>)
CAPTURE(MPI_Comm_dup_with_info, plain<make<MPI_Info, MPI_Comm*>>)
CAPTURE(MPI_Comm_idup, idup)
CAPTURE(MPI_Comm_create, plain<make<MPI_Group, MPI_Comm*>>)
CAPTURE(MPI_Comm_create_group, plain<make_of_group>)
CAPTURE(MPI_Comm_split, plain<make<int, int, MPI_Comm*>>)
CAPTURE(MPI_Comm_split_type, plain<make<int, int, MPI_Info, MPI_Comm*>>)
CAPTURE(MPI_Cart_create, plain<make<int, const int*, const int*, int, MPI_Comm*>>)
CAPTURE(MPI_Cart_sub, plain<make<const int*, MPI_Comm*>>)
CAPTURE(MPI_Graph_create, plain<make<int, const int*, const int*, int, MPI_Comm*>>)
CAPTURE(MPI_Dist_graph_create,
        plain<make<int, const int*, const int*, const int*, const int*, MPI_Info, int, MPI_Comm*>>)
CAPTURE(MPI_Dist_graph_create_adjacent,
        plain<make<int, const int*, const int*, int, const int*, const int*, MPI_Info, int, MPI_Comm*>>)

}  // namespace

void record_communicator(MPI_Comm parent, MPI_Comm made) {
  put(parent, false, 0, made);
}
void record_communicator_of_group(MPI_Comm parent, int tag, MPI_Comm made) {
  put(parent, true, tag, made);
}

}  // namespace toroid::capture
