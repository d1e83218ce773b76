#include "tests/workloads/random_program.hpp"

#include <algorithm>

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
  }

  std::unique_ptr<CompactTrace> make() {
    for (int event = 0; event < options_.events; ++event) draw();
    for (const Rank rank : outstanding_.ids())
      while (!outstanding_[rank].empty()) wait(rank);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void draw() {
    if (options_.puts && random_.below(3) == 0) return random_.below(4) == 0 ? fence() : put();
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

  Rank any_rank() { return Rank(static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(options_.ranks)))); }
  const std::pair<CommId, Communicator>& any_comm() { return comms_[random_.below(comms_.size())]; }
  CommRank any_member(const Communicator& comm) {
    return static_cast<CommRank>(random_.below(static_cast<std::uint64_t>(comm.size())));
  }
  RequestHandle new_handle(Rank rank) {
    outstanding_[rank].push_back(handles_[rank]);
    return handles_[rank]++;
  }

  void message() {
    const auto& [id, comm] = any_comm();
    const auto from = any_member(comm), to = any_member(comm);
    const auto tag = static_cast<std::int32_t>(random_.below(2));
    const auto bytes = random_.below(2) == 0 ? random_.below(1000) : 100'000 + random_.below(1000);
    // A rank that sends to itself must not wait in between.
    const bool alone = from == to;
    post({.kind = OpKind::recv, .comm = id, .from = from, .tag = tag, .bytes = bytes}, comm.member(to), true, alone);
    auto mode = SendMode::standard;
    if (options_.synchronous && random_.below(5) == 0) mode = SendMode::synchronous;
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
    const auto bytes = random_.below(2) == 0 ? random_.below(1000) : 100'000 + random_.below(1000);
    trace_->add(comm.member(from), {.kind = OpKind::put, .comm = id, .to = to, .bytes = bytes});
  }

  void fence() {
    const auto& [id, comm] = any_comm();
    for (CommRank member = 0; member < comm.size(); ++member)
      trace_->add(comm.member(member), {.kind = OpKind::fence, .comm = id});
  }

  void collective() {
    const auto& [id, comm] = any_comm();
    constexpr OpKind kinds[] = {OpKind::barrier,  OpKind::bcast,     OpKind::allreduce, OpKind::gather,
                                OpKind::scatterv, OpKind::alltoallv, OpKind::allgatherv};
    auto kind = kinds[random_.below(std::size(kinds))];
    if (kind == OpKind::alltoallv && !options_.alltoallv) kind = OpKind::alltoall;
    const auto root = any_member(comm);
    const bool blocks = random_.below(2) == 0 || !options_.nonblocking;
    std::vector<std::uint64_t> counts;
    for (CommRank member = 0; member < comm.size(); ++member) counts.push_back(10U + static_cast<unsigned>(member));
    const bool rooted = kind == OpKind::bcast || kind == OpKind::gather || kind == OpKind::scatterv;
    for (CommRank member = 0; member < comm.size(); ++member) {
      const std::vector<std::uint64_t> same(counts.size(), counts[static_cast<std::size_t>(member)]);
      Operation op{.kind = kind, .comm = id, .root = rooted ? root : 0};
      if (kind != OpKind::barrier) op.bytes = 16;
      if (kind == OpKind::allgatherv) op.bytes = counts[static_cast<std::size_t>(member)];
      if (kind == OpKind::scatterv) op.bytes = counts[static_cast<std::size_t>(member)];
      if (kind == OpKind::scatterv && member == root) op.send_counts = counts;
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
  core::IdVector<Rank, std::vector<RequestHandle>> outstanding_;
  core::IdVector<Rank, RequestHandle> handles_;
};

}  // namespace

std::unique_ptr<CompactTrace> random_program(core::Random& random, const RandomProgramOptions& options) {
  return RandomProgram(random, options).make();
}

}  // namespace toroid::workloads
