#include <unordered_map>

#include "core/blame.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/text.hpp"
#include "workloads/formats/ti/actions.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

using ti::RequestName;
using ti::RequestNames;

constexpr int byte_type = 6;

std::string counts_text(std::span<const std::uint64_t> counts, std::int32_t ranks) {
  std::string text;
  for (const Rank r : core::ids<Rank>(ranks)) text += fmt::format(" {}", counts.empty() ? 0 : counts[r.index()]);
  return text;
}

[[noreturn]] void fail_unsaid(const Operation& op, std::string_view what) {
  core::fail_input("{} {}: the time-independent format cannot say that", to_string(op.kind), what);
}

/// What stands for an argument of that role (ti::Action).
std::string said_argument(const Operation& op, std::string_view role) {
  if (role == "RECEIVER") return std::to_string(op.to < 0 ? ti::undefined_rank : op.to);
  if (role == "SENDER") return std::to_string(op.from < 0 ? ti::undefined_rank : op.from);
  if (role == "TAG") return std::to_string(op.tag == any_tag ? ti::undefined_tag : op.tag);
  if (role == "ROOT") return std::to_string(op.root);
  if (role.ends_with("COUNT")) return std::to_string(op.bytes);
  if (role.ends_with("TYPE")) return std::to_string(byte_type);
  return fmt::format("{}", op.amount);
}

/// The action and its arguments, without the rank in front.
std::string action_text(const Operation& op, std::int32_t ranks) {
  if (is_strand(op) || op.kind == OpKind::join) fail_unsaid(op, "in a graph that no program can say");
  if (is_collective(op.kind) && op.comm != world) fail_unsaid(op, "on a communicator that is not the world");
  if (is_collective(op.kind) && op.request != no_handle) fail_unsaid(op, "that does not block");
  const bool receives = op.kind == OpKind::irecv || op.kind == OpKind::sendrecv;
  if (receives && op.from == no_process)
    core::fail_input("{} from no process: the time-independent format would mean any process by that",
                     to_string(op.kind));
  switch (op.kind) {
    case OpKind::sendrecv:
      if (op.tag != 0) core::fail_input("sendrecv with tag {}: the time-independent format has no tag there", op.tag);
      break;
    case OpKind::send_init:
    case OpKind::recv_init:
    case OpKind::start:
    case OpKind::startall:
      fail_unsaid(op, "of a persistent request");
    case OpKind::waitsome:
      fail_unsaid(op, "for some requests");
    case OpKind::put:
    case OpKind::fence:
      fail_unsaid(op, "of one-sided communication");
    case OpKind::gatherv:
      return fmt::format("gatherv {}{} {} {} {}", op.bytes, counts_text(op.recv_counts, ranks), op.root, byte_type,
                         byte_type);
    case OpKind::scatterv:
      return fmt::format("scatterv{} {} {} {} {}", counts_text(op.send_counts, ranks), op.bytes, op.root, byte_type,
                         byte_type);
    case OpKind::allgatherv:
      return fmt::format("allgatherv {}{} {} {}", op.bytes, counts_text(op.recv_counts, ranks), byte_type, byte_type);
    case OpKind::alltoallv:
      return fmt::format("alltoallv 0{} 0{} {} {}", counts_text(op.send_counts, ranks),
                         counts_text(op.recv_counts, ranks), byte_type, byte_type);
    case OpKind::reduce_scatter:
      return fmt::format("reducescatter{} {} {}", counts_text(op.recv_counts, ranks), op.amount, byte_type);
    default:
      break;
  }
  const auto& action = ti::action_of(op);
  std::string text(action.name);
  for (const auto role : action.roles) text += " " + said_argument(op, role);
  return text;
}

/// The requests of a program as far as can be said without running it: by number, in the order of posting.
class PostedRequests {
 public:
  struct Request {
    std::uint64_t number;
    RequestName name;
    bool may_have_ended = false;  ///< whether a waitany may have ended it
  };

  /// The requests that an operation is for, by their numbers in ascending order.
  struct Asked {
    std::vector<std::uint64_t> oldest;   ///< the oldest requests of the handles, if no test has ended any
    std::vector<std::uint64_t> instead;  ///< if tests have ended as many as they may; none that is in `oldest`
    bool operator==(const Asked&) const = default;
  };

  void post(const Operation& op, const RequestName& name) {
    const auto number = next_++;
    if (op.request == no_handle) return;
    auto& [requests, tested] = of_handle_[op.request];
    // The handle is free again: it was this one that the waitany ended.
    if (!requests.empty() && requests.back().may_have_ended) requests.pop_back();
    tested = std::min(tested, requests.size());
    requests.push_back({number, name});
  }

  /// The oldest of the handle, or null.
  const Request* oldest(RequestHandle handle) {
    const auto& requests = of_handle_[handle].requests;
    return requests.empty() ? nullptr : &requests.front();
  }

  /// What a wait or test asks for. A wait takes it.
  Asked asked_for(const Operation& op) {
    Asked asked;
    if (op.kind == OpKind::wait || op.kind == OpKind::test) ask(op.kind, op.request, asked);
    for (const auto handle : op.requests) ask(op.kind, handle, asked);
    auto& oldest = asked.oldest;
    auto& instead = asked.instead;
    std::sort(oldest.begin(), oldest.end());
    std::sort(instead.begin(), instead.end());
    std::erase_if(instead, [&](auto number) { return std::binary_search(oldest.begin(), oldest.end(), number); });
    return asked;
  }

 private:
  struct OfHandle {
    std::deque<Request> requests;
    std::size_t tested = 0;  ///< how many of the requests, the oldest ones, may have ended in a test
  };

  void ask(OpKind kind, RequestHandle handle, Asked& asked) {
    auto& [requests, tested] = of_handle_[handle];
    if (requests.empty()) return;
    if (kind == OpKind::waitany) {
      asked.oldest.push_back(requests.back().number);
      requests.back().may_have_ended = true;
      return;
    }
    asked.oldest.push_back(requests.front().number);
    asked.instead.push_back(requests[std::min(tested, requests.size() - 1)].number);
    if (kind == OpKind::test)
      ++tested;
    else
      requests.pop_front();  // or another, if tests have ended this one: as many as before may have ended
    tested = std::min(tested, requests.size());
  }

  std::unordered_map<RequestHandle, OfHandle> of_handle_;
  std::uint64_t next_ = 0;
};

/// The program of a rank as TI says it.
class SaidProgram {
 public:
  SaidProgram(const Trace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  void write(core::OutputFile& file) {
    const auto prefix = fmt::format("{} ", rank_);
    file.write(prefix + "init\n");
    computation_ = prefix + "compute ";
    const auto stream = trace_.open(rank_);
    PostedRequests requests;
    Operation op;
    for (index_ = 0; stream->next(op); ++index_) {
      to_world(op);
      if (does_nothing(op, requests)) continue;
      const auto name = name_of(op, requests);
      if (op.kind == OpKind::compute)
        write_computation(op.amount, file);
      else
        write_action(op, name, file);
      say(op, name);
    }
    file.write(prefix + "finalize\n");
    if (names_.size() > 0) check();
  }

 private:
  void write_computation(double amount, core::OutputFile& file) {
    line_ = computation_;
    append_amount(line_, amount);
    line_ += '\n';
    file.write(line_);
  }

  /// The text of an action is made once: neither handles nor communicators are in it.
  void write_action(const Operation& op, const RequestName& name, core::OutputFile& file) {
    auto said = op;
    if (op.kind == OpKind::wait || op.kind == OpKind::test) {
      said.from = name.sender;
      said.to = name.receiver;
      said.tag = name.tag;
    }
    if (op.kind == OpKind::waitall || op.kind == OpKind::waitany) said.bytes = op.requests.size();
    const auto text = [&] {
      return core::in_context(where(),
                              [&] { return fmt::format("{} {}\n", rank_, action_text(said, trace_.ranks())); });
    };
    if (!has_no_lists(op) || is_collective(op.kind)) return file.write(text());
    said.comm = world;
    said.request = no_handle;
    const auto [number, is_new] = known_.number_of(said);
    if (is_new) texts_.push_back(text());
    file.write(texts_[number]);
  }

  static bool posts(OpKind kind) { return kind == OpKind::isend || kind == OpKind::irecv; }
  static bool waits(OpKind kind) { return kind >= OpKind::wait && kind <= OpKind::test; }

  /// A receive from no process, by which TI would mean any, and a test of a handle that no request can have, for which
  /// TI may have no name.
  static bool does_nothing(const Operation& op, PostedRequests& requests) {
    if (op.kind == OpKind::recv) return op.from == no_process;
    return op.kind == OpKind::test && requests.oldest(op.request) == nullptr;
  }

  void to_world(Operation& op) const {
    if (!is_point_to_point(op.kind) || op.comm == world) return;
    const auto& comm = trace_.communicator(op.comm);
    if (op.to >= 0) op.to = comm.member(op.to).value();
    if (op.from >= 0) op.from = comm.member(op.from).value();
  }

  /// The name of the request that the operation gives or, if it is one, waits for.
  RequestName name_of(const Operation& op, PostedRequests& requests) const {
    if (posts(op.kind)) {
      const auto name = ti::request_name(op, rank_);
      requests.post(op, name);
      return name;
    }
    if (!waits(op.kind)) return {};
    RequestName name{};
    if (op.kind == OpKind::wait || op.kind == OpKind::test) {
      const auto* request = requests.oldest(op.request);
      if (request == nullptr) fail(op, "a request that it does not have");
      name = request->name;
    }
    requests.asked_for(op);
    return name;
  }

  /// Notes the operation as a reader will find it.
  void say(Operation op, const RequestName& name) {
    if (!posts(op.kind) && !waits(op.kind)) return;
    if (op.kind == OpKind::waitall || op.kind == OpKind::waitany) {
      op.bytes = op.requests.size();
      op.requests = {};
    } else {
      op.request = names_.handle(name);
    }
    op.comm = world;
    said_.add(0, op);
  }

  /// Whether a reader will find the same requests under the names.
  void check() {
    ti::resolve_requests(said_, 0, names_);
    said_.finish();
    const auto meant_stream = trace_.open(rank_), said_stream = said_.open(0);
    PostedRequests meant_requests, said_requests;
    Operation meant, said;
    for (index_ = 0; meant_stream->next(meant); ++index_) {
      if (!posts(meant.kind) && !waits(meant.kind)) continue;
      if (does_nothing(meant, meant_requests)) continue;
      said_stream->next(said);
      if (posts(meant.kind)) {
        meant_requests.post(meant, {});
        said_requests.post(said, {});
      } else if (meant_requests.asked_for(meant) != said_requests.asked_for(said)) {
        fail(meant, "requests that the time-independent format cannot tell from others");
      }
    }
  }

  std::string where() const { return fmt::format("{}: rank {}", trace_.locate(rank_, index_), rank_); }

  [[noreturn]] void fail(const Operation& op, std::string_view what) const {
    core::fail_input("{}: {} for {}", where(), to_string(op.kind), what);
  }

  const Trace& trace_;
  Rank rank_;
  std::uint64_t index_ = 0;  ///< index of the present operation
  RequestNames names_;
  CompactTrace said_{1};  ///< the operations of the requests
  KnownOperations known_;
  std::vector<std::string> texts_;  ///< lines of the known operations
  std::string computation_, line_;  ///< the beginning of a computation's line; the line at hand
};

}  // namespace

void write_ti(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  auto& file = outputs.add(path);
  for (const Rank r : core::ids<Rank>(trace.ranks())) SaidProgram(trace, r).write(file);
}

void write_ti_per_rank(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  if (path.ends_with(".zst"))
    core::fail_input("{}: per-rank files are written plain: smpirun cannot read others", path);
  if (path == "-") core::fail_input("-: expected a file, with others beside it for the ranks");
  std::string names;
  for (const Rank r : core::ids<Rank>(trace.ranks())) {
    const auto name = fmt::format("{}.rank{}", path, r);
    auto& file = outputs.add(name);
    SaidProgram(trace, r).write(file);
    file.finish();  // there may be more ranks than files that can be open
    names += name + "\n";
  }
  outputs.add(path).write(names);  // last, so that it never names what is not there
}

}  // namespace toroid::workloads
