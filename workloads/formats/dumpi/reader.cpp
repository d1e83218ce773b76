#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/formats/dumpi/rank.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace dumpi {
namespace {

constexpr CommId unknown = -1;

/// Adds the communicators of all ranks to the trace. Throws InputError when the ranks of a communicator do not make the
/// same communicators from it.
class CommFinder {
  struct Known {
    std::vector<Rank> members;
    std::vector<LocalComm> local;  ///< its number at each of them
  };
  /// What a member made of a communicator, and the number that this has there.
  struct Child {
    const CommMade* made;
    LocalComm number;
  };

 public:
  CommFinder(CompactTrace& trace, const CommsMade& made) : trace_(trace), ids_(made.size()), children_(made.size()) {
    for (const Rank rank : made.ids()) {
      LocalComm number = first_local_comm;
      for (const auto& comm : made[rank]) {
        children_[rank].resize(std::max(children_[rank].size(), static_cast<std::size_t>(comm.from) + 1));
        if (comm.how != CommMade::How::other)
          children_[rank][static_cast<std::size_t>(comm.from)].push_back({&comm, number});
        number += comm.is_member ? 1 : 0;
      }
      ids_[rank].assign(static_cast<std::size_t>(number), unknown);
      ids_[rank][local_world] = world;
    }
  }

  /// The ids of each rank's local communicators: CommId(-1) where these, or what they come from, were made by `other`,
  /// so that their members are not known.
  core::IdVector<Rank, std::vector<CommId>> find() {
    std::vector<Rank> all;
    for (const Rank rank : ids_.ids()) {
      all.push_back(rank);
      ids_[rank][local_self] = trace_.add_communicator(Communicator::strided(rank, 1, 1));
    }
    waiting_.push_back({all, std::vector<LocalComm>(all.size(), local_world)});
    for (const Rank rank : ids_.ids()) waiting_.push_back({{rank}, {local_self}});
    while (!waiting_.empty()) {
      const auto comm = waiting_.front();
      waiting_.pop_front();
      find_children(comm);
    }
    return std::move(ids_);
  }

 private:
  /// The n-th that one member made is the n-th that all made.
  void find_children(const Known& comm) {
    std::vector<std::vector<Child>> all;
    for (std::size_t m = 0; m < comm.members.size(); ++m) {
      const auto& of_member = children_[comm.members[m]];
      const auto local = static_cast<std::size_t>(comm.local[m]);
      all.push_back(local < of_member.size() ? of_member[local] : std::vector<Child>{});
    }
    for (std::size_t n = 0; n < all[0].size(); ++n) {
      std::map<std::int64_t, std::vector<std::tuple<std::int64_t, std::size_t>>> parts;  // key and member by color
      for (std::size_t m = 0; m < all.size(); ++m) {
        if (n >= all[m].size() || all[m][n].made->how != all[0][n].made->how) fail(comm, 0, m, *all[0][n].made);
        const auto& made = *all[m][n].made;
        if (made.is_member) parts[made.color].emplace_back(made.key, m);
      }
      for (auto& [color, part] : parts) {
        std::sort(part.begin(), part.end());
        Known known;
        for (const auto& [key, m] : part) {
          known.members.push_back(comm.members[m]);
          known.local.push_back(all[m][n].number);
        }
        const auto id = trace_.add_communicator(Communicator(known.members));
        for (std::size_t m = 0; m < known.members.size(); ++m)
          ids_[known.members[m]][static_cast<std::size_t>(known.local[m])] = id;
        waiting_.push_back(std::move(known));
      }
    }
    for (std::size_t m = 1; m < all.size(); ++m)
      if (all[m].size() > all[0].size()) fail(comm, m, 0, *all[m][all[0].size()].made);
  }

  [[noreturn]] void fail(const Known& comm, std::size_t one, std::size_t other, const CommMade& made) const {
    core::fail_input_at(trace_.file_of(comm.members[one]), made.line,
                        "found {} on a communicator of rank {}, expected that rank {} calls it too", made.call,
                        comm.members[one], comm.members[other]);
  }

  CompactTrace& trace_;
  core::IdVector<Rank, std::vector<CommId>> ids_;
  core::IdVector<Rank, std::vector<std::vector<Child>>> children_;  ///< children of each communicator of a rank
  std::deque<Known> waiting_;                                       ///< communicators whose children are to be found
};

}  // namespace
}  // namespace dumpi

namespace {

/// The header is there if dumpi2ascii was asked for it.
bool is_text(const std::string& first) {
  return dumpi::CallReader::enters(first) || first.starts_with("version=");
}

bool is_dumpi(const std::string& path) {
  const auto first = core::first_content(path);
  if (is_text(first)) return true;
  const auto listed = first.empty() ? std::string() : core::listed_file(path, first);
  return !listed.empty() && is_text(core::first_content(listed));
}

}  // namespace

std::unique_ptr<CompactTrace> read_dumpi(const std::string& path) {
  const bool is_one_rank = is_text(core::first_content(path));
  std::vector<std::string> files;  // one of each rank
  if (is_one_rank) files.push_back(path);
  if (!is_one_rank)
    for (const auto& [file, line] : core::listed_files(path, "a call of MPI")) files.push_back(file);
  auto trace = std::make_unique<CompactTrace>(static_cast<std::int32_t>(files.size()));
  if (!is_one_rank) trace->set_list(path);
  dumpi::CommsMade made(files.size());
  for (const Rank rank : made.ids()) {
    const auto& file = files[rank.index()];
    trace->set_file(rank, file);
    made[rank] = dumpi::read_rank(*trace, rank, trace->ranks(), file);
  }
  const auto comms = dumpi::CommFinder(*trace, made).find();
  for (const Rank rank : made.ids())
    trace->for_each_distinct(rank, [&](Operation& op, std::uint64_t line) {
      op.comm = comms[rank][op.comm.index()];
      const auto& members = trace->communicator(op.comm);
      if (const auto fault = fault_of(op, members, rank); !fault.empty())
        core::fail_input_at(trace->file_of(rank), line, "{}", fault);
      if (op.kind == OpKind::allgatherv) op.bytes = op.recv_counts[static_cast<std::size_t>(members.rank_of(rank))];
    });
  trace->set_computation(Computation::timed);
  trace->finish();
  return trace;
}

core::Entry<TraceFormat> dumpi_format() {
  return {"dumpi", "DUMPI traces as dumpi2ascii prints them, a text for each rank",
          TraceFormat{is_dumpi, as_trace<read_dumpi>}};
}

}  // namespace toroid::workloads
