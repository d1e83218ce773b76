// OTF2 archives: programs of ours, written with the library of that format as Score-P writes them, and read.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/damaged.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/otf2_archive.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;
constexpr std::uint32_t no_root = OTF2_UNDEFINED_UINT32;

/// A call with what happens in it.
template <class Inside>
void call(Otf2Archive& archive, int rank, const std::string& name, Inside&& inside) {
  archive.enter(rank, name);
  inside();
  archive.leave(rank, name);
}
void call(Otf2Archive& archive, int rank, const std::string& name) {
  call(archive, rank, name, [] {});
}

TEST_CASE("What a rank does while recording is switched off is missing, and so is the time") {
  Otf2Archive archive(1);
  call(archive, 0, "MPI_Init");
  archive.compute(0, 1'000);
  archive.record(0, false);
  archive.compute(0, 5'000);
  archive.record(0, true);
  archive.compute(0, 300);
  call(archive, 0, "MPI_Barrier", [&] { archive.collective(0, OTF2_COLLECTIVE_OP_BARRIER, 0, no_root, 0, 0); });
  const auto trace = open_trace(archive.finish());
  CHECK(program(*trace, 0) == Program{"compute amount=1400", "barrier"});  // 100 are the event that switches off
}

/// Recording goes off and on again.
void gap(Otf2Archive& archive, int rank) {
  archive.record(rank, false);
  archive.record(rank, true);
}
void send(Otf2Archive& archive, int rank, std::uint32_t to, std::uint64_t bytes) {
  call(archive, rank, "MPI_Send", [&] { archive.send(rank, to, 0, 7, bytes); });
}
void recv(Otf2Archive& archive, int rank, std::uint32_t from, std::uint64_t bytes) {
  call(archive, rank, "MPI_Recv", [&] { archive.recv(rank, from, 0, 7, bytes); });
}

TEST_CASE("A message whose other end came while recording was switched off is left out") {
  SECTION("it was received then") {
    Otf2Archive archive(2);
    for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
    send(archive, 0, 1, 100);
    call(archive, 0, "MPI_Isend", [&] { archive.isend(0, 1, 0, 7, 200, 4); });
    call(archive, 0, "MPI_Wait", [&] { archive.isend_end(0, 4); });
    send(archive, 0, 1, 300);
    gap(archive, 0);
    send(archive, 0, 1, 400);
    recv(archive, 1, 0, 100);
    call(archive, 1, "MPI_Irecv", [&] { archive.irecv(1, 5); });
    gap(archive, 1);  // in which request 5 ends, and 300 are received
    recv(archive, 1, 0, 400);
    const auto trace = open_trace(archive.finish());
    CHECK(program(*trace, 0) ==
          Program{"send to=1 tag=7 bytes=100", "compute amount=100", "send to=1 tag=7 bytes=400"});
    CHECK(program(*trace, 1) == Program{"recv tag=7 bytes=100", "compute amount=100", "recv tag=7 bytes=400"});
  }
  SECTION("it was sent then") {
    Otf2Archive archive(2);
    for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
    send(archive, 0, 1, 100);
    gap(archive, 0);  // in which it sends 200
    send(archive, 0, 1, 300);
    recv(archive, 1, 0, 100);
    call(archive, 1, "MPI_Irecv", [&] { archive.irecv(1, 5); });
    gap(archive, 1);
    call(archive, 1, "MPI_Wait", [&] { archive.irecv_end(1, 0, 0, 7, 200, 5); });
    recv(archive, 1, 0, 300);
    const auto trace = open_trace(archive.finish());
    CHECK(program(*trace, 0) ==
          Program{"send to=1 tag=7 bytes=100", "compute amount=100", "send to=1 tag=7 bytes=300"});
    CHECK(program(*trace, 1) == Program{"recv tag=7 bytes=100", "compute amount=100", "recv tag=7 bytes=300"});
  }
  SECTION("sizes and numbers say which one it is") {
    struct Case {
      std::vector<std::vector<std::uint64_t>> sent, received;  // by stretch between gaps
      std::vector<std::uint64_t> left;                         // bytes of the sends, and of the receives, that stay
    };
    for (const auto& c : {Case{{{100, 200}, {}}, {{}, {200}}, {200}},  // 100 was received in the gap
                          Case{{{100}, {}}, {{}, {100, 200}}, {100}},  // 200 was sent in it
                          Case{{{100}, {}}, {{}, {200}}, {}},          // both
                          Case{{{5, 5, 5}, {5}}, {{5}, {5}}, {5, 5}},  // two were received in it
                          Case{{{100}, {200}, {300}}, {{}, {100}, {300}}, {100, 300}}}) {
      Otf2Archive archive(2);
      for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
      for (std::size_t k = 0; k < c.sent.size(); ++k) {
        if (k > 0) gap(archive, 0);
        if (k > 0) gap(archive, 1);
        for (const auto bytes : c.sent[k]) send(archive, 0, 1, bytes);
        for (const auto bytes : c.received[k]) recv(archive, 1, 0, bytes);
      }
      const auto trace = open_trace(archive.finish());
      for (Rank rank = 0; rank < 2; ++rank) {
        std::vector<std::uint64_t> left;
        const auto stream = trace->open(rank);
        for (Operation op; stream->next(op);)
          if (op.kind != OpKind::compute) left.push_back(op.bytes);
        CHECK(left == c.left);
      }
    }
  }
  SECTION("it began to be received then") {
    Otf2Archive archive(2);
    for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
    send(archive, 0, 1, 100);
    gap(archive, 0);
    gap(archive, 1);  // in which MPI_Irecv begins request 5, and MPI_Isend request 6
    call(archive, 1, "MPI_Waitall", [&] {
      archive.irecv_end(1, 0, 0, 7, 100, 5);
      archive.isend_end(1, 6);
    });
    const auto trace = open_trace(archive.finish());
    CHECK(program(*trace, 0).front() == "send to=1 tag=7 bytes=100");
    CHECK(program(*trace, 1) == Program{"compute amount=100", "recv tag=7 bytes=100"});
  }
  SECTION("one rank alone was off") {
    Otf2Archive archive(2);
    for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
    for (const auto bytes : {100U, 200U, 300U}) send(archive, 0, 1, bytes);
    recv(archive, 1, 0, 100);
    gap(archive, 1);  // in which it receives 200
    recv(archive, 1, 0, 300);
    const auto trace = open_trace(archive.finish());
    CHECK(program(*trace, 0) == Program{"send to=1 tag=7 bytes=100", "send to=1 tag=7 bytes=300"});
  }
  SECTION("in an exchange its other half stays") {
    Otf2Archive archive(2);
    for (int rank = 0; rank < 2; ++rank) call(archive, rank, "MPI_Init");
    call(archive, 0, "MPI_Sendrecv", [&] {
      archive.send(0, 1, 0, 7, 100);
      archive.recv(0, 1, 0, 7, 200);
    });
    gap(archive, 0);
    send(archive, 1, 0, 200);
    gap(archive, 1);  // in which it receives 100
    const auto trace = open_trace(archive.finish());
    CHECK(program(*trace, 0).front() == "recv from=1 tag=7 bytes=200");
    CHECK(program(*trace, 1).front() == "send tag=7 bytes=200");
  }
}

TEST_CASE("An OTF2 archive is read") {
  Otf2Archive archive(2);
  call(archive, 0, "MPI_Init");
  archive.enter(0, "main");  // of no interest
  archive.compute(0, 1'000'000);
  call(archive, 0, "MPI_Send", [&] { archive.send(0, 1, 0, 7, 800); });
  call(archive, 0, "MPI_Comm_rank");
  call(archive, 0, "MPI_Irecv", [&] { archive.irecv(0, 5); });
  archive.compute(0, 900);
  call(archive, 0, "MPI_Issend", [&] { archive.isend(0, 1, 0, 8, 16, 6); });
  call(archive, 0, "MPI_Waitall", [&] {
    archive.irecv_end(0, 1, 0, 3, 12, 5);
    archive.isend_end(0, 6);
  });
  call(archive, 0, "MPI_Allreduce", [&] { archive.collective(0, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, no_root, 16, 16); });
  archive.leave(0, "main");
  call(archive, 1, "MPI_Init");
  call(archive, 1, "MPI_Recv", [&] { archive.recv(1, 0, 0, 7, 800); });
  call(archive, 1, "MPI_Recv", [&] { archive.recv(1, 0, 0, 8, 16); });
  call(archive, 1, "MPI_Ssend", [&] { archive.send(1, 0, 0, 3, 12); });
  call(archive, 1, "MPI_Allreduce", [&] { archive.collective(1, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, no_root, 16, 16); });
  const auto path = archive.finish();
  const auto trace = open_trace(path);
  CHECK(trace->computation() == Computation::timed);
  CHECK(program(*trace, 0) == Program{"compute amount=1000000", "send to=1 tag=7 bytes=800",
                                      "irecv from=1 tag=3 request=0 bytes=12", "compute amount=900",
                                      "isend synchronous to=1 tag=8 request=1 bytes=16", "waitall requests=0/1",
                                      "allreduce bytes=8"});
  CHECK(program(*trace, 1) ==
        Program{"recv tag=7 bytes=800", "recv tag=8 bytes=16", "send synchronous tag=3 bytes=12", "allreduce bytes=8"});
  CHECK(trace->files() ==
        std::vector<std::string>{path, archive.folder() + "/traces/10.evt", archive.folder() + "/traces/11.evt"});
  CHECK(test::simulate("mesh:2", *trace, {}, {}, "fluid")["runtime_s"] > 0);
}

/// What Score-P counts of a collective of a random program that each of the ranks does for itself: sent and received.
std::pair<std::uint64_t, std::uint64_t> moved(const Operation& op, const Communicator& comm, CommRank me) {
  const auto size = static_cast<std::uint64_t>(comm.size());
  const auto sum = [](std::span<const std::uint64_t> counts) {
    std::uint64_t all = 0;
    for (const auto count : counts) all += count;
    return all;
  };
  switch (op.kind) {
    case OpKind::barrier:
      return {0, 0};
    case OpKind::bcast:
      return {me == op.root ? size * op.bytes : 0, op.bytes};
    case OpKind::gather:
      return {op.bytes, me == op.root ? size * op.bytes : 0};
    case OpKind::scatterv:
      return {sum(op.send_counts), op.bytes};
    case OpKind::allgatherv:
      return {size * op.bytes, sum(op.recv_counts)};
    default:
      return {size * op.bytes, size * op.bytes};
  }
}

OTF2_CollectiveOp number_of(OpKind kind) {
  static const std::map<OpKind, OTF2_CollectiveOp> numbers{
      {OpKind::barrier, OTF2_COLLECTIVE_OP_BARRIER},      {OpKind::bcast, OTF2_COLLECTIVE_OP_BCAST},
      {OpKind::allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE},  {OpKind::gather, OTF2_COLLECTIVE_OP_GATHER},
      {OpKind::scatterv, OTF2_COLLECTIVE_OP_SCATTERV},    {OpKind::alltoall, OTF2_COLLECTIVE_OP_ALLTOALL},
      {OpKind::allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV}};
  return numbers.at(kind);
}

/// Writes a program as Score-P would.
class Writer {
 public:
  Writer(const Trace& trace, Rank rank, Otf2Archive& archive) : trace_(trace), rank_(rank), archive_(archive) {
    call(archive, me(), "MPI_Init");
    const auto stream = trace.open(rank);
    for (Operation op; stream->next(op);) write(op);
    call(archive, me(), "MPI_Finalize");  // what is computed last ends there
  }

 private:
  void write(const Operation& op) {
    const auto comm = number(op.comm.value()), to = number(op.to), from = number(op.from), tag = number(op.tag);
    const bool is_synchronous = op.mode == SendMode::synchronous;
    if (op.request != no_handle && op.kind != OpKind::wait) given_[op.request] = op;
    switch (op.kind) {
      case OpKind::compute:
        return archive_.compute(me(), static_cast<std::uint64_t>(op.amount));
      case OpKind::send:
        return in(is_synchronous ? "MPI_Ssend" : "MPI_Send", [&] { archive_.send(me(), to, comm, tag, op.bytes); });
      case OpKind::isend:
        return in(is_synchronous ? "MPI_Issend" : "MPI_Isend",
                  [&] { archive_.isend(me(), to, comm, tag, op.bytes, op.request); });
      case OpKind::recv:
        return in("MPI_Recv", [&] { archive_.recv(me(), from, comm, tag, op.bytes); });
      case OpKind::irecv:
        return in("MPI_Irecv", [&] { archive_.irecv(me(), op.request); });
      case OpKind::wait:
        return in("MPI_Wait", [&] { complete(op.request); });
      case OpKind::waitall:
        return in("MPI_Waitall", [&] {
          for (const auto handle : op.requests) complete(handle);
        });
      default:
        if (op.request != no_handle) return in("MPI_Icollective", [&] { archive_.icollective(me(), op.request); });
        in("MPI_Collective", [&] {
          const auto [sent, received] = moved_in(op);
          archive_.collective(me(), number_of(op.kind), comm, number(op.root), sent, received);
        });
    }
  }

  void complete(RequestHandle handle) {
    const auto& op = given_.at(handle);
    const auto comm = number(op.comm.value());
    if (op.kind == OpKind::isend) return archive_.isend_end(me(), handle);
    if (op.kind == OpKind::irecv)
      return archive_.irecv_end(me(), number(op.from), comm, number(op.tag), op.bytes, handle);
    const auto [sent, received] = moved_in(op);
    archive_.icollective_end(me(), number_of(op.kind), comm, number(op.root), sent, received, handle);
  }

  template <class Inside>
  void in(const std::string& name, Inside&& inside) {
    call(archive_, me(), name, inside);
  }
  std::pair<std::uint64_t, std::uint64_t> moved_in(const Operation& op) const {
    const auto& comm = trace_.communicator(op.comm);
    return moved(op, comm, comm.rank_of(rank_));
  }
  int me() const { return rank_.value(); }
  static std::uint32_t number(std::int32_t value) { return static_cast<std::uint32_t>(value); }

  const Trace& trace_;
  Rank rank_;
  Otf2Archive& archive_;
  std::map<RequestHandle, Operation> given_;
};

std::vector<Otf2Comm> comms_of(const Trace& trace, int count) {
  std::vector<Otf2Comm> all;
  for (int c = 0; c < count; ++c) {
    const auto& comm = trace.communicator(CommId(c));
    auto& added = all.emplace_back();
    for (CommRank member = 0; member < comm.size(); ++member)
      added.members.push_back(static_cast<std::uint64_t>(comm.member(member).value()));
  }
  return all;
}

std::unique_ptr<CompactTrace> program_for_otf2(core::Random& random, std::int32_t ranks) {
  return random_program(random, {.ranks = ranks, .persistent = false, .uncertain = false, .alltoallv = false});
}

TEST_CASE("Programs are read from OTF2 as they were written") {
  core::Random random(8, "test/otf2");
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    const auto trace = program_for_otf2(random, 2 + static_cast<std::int32_t>(random.below(4)));
    Otf2Archive archive(trace->ranks(), comms_of(*trace, 3));
    for (const Rank rank : core::ids<Rank>(trace->ranks())) Writer(*trace, rank, archive);
    const auto again = open_trace(archive.finish());
    const auto differences = first_differences(*trace, *again, {true, 0, true});
    for (const auto& difference : differences) UNSCOPED_INFO(difference.a.operation + " / " + difference.b.operation);
    CHECK(differences.empty());
  }
}

/// The operation that rank `me` of four reads where the ranks' events say that of a collective.
Program of_collective(OTF2_CollectiveOp op, std::uint32_t root,
                      const std::vector<std::pair<std::uint64_t, std::uint64_t>>& all_moved, Rank me) {
  Otf2Archive archive(4);
  for (int rank = 0; rank < 4; ++rank) {
    const auto [sent, received] = all_moved[static_cast<std::size_t>(rank)];
    archive.collective(rank, op, 0, root, sent, received);
  }
  return program(*open_trace(archive.finish()), me);
}

TEST_CASE("What a rank contributes to a collective follows from the bytes that all ranks moved") {
  using Moved = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const auto all = [](std::uint64_t sent, std::uint64_t received) { return Moved(4, {sent, received}); };
  const auto reads = [](const std::string& text) { return Program{text}; };
  // Four ranks; in place, what a rank has of its own is left out.
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLREDUCE, no_root, all(40, 40), 1) == reads("allreduce bytes=10"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLREDUCE, no_root, all(30, 30), 1) == reads("allreduce bytes=10"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLGATHER, no_root, all(40, 40), 3) == reads("allgather bytes=10"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLTOALL, no_root, all(40, 40), 3) == reads("alltoall bytes=10"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, no_root, all(40, 40), 3) ==
        reads("reduce_scatter receives=10/10/10/10"));
  const Moved to_root{{10, 0}, {10, 0}, {10, 40}, {10, 0}}, to_root_in_place{{10, 0}, {10, 0}, {0, 30}, {10, 0}};
  for (const Rank rank : {Rank(2), Rank(3)})
    for (const auto& some : {to_root, to_root_in_place}) {
      CHECK(of_collective(OTF2_COLLECTIVE_OP_REDUCE, 2, some, rank) == reads("reduce root=2 bytes=10"));
      CHECK(of_collective(OTF2_COLLECTIVE_OP_GATHER, 2, some, rank) == reads("gather root=2 bytes=10"));
      auto turned = some;
      for (auto& [sent, received] : turned) std::swap(sent, received);
      CHECK(of_collective(OTF2_COLLECTIVE_OP_SCATTER, 2, turned, rank) == reads("scatter root=2 bytes=10"));
    }
  const Moved scan{{40, 10}, {30, 20}, {20, 30}, {10, 40}}, exscan{{30, 0}, {20, 10}, {10, 20}, {0, 30}};
  for (const Rank rank : core::ids<Rank>(4)) {
    CHECK(of_collective(OTF2_COLLECTIVE_OP_SCAN, no_root, scan, rank) == reads("scan bytes=10"));
    CHECK(of_collective(OTF2_COLLECTIVE_OP_SCAN, no_root, exscan, rank) == reads("scan bytes=10"));  // in place
    CHECK(of_collective(OTF2_COLLECTIVE_OP_EXSCAN, no_root, exscan, rank) == reads("exscan bytes=10"));
  }
}

TEST_CASE("Blocks of different lengths follow from the bytes of all ranks") {
  const auto reads = [](const std::string& text) { return Program{text}; };
  CHECK(of_collective(OTF2_COLLECTIVE_OP_GATHERV, 1, {{1, 0}, {2, 10}, {3, 0}, {4, 0}}, 1) ==
        reads("gatherv root=1 bytes=2 receives=1/2/3/4"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_GATHERV, 1, {{1, 0}, {2, 10}, {3, 0}, {4, 0}}, 2) ==
        reads("gatherv root=1 bytes=3"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_GATHERV, 1, {{1, 0}, {0, 8}, {3, 0}, {4, 0}}, 1) ==
        reads("gatherv root=1 receives=1/0/3/4"));  // in place
  CHECK(of_collective(OTF2_COLLECTIVE_OP_SCATTERV, 0, {{10, 1}, {0, 2}, {0, 3}, {0, 4}}, 0) ==
        reads("scatterv bytes=1 sends=1/2/3/4"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLGATHERV, no_root, {{4, 10}, {8, 10}, {12, 10}, {16, 10}}, 2) ==
        reads("allgatherv bytes=3 receives=1/2/3/4"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_ALLGATHERV, no_root, {{3, 9}, {6, 8}, {9, 7}, {12, 6}}, 2) ==
        reads("allgatherv bytes=3 receives=1/2/3/4"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_REDUCE_SCATTER, no_root, {{10, 4}, {10, 8}, {10, 12}, {10, 16}}, 2) ==
        reads("reduce_scatter receives=1/2/3/4"));
  CHECK(of_collective(OTF2_COLLECTIVE_OP_REDUCE_SCATTER, no_root, {{9, 3}, {8, 6}, {7, 9}, {6, 12}}, 2) ==
        reads("reduce_scatter receives=1/2/3/4"));
}

TEST_CASE("Messages that are sent and received in one call of OTF2") {
  Otf2Archive archive(1);
  const auto exchange = [&](std::uint32_t receive_tag) {
    call(archive, 0, "MPI_Sendrecv", [&] {
      archive.send(0, 0, 0, 1, 10);
      archive.recv(0, 0, 0, receive_tag, 20);
    });
  };
  exchange(1);
  exchange(2);
  call(archive, 0, "MPI_Sendrecv_replace", [&] { archive.send(0, 0, 0, 1, 10); });  // and none from nobody
  CHECK(program(*open_trace(archive.finish()), 0) ==
        Program{"sendrecv tag=1 bytes=10", "irecv tag=2 request=0 bytes=20", "isend tag=1 request=1 bytes=10",
                "waitall requests=0/1", "send tag=1 bytes=10"});
}

TEST_CASE("Requests of an OTF2 archive that were cancelled or not recorded") {
  Otf2Archive archive(1);
  call(archive, 0, "MPI_Irecv", [&] { archive.irecv(0, 1); });
  call(archive, 0, "MPI_Isend", [&] { archive.send(0, 0, 0, 4, 10); });
  call(archive, 0, "MPI_Wait", [&] { archive.cancel(0, 1); });
  call(archive, 0, "MPI_Start", [&] { archive.irecv(0, 1); });
  call(archive, 0, "MPI_Test");
  call(archive, 0, "MPI_Test", [&] { archive.irecv_end(0, 0, 0, 4, 10, 1); });
  CHECK(program(*open_trace(archive.finish()), 0) ==
        Program{"isend tag=4 bytes=10", "irecv tag=4 request=0 bytes=10", "wait request=0"});
}

TEST_CASE("Communicators of OTF2 are groups of ranks, or each rank alone") {
  // A copy of the world, the ranks backwards, the same with partners named by their ranks in the world, and self.
  Otf2Archive archive(3, {{},
                          {.members = {0, 1, 2}},
                          {.members = {2, 1, 0}},
                          {.members = {2, 1, 0}, .flags = OTF2_GROUP_FLAG_GLOBAL_MEMBERS},
                          {.type = OTF2_GROUP_TYPE_COMM_SELF}});
  for (int rank = 0; rank < 3; ++rank)
    for (std::uint32_t comm = 0; comm < 5; ++comm) archive.collective(rank, OTF2_COLLECTIVE_OP_BCAST, comm, 0, 0, 8);
  const auto trace = open_trace(archive.finish());
  const auto stream = trace->open(1);
  std::vector<CommId> comms;
  std::vector<Rank> roots;
  for (Operation op; stream->next(op);)
    if (op.kind == OpKind::bcast) {
      comms.push_back(op.comm);
      roots.push_back(trace->communicator(op.comm).member(op.root));
    }
  CHECK(roots == std::vector<Rank>{0, 0, 2, 0, 1});
  CHECK(comms[0] == world);
  CHECK(comms[1] != world);
  CHECK(trace->communicator(comms[4]).size() == 1);
}

/// The message about an archive in which rank 0 of two does that.
template <class Inside>
std::string error_of_archive(Inside&& inside, std::vector<Otf2Comm> comms = {}) {
  Otf2Archive archive(2, std::move(comms));
  inside(archive);
  const auto path = archive.finish();
  const auto error = test::error_of([&] { open_trace(path); });
  CHECK(error.find('\n') == std::string::npos);
  if (error.empty()) return error;
  REQUIRE(error.starts_with(archive.folder()));
  return error.substr(archive.folder().size());
}

TEST_CASE("Puts and fences of OTF2 are on the communicator of their window") {
  Otf2Archive archive(2, {{}, {.members = {1, 0}}});
  for (const int rank : {0, 1}) {
    call(archive, rank, "MPI_Win_fence", [&] { archive.fence(rank, 1); });
    if (rank == 0) call(archive, 0, "MPI_Put", [&] { archive.put(0, 1, 0, 800); });  // to the last of the world
    call(archive, rank, "MPI_Win_fence", [&] { archive.fence(rank, 1); });
  }
  const auto trace = open_trace(archive.finish());
  CHECK(program(*trace, 0) == Program{"fence comm=1", "put comm=1 bytes=800", "fence comm=1"});
  CHECK(program(*trace, 1) == Program{"fence comm=1", "fence comm=1"});
  CHECK(trace->communicator(1).member(0) == Rank(1));
  CHECK_THAT(error_of_archive([](auto& a) { call(a, 0, "MPI_Rput", [&] { a.put(0, 0, 1, 8); }); }),
             Catch::StartsWith("/traces/10.evt: event 2: found MPI_Rput, expected"));
  CHECK_THAT(error_of_archive([](auto& a) { call(a, 0, "MPI_Win_wait", [&] { a.fence(0, 0); }); }),
             Catch::Contains("found a synchronisation of a window in MPI_Win_wait, expected MPI_Win_fence"));
}

TEST_CASE("Clocks of OTF2 have ticks of any length") {
  Otf2Archive archive(1, {}, 2'000'000);
  call(archive, 0, "MPI_Init");
  archive.compute(0, 3);
  call(archive, 0, "MPI_Barrier", [&] { archive.collective(0, OTF2_COLLECTIVE_OP_BARRIER, 0, no_root, 0, 0); });
  CHECK(program(*open_trace(archive.finish()), 0) == Program{"compute amount=1500", "barrier"});
}

TEST_CASE("What is not understood in an OTF2 archive is an error that says where") {
  const auto in = [](const std::string& name, auto inside, std::vector<Otf2Comm> comms = {}) {
    return error_of_archive([&](Otf2Archive& archive) { call(archive, 0, name, [&] { inside(archive); }); },
                            std::move(comms));
  };
  CHECK(in("MPI_Send", [](auto& a) { a.send(0, 2, 0, 0, 8); }) ==
        "/traces/10.evt: event 2: found rank 2, expected one of the communicator of 2 ranks");
  CHECK(in("MPI_Send", [](auto& a) { a.send(0, 1, 9, 0, 8); }) ==
        "/traces/10.evt: event 2: found communicator 9, expected one that is defined");
  CHECK(in("MPI_Send", [](auto& a) { a.send(0, 1, 0, 1U << 31U, 8); }) ==
        "/traces/10.evt: event 2: found tag 2147483648, expected one below 2^31");
  CHECK(in("MPI_Send", [](auto& a) { a.send(0, 1, 0, 1, ~0ULL); }) ==
        "/traces/10.evt: event 2: found 18446744073709551615 bytes, expected 2^53 or fewer");
  CHECK(in("MPI_Send", [](auto& a) { a.send(0, 0, 1, 0, 8); }, {{}, {.members = {1}}}) ==
        "/traces/10.evt: event 2: found communicator 1, expected one of which rank 0 is a member");
  CHECK(in("f", [](auto& a) { a.send(0, 0, 1, 0, 8); }, {{}, {.members = {0}, .paradigm = OTF2_PARADIGM_OPENMP}}) ==
        "/traces/10.evt: event 2: found communicator 1, expected one of processes of MPI");
  CHECK(in("f", [](auto&) {}, {{}, {.members = {5}}}) ==
        "/traces.otf2: communicator 1: found rank 5, expected one below 2");
  CHECK(in("MPI_Wait", [](auto& a) { a.isend_end(0, 3); }) ==
        "/traces/10.evt: event 2: found request 3, expected one that an event before began");
  CHECK_THAT(in("MPI_Irecv", [](auto& a) { a.irecv(0, 3); }),
             Catch::StartsWith("/traces/10.evt: event 2: found a request that no later event completes"));
  CHECK_THAT(in("MPI_Wait",
                [](auto& a) {
                  a.irecv(0, 3);
                  a.isend_end(0, 3);
                }),
             Catch::StartsWith("/traces/10.evt: event 3: found the end of another operation"));
  CHECK_THAT(in("MPI_Alltoallv", [](auto& a) { a.collective(0, OTF2_COLLECTIVE_OP_ALLTOALLV, 0, no_root, 8, 8); }),
             Catch::StartsWith("/traces/10.evt: event 3: found an all-to-all of different sizes"));
  CHECK_THAT(
      in("MPI_Neighbor_alltoall", [](auto& a) { a.collective(0, OTF2_COLLECTIVE_OP_ALLTOALL, 0, no_root, 8, 8); }),
      Catch::StartsWith("/traces/10.evt: event 3: found MPI_Neighbor_alltoall"));
  CHECK_THAT(in("MPI_Reduce", [](auto& a) { a.collective(0, OTF2_COLLECTIVE_OP_REDUCE, 0, 7, 8, 8); }),
             Catch::StartsWith("/traces/10.evt: event 3: found root 7"));
  CHECK_THAT(in("MPI_Gather", [](auto& a) { a.collective(0, OTF2_COLLECTIVE_OP_GATHER, 0, 0, 8, 9); }),
             Catch::StartsWith("/traces/10.evt: event 3: found a gather of 2 ranks that sends 8 bytes and receives 9"));
  CHECK(in("MPI_Gatherv", [](auto& a) { a.collective(0, OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 8); }) ==
        "/traces/10.evt: gatherv 1 on communicator 0: found a collective that not all ranks of its communicator take "
        "part in");
  CHECK_THAT(in("MPI_Get", [](auto& a) { a.get(0, 0, 1, 8); }),
             Catch::StartsWith("/traces/10.evt: event 2: found RmaGet, expected"));
  CHECK(
      error_of_archive([](auto& a) { a.enter(0, "MPI_Recv"); }) ==
      "/traces/10.evt: event 1: found the end inside of MPI_Recv, expected that it is left: the archive is truncated");
  CHECK_THAT(error_of_archive([](auto& a) { a.send(a.add_thread(), 1, 0, 0, 8); }),
             Catch::StartsWith("/traces/12.evt: event 1: found communication of a thread"));
  CHECK(in("f", [](auto& a) { a.get(0, 1, 1, 8); }, {{}, {.members = {0}, .paradigm = OTF2_PARADIGM_CUDA}}).empty());
}

TEST_CASE("OTF2 archives without processes, without files, or damaged") {
  {
    Otf2Archive none(0);
    const auto path = none.finish();
    CHECK(test::error_of([&] { open_trace(path); }) ==
          path + ": found no processes of MPI, expected a group of their locations");
  }
  namespace fs = std::filesystem;
  core::Random random(9, "test/otf2/damaged");
  const auto trace = program_for_otf2(random, 2);
  Otf2Archive archive(2, comms_of(*trace, 3));
  for (const Rank rank : core::ids<Rank>(2)) Writer(*trace, rank, archive);
  const auto path = archive.finish();
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(archive.folder()))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() == 6);
  const auto put = [](const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  };
  for (const auto& file : files) {
    if (file == path) continue;
    INFO(file);
    const auto whole = test::content(file);
    fs::remove(file);
    const auto error = test::error_of([&] { open_trace(path); });
    if (file.find("/traces/1") == std::string::npos || file.ends_with(".evt")) CHECK(error.starts_with(path));
    put(file, whole);
  }
  CHECK_NOTHROW(open_trace(path));
  for (int round = 0; round < 60; ++round) {
    const auto& file = files[random.below(files.size())];
    const auto whole = test::content(file);
    put(file, test::damaged(whole, random));
    try {
      open_trace(path);
    } catch (const core::InputError& error) {
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
    put(file, whole);
  }
}

}  // namespace
}  // namespace toroid::workloads
