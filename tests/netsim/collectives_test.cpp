// Collectives in the replay: their critical paths by hand, their separation from user messages, their communicators.

#include <catch2/catch.hpp>

#include "tests/netsim/checks.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::us;
using workloads::CollectiveChoice;
using workloads::OpKind;

namespace {

/// All pairs alike: 1 us per message and enough bandwidth for bytes not to matter.
constexpr const char* uniform = "torus:8,bw=1PBps,lat=0s,base=1us";
double time_of(const std::string& operation, const std::string& algorithm, int ranks = 8) {
  std::string trace;
  for (int r = 0; r < ranks; ++r) trace += std::to_string(r) + " " + operation + "\n";
  netsim::ReplayOptions options;
  options.collectives = CollectiveChoice::parse("default:" + algorithm);
  return test::simulate(uniform, trace, options)["runtime_s"];
}

}  // namespace

TEST_CASE("critical paths of collectives among 8 ranks, in messages") {
  const auto messages = [](const std::string& operation, const std::string& algorithm) {
    return time_of(operation, algorithm) / us;
  };
  CHECK(messages("barrier", "barrier=dissemination") == Approx(3));
  CHECK(messages("barrier", "barrier=linear") == Approx(2));
  CHECK(messages("bcast 8 0 6", "bcast=binomial") == Approx(3));
  CHECK(messages("bcast 8 5 6", "bcast=binomial") == Approx(3));
  CHECK(messages("bcast 8 0 6", "bcast=linear") == Approx(1));
  CHECK(messages("bcast 8 0 6", "bcast=scatter_ring") == Approx(3 + 7));
  CHECK(messages("reduce 8 0 0 6", "reduce=binomial") == Approx(3));
  CHECK(messages("reduce 8 0 0 6", "reduce=linear") == Approx(1));
  CHECK(messages("allreduce 8 0 6", "allreduce=recursive_doubling") == Approx(3));
  CHECK(messages("allreduce 8 0 6", "allreduce=rabenseifner") == Approx(6));
  CHECK(messages("allreduce 8 0 6", "allreduce=ring") == Approx(14));
  CHECK(messages("allreduce 8 0 6", "allreduce=reduce_bcast") == Approx(4));
  CHECK(messages("gather 8 8 0 6 6", "gather=binomial") == Approx(3));
  CHECK(messages("scatter 8 8 0 6 6", "scatter=binomial") == Approx(3));
  CHECK(messages("allgather 8 8 6 6", "allgather=recursive_doubling") == Approx(3));
  CHECK(messages("allgather 8 8 6 6", "allgather=bruck") == Approx(3));
  CHECK(messages("allgather 8 8 6 6", "allgather=ring") == Approx(7));
  CHECK(messages("alltoall 8 8 6 6", "alltoall=bruck") == Approx(3));
  CHECK(messages("alltoall 8 8 6 6", "alltoall=pairwise") == Approx(7));
  CHECK(messages("alltoall 8 8 6 6", "alltoall=linear") == Approx(1));
  CHECK(messages("scan 8 0 6", "scan=recursive_doubling") == Approx(3));
  CHECK(messages("scan 8 0 6", "scan=linear") == Approx(1));
  CHECK(messages("reducescatter 8 8 8 8 8 8 8 8 0 6", "reduce_scatter=pairwise") == Approx(7));
  CHECK(messages("reducescatter 8 8 8 8 8 8 8 8 0 6", "reduce_scatter=recursive_doubling") == Approx(3));
  CHECK(messages("alltoallv 0 8 8 8 8 8 8 8 8 0 8 8 8 8 8 8 8 8 6 6", "alltoallv=pairwise") == Approx(7));
  CHECK(messages("allgatherv 8 8 8 8 8 8 8 8 8 6 6", "allgatherv=ring") == Approx(7));
}

TEST_CASE("sizes that are no power of two fold the extra ranks in and out") {
  // Rank 0 hands over to rank 1 (1 us) and gets the result back (1 us). In between, what rank 1 needs was sent while it
  // waited (0 us, then 1 us); what it sends reaches the last rank over two others: 3 us as well.
  CHECK(time_of("allreduce 8 0 6", "allreduce=recursive_doubling", 5) / us == Approx(3));
  CHECK(time_of("barrier", "barrier=dissemination", 5) / us == Approx(3));
}

TEST_CASE("a bandwidth-bound ring allgather takes (p-1) blocks at link speed") {
  std::string trace;
  for (int r = 0; r < 8; ++r) trace += std::to_string(r) + " allgather 1000000 1000000 6 6\n";
  netsim::ReplayOptions options;
  options.collectives = CollectiveChoice::parse("default:allgather=ring");
  CHECK(test::simulate("torus:8,bw=1GBps,lat=0s", trace, options)["runtime_s"].get<double>() ==
        Approx(7e-3).epsilon(1e-6));
}

TEST_CASE("flops of a reduction are computed once at each rank") {
  netsim::ReplayOptions options;
  options.compute_scale = 1;
  const auto r = test::simulate(uniform, "0 allreduce 8 1e6 6\n1 allreduce 8 1e6 6\n", options);
  CHECK(r["ranks"][0]["compute_s"] == 1e-3);
  CHECK(r["runtime_s"].get<double>() == Approx(1e-3 + us));
}

TEST_CASE("messages of collectives and of the user with the same ranks and tag 0 are kept apart") {
  // The user's message lies unreceived while the broadcast goes on between the same ranks.
  const auto r = test::simulate(uniform, "0 send 1 0 8 6\n0 bcast 8 0 6\n1 bcast 8 0 6\n1 recv 0 0 8 6\n");
  CHECK(r["messages"] == 2);
}

TEST_CASE("communicators separate collectives and translate ranks") {
  workloads::CompactTrace trace(4);
  const auto odd = trace.add_communicator(workloads::Communicator({3, 1}));
  const auto even = trace.add_communicator(workloads::Communicator({0, 2}));
  // Both pairs broadcast at once; in `odd`, position 0 is rank 3.
  for (const int r : {0, 2})
    trace.add(workloads::Rank(r), {.kind = OpKind::bcast, .comm = even, .root = 0, .bytes = 8});
  for (const workloads::Rank r : std::vector<workloads::Rank>{1, 3})
    trace.add(r, {.kind = OpKind::bcast, .comm = odd, .root = 0, .bytes = 8});
  trace.add(1, {.kind = OpKind::send, .comm = odd, .to = 0, .bytes = 8});
  trace.add(3, {.kind = OpKind::recv, .comm = odd, .from = 1, .bytes = 8});
  trace.finish();
  const auto r = test::simulate(uniform, trace);
  CHECK(r["ranks"][3]["messages"] == 1);
  CHECK(r["ranks"][1]["messages"] == 1);
  CHECK(r["ranks"][0]["finish_s"] == 0);
  CHECK(r["ranks"][3]["finish_s"].get<double>() == Approx(2 * us));
}
