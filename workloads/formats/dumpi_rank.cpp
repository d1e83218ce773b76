#include "workloads/formats/dumpi_rank.hpp"

#include <array>
#include <limits>
#include <unordered_set>

#include "workloads/formats/dumpi_collective.hpp"

namespace toroid::workloads::dumpi {
namespace {

// Numbers with a meaning, in all versions of DUMPI.
constexpr std::int64_t comm_null = 1, comm_world = 2, comm_self = 3, request_null = 1, any = -1;

/// Calls that only the rank itself notices.
bool is_local(std::string_view name) {
  static const std::unordered_set<std::string_view> names{"MPI_Init",
                                                          "MPI_Init_thread",
                                                          "MPI_Initialized",
                                                          "MPI_Finalized",
                                                          "MPI_Comm_rank",
                                                          "MPI_Comm_size",
                                                          "MPI_Comm_group",
                                                          "MPI_Comm_compare",
                                                          "MPI_Comm_free",
                                                          "MPI_Comm_test_inter",
                                                          "MPI_Comm_remote_size",
                                                          "MPI_Comm_set_errhandler",
                                                          "MPI_Comm_get_errhandler",
                                                          "MPI_Comm_set_name",
                                                          "MPI_Comm_get_name",
                                                          "MPI_Comm_set_attr",
                                                          "MPI_Comm_get_attr",
                                                          "MPI_Comm_create_keyval",
                                                          "MPI_Comm_free_keyval",
                                                          "MPI_Wtime",
                                                          "MPI_Wtick",
                                                          "MPI_Get_processor_name",
                                                          "MPI_Get_version",
                                                          "MPI_Get_count",
                                                          "MPI_Get_elements",
                                                          "MPI_Get_address",
                                                          "MPI_Address",
                                                          "MPI_Pack",
                                                          "MPI_Unpack",
                                                          "MPI_Pack_size",
                                                          "MPI_Probe",
                                                          "MPI_Iprobe",
                                                          "MPI_Dims_create",
                                                          "MPI_Topo_test",
                                                          "MPI_Graphdims_get",
                                                          "MPI_Graph_get",
                                                          "MPI_Pcontrol",
                                                          "MPI_Is_thread_main",
                                                          "MPI_Query_thread",
                                                          "MPI_Buffer_attach",
                                                          "MPI_Buffer_detach",
                                                          "MPI_Keyval_create",
                                                          "MPI_Keyval_free",
                                                          "MPI_Test_cancelled",
                                                          "MPI_Error_string",
                                                          "MPI_Error_class"};
  if (names.contains(name)) return true;
  for (const std::string_view family :
       {"MPI_Type_", "MPI_Op_", "MPI_Group_", "MPI_Attr_", "MPI_Errhandler_", "MPI_Info_", "MPI_Cartdim",
        "MPI_Cart_rank", "MPI_Cart_coords", "MPI_Cart_get", "MPI_Cart_shift"})
    if (name.starts_with(family)) return true;
  return false;
}

/// Calls that make communicators whose members the trace does not tell.
bool makes_unknown_comm(std::string_view name) {
  return name == "MPI_Comm_create" || name == "MPI_Cart_create" || name == "MPI_Graph_create" ||
         name == "MPI_Cart_sub" || name == "MPI_Intercomm_create" || name == "MPI_Intercomm_merge";
}

class RankReader {
 public:
  RankReader(CompactTrace& trace, Rank rank, const std::string& path)
      : trace_(trace), rank_(rank), path_(path), totals_(read_totals(path)), datatypes_(totals_) {
    comms_ = {{comm_world, local_world}, {comm_self, local_self}};
  }

  std::vector<CommMade> read() {
    CallReader calls(path_);
    bool any_call = false, finalized = false;
    while (const auto* call = calls.next()) {
      if (finalized) call->fail("found a call behind MPI_Finalize, expected none");
      check_recorded(*call);
      if (any_call && call->entered < last_returned_)
        call->fail("found that it is entered before the call before it returns, expected times that do not go back");
      if (any_call) computed_ += call->entered - last_returned_;
      any_call = true;
      last_returned_ = call->returned;
      finalized = call->name == "MPI_Finalize";
      if (!finalized && !is_local(call->name)) read(*call);
    }
    if (!finalized) core::fail_input("{}: found the end, expected MPI_Finalize: the file is truncated", path_);
    add_computation(0);
    return std::move(made_);
  }

 private:
  void check_recorded(const Call& call) const {
    const auto ignored = totals_.ignored.find(call.name);
    if (ignored != totals_.ignored.end() && !is_local(call.name))
      core::fail_input_at(path_, ignored->second, "found that calls of {} were not recorded, expected all of them",
                          call.name);
  }

  void read(const Call& call) {
    if (read_message(call) || read_persistent(call) || read_wait(call) || read_communicator(call) ||
        read_collective(call))
      return;
    call.fail("found a call that is not understood, expected one of those that docs/traces.md lists");
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
    const bool receives = op.kind == OpKind::recv || op.kind == OpKind::irecv || op.kind == OpKind::recv_init;
    (receives ? op.from : op.to) = receives ? source_of(call) : destination_of(call);
    op.tag = tag_of(call, "tag", receives);
    op.bytes = datatypes_.bytes(call, "count", "datatype");
    if (op.kind != OpKind::send && op.kind != OpKind::recv) op.request = new_handle(call);
    add(call, op);
    return true;
  }

  /// sendrecv has one tag for both its messages.
  void exchange(const Call& call, const char* send_count, const char* send_type, const char* receive_count,
                const char* receive_type) {
    Operation op{.kind = OpKind::sendrecv, .comm = comm_of(call)};
    op.to = destination_of(call);
    op.from = source_of(call);
    op.tag = tag_of(call, "sendtag", false);
    op.bytes = datatypes_.bytes(call, send_count, send_type);
    const auto receive_tag = tag_of(call, "recvtag", true);
    if (receive_tag == op.tag) return add(call, op);
    const std::array<RequestHandle, 2> both{free_handle(), free_handle()};
    add(call, {.kind = OpKind::irecv,
               .comm = op.comm,
               .from = op.from,
               .tag = receive_tag,
               .request = both[0],
               .bytes = datatypes_.bytes(call, receive_count, receive_type)});
    add(call,
        {.kind = OpKind::isend, .comm = op.comm, .to = op.to, .tag = op.tag, .request = both[1], .bytes = op.bytes});
    add(call, {.kind = OpKind::waitall, .requests = both});
    free_.insert(free_.end(), both.begin(), both.end());
  }

  CommRank destination_of(const Call& call) const { return partner_of(call, "dest", no_process); }
  CommRank source_of(const Call& call) const { return partner_of(call, "source", any_source); }
  /// Of negative numbers, -1 is MPI_ANY_SOURCE, and others are no process.
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

  RequestHandle free_handle() {
    if (free_.empty()) return handles_++;
    const auto handle = free_.back();
    free_.pop_back();
    return handle;
  }

  static std::int64_t one_request(const Call& call) {
    const auto numbers = call.list("request");
    if (numbers.size() != 1) call.fail("found {} requests, expected one", numbers.size());
    return numbers[0];
  }

  RequestHandle new_handle(const Call& call) {
    const auto [known, is_new] = requests_.try_emplace(one_request(call));
    if (is_new) known->second.handle = free_handle();
    known->second.is_persistent = call.name.ends_with("_init");
    return known->second.handle;
  }

  bool read_persistent(const Call& call) {
    if (call.name == "MPI_Start" || call.name == "MPI_Startall") {
      const auto numbers = call.list(call.name == "MPI_Start" ? "request" : "requests");
      for (const auto number : numbers) {
        const auto known = requests_.find(number);
        if (known == requests_.end() || !known->second.is_persistent)
          call.fail("found request {}, expected one that is persistent", number);
        add(call, {.kind = OpKind::start, .request = known->second.handle});
      }
      return true;
    }
    if (call.name != "MPI_Request_free") return false;
    for (const auto number : call.list("request")) forget(number);
    return true;
  }

  /// The number may be given again: its handle, whose request may still be under way, is not.
  void forget(std::int64_t number) { requests_.erase(number); }

  /// Tests and waits for one of several take what they took in the run that was recorded.
  bool read_wait(const Call& call) {
    const auto name = std::string_view(call.name);
    if (name == "MPI_Wait" || (name == "MPI_Test" && call.integer("flag") != 0)) return take(call, {one_request(call)});
    if (name == "MPI_Waitall" || (name == "MPI_Testall" && call.integer("flag") != 0))
      return take(call, call.list("requests"));
    if (name == "MPI_Waitany" || (name == "MPI_Testany" && call.integer("flag") != 0))
      return take_some(call, {call.integer("index")});
    if (name == "MPI_Waitsome" || name == "MPI_Testsome") return take_some(call, call.list("indices"));
    return name == "MPI_Test" || name == "MPI_Testall" || name == "MPI_Testany";
  }

  bool take_some(const Call& call, const std::vector<std::int64_t>& indices) {
    const auto requests = call.list("requests");
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
      free_.push_back(known->second.handle);
      requests_.erase(known);
    }
    const bool takes_one = call.arguments.contains("request") || call.arguments.contains("index");
    if (takes_one && !handles.empty())
      add(call, {.kind = OpKind::wait, .request = handles[0]});
    else if (!handles.empty())
      add(call, {.kind = OpKind::waitall, .requests = handles});
    return true;
  }

  // Communicators.

  CommId comm_of(const Call& call) const {
    const auto number = call.integer("comm");
    const auto known = comms_.find(number);
    if (known == comms_.end()) call.fail("found communicator {}, expected one that a call before made", number);
    if (known->second >= first_local_comm) {
      const auto& made = members_[static_cast<std::size_t>(known->second - first_local_comm)];
      if (made.how == CommMade::How::other)
        call.fail(
            "found a communicator that {} on line {} made, expected one of MPI_Comm_dup or MPI_Comm_split: who is "
            "in it is not in the trace",
            made.call, made.line);
    }
    return CommId(known->second);
  }

  bool read_communicator(const Call& call) {
    CommMade made{.call = call.name, .line = call.line};
    made.how = CommMade::How::other;
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
    if (made.from >= first_local_comm &&
        members_[static_cast<std::size_t>(made.from - first_local_comm)].how == CommMade::How::other)
      made.how = CommMade::How::other;
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
    auto op = collective->operation;
    op.comm = comm_of(call);
    op.send_counts = collective->send_counts;
    op.recv_counts = collective->recv_counts;
    add(call, op);
    return true;
  }

  void add_computation(std::uint64_t line) {
    if (computed_ > 0) trace_.add(rank_, {.kind = OpKind::compute, .amount = static_cast<double>(computed_)}, line);
    computed_ = 0;
  }
  void add(const Call& call, const Operation& op) {
    add_computation(call.line);
    trace_.add(rank_, op, call.line);
  }

  struct Request {
    RequestHandle handle = no_handle;
    bool is_persistent = false;
  };

  CompactTrace& trace_;
  Rank rank_;
  const std::string& path_;
  Totals totals_;
  Datatypes datatypes_;
  std::int64_t last_returned_ = 0, computed_ = 0;  ///< nanoseconds
  std::unordered_map<std::int64_t, Request> requests_;
  std::vector<RequestHandle> free_;
  RequestHandle handles_ = 0;
  std::unordered_map<std::int64_t, LocalComm> comms_;
  std::vector<CommMade> made_, members_;  ///< all, and those that gave the rank a communicator
};

}  // namespace

std::vector<CommMade> read_rank(CompactTrace& trace, Rank rank, const std::string& path) {
  return RankReader(trace, rank, path).read();
}

}  // namespace toroid::workloads::dumpi
