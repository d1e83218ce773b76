#include "workloads/formats/graph/writer.hpp"

#include <algorithm>

namespace toroid::workloads {
namespace {

// These formats have no communicators for messages: tags of 32 bits tell them apart, and those of collectives from
// others.
constexpr std::int64_t world_tags = std::int64_t{1} << 30U, tags_of_a_comm = 1 << 14U, most_comms = 1 << 16U;
constexpr std::int64_t collective_tags = std::int64_t{1} << 31U, calls_in_turn = 1 << 12U;

}  // namespace

void GraphWriter::walk() {
  const auto stream = trace_.open(rank_);
  Operation op;
  for (index_ = 0; stream->next(op); ++index_) write(op);
  Events rest;
  for (const auto& [handle, ends] : requests_)
    std::ranges::copy_if(ends, std::back_inserter(rest), [](const Event& end) { return end.sum > 0; });
  std::ranges::sort(rest, {}, &Event::label);
  take(rest);
  if (labels_ == 0) put({.kind = OpKind::compute_after}, present_);
}

void GraphWriter::write(const Operation& op) {
  if (is_collective(op.kind)) return collective(op);
  if (is_point_to_point(op.kind)) check_message(op);
  if (is_strand(op.kind)) return strand(op);
  if (is_point_to_point(op.kind)) return message(op);
  if (is_start(op.kind)) return for_each_handle(op, [&](RequestHandle handle) { post(persistent_.at(handle)); });
  if (is_wait_for_all(op.kind)) return take(ends_of(op));
  switch (op.kind) {
    case OpKind::compute:
      return calculate(op.amount);
    case OpKind::sleep:
      return calculate(slept(op));
    case OpKind::join:
      return join();
    case OpKind::put:
      fail(op, fmt::format("{} has no messages that nobody receives", format_));
    default:
      fail(op,
           fmt::format("which of several messages comes first decides how it goes on, which {} cannot say", format_));
  }
}

void GraphWriter::calculate(double amount) {
  present_ = {{put({.kind = OpKind::compute_after, .amount = amount}, present_), false}};
}

void GraphWriter::check_message(const Operation& op) const {
  if (op.mode != SendMode::standard) fail(op, fmt::format("{} has only standard sends", format_));
  if ((is_receive(op.kind) || op.kind == OpKind::sendrecv) && (op.from == any_source || op.tag == any_tag))
    fail(op, fmt::format("{} cannot say any source or tag as MPI means them", format_));
}

/// A single message, or two; those that are persistent are only noted.
void GraphWriter::message(const Operation& op) {
  if (is_persistent_init(op.kind))
    persistent_[op.request] = op;
  else if (op.kind == OpKind::isend || op.kind == OpKind::irecv)
    post(op);
  else
    wait_for(begin(op));
}

void GraphWriter::post(const Operation& op) {
  for (const auto& end : begin(op)) requests_[op.request].push_back(end);
}

/// Begins the messages of an operation. Returns their ends.
GraphWriter::Events GraphWriter::begin(const Operation& op) {
  const bool receives = is_receive(op.kind);
  Events ends;
  if (!receives && op.to != no_process) ends.push_back(begin(message_node(OpKind::send_after, op)));
  if ((receives || op.kind == OpKind::sendrecv) && op.from != no_process)
    ends.push_back(begin(message_node(OpKind::recv_after, op)));
  return ends;
}

/// Begins an operation after the present one; what follows only requires that it has begun. Returns its end.
GraphWriter::Event GraphWriter::begin(const Node& node) {
  const auto label = put(node, present_);
  if (says_begins()) present_ = {{label, true}};
  return {label, false};
}

/// What an operation of a graph waits for: the present one and those that it requires.
GraphWriter::Events GraphWriter::required_by(const Operation& op) {
  auto required = present_;
  for (const auto& [distances, begun] : {std::pair(op.after, false), std::pair(op.after_begin, true)})
    for (const auto distance : distances) {
      const auto other = strands_.find(index_ - distance);
      if (other == strands_.end()) continue;  // it is no strand, and has ended
      if (begun && !says_begins()) fail(op, fmt::format("{} cannot say that it waits for a begin", format_));
      required.push_back({other->second, begun});
      if (!begun) open_.erase(other->second);
    }
  return required;
}

void GraphWriter::strand(const Operation& op) {
  const auto required = required_by(op);
  const bool nobody = (op.kind == OpKind::send_after && op.to == no_process) ||
                      (op.kind == OpKind::recv_after && op.from == no_process);
  auto node = nobody || op.kind == OpKind::compute_after
                  ? Node{.kind = OpKind::compute_after, .amount = op.amount, .bytes = nobody ? 0 : op.bytes}
                  : message_node(op.kind, op);
  node.core = op.root;
  const auto label = put(node, required);
  strands_.emplace(index_, label);
  open_.insert(label);
}

/// What follows requires all strands; of those that others require that is said by them.
void GraphWriter::join() {
  Events ends;
  for (const auto label : open_) ends.push_back({label, false});
  wait_for(ends);
  open_.clear();
  strands_.clear();
}

/// The ends of the oldest request of each handle that an operation waits for; they are taken.
GraphWriter::Events GraphWriter::ends_of(const Operation& op) {
  Events ends;
  for_each_handle(op, [&](RequestHandle handle) {
    const auto found = requests_.find(handle);
    if (found == requests_.end() || found->second.empty()) return;
    ends.push_back(found->second.front());
    found->second.pop_front();
  });
  return ends;
}

void GraphWriter::wait_for(const Events& ends) {
  // The end of what has begun last is all that there is to say.
  if (ends.size() == 1 && present_.size() == 1 && present_[0].label == ends[0].label) {
    present_ = ends;
    return;
  }
  auto all = present_;
  all.insert(all.end(), ends.begin(), ends.end());
  if (!ends.empty()) present_ = {{put({.kind = OpKind::compute_after}, all), false}};
}

/// Waits for requests, and computes what collectives have left to that.
void GraphWriter::take(const Events& ends) {
  wait_for(ends);
  double sum = 0;
  for (const auto& end : ends) sum += end.sum;
  if (sum > 0) calculate(sum);
}

/// A collective; one that does not block goes on beside what follows.
void GraphWriter::collective(const Operation& op) {
  const bool is_of_graph = is_strand(op);
  const auto before = present_;
  const auto required = is_of_graph ? required_by(op) : present_;
  if (says(op))
    present_ = {{put({.kind = op.kind, .collective = &op}, required), false}};
  else
    messages_of(op, required);
  const bool is_taken = op.request != no_handle && !is_of_graph;
  if (op.amount > 0 && !is_taken) calculate(op.amount);
  if (op.request == no_handle) return;
  // What it ends with is a node, also where it has no messages.
  if (present_.size() != 1 || present_[0].begun) wait_for(Events(present_));
  if (present_.empty()) present_ = {{put({.kind = OpKind::compute_after}, required), false}};
  const auto label = present_[0].label;
  if (is_of_graph) {
    strands_.emplace(index_, label);
    open_.insert(label);
  } else {
    requests_[op.request].push_back({label, false, op.amount});
  }
  present_ = before;
}

/// Writes a collective as the messages of its algorithm, which begin after `before`.
void GraphWriter::messages_of(const Operation& op, const Events& before) {
  const auto& comm = trace_.communicator(op.comm);
  auto call = collective_call(op, comm.rank_of(rank_), comm.size());
  const auto& algorithm = choose_for(call, collectives_, [] { return nullptr; });
  const auto lanes = algorithm.lanes_of(call);
  Events ends;
  for (; call.lane < lanes; ++call.lane) {
    const auto tag = collective_tag(op);
    present_ = before;
    Events under_way;
    auto schedule = algorithm.run(call);
    while (const auto step = schedule.next()) {
      if (step->kind == Step::Kind::wait)
        wait_for(std::exchange(under_way, {}));
      else if (step->kind == Step::Kind::send)
        under_way.push_back(begin(
            Node{.kind = OpKind::send_after, .bytes = step->bytes, .partner = comm.member(step->peer), .tag = tag}));
      else if (step->kind == Step::Kind::receive)
        under_way.push_back(begin(Node{.kind = OpKind::recv_after, .partner = comm.member(step->peer), .tag = tag}));
    }
    wait_for(under_way);
    ends.insert(ends.end(), present_.begin(), present_.end());
  }
  present_ = lanes > 1 ? Events{{put({.kind = OpKind::compute_after}, ends), false}} : std::move(ends);
}

/// A send, or a receive, whose size has no effect.
GraphWriter::Node GraphWriter::message_node(OpKind kind, const Operation& op) const {
  return {.kind = kind,
          .bytes = op.bytes,
          .partner = trace_.communicator(op.comm).member(kind == OpKind::send_after ? op.to : op.from),
          .tag = message_tag(op)};
}

std::int64_t GraphWriter::message_tag(const Operation& op) const {
  const bool fits = op.comm == world ? op.tag < world_tags : op.tag < tags_of_a_comm && op.comm.value() < most_comms;
  if (!fits || op.tag < 0) fail(op, fmt::format("its tag and communicator are too large for the tags of {}", format_));
  return op.comm == world ? op.tag : world_tags + op.comm.value() * tags_of_a_comm + op.tag;
}

/// Calls of a communicator follow each other at all its ranks, so their tags may come again.
std::int64_t GraphWriter::collective_tag(const Operation& op) {
  constexpr std::int64_t most = (collective_tags / calls_in_turn);
  if (op.comm.value() >= most) fail(op, fmt::format("there are too many communicators for the tags of {}", format_));
  return collective_tags + op.comm.value() * calls_in_turn + calls_[op.comm.value()]++ % calls_in_turn;
}

void GraphWriter::fail(const Operation& op, std::string_view why) const {
  core::fail_input("{}: rank {}: {}: {}", trace_.locate(rank_, index_), rank_, to_string(op.kind), why);
}

}  // namespace toroid::workloads
