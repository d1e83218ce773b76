#include "tests/workloads/random_program.hpp"

#include <algorithm>

#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

class RandomProgram {
 public:
  RandomProgram(core::Random& random, const RandomProgramOptions& options)
      : random_(random),
        options_(options),
        trace_(std::make_unique<CompactTrace>(options.ranks)),
        outstanding_(options.ranks),
        handles_(options.ranks, 0) {
    std::vector<Rank> odd, backwards;
    for (std::int32_t rank = 1; rank < options.ranks; rank += 2) odd.push_back(Rank(rank));
    for (std::int32_t rank = options.ranks - 1; rank >= 0; --rank) backwards.push_back(Rank(rank));
    comms_ = {{world, Communicator::all(options.ranks)}};
    for (auto& members : {odd, backwards}) {
      const Communicator comm(members);
      comms_.emplace_back(trace_->add_communicator(comm), comm);
    }
    if (options.all_kinds) open_comm_ = trace_->add_communicator(Communicator::all(options.ranks));
  }

  std::unique_ptr<CompactTrace> make() {
    for (int event = 0; event < options_.events; ++event) draw();
    for (const Rank rank : outstanding_.ids())
      while (!outstanding_[rank].empty()) wait(rank);
    for (std::size_t comm = 0; options_.puts && comm < comms_.size(); ++comm) fence(comms_[comm]);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void draw() {
    if (options_.all_kinds && random_.below(4) == 0) return draw_rarer();
    if (options_.puts && random_.below(3) == 0) return random_.below(4) == 0 ? fence(any_comm()) : put();
    switch (random_.below(8)) {
      case 0:
        return trace_->compute(any_rank(), static_cast<double>(1 + random_.below(1000)), 0), void();
      case 1:
        if (options_.collectives) collective();
        return;
      case 2:
      case 3:
        return wait(any_rank());
      default:
        return message();
    }
  }

  void draw_rarer() {
    switch (random_.below(4)) {
      case 0:
        return open_message();
      case 1:
        return exchange();
      case 2:
        return persistent_exchange();
      default:
        trace_->add(any_rank(), {.kind = OpKind::send, .to = no_process, .bytes = 8});
        trace_->add(any_rank(), {.kind = OpKind::recv, .from = no_process, .tag = 3});
    }
  }

  /// On a communicator of their own, where all receives take anything, and all messages are alike.
  void open_message() {
    const auto from = any_rank(), to = any_rank();
    const bool alone = from == to;
    post({.kind = OpKind::recv, .comm = open_comm_, .from = any_source, .tag = any_tag, .bytes = 48}, to, true, alone);
    const auto tag = static_cast<std::int32_t>(random_.below(3));
    post({.kind = OpKind::send, .comm = open_comm_, .to = to.value(), .tag = tag, .bytes = 48}, from, false, alone);
  }

  /// Everybody gives something to the next.
  void exchange() {
    const auto& [id, comm] = any_comm();
    for (CommRank member = 0; member < comm.size(); ++member)
      trace_->add(comm.member(member), {.kind = OpKind::sendrecv,
                                        .comm = id,
                                        .to = (member + 1) % comm.size(),
                                        .from = (member + comm.size() - 1) % comm.size(),
                                        .tag = 4,
                                        .bytes = 26});
  }

  /// The same with persistent requests, twice.
  void persistent_exchange() {
    const auto& [id, comm] = any_comm();
    for (CommRank member = 0; member < comm.size(); ++member) {
      const auto rank = comm.member(member);
      const RequestHandle both[] = {handles_[rank]++, handles_[rank]++};
      const auto next = (member + 1) % comm.size(), last = (member + comm.size() - 1) % comm.size();
      trace_->add(rank, {.kind = OpKind::send_init, .comm = id, .to = next, .tag = 5, .request = both[0], .bytes = 62});
      trace_->add(rank,
                  {.kind = OpKind::recv_init, .comm = id, .from = last, .tag = 5, .request = both[1], .bytes = 62});
      for (int round = 0; round < 2; ++round) {
        trace_->add(rank, {.kind = OpKind::startall, .requests = both});
        trace_->add(rank, {.kind = OpKind::waitall, .requests = both});
      }
      trace_->add(rank, {.kind = OpKind::isend, .comm = id, .to = no_process, .request = handles_[rank], .bytes = 62});
      trace_->add(rank, {.kind = OpKind::wait, .request = handles_[rank]++});
    }
  }

  Rank any_rank() { return Rank(static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(options_.ranks)))); }
  const std::pair<CommId, Communicator>& any_comm() { return comms_[random_.below(comms_.size())]; }
  CommRank any_member(const Communicator& comm) {
    return static_cast<CommRank>(random_.below(static_cast<std::uint64_t>(comm.size())));
  }
  std::uint64_t any_bytes() {
    if (random_.below(2) != 0) return options_.large + random_.below(1000);
    return options_.empty && random_.below(2) == 0 ? 0 : random_.below(1000);
  }
  RequestHandle new_handle(Rank rank) {
    outstanding_[rank].push_back(handles_[rank]);
    return handles_[rank]++;
  }

  void message() {
    const auto& [id, comm] = any_comm();
    const auto from = any_member(comm), to = any_member(comm);
    const auto tag = static_cast<std::int32_t>(random_.below(2));
    const auto bytes = any_bytes();
    // A rank that sends to itself must not wait in between.
    const bool alone = from == to;
    post({.kind = OpKind::recv, .comm = id, .from = from, .tag = tag, .bytes = bytes}, comm.member(to), true, alone);
    auto mode = SendMode::standard;
    if (options_.synchronous && random_.below(5) == 0) mode = SendMode::synchronous;
    if (options_.all_kinds && random_.below(5) == 0) mode = SendMode::buffered;
    post({.kind = OpKind::send, .mode = mode, .comm = id, .to = to, .tag = tag, .bytes = bytes}, comm.member(from),
         false, alone);
  }

  void post(Operation op, Rank rank, bool receives, bool alone) {
    const auto way =
        alone ? 1 + random_.below(options_.persistent ? 2 : 1) : random_.below(options_.persistent ? 3 : 2);
    if (way == 0) return trace_->add(rank, op), void();
    op.request = new_handle(rank);
    if (way == 1) {
      op.kind = receives ? OpKind::irecv : OpKind::isend;
      trace_->add(rank, op);
      return;
    }
    op.kind = receives ? OpKind::recv_init : OpKind::send_init;
    trace_->add(rank, op);
    trace_->add(rank, {.kind = OpKind::start, .request = op.request});
  }

  void put() {
    const auto& [id, comm] = any_comm();
    const auto from = any_member(comm), to = any_member(comm);
    const auto bytes = any_bytes();
    trace_->add(comm.member(from), {.kind = OpKind::put, .comm = id, .to = to, .bytes = bytes});
  }

  void fence(const std::pair<CommId, Communicator>& where) {
    const auto& [id, comm] = where;
    for (CommRank member = 0; member < comm.size(); ++member)
      trace_->add(comm.member(member), {.kind = OpKind::fence, .comm = id});
  }

  void collective() {
    const auto& [id, comm] = any_comm();
    constexpr OpKind kinds[] = {OpKind::barrier,  OpKind::bcast,     OpKind::allreduce, OpKind::gather,
                                OpKind::scatterv, OpKind::alltoallv, OpKind::allgatherv};
    constexpr OpKind rarer[] = {OpKind::reduce,    OpKind::gatherv,  OpKind::scatter,        OpKind::scan,
                                OpKind::allgather, OpKind::alltoall, OpKind::reduce_scatter, OpKind::exscan};
    auto kind = options_.all_kinds && random_.below(2) == 0 ? rarer[random_.below(std::size(rarer))]
                                                            : kinds[random_.below(std::size(kinds))];
    if (kind == OpKind::alltoallv && !options_.alltoallv) kind = OpKind::alltoall;
    const auto root = any_member(comm);
    const bool blocks = random_.below(2) == 0 || !options_.nonblocking;
    std::vector<std::uint64_t> counts;
    for (CommRank member = 0; member < comm.size(); ++member) counts.push_back(10U + static_cast<unsigned>(member));
    const bool even = kind == OpKind::reduce_scatter && random_.below(2) == 0;
    if (even) counts.assign(counts.size(), 12);
    for (CommRank member = 0; member < comm.size(); ++member) {
      const std::vector<std::uint64_t> same(counts.size(), counts[static_cast<std::size_t>(member)]);
      Operation op{.kind = kind, .comm = id, .root = has_root(kind) ? root : 0};
      if (kind != OpKind::barrier) op.bytes = 16;
      if (kind == OpKind::allgatherv) op.bytes = counts[static_cast<std::size_t>(member)];
      if (kind == OpKind::scatterv) op.bytes = counts[static_cast<std::size_t>(member)];
      if (kind == OpKind::scatterv && member == root) op.send_counts = counts;
      if (kind == OpKind::gatherv) op.bytes = counts[static_cast<std::size_t>(member)];
      if (kind == OpKind::gatherv && member == root) op.recv_counts = counts;
      if (kind == OpKind::reduce_scatter) op.bytes = 0;
      if (kind == OpKind::reduce_scatter) op.recv_counts = counts;
      if (kind == OpKind::alltoallv) op.send_counts = counts;
      if (kind == OpKind::alltoallv) op.recv_counts = same;
      if (kind == OpKind::allgatherv) op.recv_counts = counts;
      if (kind == OpKind::alltoallv) op.bytes = 0;
      if (!blocks) op.request = new_handle(comm.member(member));
      trace_->add(comm.member(member), op);
    }
  }

  void wait(Rank rank) {
    auto& open = outstanding_[rank];
    if (open.empty()) return;
    const auto some = 1 + random_.below(open.size());
    const std::vector<RequestHandle> handles(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(some));
    const auto way = random_.below(options_.uncertain ? 4 : 2);
    if (way == 2) trace_->add(rank, {.kind = OpKind::test, .request = handles[0]});
    if (way == 3)
      trace_->add(rank, {.kind = random_.below(2) == 0 ? OpKind::waitany : OpKind::waitsome, .requests = handles});
    if (way == 0 && some == 1)
      trace_->add(rank, {.kind = OpKind::wait, .request = handles[0]});
    else
      trace_->add(rank, {.kind = OpKind::waitall, .requests = handles});
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(some));
  }

  core::Random& random_;
  const RandomProgramOptions& options_;
  std::unique_ptr<CompactTrace> trace_;
  std::vector<std::pair<CommId, Communicator>> comms_;
  CommId open_comm_ = world;  ///< of open_message
  core::IdVector<Rank, std::vector<RequestHandle>> outstanding_;
  core::IdVector<Rank, RequestHandle> handles_;
};

}  // namespace

std::unique_ptr<CompactTrace> random_program(core::Random& random, const RandomProgramOptions& options) {
  return RandomProgram(random, options).make();
}

std::unique_ptr<CompactTrace> recorded(core::Random& random, const Trace& program, int times, double noise,
                                       double least) {
  auto trace = std::make_unique<CompactTrace>(program.ranks());
  for (CommId comm = 1;; ++comm) {
    try {
      trace->add_communicator(program.communicator(comm));
    } catch (const std::out_of_range&) {
      break;
    }
  }
  const RepeatedTrace all(program, static_cast<std::uint64_t>(times));
  for (const Rank rank : core::ids<Rank>(all.ranks())) {
    const auto stream = all.open(rank);
    for (Operation op; stream->next(op);) {
      if (op.kind == OpKind::compute) op.amount *= 1 + noise * (2 * random.unit() - 1);
      if (op.kind != OpKind::compute || op.amount >= least) trace->add(rank, op);
    }
  }
  trace->finish();
  return trace;
}

}  // namespace toroid::workloads
