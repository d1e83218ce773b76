#include "workloads/formats/dumpi/rank.hpp"

#include "workloads/formats/importing.hpp"

namespace toroid::workloads::dumpi {
namespace {

// Numbers with a meaning, in all versions of DUMPI.
constexpr std::int64_t comm_null = 1, comm_world = 2, comm_self = 3, request_null = 1, any = -1;

/// Calls that make communicators whose members the trace does not tell.
bool makes_unknown_comm(std::string_view name) {
  return name == "MPI_Comm_create" || name == "MPI_Cart_create" || name == "MPI_Graph_create" ||
         name == "MPI_Cart_sub" || name == "MPI_Intercomm_create" || name == "MPI_Intercomm_merge";
}

class RankReader {
 public:
  RankReader(CompactTrace& trace, Rank rank, std::int32_t ranks, const std::string& path)
      : rank_(rank),
        ranks_(ranks),
        path_(path),
        totals_(read_totals(path)),
        datatypes_(totals_),
        program_(trace, rank) {
    comms_ = {{comm_world, local_world}, {comm_self, local_self}};
  }

  std::vector<CommMade> read() {
    CallReader calls(path_);
    bool any_call = false, finalized = false;
    while (const auto* call = calls.next()) {
      if (finalized) call->fail("found a call behind MPI_Finalize, expected none");
      check_place(*call);
      if (any_call && call->entered < last_returned_)
        call->fail("found that it is entered before the call before it returns, expected times that do not go back");
      if (any_call) program_.compute(static_cast<std::uint64_t>(call->entered - last_returned_));
      any_call = true;
      last_returned_ = call->returned;
      finalized = call->name == "MPI_Finalize";
      if (!finalized && !is_local(call->name)) read(*call);
    }
    if (!finalized) core::fail_input("{}: found the end, expected MPI_Finalize: the file is truncated", path_);
    check_recorded();
    program_.end();
    return std::move(made_);
  }

 private:
  /// Fails if calls were made of which none was recorded. A name that does not begin with MPI_ is the sum of all.
  void check_recorded() const {
    for (const auto& [name, line] : totals_.ignored)
      if (name.starts_with("MPI_") && !is_local(name))
        core::fail_input_at(path_, line, "found that calls of {} were not recorded, expected all of them", name);
  }

  /// Calls on the world say which of how many ranks this is.
  void check_place(const Call& call) const {
    const bool asks_rank = call.name == "MPI_Comm_rank", asks_size = call.name == "MPI_Comm_size";
    const auto check = [&](const char* argument, std::int32_t expected, std::string_view why) {
      if (!call.arguments.contains(argument) || call.integer("comm") != comm_world) return;
      const auto found = call.integer(argument);
      if (found != expected) call.fail("found {}={}, expected {}: {}", argument, found, expected, why);
    };
    check(asks_rank ? "rank" : "commrank", rank_.value(), "texts stand in the order of their ranks");
    check(asks_size ? "size" : "commsize", ranks_, "there are so many texts");
  }

  void read(const Call& call) {
    if (read_message(call) || read_persistent(call) || read_wait(call) || read_communicator(call) ||
        read_collective(call))
      return;
    call.fail("found a call that is not understood, expected one of those that docs/reference/traces.md lists");
  }

  // Messages.

  bool read_message(const Call& call) {
    static const std::unordered_map<std::string_view, std::pair<OpKind, SendMode>> kinds{
        {"MPI_Send", {OpKind::send, SendMode::standard}},
        {"MPI_Rsend", {OpKind::send, SendMode::standard}},
        {"MPI_Ssend", {OpKind::send, SendMode::synchronous}},
        {"MPI_Bsend", {OpKind::send, SendMode::buffered}},
        {"MPI_Isend", {OpKind::isend, SendMode::standard}},
        {"MPI_Irsend", {OpKind::isend, SendMode::standard}},
        {"MPI_Issend", {OpKind::isend, SendMode::synchronous}},
        {"MPI_Ibsend", {OpKind::isend, SendMode::buffered}},
        {"MPI_Recv", {OpKind::recv, SendMode::standard}},
        {"MPI_Irecv", {OpKind::irecv, SendMode::standard}},
        {"MPI_Send_init", {OpKind::send_init, SendMode::standard}},
        {"MPI_Rsend_init", {OpKind::send_init, SendMode::standard}},
        {"MPI_Ssend_init", {OpKind::send_init, SendMode::synchronous}},
        {"MPI_Bsend_init", {OpKind::send_init, SendMode::buffered}},
        {"MPI_Recv_init", {OpKind::recv_init, SendMode::standard}}};
    if (call.name == "MPI_Sendrecv") return exchange(call, "sendcount", "sendtype", "recvcount", "recvtype"), true;
    if (call.name == "MPI_Sendrecv_replace") return exchange(call, "count", "datatype", "count", "datatype"), true;
    const auto found = kinds.find(call.name);
    if (found == kinds.end()) return false;
    Operation op{.kind = found->second.first, .mode = found->second.second, .comm = comm_of(call)};
    const bool receives = is_receive(op.kind);
    (receives ? op.from : op.to) = receives ? source_of(call) : destination_of(call);
    op.tag = tag_of(call, "tag", receives);
    op.bytes = datatypes_.bytes(call, "count", "datatype");
    if (op.kind != OpKind::send && op.kind != OpKind::recv) op.request = new_handle(call);
    add(call, op);
    return true;
  }

  void exchange(const Call& call, const char* send_count, const char* send_type, const char* receive_count,
                const char* receive_type) {
    Operation op{.kind = OpKind::sendrecv, .comm = comm_of(call)};
    op.to = destination_of(call);
    op.from = source_of(call);
    op.tag = tag_of(call, "sendtag", false);
    op.bytes = datatypes_.bytes(call, send_count, send_type);
    add_exchange(op, tag_of(call, "recvtag", true), datatypes_.bytes(call, receive_count, receive_type), handles_,
                 [&](const Operation& part) { add(call, part); });
  }

  CommRank destination_of(const Call& call) const { return partner_of(call, "dest", no_process); }
  CommRank source_of(const Call& call) const { return partner_of(call, "source", any_source); }
  /// Reads the partner of a message: -1 is MPI_ANY_SOURCE, and other negative numbers are no process.
  CommRank partner_of(const Call& call, const char* argument, CommRank minus_one) const {
    const auto rank = call.integer(argument);
    if (rank > std::numeric_limits<CommRank>::max()) call.fail("found {}={}, expected a rank", argument, rank);
    if (rank < 0) return rank == any ? minus_one : no_process;
    return static_cast<CommRank>(rank);
  }
  std::int32_t tag_of(const Call& call, const char* argument, bool receives) const {
    const auto tag = call.integer(argument);
    if (tag == any && receives) return any_tag;
    if (tag < 0 || tag > std::numeric_limits<std::int32_t>::max())
      call.fail("found {}={}, expected a tag of 0 or more", argument, tag);
    return static_cast<std::int32_t>(tag);
  }

  // Requests. Their numbers may grow without end; ours are given again when their requests have been taken.

  static std::int64_t one_request(const Call& call) { return call.list("request", 1)[0]; }
  static std::vector<std::int64_t> all_requests(const Call& call) {
    return call.list("requests", call.integer("count"));
  }

  RequestHandle new_handle(const Call& call) {
    const auto [known, is_new] = requests_.try_emplace(one_request(call));
    if (is_new) known->second.handle = handles_.give();
    known->second.is_persistent = call.name.ends_with("_init");
    return known->second.handle;
  }

  bool read_persistent(const Call& call) {
    if (call.name == "MPI_Start" || call.name == "MPI_Startall") {
      const bool is_one = call.name == "MPI_Start";
      for (const auto number : is_one ? std::vector{one_request(call)} : all_requests(call)) {
        const auto known = requests_.find(number);
        if (known == requests_.end() || !known->second.is_persistent)
          call.fail("found request {}, expected one that is persistent", number);
        add(call, {.kind = OpKind::start, .request = known->second.handle});
      }
      return true;
    }
    if (call.name != "MPI_Request_free") return false;
    requests_.erase(one_request(call));  // its handle is not given again: the request may still be under way
    return true;
  }

  /// Tests and waits for one of several take what they took in the run that was recorded.
  bool read_wait(const Call& call) {
    const auto name = std::string_view(call.name);
    if (name == "MPI_Wait" || (name == "MPI_Test" && call.integer("flag") != 0)) return take(call, {one_request(call)});
    if (name == "MPI_Waitall" || (name == "MPI_Testall" && call.integer("flag") != 0))
      return take(call, all_requests(call));
    if (name == "MPI_Waitany" || (name == "MPI_Testany" && call.integer("flag") != 0))
      return take_some(call, {call.integer("index")});
    if (name == "MPI_Waitsome" || name == "MPI_Testsome")
      return take_some(call, call.list("indices", call.integer("outcount")));
    return name == "MPI_Test" || name == "MPI_Testall" || name == "MPI_Testany";
  }

  bool take_some(const Call& call, const std::vector<std::int64_t>& indices) {
    const auto requests = all_requests(call);
    std::vector<std::int64_t> taken;
    for (const auto index : indices) {
      if (index < 0) continue;  // MPI_UNDEFINED: there was none
      if (static_cast<std::size_t>(index) >= requests.size())
        call.fail("found index {}, expected one below {}", index, requests.size());
      taken.push_back(requests[static_cast<std::size_t>(index)]);
    }
    return take(call, taken);
  }

  bool take(const Call& call, const std::vector<std::int64_t>& numbers) {
    std::vector<RequestHandle> handles;
    for (const auto number : numbers) {
      if (number == request_null) continue;
      const auto known = requests_.find(number);
      if (known == requests_.end()) call.fail("found request {}, expected one that a call before gave", number);
      handles.push_back(known->second.handle);
      if (known->second.is_persistent) continue;
      handles_.take_back(known->second.handle);
      requests_.erase(known);
    }
    program_.add_wait(handles, call.arguments.contains("request") || call.arguments.contains("index"), call.line);
    return true;
  }

  // Communicators.

  CommId comm_of(const Call& call) const {
    const auto number = call.integer("comm");
    const auto known = comms_.find(number);
    if (known == comms_.end()) call.fail("found communicator {}, expected one that a call before made", number);
    if (const auto* made = unknown_comm(known->second))
      call.fail(
          "found a communicator that comes from {} on line {}, expected one of MPI_Comm_dup or MPI_Comm_split alone: "
          "who is in it is not in the trace",
          made->call, made->line);
    return CommId(known->second);
  }

  /// How the rank got it, if the trace does not tell who is in it.
  const CommMade* unknown_comm(LocalComm comm) const {
    if (comm < first_local_comm) return nullptr;
    const auto& made = members_[static_cast<std::size_t>(comm - first_local_comm)];
    return made.how == CommMade::How::other ? &made : nullptr;
  }

  bool read_communicator(const Call& call) {
    CommMade made{.how = CommMade::How::other, .call = call.name, .line = call.line};
    if (call.name == "MPI_Comm_dup") made.how = CommMade::How::dup;
    if (call.name == "MPI_Comm_split") {
      made.how = CommMade::How::split;
      made.color = call.integer("color");
      made.key = call.integer("key");
    }
    if (made.how == CommMade::How::other && !makes_unknown_comm(call.name)) return false;
    const auto number = call.integer("newcomm");
    made.is_member = number != comm_null;
    if (made.how != CommMade::How::other) {
      const auto from = call.integer("oldcomm");
      const auto known = comms_.find(from);
      if (known == comms_.end()) call.fail("found communicator {}, expected one that a call before made", from);
      made.from = known->second;
    }
    if (const auto* unknown = unknown_comm(made.from)) {
      made.how = CommMade::How::other;
      made.call = unknown->call;
      made.line = unknown->line;
    }
    if (made.is_member) {
      comms_[number] = first_local_comm + static_cast<LocalComm>(members_.size());
      members_.push_back(made);
    }
    made_.push_back(made);
    return true;
  }

  bool read_collective(const Call& call) {
    const auto collective = dumpi::read_collective(call, datatypes_);
    if (!collective) return false;
    auto op = collective->shown();
    op.comm = comm_of(call);
    add(call, op);
    return true;
  }

  void add(const Call& call, const Operation& op) { program_.add(op, false, call.line); }

  struct Request {
    RequestHandle handle = no_handle;
    bool is_persistent = false;
  };

  Rank rank_;
  std::int32_t ranks_;
  const std::string& path_;
  Totals totals_;
  Datatypes datatypes_;
  std::int64_t last_returned_ = 0;  ///< nanoseconds
  std::unordered_map<std::int64_t, Request> requests_;
  Handles handles_;
  ImportedProgram program_;
  std::unordered_map<std::int64_t, LocalComm> comms_;
  std::vector<CommMade> made_, members_;  ///< all, and those that gave the rank a communicator
};

}  // namespace

std::vector<CommMade> read_rank(CompactTrace& trace, Rank rank, std::int32_t ranks, const std::string& path) {
  return RankReader(trace, rank, ranks, path).read();
}

}  // namespace toroid::workloads::dumpi
