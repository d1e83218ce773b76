#include "workloads/formats/capture/rank.hpp"

#include <deque>
#include <optional>

#include "core/error.hpp"
#include "workloads/formats/capture/queue.hpp"
#include "workloads/formats/exchange.hpp"
#include "workloads/formats/operation_faults.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads::raw {
namespace {

/// What the program can wait for.
struct Request {
  std::vector<RequestHandle> handles = {};  ///< none where the trace has no operation for it, several of neighbours
  bool is_persistent = false, is_active = false;
  std::optional<Operation> init = {};  ///< of a persistent receive from any source: it is posted anew at each start
  std::optional<std::uint64_t> match = {};  ///< number in the queue, if who sends it is open
};

class RankReader {
 public:
  RankReader(CompactTrace& trace, Comms& comms, File& file)
      : trace_(trace), rank_(file.header().rank), file_(file), comms_(comms), queue_(trace, rank_) {}

  void read() {
    read_world();
    for (;;) {
      const auto record = file_.one_of(Record::end);
      computed_ += file_.number();
      if (record == Record::end) break;
      read(record);
    }
    add_computation();
    queue_.end();
  }

 private:
  void read(Record record) {
    switch (record) {
      case Record::message:
        return read_message();
      case Record::exchange:
        return read_exchange();
      case Record::start:
        return read_start();
      case Record::completion:
        return read_completion();
      case Record::renamed:
        return rename();
      case Record::silent:
        return requests_[file_.number()].push_back({.is_active = true}), void();
      case Record::freed:
        return free();
      case Record::collective:
        return read_collective();
      case Record::neighbours:
        return read_neighbours();
      case Record::communicator:
        return read_communicator();
      case Record::end:
        break;
    }
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
    if (request.is_active && request.match) queue_.leave(*request.match);
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
    if (is_one && handles.size() == 1)
      add({.kind = OpKind::wait, .request = handles[0]});
    else if (!handles.empty())
      add({.kind = OpKind::waitall, .requests = handles});
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
    if (!request.handles.empty()) add({.kind = OpKind::waitall, .requests = request.handles});
    handles_.take_back(request.handles);
  }

  CommId read_comm() {
    const auto* comm = comms_.find(file_.number());
    if (comm == nullptr)
      core::fail_input("no trace of this program: rank {}: it uses a communicator of a call that is not recorded",
                       rank_);
    return *comm;
  }

  /// First come MPI_COMM_WORLD and MPI_COMM_SELF.
  void read_world() {
    for (const auto comm : {world, comms_.self_of(rank_)}) {
      const auto record = file_.one_of(Record::end);
      computed_ += file_.number();
      if (record != Record::communicator) file_.fail();
      file_.number();  // no parent
      file_.number();
      file_.number();
      comms_.set(file_.number(), comm);
      read_members();
    }
  }

  void read_communicator() {
    CommMade made{.parent = read_comm(), .of_group = file_.number() != 0, .tag = file_.small_number(), .members = {}};
    const auto name = file_.number();
    made.members = read_members();
    comms_.make(name, made);
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

  // Into the trace.

  void add_computation() {
    if (computed_ > 0) queue_.add({.kind = OpKind::compute, .amount = static_cast<double>(computed_)});
    computed_ = 0;
  }

  /// Its number in the queue if who sends it is open.
  std::optional<std::uint64_t> add(const Operation& op) {
    const auto& members = op.comm == world ? world_ : trace_.communicator(op.comm);
    if (members.rank_of(rank_) == no_process || !fault_of(op, members, rank_).empty()) file_.fail();
    add_computation();
    const auto number = queue_.add(op, is_open(op));
    return is_open(op) ? std::optional(number) : std::nullopt;
  }
  void resolve(Request& request, CommRank source, std::int32_t tag) {
    queue_.resolve(*request.match, source, tag);
    request.match.reset();
  }

  CompactTrace& trace_;
  Rank rank_;
  File& file_;
  RankComms comms_;
  Queue queue_;
  Communicator world_ = Communicator::all(trace_.ranks());
  std::uint64_t computed_ = 0;  ///< since the last operation
  Handles handles_;
  std::unordered_map<std::uint64_t, std::deque<Request>> requests_;
};

}  // namespace

void read_rank(CompactTrace& trace, Comms& comms, File& file) {
  RankReader(trace, comms, file).read();
}

}  // namespace toroid::workloads::raw
