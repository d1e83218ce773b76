// Collectives that do not block, several of them under way at once, and persistent requests.

#include <array>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/netsim/checks.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "workloads/collectives/collectives.hpp"

using namespace toroid;
using test::finish;
using test::us;
using workloads::CollectiveChoice;
using workloads::CommId;
using workloads::CommRank;
using workloads::Communicator;
using workloads::CompactTrace;
using workloads::no_handle;
using workloads::Operation;
using workloads::OpKind;
using workloads::Rank;
using workloads::RequestHandle;
using workloads::world;

namespace {

netsim::ReplayOptions with_collectives(const std::string& choice, double compute = 1) {
  netsim::ReplayOptions options;
  options.compute_scale = compute;
  options.collectives = CollectiveChoice::parse(choice);
  return options;
}

/// Every rank does the same.
std::unique_ptr<CompactTrace> same_for_all(std::int32_t ranks, const std::vector<Operation>& operations) {
  auto trace = std::make_unique<CompactTrace>(ranks);
  for (const Rank r : core::ids<Rank>(ranks))
    for (const auto& op : operations) trace->add(r, op);
  trace->finish();
  return trace;
}

Operation wait_for(RequestHandle handle) {
  return {.kind = OpKind::wait, .request = handle};
}

}  // namespace

TEST_CASE("a broadcast that does not block goes on while its ranks compute") {
  const auto time_of_rank_1 = [](RequestHandle handle) {
    CompactTrace trace(2);
    for (const Rank r : core::ids<Rank>(2)) {
      trace.add(r, {.kind = OpKind::bcast, .request = handle, .bytes = 1000});
      trace.add(r, {.kind = OpKind::sleep, .amount = 5 * us});
      if (handle != no_handle) trace.add(r, wait_for(handle));
    }
    trace.finish();
    return finish(test::simulate("mesh:2,bw=1GBps,lat=1us", trace, with_collectives("default:bcast=linear")), 1);
  };
  CHECK(time_of_rank_1(no_handle) == Approx(7 * us).epsilon(1e-9));
  CHECK(time_of_rank_1(3) == Approx(5 * us).epsilon(1e-9));
}

TEST_CASE("a collective that does not block goes from step to step by itself") {
  // A barrier among 8 by dissemination takes three steps of up to 7 us; the ranks only wait at 100 us.
  std::vector<Operation> operations{{.kind = OpKind::barrier, .request = 0},
                                    {.kind = OpKind::sleep, .amount = 100 * us}};
  operations.push_back(wait_for(0));
  const auto trace = same_for_all(8, operations);
  const auto r = test::simulate("mesh:8,bw=1GBps,lat=1us", *trace, with_collectives("default:barrier=dissemination"));
  for (std::size_t rank = 0; rank < 8; ++rank) CHECK(finish(r, rank) == Approx(100 * us).epsilon(1e-9));
  CHECK(r["ranks"][0]["wait_s"] == 0);
  CHECK(r["messages"] == 24);
}

TEST_CASE("what a reduction combines is computed when its request is taken") {
  const auto trace = same_for_all(2, {{.kind = OpKind::allreduce, .request = 0, .bytes = 8, .amount = 1e6},
                                      {.kind = OpKind::sleep, .amount = 1},
                                      wait_for(0)});
  const auto r = test::simulate("mesh:2", *trace, with_collectives("default"));
  CHECK(r["ranks"][1]["compute_s"].get<double>() == Approx(1 + 1e-3).epsilon(1e-12));
  CHECK(finish(r, 1) == Approx(1 + 1e-3).epsilon(1e-12));
}

TEST_CASE("a collective that does not block, and its wait at once, are the blocking one to the last bit") {
  core::Random random(5, "nonblocking");
  const std::vector<std::uint64_t> counts{1, 20, 3000, 100000, 5, 60, 0};
  for (const auto& algorithm : workloads::collective_algorithms())
    for (const std::uint64_t bytes : {0, 100, 300000}) {
      const auto run = [&](RequestHandle handle) {
        CompactTrace trace(7);
        core::Random own(bytes, "nonblocking/computations");
        for (Rank r = 0; r < 7; ++r)
          for (int i = 0; i < 2; ++i) {
            trace.add(r, {.kind = OpKind::sleep, .amount = own.unit() * 20 * us});
            trace.add(r, {.kind = algorithm.kind,
                          .root = 2,
                          .request = handle,
                          .bytes = bytes,
                          .amount = 3000.5,
                          .send_counts = counts,
                          .recv_counts = counts});
            if (handle != no_handle) trace.add(r, wait_for(handle));
          }
        trace.finish();
        const auto choice = "default:" + std::string(to_string(algorithm.kind)) + "=" + std::string(algorithm.name);
        auto result = test::simulate("torus:4x2,bw=1GBps,lat=1us", trace, with_collectives(choice), {}, "fluid");
        result.erase("operations");
        return result.dump();
      };
      CAPTURE(to_string(algorithm.kind), algorithm.name, bytes);
      REQUIRE(run(no_handle) == run(4));
    }
}

TEST_CASE("collectives under way at once on one communicator are told apart by their order") {
  // Both send from rank 0 to rank 1 with nothing to tell the messages apart but the collective. Rank 1 waits for the
  // second first, which is short but must follow the first on its way.
  CompactTrace trace(3);
  for (Rank r = 0; r < 3; ++r) {
    trace.add(r, {.kind = OpKind::bcast, .root = 0, .request = 0, .bytes = 1'000'000});
    trace.add(r, {.kind = OpKind::bcast, .root = 2, .request = 1, .bytes = 1000});
    trace.add(r, wait_for(r == 1 ? 1 : 0));
    if (r == 1) trace.add(r, {.kind = OpKind::sleep, .amount = 10});
    trace.add(r, wait_for(r == 1 ? 0 : 1));
  }
  trace.finish();
  const auto r = test::simulate("mesh:3,bw=1GBps,lat=1us", trace, with_collectives("default:bcast=linear"));
  CHECK(finish(r, 1) == Approx(10 + 2 * us).epsilon(1e-12));
  CHECK(finish(r, 0) == Approx(2e-3).epsilon(0.01));
}

TEST_CASE("two equal collectives at once take each message once, in whatever order their ranks wait") {
  CompactTrace trace(4);
  for (Rank r = 0; r < 4; ++r) {
    for (const RequestHandle handle : {0, 1}) trace.add(r, {.kind = OpKind::allreduce, .request = handle, .bytes = 8});
    for (const RequestHandle handle : {0, 1}) trace.add(r, wait_for(r.value() % 2 == 0 ? handle : 1 - handle));
  }
  trace.finish();
  CHECK(test::simulate("mesh:2x2", trace)["messages"] == 2 * 4 * 2);
}

TEST_CASE("collectives of a rank's row and of its column are under way at once") {
  // Ranks 0 1 / 2 3; each pair of each row and column swaps 1 MB: four links each way, each with one message.
  CompactTrace trace(4);
  std::array<CommId, 2> rows{}, columns{};
  for (std::size_t i = 0; i < 2; ++i) {
    rows[i] = trace.add_communicator(Communicator::strided(Rank(2 * i), 1, 2));
    columns[i] = trace.add_communicator(Communicator::strided(Rank(i), 2, 2));
  }
  const std::vector<RequestHandle> both{0, 1};
  for (Rank r = 0; r < 4; ++r) {
    const auto row = rows[r.index() / 2], column = columns[r.index() % 2];
    trace.add(r, {.kind = OpKind::allgather, .comm = row, .request = 0, .bytes = 1'000'000});
    trace.add(r, {.kind = OpKind::allgather, .comm = column, .request = 1, .bytes = 1'000'000});
    trace.add(r, {.kind = OpKind::waitall, .requests = both});
  }
  trace.finish();
  const auto r = test::simulate("mesh:2x2,bw=1GBps,lat=1us", trace);
  for (std::size_t rank = 0; rank < 4; ++rank) CHECK(finish(r, rank) == Approx(1e-3 + us).epsilon(1e-6));
  CHECK(r["messages"] == 8);
}

TEST_CASE("the matrix of collectives that do not block is that of those that do") {
  const std::vector<std::uint64_t> counts{1, 2, 3, 4, 5, 6};
  const auto matrix = [&](RequestHandle handle) {
    std::vector<Operation> operations;
    for (const auto kind : {OpKind::allreduce, OpKind::bcast, OpKind::alltoallv})
      operations.push_back(
          {.kind = kind, .request = handle, .bytes = 5000, .send_counts = counts, .recv_counts = counts});
    return workloads::matrix_csv(communication_matrix(*same_for_all(6, operations), {}));
  };
  CHECK(matrix(no_handle) == matrix(0));
}

TEST_CASE("who does not join a collective that does not block is waited for, and that is said") {
  CompactTrace trace(2);
  trace.set_file(1, "t");
  trace.add(0, {.kind = OpKind::sleep, .amount = 1}, 1);
  trace.add(1, {.kind = OpKind::bcast, .request = 0, .bytes = 8}, 2);
  trace.add(1, wait_for(0), 3);
  trace.finish();
  CHECK(
      test::message_of<core::SimulationError>([&] { test::simulate("mesh:2", trace); }) ==
      "deadlock: 1 of 2 ranks are blocked: rank 1 in wait at t:3 waits to receive from rank 0, in bcast begun at t:2");
}

TEST_CASE("a collective of a communicator that the rank is no member of is an error") {
  CompactTrace trace(2);
  const auto comm = trace.add_communicator(Communicator({1}));
  trace.add(0, {.kind = OpKind::barrier, .comm = comm});
  trace.finish();
  CHECK_THAT(test::message_of<core::SimulationError>([&] { test::simulate("mesh:2", trace); }),
             Catch::Contains("operation 0: rank 0 is no member of the communicator"));
}

TEST_CASE("messages that add up beyond 64 bits are an error, in a collective and in all") {
  const std::uint64_t huge = std::uint64_t{1} << 62U;
  const auto gather = same_for_all(16, {{.kind = OpKind::gather, .bytes = huge}});
  CHECK_THAT(test::message_of<core::SimulationError>([&] { test::simulate("mesh:4x4", *gather); }),
             Catch::Contains(
                 "operation 0: rank 0: gather of 16 ranks with 4611686018427387904 bytes each: more than 2^64 bytes"));
  CHECK_THROWS_AS(communication_matrix(*gather, {}), core::InputError);
  CompactTrace sends(2);
  for (int i = 0; i < 4; ++i) {
    sends.add(0, {.kind = OpKind::send, .to = 1, .bytes = huge});
    sends.add(1, {.kind = OpKind::recv, .from = 0});
  }
  sends.finish();
  CHECK_THROWS_AS(test::simulate("mesh:2", sends), core::SimulationError);
  CHECK_THROWS_AS(communication_matrix(sends, {}), core::InputError);
  CHECK_THROWS_AS(summarize(sends), core::InputError);
}

TEST_CASE("random programs of overlapping collectives and messages: both engines alike") {
  constexpr std::int32_t columns = 3, rows = 2, ranks = columns * rows;
  constexpr std::array kinds{OpKind::barrier, OpKind::bcast,    OpKind::allreduce,
                             OpKind::reduce,  OpKind::alltoall, OpKind::allgather};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CompactTrace trace(ranks);
    std::vector<CommId> row, column;
    for (std::int32_t i = 0; i < rows; ++i)
      row.push_back(trace.add_communicator(Communicator::strided(Rank(columns * i), 1, columns)));
    for (std::int32_t i = 0; i < columns; ++i)
      column.push_back(trace.add_communicator(Communicator::strided(Rank(i), columns, rows)));
    for (const Rank r : core::ids<Rank>(ranks)) {
      core::Random common(seed, "nonblocking/common");
      core::Random own(seed * 100 + r.index(), "nonblocking/own");
      const std::array<CommId, 3> comms{world, row[r.index() / columns], column[r.index() % columns]};
      for (int step = 0; step < 12; ++step) {
        std::vector<RequestHandle> open;
        const auto handle = [&] { return open.emplace_back(static_cast<RequestHandle>(open.size())); };
        for (auto left = 1 + common.below(3); left > 0; --left) {
          const auto kind = kinds[common.below(kinds.size())];
          const auto comm = comms[common.below(comms.size())];
          const auto bytes = common.below(4) == 0 ? 200'000 : common.below(5000);
          const bool blocks = common.below(3) == 0;
          trace.add(r, {.kind = kind, .comm = comm, .request = blocks ? no_handle : handle(), .bytes = bytes});
        }
        const auto distance = 1 + static_cast<CommRank>(common.below(ranks - 1));
        const auto bytes = common.below(100'000);
        trace.add(r, {.kind = OpKind::irecv, .from = (r.value() + ranks - distance) % ranks, .request = handle()});
        trace.add(r,
                  {.kind = OpKind::isend, .to = (r.value() + distance) % ranks, .request = handle(), .bytes = bytes});
        trace.add(r, {.kind = OpKind::sleep, .amount = own.unit() * 50 * us});
        while (!open.empty() && own.below(4) > 0) {
          const auto i = own.below(open.size());
          trace.add(r, wait_for(open[i]));
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        }
        trace.add(r, {.kind = OpKind::waitall, .requests = open});
      }
    }
    trace.finish();
    const auto options = with_collectives("default");
    const auto reference = test::simulate("torus:3x2,bw=1GBps,lat=1us", trace, options, {}, "simgrid");
    const auto fluid = test::simulate("torus:3x2,bw=1GBps,lat=1us", trace, options, {}, "fluid");
    CAPTURE(seed);
    CHECK(reference["messages"] == fluid["messages"]);
    for (std::size_t r = 0; r < ranks; ++r) {
      CHECK(finish(fluid, r) == Approx(finish(reference, r)).epsilon(1e-6));
      const auto& books = fluid["ranks"][r];
      CHECK(books["compute_s"].get<double>() + books["transfer_s"].get<double>() + books["wait_s"].get<double>() ==
            Approx(finish(fluid, r)).epsilon(1e-9));
    }
  }
}

TEST_CASE("persistent requests, started again and again, are as new ones") {
  const std::vector<RequestHandle> both{0, 1};
  const auto run = [&](bool persistent) {
    CompactTrace trace(4);
    for (Rank r = 0; r < 4; ++r) {
      const Operation receive{
          .kind = persistent ? OpKind::recv_init : OpKind::irecv, .from = (r.value() + 3) % 4, .tag = 7, .request = 0};
      const Operation send{.kind = persistent ? OpKind::send_init : OpKind::isend,
                           .to = (r.value() + 1) % 4,
                           .tag = 7,
                           .request = 1,
                           .bytes = 100'000};
      if (persistent)
        for (const auto& init : {receive, send}) trace.add(r, init);
      for (int step = 0; step < 5; ++step) {
        trace.add(r, {.kind = OpKind::sleep, .amount = r.value() * us});
        if (!persistent)
          for (const auto& op : {receive, send}) trace.add(r, op);
        else if (step % 2 == 0)
          trace.add(r, {.kind = OpKind::startall, .requests = both});
        else
          for (const auto handle : both) trace.add(r, {.kind = OpKind::start, .request = handle});
        trace.add(r, {.kind = OpKind::waitall, .requests = both});
      }
      // A request that is not started is waited for in no time.
      if (persistent) trace.add(r, wait_for(0));
    }
    trace.finish();
    auto result = test::simulate("torus:4,bw=1GBps,lat=1us", trace, with_collectives("default"));
    result.erase("operations");
    CHECK(communication_matrix(trace, {}).total_bytes() == 4 * 5 * 100'000);
    CHECK(summarize(trace).messages == 4 * 5);
    return result.dump();
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("a start without an init, and a wait without a request, are errors with their place") {
  const auto error_of = [](const std::vector<Operation>& operations) {
    CompactTrace trace(2);
    for (const auto& op : operations) trace.add(0, op);
    trace.finish();
    return test::message_of<core::SimulationError>([&] { test::simulate("mesh:2", trace); });
  };
  const std::vector<RequestHandle> handles{0, 5};
  const Operation to_nobody{.kind = OpKind::isend, .to = workloads::no_process, .request = 0};
  CHECK(error_of({{.kind = OpKind::start, .request = 3}}) ==
        "operation 0: rank 0 in start asks for request 3, which no operation before it gave");
  CHECK(error_of({to_nobody, wait_for(0), wait_for(0)}) ==
        "operation 2: rank 0 in wait asks for request 0, which the isend at operation 0 gave and another call has "
        "taken since");
  CHECK(error_of({to_nobody, {.kind = OpKind::waitall, .requests = handles}}) ==
        "operation 1: rank 0 in waitall asks for request 5, which no operation before it gave");
}

TEST_CASE("waitsome goes on with what has ended") {
  // Tags 1 and 2 are there at 1 s, tag 3 comes at 5 s.
  const std::vector<RequestHandle> handles{0, 1, 2};
  CompactTrace trace(2);
  for (const std::int32_t tag : {1, 2, 3}) {
    if (tag == 3) trace.add(0, {.kind = OpKind::sleep, .amount = 5});
    trace.add(0, {.kind = OpKind::send, .to = 1, .tag = tag, .bytes = 8});
    trace.add(1, {.kind = OpKind::irecv, .from = 0, .tag = tag, .request = static_cast<RequestHandle>(tag - 1)});
  }
  trace.add(1, {.kind = OpKind::sleep, .amount = 1});
  trace.add(1, {.kind = OpKind::waitsome, .requests = handles});
  trace.add(1, {.kind = OpKind::sleep, .amount = 1});
  trace.add(1, {.kind = OpKind::waitsome, .requests = handles});
  trace.finish();
  const auto r = test::simulate("mesh:2,bw=1GBps,lat=1us", trace, with_collectives("default"));
  CHECK(finish(r, 1) == Approx(5 + us).epsilon(1e-7));
  CHECK(r["ranks"][1]["compute_s"] == 2);
}
