#include <unordered_map>

#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/formats/capture/file.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/importing.hpp"

namespace toroid::workloads {
namespace raw {
namespace {

/// How a communicator was made. Two ranks whose records are equal mean the same communicator.
struct CommMade {
  CommId parent;
  bool of_group;  ///< whether its members alone made it, with `tag`, and not all ranks of the parent
  std::int32_t tag;
  std::int32_t before = 0;  ///< how many the rank had made in the same way before
  std::vector<Rank> members;

  auto operator<=>(const CommMade&) const = default;
};

/// The communicators of all ranks.
class Comms {
 public:
  explicit Comms(CompactTrace& trace) : trace_(trace) {}

  CommId id_of(const CommMade& made) {
    const auto [known, is_new] = ids_.try_emplace(made, world);
    if (is_new) known->second = trace_.add_communicator(Communicator(made.members));
    return known->second;
  }

 private:
  CompactTrace& trace_;
  std::map<CommMade, CommId> ids_;
};

/// What the program can wait for.
struct Request {
  std::vector<RequestHandle> handles = {};  ///< none where the trace has no operation for it, several of neighbours
  bool is_persistent = false, is_active = false;
  std::optional<Operation> init = {};  ///< a persistent receive from any source, which is posted anew at each start
  std::optional<std::uint64_t> match = {};  ///< number in the program, if who sends it is open
};

class RankReader {
 public:
  RankReader(CompactTrace& trace, Comms& comms, File& file)
      : trace_(trace), rank_(file.header().rank), file_(file), all_comms_(comms), program_(trace, rank_) {}

  void read() {
    read_world();
    for (;;) {
      const auto record = file_.one_of(Record::end);
      program_.compute(file_.number());
      if (record == Record::end) break;
      read(record);
    }
    program_.end();
  }

 private:
  void read(Record record) {
    static constexpr std::array by_record{&RankReader::read_message,
                                          &RankReader::read_exchange,
                                          &RankReader::read_start,
                                          &RankReader::read_completion,
                                          &RankReader::rename,
                                          &RankReader::read_silent,
                                          &RankReader::free,
                                          &RankReader::read_collective,
                                          &RankReader::read_neighbours,
                                          &RankReader::read_communicator};
    (this->*by_record[static_cast<std::size_t>(record)])();
  }

  // Messages.

  void read_message() {
    Operation op{
        .kind = file_.one_of(OpKind::recv_init), .mode = file_.one_of(SendMode::buffered), .comm = read_comm()};
    if (!is_point_to_point(op.kind) || op.kind == OpKind::sendrecv) file_.fail();
    (is_receive(op.kind) ? op.from : op.to) = file_.small_number();
    op.tag = file_.small_number();
    op.bytes = file_.number();
    const auto name = file_.number();
    if (name == 0) return add(op), void();
    Request request{.handles = {handles_.give()}, .is_persistent = is_persistent_init(op.kind)};
    request.is_active = !request.is_persistent;
    op.request = request.handles[0];
    if (request.is_persistent && is_open(op))
      request.init = op;
    else
      request.match = add(op);
    requests_[name].push_back(request);
  }

  static bool is_open(const Operation& op) {
    return is_receive(op.kind) && (op.from == any_source || (op.tag == any_tag && op.from != no_process));
  }

  void read_exchange() {
    Operation op{.kind = OpKind::sendrecv, .comm = read_comm()};
    op.to = file_.small_number();
    op.tag = file_.small_number();
    op.bytes = file_.number();
    op.from = file_.small_number();
    const auto receive_tag = file_.small_number();
    add_exchange(op, receive_tag, file_.number(), handles_, [&](const Operation& part) { add(part); });
  }

  // Requests. What stands for several, as the process has its name again before the trace has taken it, is the oldest.

  Request& request_named(std::uint64_t name) {
    const auto found = requests_.find(name);
    if (found == requests_.end())
      core::fail_input("no trace of this program: rank {}: it has a request of a call that is not recorded", rank_);
    return found->second.front();
  }
  void forget(std::uint64_t name) {
    const auto found = requests_.find(name);
    found->second.pop_front();
    if (found->second.empty()) requests_.erase(found);
  }

  void read_silent() { requests_[file_.number()].push_back({.is_active = true}); }

  void rename() {
    const auto from = file_.number(), to = file_.number();
    const auto request = request_named(from);
    forget(from);
    requests_[to].push_back(request);
  }

  /// What is under way still ends, though nobody waits for it: its handle is not given again.
  void free() {
    const auto name = file_.number();
    const auto& request = request_named(name);
    if (request.is_active && request.match) program_.leave(*request.match);
    if (!request.is_active) handles_.take_back(request.handles);
    forget(name);
  }

  void read_start() {
    const bool is_one = file_.number() != 0;
    std::vector<RequestHandle> handles;
    const auto start = [&] {
      if (is_one && !handles.empty())
        add({.kind = OpKind::start, .request = handles[0]});
      else if (!handles.empty())
        add({.kind = OpKind::startall, .requests = handles});
      handles.clear();
    };
    for (const auto name : file_.list()) {
      auto& request = request_named(name);
      if (!request.is_persistent) file_.fail();
      request.is_active = true;
      if (!request.init) {
        handles.push_back(request.handles[0]);
        continue;
      }
      start();  // those before it: messages go to receives as these were posted
      auto op = *request.init;
      op.kind = OpKind::irecv;
      request.match = add(op);
    }
    start();
  }

  /// Persistent ones that are not under way, and null requests, have no part in it.
  void read_completion() {
    const bool is_one = file_.number() != 0;
    std::vector<RequestHandle> handles;
    for (auto left = file_.length(); left > 0; --left) {
      const auto name = file_.number();
      const auto source = file_.small_number(), tag = file_.small_number();
      if (name == 0) continue;
      auto& request = request_named(name);
      if (request.is_active) handles.insert(handles.end(), request.handles.begin(), request.handles.end());
      if (request.is_active && request.match) resolve(request, source, tag);
      request.is_active = false;
      if (request.is_persistent) continue;
      handles_.take_back(request.handles);
      forget(name);
    }
    program_.add_wait(handles, is_one);
  }

  // Collectives and communicators.

  void read_collective() {
    Operation op{.kind = file_.one_of(OpKind::exscan), .comm = read_comm()};
    if (!is_collective(op.kind)) file_.fail();
    const auto name = file_.number();
    const auto root = file_.number(), most = static_cast<std::uint64_t>(trace_.ranks());
    if (root >= most) file_.fail();
    op.root = static_cast<CommRank>(root);
    op.bytes = file_.number();
    const auto sends = file_.list(), receives = file_.list();
    op.send_counts = sends;
    op.recv_counts = receives;
    if (name != 0) op.request = handles_.give();
    add(op);
    if (name != 0) requests_[name].push_back({.handles = {op.request}, .is_active = true});
  }

  /// A collective of neighbours is the messages that MPI libraries make of it.
  void read_neighbours() {
    const auto comm = read_comm();
    const auto name = file_.number();
    Request request{.is_active = true};
    for (const auto kind : {OpKind::irecv, OpKind::isend})
      for (auto left = file_.length(); left > 0; --left) {
        Operation op{.kind = kind, .comm = comm};
        (kind == OpKind::irecv ? op.from : op.to) = file_.small_number();
        op.tag = file_.small_number();
        op.bytes = file_.number();
        op.request = request.handles.emplace_back(handles_.give());
        add(op);
      }
    if (name != 0) return requests_[name].push_back(request), void();
    program_.add_wait(request.handles, false);
    handles_.take_back(request.handles);
  }

  CommId read_comm() {
    const auto comm = comms_.find(file_.number());
    if (comm == comms_.end())
      core::fail_input("no trace of this program: rank {}: it uses a communicator of a call that is not recorded",
                       rank_);
    return comm->second;
  }

  /// First come MPI_COMM_WORLD and MPI_COMM_SELF.
  void read_world() {
    for (const auto comm : {world, trace_.add_communicator(Communicator::strided(rank_, 1, 1))}) {
      const auto record = file_.one_of(Record::end);
      program_.compute(file_.number());
      if (record != Record::communicator) file_.fail();
      file_.number();  // no parent
      file_.number();
      file_.number();
      comms_[file_.number()] = comm;
      read_members();
    }
  }

  /// The rank took part in making a communicator. One without members is not one of its own.
  void read_communicator() {
    CommMade made{.parent = read_comm(), .of_group = file_.number() != 0, .tag = file_.small_number(), .members = {}};
    const auto name = file_.number();
    made.members = read_members();
    auto like = made;
    if (!like.of_group) like.members.clear();
    made.before = comms_made_[like]++;
    if (!made.members.empty()) comms_[name] = all_comms_.id_of(made);
  }

  std::vector<Rank> read_members() {
    std::vector<Rank> members(file_.length());
    std::int64_t before = 0;
    for (auto& member : members) {
      before += file_.signed_number();
      if (before < 0 || before >= trace_.ranks()) file_.fail();
      member = Rank(static_cast<std::int32_t>(before));
    }
    return members;
  }

  /// Adds an operation. Returns its number if it is open who sends what it receives.
  std::optional<std::uint64_t> add(const Operation& op) {
    const auto& members = trace_.communicator(op.comm);
    if (members.rank_of(rank_) == no_process || !fault_of(op, members, rank_).empty()) file_.fail();
    const auto number = program_.add(op, is_open(op));
    return is_open(op) ? std::optional(number) : std::nullopt;
  }
  void resolve(Request& request, CommRank source, std::int32_t tag) {
    auto op = program_.at(*request.match);
    op.from = source;
    op.tag = tag;
    program_.settle(*request.match, op);
    request.match.reset();
  }

  CompactTrace& trace_;
  Rank rank_;
  File& file_;
  Comms& all_comms_;
  std::unordered_map<std::uint64_t, CommId> comms_;  ///< communicators by their handles, which may be used again
  std::map<CommMade, std::int32_t> comms_made_;      ///< how many the rank has made in each way
  ImportedProgram program_;
  Handles handles_;
  std::unordered_map<std::uint64_t, std::deque<Request>> requests_;
};

}  // namespace
}  // namespace raw

void check_refusals(const std::string& folder) {
  std::map<std::int32_t, std::string> refusals;  // one of each rank: several may have come to such a call
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    raw::Header header{};
    std::ifstream(entry.path(), std::ios::binary).read(reinterpret_cast<char*>(&header), sizeof header);
    if (header.magic == raw::magic && header.refusal[0] != '\0') refusals.emplace(header.rank, header.refusal);
  }
  if (refusals.empty()) return;
  const auto& [rank, why] = *refusals.begin();
  core::fail_input("no trace of this program: rank {}: {}", rank, why);
}

std::unique_ptr<CompactTrace> read_capture(const std::string& folder) {
  check_refusals(folder);
  const auto path = [&](std::int32_t rank) { return (std::filesystem::path(folder) / raw::file_name(rank)).string(); };
  if (std::filesystem::is_empty(folder))
    core::fail_input(
        "nothing was recorded: the program has not called MPI_Init, is linked statically, or uses another MPI than "
        "libtoroid_capture.so was built for; expected an MPI program");
  if (!std::filesystem::exists(path(0)))
    core::fail_input("rank 0 has left no record in {}, expected a folder that all ranks see (TMPDIR)", folder);
  const auto ranks = raw::File(path(0)).header().ranks;
  auto trace = std::make_unique<CompactTrace>(ranks);
  raw::Comms comms(*trace);
  Recording recording;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (!std::filesystem::exists(path(rank)))
      core::fail_input("rank {} of {} has left no record in {}, expected a folder that all ranks see (TMPDIR)", rank,
                       ranks, folder);
    raw::File file(path(rank));
    const auto& header = file.header();
    if (header.rank != rank || header.ranks != ranks) file.fail();
    if (rank == 0 || (header.ranks_here > header.cores_here && !recording.is_crowded()))
      recording = {header.clock, header.ranks_here, header.cores_here};
    raw::RankReader(*trace, comms, file).read();
  }
  trace->set_computation(recording.clock == "instructions" ? Computation::counted : Computation::timed, recording);
  trace->finish();
  return trace;
}

}  // namespace toroid::workloads
