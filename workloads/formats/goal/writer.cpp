
#include <cmath>
#include <deque>
#include <set>
#include <unordered_map>

#include "workloads/formats/formats.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

// GOAL has no communicators: tags of 32 bits tell them apart, and their collectives from other messages.
constexpr std::int64_t world_tags = std::int64_t{1} << 30U, tags_of_a_comm = 1 << 14U, most_comms = 1 << 16U;
constexpr std::int64_t collective_tags = std::int64_t{1} << 31U, calls_in_turn = 1 << 12U;

class GoalProgram {
 public:
  GoalProgram(const Trace& trace, const CollectiveChoice& collectives, Rank rank, core::OutputFile& file)
      : trace_(trace), collectives_(collectives.for_program(trace)), rank_(rank), file_(file) {}

  void write() {
    file_.write(fmt::format("\nrank {} {{\n", rank_));
    const auto stream = trace_.open(rank_);
    Operation op;
    for (index_ = 0; stream->next(op); ++index_) write(op);
    if (labels_ == 0) emit("calc 0", present_);
    file_.write("}\n");
  }

 private:
  using Label = std::uint64_t;
  /// The end of an operation, or only its begin.
  struct Event {
    Label label;
    bool begun;
  };
  using Events = std::vector<Event>;

  void write(const Operation& op) {
    if (is_collective(op.kind)) return collective(op);
    if (is_point_to_point(op.kind)) check_message(op);
    if (is_strand(op.kind)) return strand(op);
    if (is_point_to_point(op.kind)) return message(op);
    switch (op.kind) {
      case OpKind::compute:
        return calculate(op.amount);
      case OpKind::sleep:
        return calculate(op.amount * 1e9);
      case OpKind::start:
        return start(op.request);
      case OpKind::startall:
        for (const auto handle : op.requests) start(handle);
        return;
      case OpKind::wait:
        return wait_for(ends_of(std::span(&op.request, 1)));
      case OpKind::waitall:
        return wait_for(ends_of(op.requests));
      case OpKind::join:
        return join();
      case OpKind::put:
        fail(op, "GOAL has no messages that nobody receives");
      default:
        fail(op, "which of several messages comes first decides how it goes on, which GOAL cannot say");
    }
  }

  void calculate(double nanoseconds) {
    present_ = {{emit(fmt::format("calc {}", std::llround(nanoseconds)), present_), false}};
  }

  void check_message(const Operation& op) const {
    if (op.mode != SendMode::standard) fail(op, "GOAL has only standard sends");
    if ((is_receive(op.kind) || op.kind == OpKind::sendrecv) && (op.from == any_source || op.tag == any_tag))
      fail(op, "GOAL cannot say any source or tag as MPI means them");
  }

  /// A single message, or two; those that are persistent are only noted.
  void message(const Operation& op) {
    const bool receives = is_receive(op.kind);
    if (is_persistent_init(op.kind)) {
      persistent_[op.request] = op;
      return;
    }
    Events ends;
    if (!receives && op.to != no_process) ends.push_back(begin(send_text(op)));
    if ((receives || op.kind == OpKind::sendrecv) && op.from != no_process) ends.push_back(begin(receive_text(op)));
    if (op.kind == OpKind::isend || op.kind == OpKind::irecv)
      requests_[op.request].insert(requests_[op.request].end(), ends.begin(), ends.end());
    else
      wait_for(ends);
  }

  void start(RequestHandle handle) {
    const auto& op = persistent_.at(handle);
    const bool sends = op.kind == OpKind::send_init;
    if ((sends ? op.to : op.from) == no_process) return;
    requests_[handle].push_back(begin(sends ? send_text(op) : receive_text(op)));
  }

  /// An operation of a graph, after the present one and those that it requires.
  void strand(const Operation& op) {
    auto required = present_;
    for (const auto& [distances, begun] : {std::pair(op.after, false), std::pair(op.after_begin, true)})
      for (const auto distance : distances) {
        const auto other = strands_.find(index_ - distance);
        if (other == strands_.end()) continue;  // it is no strand: the present one comes after it
        required.push_back({other->second, begun});
        if (!begun) open_.erase(other->second);
      }
    const bool nobody = (op.kind == OpKind::send_after && op.to == no_process) ||
                        (op.kind == OpKind::recv_after && op.from == no_process);
    const auto text = nobody || op.kind == OpKind::compute_after ? fmt::format("calc {}", std::llround(op.amount))
                      : op.kind == OpKind::send_after            ? send_text(op)
                                                                 : receive_text(op);
    const auto label = emit(op.root == 0 ? text : fmt::format("{} cpu {}", text, op.root), required);
    strands_.emplace(index_, label);
    open_.insert(label);
  }

  /// What follows requires all strands; of those that others require that is said by them.
  void join() {
    Events ends;
    for (const auto label : open_) ends.push_back({label, false});
    wait_for(ends);
    open_.clear();
    strands_.clear();
  }

  /// Begins an operation after the present one; what follows only requires that it has begun. Returns its end.
  Event begin(const std::string& text) {
    const auto label = emit(text, present_);
    present_ = {{label, true}};
    return {label, false};
  }

  /// The ends of the oldest request of each handle, which are taken.
  Events ends_of(std::span<const RequestHandle> handles) {
    Events ends;
    for (const auto handle : handles) {
      const auto found = requests_.find(handle);
      if (found == requests_.end() || found->second.empty()) continue;
      ends.push_back(found->second.front());
      found->second.pop_front();
    }
    return ends;
  }

  void wait_for(const Events& ends) {
    // The end of what has begun last is all that there is to say.
    if (ends.size() == 1 && present_.size() == 1 && present_[0].label == ends[0].label) {
      present_ = ends;
      return;
    }
    auto all = present_;
    all.insert(all.end(), ends.begin(), ends.end());
    if (!ends.empty()) present_ = {{emit("calc 0", all), false}};
  }

  /// Writes a collective as the messages of its algorithm; one that does not block goes on beside what follows.
  void collective(const Operation& op) {
    const auto& comm = trace_.communicator(op.comm);
    const auto call = collective_call(op, comm.rank_of(rank_), comm.size());
    const auto tag = collective_tag(op);
    const auto before = present_;
    Events ends;
    const auto& algorithm = collectives_.choose(call);
    TOROID_ASSERT(algorithm.lanes_of(call) == 1);  // lanes are along axes, and no rank has a place here
    auto schedule = algorithm.run(call);
    while (const auto step = schedule.next()) {
      if (step->kind == Step::Kind::wait)
        wait_for(std::exchange(ends, {}));
      else if (step->kind == Step::Kind::send)
        ends.push_back(begin(fmt::format("send {}b to {} tag {}", step->bytes, comm.member(step->peer), tag)));
      else
        ends.push_back(begin(receive_text(comm.member(step->peer), 0, tag)));
    }
    wait_for(ends);
    if (op.amount > 0) calculate(op.amount);
    if (op.request == no_handle) return;
    if (present_.size() == 1 && (before.empty() || present_[0].label != before[0].label))
      requests_[op.request].push_back(present_[0]);
    present_ = before;
  }

  std::string send_text(const Operation& op) const {
    return fmt::format("send {}b to {} tag {}", op.bytes, trace_.communicator(op.comm).member(op.to), message_tag(op));
  }
  std::string receive_text(const Operation& op) const {
    return receive_text(trace_.communicator(op.comm).member(op.from), op.bytes, message_tag(op));
  }
  /// The size of a receive has no effect.
  static std::string receive_text(Rank from, std::uint64_t bytes, std::int64_t tag) {
    return fmt::format("recv {}b from {} tag {}", bytes, from, tag);
  }

  std::int64_t message_tag(const Operation& op) const {
    const bool fits = op.comm == world ? op.tag < world_tags : op.tag < tags_of_a_comm && op.comm.value() < most_comms;
    if (!fits || op.tag < 0) fail(op, "its tag and communicator are too large for the tags of GOAL");
    return op.comm == world ? op.tag : world_tags + op.comm.value() * tags_of_a_comm + op.tag;
  }
  /// Calls of a communicator follow each other at all its ranks, so their tags may come again.
  std::int64_t collective_tag(const Operation& op) {
    constexpr std::int64_t most = (collective_tags / calls_in_turn);
    if (op.comm.value() >= most) fail(op, "there are too many communicators for the tags of GOAL");
    return collective_tags + op.comm.value() * calls_in_turn + calls_[op.comm.value()]++ % calls_in_turn;
  }

  Label emit(const std::string& text, const Events& after) {
    const auto label = ++labels_;
    auto lines = fmt::format("l{}: {}\n", label, text);
    for (const auto& [other, begun] : after)
      lines += fmt::format("l{} {} l{}\n", label, begun ? "irequires" : "requires", other);
    file_.write(lines);
    return label;
  }

  [[noreturn]] void fail(const Operation& op, std::string_view why) const {
    core::fail_input("{}: rank {}: {}: {}", trace_.locate(rank_, index_), rank_, to_string(op.kind), why);
  }

  const Trace& trace_;
  CollectiveChoice collectives_;
  Rank rank_;
  core::OutputFile& file_;
  std::uint64_t index_ = 0;  ///< index of the present operation
  Label labels_ = 0;
  Events present_;  ///< what the next operation requires
  std::unordered_map<RequestHandle, std::deque<Event>> requests_;
  std::unordered_map<RequestHandle, Operation> persistent_;
  std::unordered_map<std::uint64_t, Label> strands_;      ///< since the last join, by their indices
  std::set<Label> open_;                                  ///< strands whose end no other strand requires
  std::unordered_map<std::int32_t, std::int64_t> calls_;  ///< number of collectives so far, by communicator
};

}  // namespace

void write_goal(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                const std::string& path) {
  auto& file = outputs.add(path);
  file.write(fmt::format("num_ranks {}\n", trace.ranks()));
  for (const Rank rank : core::ids<Rank>(trace.ranks())) GoalProgram(trace, collectives, rank, file).write();
}

}  // namespace toroid::workloads
