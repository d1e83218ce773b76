#include "workloads/formats/otf2/rank.hpp"
#include "workloads/formats/importing.hpp"

namespace toroid::workloads::otf2 {
namespace {

using Kind = Event::Kind;

SendMode mode_of(std::string_view call) {
  if (call.starts_with("MPI_Ssend") || call.starts_with("MPI_Issend")) return SendMode::synchronous;
  if (call.starts_with("MPI_Bsend") || call.starts_with("MPI_Ibsend")) return SendMode::buffered;
  return SendMode::standard;
}

class RankReader {
  struct Request {
    Kind begun_as;
    RequestHandle handle;
    std::uint64_t operation;  ///< its number in the program
    std::uint64_t event;      ///< the number of the event that began it
    bool is_half = false;     ///< whether it is a send that nobody is known to have received
  };

 public:
  RankReader(Shared& shared, Rank rank, const std::string& file)
      : shared_(shared),
        rank_(rank),
        file_(file),
        program_(shared.trace, rank, static_cast<double>(shared.definitions.resolution) / 1e9) {}

  void read(const std::vector<Event>& events) {
    for (const auto& event : events) {
      event_ = &event;
      read(event);
    }
    if (!calls_.empty()) fail("found the end inside of {}, expected that it is left: the archive is truncated", call());
    for (const auto& [number, request] : requests_) end_open(request);
    program_.end();
    if (switched_off_ > 0) ++shared_.unrecorded_ranks;
    shared_.unequal.end_rank();
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> format, Parts&&... parts) const {
    core::fail_input("{}: event {}: {}", file_, event_->number, fmt::format(format, std::forward<Parts>(parts)...));
  }

  /// Ends a request that no event completes. Tracers may leave that out for sends. A receive that ended while recording
  /// was switched off is left out, as nobody knows what it received.
  void end_open(const Request& request) {
    if (request.is_half || (request.begun_as == Kind::irecv && request.event < switched_off_)) return drop(request);
    if (request.begun_as != Kind::isend)
      core::fail_input(
          "{}: event {}: found a request that no later event completes, expected one: what it received "
          "is not in the archive",
          file_, request.event);
  }

  bool is_half(const Event& event) const { return shared_.half && shared_.half->has(rank_, event.number); }

  void read(const Event& event) {
    if (event.time < time_) fail("found a time before that of the last event, expected times that do not go back");
    if (is_off_)
      shared_.unrecorded += event.time - time_;
    else if (calls_.empty() && has_begun_)
      program_.compute(event.time - time_);
    time_ = event.time;
    has_begun_ = has_begun_ || (event.kind != Kind::flush && event.kind != Kind::switched);
    switch (event.kind) {
      case Kind::enter:
        return enter(event);
      case Kind::leave:
        return leave(event);
      case Kind::flush:  // the tracer's own time
        time_ = std::max(time_, event.bytes);
        return;
      case Kind::switched:
        is_off_ = event.bytes == 0;
        if (is_off_) switched_off_ = event.number;
        return;
      case Kind::send:
      case Kind::isend:
        return send(event);
      case Kind::recv:
        return receive(event);
      case Kind::irecv:
      case Kind::icollective:
        return begin_request(event, {.kind = OpKind::irecv}, true);
      case Kind::isend_end:
      case Kind::irecv_end:
      case Kind::icollective_end:
        return complete(event);
      case Kind::cancelled:
        return cancel(event);
      case Kind::collective:
        return collective(event);
      case Kind::put:
        return put(event);
      case Kind::window_op:
        return window_op(event);
      case Kind::refused:
        fail("found {}, expected puts and fences alone of one-sided communication", refused_event(event.tag));
    }
  }

  // Calls. What a call does is complete when it is left.

  std::string_view call() const { return calls_.empty() ? std::string_view() : shared_.calls.at(calls_.back()); }

  void enter(const Event& event) { calls_.push_back(event.what); }

  void leave(const Event& event) {
    if (calls_.empty() || calls_.back() != event.what)
      fail("found that {} is left, expected the call that was entered last", shared_.calls.at(event.what));
    end_call();
    calls_.pop_back();
  }

  void end_call() {
    if (sent_ && received_) {
      add_exchange(exchanged(), received_->tag, received_->bytes, handles_,
                   [&](const Operation& op) { program_.add(op); });
    } else if (sent_) {
      program_.add(*sent_);
    } else if (received_) {
      program_.add(*received_);
    }
    sent_.reset();
    received_.reset();
    program_.add_wait(completed_, !call().ends_with("all") && !call().ends_with("some"));
    handles_.take_back(completed_);
    completed_.clear();
  }

  Operation exchanged() const {
    auto op = *sent_;
    op.kind = OpKind::sendrecv;
    op.from = received_->from;
    if (op.comm != received_->comm) fail("found a send and a receive on different communicators in {}", call());
    return op;
  }

  // Messages.

  LocalComm comm_of(Ref ref) {
    const auto error = shared_.comms.error_of(ref, rank_);
    if (!error.empty()) fail("{}", error);
    return shared_.comms.of(ref, rank_);
  }

  std::uint64_t bytes_of(std::uint64_t bytes) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 53U;
    if (bytes > most) fail("found {} bytes, expected 2^53 or fewer", bytes);
    return bytes;
  }

  Operation message(const Event& event, OpKind kind) {
    const auto comm = comm_of(event.what);
    const auto partner = comm.rank_of(event.partner);
    if (partner == no_process)
      fail("found rank {}, expected one of the communicator of {} ranks", event.partner, comm.members->size());
    if (event.tag > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
      fail("found tag {}, expected one below 2^31", event.tag);
    Operation op{.kind = kind, .comm = comm.id};
    (is_receive(kind) ? op.from : op.to) = partner;
    op.tag = static_cast<std::int32_t>(event.tag);
    op.bytes = bytes_of(event.bytes);
    return op;
  }

  bool is_exchange() const { return !shared_.definitions.is_predicted && call().starts_with("MPI_Sendrecv"); }

  /// Tracers may leave out the requests of a send: it is then waited for at the end.
  void send(const Event& event) {
    const bool starts_request = call().starts_with("MPI_I") || call().starts_with("MPI_Start");
    const bool blocks = event.kind == Kind::send && !starts_request && !shared_.definitions.is_predicted;
    auto op = message(event, blocks ? OpKind::send : OpKind::isend);
    op.mode = mode_of(call());
    if (event.kind == Kind::isend) return begin_request(event, op, is_half(event));
    if (is_half(event)) return;
    if (!is_exchange()) return program_.add(op), void();
    if (sent_) fail("found a second send in {}, expected one", call());
    sent_ = op;
  }

  void receive(const Event& event) {
    const auto op = message(event, OpKind::recv);
    if (is_half(event)) return;
    if (!is_exchange()) return program_.add(op), void();
    if (received_) fail("found a second receive in {}, expected one", call());
    received_ = op;
  }

  // One-sided.

  void put(const Event& event) {
    auto in_window = event;
    in_window.what = shared_.windows.at(event.what);
    auto op = message(in_window, OpKind::put);
    if (call().starts_with("MPI_R")) fail("found {}, expected a put without a request", call());
    program_.add(op);
  }

  /// Adds an operation on a window: a fence is told by its call; others make and free windows.
  void window_op(const Event& event) {
    if (call() == "MPI_Win_fence")
      program_.add({.kind = OpKind::fence, .comm = comm_of(shared_.windows.at(event.what)).id});
    else if (collective_of(event.op).kind)
      fail("found a synchronisation of a window in {}, expected MPI_Win_fence", call());
  }

  // Requests.

  void begin_request(const Event& event, Operation op, bool is_open) {
    op.request = handles_.give();
    const Request request{event.kind, op.request, program_.add(op, is_open), event.number, is_half(event)};
    if (!requests_.emplace(event.request, request).second)
      fail("found request {} again, expected that the one of that number was completed", event.request);
  }

  Request take_request(const Event& event) {
    const auto found = requests_.find(event.request);
    if (found == requests_.end()) fail("found request {}, expected one that an event before began", event.request);
    const auto request = found->second;
    requests_.erase(found);
    return request;
  }

  /// A request that began while recording was switched off: only its end is known.
  void complete_unknown(const Event& event) {
    if (event.kind == Kind::irecv_end && !is_half(event)) program_.add(message(event, OpKind::recv));
    if (event.kind == Kind::icollective_end) collective(event);
  }

  void complete(const Event& event) {
    if (switched_off_ > 0 && !requests_.contains(event.request)) return complete_unknown(event);
    const auto request = take_request(event);
    const auto begun_as = event.kind == Kind::isend_end   ? Kind::isend
                          : event.kind == Kind::irecv_end ? Kind::irecv
                                                          : Kind::icollective;
    if (request.begun_as != begun_as) fail("found the end of another operation than request {} began", event.request);
    if (request.is_half || is_half(event)) return drop(request);
    if (begun_as == Kind::irecv) {
      auto op = message(event, OpKind::irecv);
      op.request = request.handle;
      program_.settle(request.operation, op);
    }
    if (begun_as == Kind::icollective) {
      auto collective = read_collective(event);
      if (!collective) return drop(request);  // it makes something that ranks share
      collective->operation.request = request.handle;
      program_.settle(request.operation, collective->operation, std::move(collective->entering));
    }
    completed_.push_back(request.handle);
    if (calls_.empty()) end_call();
  }

  void cancel(const Event& event) {
    const auto request = take_request(event);
    if (request.begun_as != Kind::irecv)
      fail("found that request {} was cancelled, expected that of a receive", event.request);
    drop(request);
  }

  void drop(const Request& request) {
    program_.drop(request.operation);
    handles_.take_back(request.handle);
  }

  // Collectives.

  void collective(const Event& event) {
    if (auto found = read_collective(event)) program_.add(found->operation, false, 0, std::move(found->entering));
  }

  /// A collective, and what happens when it goes into the trace: the blocks of one that has different ones are known
  /// by the number that it has in the order of the program, which is the same for all ranks of the communicator.
  struct FoundOperation {
    Operation operation;
    ImportedProgram::Entering entering = {};
  };

  /// Reads the end of a collective; nothing if it is no operation.
  std::optional<FoundOperation> read_collective(const Event& event) {
    const auto found = collective_of(event.op);
    if (!found.error.empty()) fail("{}", found.error);
    if (call().starts_with("MPI_Neighbor_") || call().starts_with("MPI_Ineighbor_"))
      fail("found {}, expected a collective of all ranks", call());
    if (!found.kind) return std::nullopt;
    const auto comm = comm_of(event.what);
    Operation op{.kind = found.kind->kind, .comm = comm.id};
    if (has_root(op.kind)) {
      op.root = comm.rank_of(event.partner);
      if (op.root == no_process)
        fail("found root {}, expected one of the communicator of {} ranks", event.partner, comm.members->size());
    }
    const Moved moved{bytes_of(event.bytes), bytes_of(event.received)};
    if (!found.kind->has_equal_blocks)
      return FoundOperation{op, [this, comm, moved](Operation& entering) {
                              entering.amount =
                                  static_cast<double>(shared_.unequal.add(entering.kind, comm, entering.root, moved));
                            }};
    const auto bytes = contribution(op.kind, comm.members->size(), comm.me, op.root, moved);
    if (!bytes)
      fail("found a {} of {} ranks that sends {} bytes and receives {}, expected sizes as Score-P counts them",
           to_string(op.kind), comm.members->size(), moved.sent, moved.received);
    if (op.kind == OpKind::reduce_scatter)
      op.recv_counts = shared_.trace.keep(std::vector(static_cast<std::size_t>(comm.members->size()), *bytes));
    else
      op.bytes = *bytes;
    return FoundOperation{op};
  }

  Shared& shared_;
  Rank rank_;
  const std::string& file_;
  const Event* event_ = nullptr;
  std::uint64_t time_ = 0;          ///< ticks
  bool has_begun_ = false;          ///< whether the rank has made its first call
  bool is_off_ = false;             ///< whether recording is switched off
  std::uint64_t switched_off_ = 0;  ///< number of the event that switched recording off last; 0 if none did
  std::vector<Ref> calls_;          ///< calls that were entered and not left
  std::optional<Operation> sent_, received_;
  std::vector<RequestHandle> completed_;  ///< requests that have ended in the call
  std::unordered_map<std::uint64_t, Request> requests_;
  Handles handles_;
  ImportedProgram program_;
};

}  // namespace

void read_rank(Shared& shared, Rank rank, const std::vector<Event>& events, const std::string& file) {
  RankReader(shared, rank, file).read(events);
}

}  // namespace toroid::workloads::otf2
