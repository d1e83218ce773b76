#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

using test::trace_of;

std::vector<TraceDifference> differences(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
  return first_differences(*trace_of(a), *trace_of(b), options);
}

/// Rank 1 sends what rank 0 needs to receive it; only rank 0 is looked at.
bool equal(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
  const std::string other = "1 barrier\n";
  return differences(a + other, b + other, options).empty();
}

TEST_CASE("A trace does not differ from itself") {
  const std::string text = "0 isend 1 3 10\n0 irecv 1 4 10\n0 waitall 2\n0 barrier\n0 alltoall 5 5\n";
  CHECK(equal(text, text));
  CHECK(first_differences(*open_trace("stencil:grid=4x4"), *open_trace("stencil:grid=4x4"), {}).empty());
}

TEST_CASE("Partners, tags, bytes and kinds of messages count") {
  const std::string send = "0 send 1 3 10\n";
  CHECK(equal(send, send));
  CHECK_FALSE(equal(send, "0 send 0 3 10\n"));
  CHECK_FALSE(equal(send, "0 send 1 4 10\n"));
  CHECK_FALSE(equal(send, "0 send 1 3 11\n"));
  CHECK_FALSE(equal(send, "0 isend 1 3 10\n"));
  CHECK_FALSE(equal(send, "0 Ssend 1 3 10\n"));
  CHECK_FALSE(equal(send, "0 recv 1 3 10\n"));
  CHECK_FALSE(equal("0 recv 1 3 10\n", "0 recv 0 3 10\n"));
  CHECK_FALSE(equal("0 recv 1 3 10\n", "0 recv -333 3 10\n"));
}

TEST_CASE("Tags may be ignored, capacities of receives always are") {
  DiffOptions options;
  options.tags = false;
  CHECK(equal("0 send 1 3 10\n", "0 send 1 4 10\n", options));
  CHECK_FALSE(equal("0 send 1 3 10\n", "0 send 1 4 11\n", options));
  CHECK(equal("0 recv 1 3 10\n", "0 recv 1 3 99\n"));
}

TEST_CASE("A wait is told from one for another request") {
  const std::string posts = "0 irecv 1 3 10\n0 irecv 1 4 10\n";
  CHECK(equal(posts + "0 wait 1 0 3\n", posts + "0 wait 1 0 3\n"));
  CHECK_FALSE(equal(posts + "0 wait 1 0 3\n", posts + "0 wait 1 0 4\n"));
  CHECK_FALSE(equal(posts + "0 waitall 2\n", posts + "0 waitall 1\n"));
  // However many requests it says it is for, if it takes the same.
  CHECK(equal(posts + "0 waitall 2\n", posts + "0 waitall 7\n"));
}

TEST_CASE("Size, root and counts of collectives count") {
  CHECK(equal("0 bcast 8 1\n", "0 bcast 8 1\n"));
  CHECK_FALSE(equal("0 bcast 8 1\n", "0 bcast 8 0\n"));
  CHECK_FALSE(equal("0 bcast 8 1\n", "0 bcast 9 1\n"));
  CHECK_FALSE(equal("0 bcast 8 1\n", "0 barrier\n"));
  CHECK_FALSE(equal("0 alltoallv 3 1 2 3 1 2\n", "0 alltoallv 3 1 2 3 2 1\n"));
  CHECK_FALSE(equal("0 alltoallv 3 1 2 3 1 2\n", "0 alltoallv 3 2 1 3 1 2\n"));
}

TEST_CASE("Computation counts only if it is asked for, and what follows one another is one") {
  const std::string split = "0 compute 60\n0 compute 40\n0 barrier\n", whole = "0 compute 102\n0 barrier\n";
  CHECK(equal(split, whole));
  CHECK(equal(split, "0 barrier\n"));
  DiffOptions options;
  options.computation = true;
  options.tolerance = 0.03;
  CHECK(equal(split, whole, options));
  CHECK_FALSE(equal(split, "0 barrier\n", options));
  options.tolerance = 0.01;
  CHECK_FALSE(equal(split, whole, options));
}

TEST_CASE("The first difference of each rank says what stands where") {
  const auto found =
      differences("0 barrier\n0 send 1 3 10\n1 barrier\n", "0 barrier\n0 send 1 3 12\n1 barrier\n1 barrier\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].rank == 0);
  CHECK(found[0].a.operation == "send to 1, tag 3, 10 bytes");
  CHECK(found[0].b.operation == "send to 1, tag 3, 12 bytes");
  CHECK(found[0].a.place.ends_with(":2"));
  CHECK(found[1].rank == 1);
  CHECK(found[1].a.operation == "the end");
  CHECK(found[1].a.place.empty());
  CHECK(found[1].b.operation.starts_with("barrier of 2 ranks"));
}

/// A collective, a message and a persistent request on a part of the world, under handles of the user's choice.
class Parts final : public GeneratedTrace {
 public:
  Parts(Communicator part, CommRank receiver, RequestHandle handle)
      : GeneratedTrace("parts", 4), part_(add_communicator(std::move(part))), receiver_(receiver), handle_(handle) {}

  bool step(Rank, std::uint64_t step, std::vector<Operation>& out) const override {
    if (step > 0) return false;
    out.push_back({.kind = OpKind::send_init, .comm = part_, .to = receiver_, .request = handle_});
    out.push_back({.kind = OpKind::start, .request = handle_});
    out.push_back({.kind = OpKind::wait, .request = handle_});
    out.push_back({.kind = OpKind::barrier, .comm = part_});
    return true;
  }

 private:
  CommId part_;
  CommRank receiver_;
  RequestHandle handle_;
};

TEST_CASE("Communicators are compared by their members, requests by their order") {
  const Parts row(Communicator::strided(0, 2, 2), 1, 5);
  CHECK(first_differences(row, Parts(Communicator(std::vector<Rank>{0, 2}), 1, 6), {}).empty());
  CHECK(first_differences(row, Parts(Communicator::strided(0, 2, 2), 0, 5), {}).size() == 4);  // another receiver
  CHECK(first_differences(row, Parts(Communicator::strided(1, 1, 2), 1, 5), {}).size() == 4);  // the same receiver
}

TEST_CASE("Communicators of single messages do not count, as TI has none") {
  for (const std::string spec : {"ft-pair:class=S,ranks=16", "lulesh:ranks=8,elements=3,steps=2"}) {
    const auto trace = open_trace(spec);
    const test::Scratch scratch;
    core::OutputSet outputs;
    write_ti(*trace, outputs, scratch.path("a.ti"));
    outputs.commit();
    CHECK(first_differences(*trace, *open_trace(scratch.path("a.ti")), {}).empty());
  }
  CompactTrace a(4), b(4);
  const auto upper = a.add_communicator(Communicator::strided(2, 1, 2));
  a.add(3, {.kind = OpKind::recv, .comm = upper, .from = 0, .tag = 5});
  b.add(3, {.kind = OpKind::recv, .from = 2, .tag = 5});
  a.finish();
  b.finish();
  CHECK(first_differences(a, b, {}).empty());
}

TEST_CASE("A waitall and a wait for each of its requests may be the same") {
  DiffOptions merged;
  merged.merge_waits = true;
  const std::string posts = "0 irecv 1 1 10\n0 irecv 1 2 10\n0 irecv 1 3 10\n";
  const std::string one = posts + "0 waitall 3\n0 barrier\n";
  const std::string each = posts + "0 wait 1 0 2\n0 compute 5\n0 wait 1 0 1\n0 waitall 1\n0 waitall 0\n0 barrier\n";
  CHECK_FALSE(equal(one, each));
  CHECK(equal(one, each, merged));
  CHECK(equal(posts + "0 waitall 0\n0 barrier\n0 waitall 3\n", posts + "0 barrier\n0 waitall 3\n", merged));
  CHECK_FALSE(equal(posts + "0 wait 1 0 1\n0 barrier\n0 waitall 2\n", one, merged));
  CHECK_FALSE(equal(posts + "0 waitall 2\n0 barrier\n0 waitall 1\n", one, merged));
}

TEST_CASE("A persistent request is the one of the last init that gave its handle") {
  const auto program = [](RequestHandle second) {
    CompactTrace trace(2);
    for (const auto& [handle, bytes] : {std::pair<RequestHandle, std::uint64_t>(0, 8), {second, 9}}) {
      trace.add(0, {.kind = OpKind::send_init, .to = 1, .request = handle, .bytes = bytes});
      trace.add(0, {.kind = OpKind::start, .request = handle});
      trace.add(0, {.kind = OpKind::wait, .request = handle});
    }
    trace.add(1, {.kind = OpKind::barrier});
    const test::Scratch scratch;
    trace.finish();
    core::OutputSet outputs;
    write_own(trace, outputs, scratch.path("t"));
    outputs.commit();
    return open_trace(scratch.path("t"));
  };
  CHECK(first_differences(*program(0), *program(1), {}).empty());  // the first one was freed, or not
}

/// Some other operation, that may differ from this one in one thing.
Operation changed(Operation op, const Communicator& comm, core::Random& random) {
  const auto rank = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(comm.size())));
  switch (random.below(9)) {
    case 0:
      op.to = rank;
      break;
    case 1:
      op.from = rank;
      break;
    case 2:
      op.tag = static_cast<std::int32_t>(random.below(3));
      break;
    case 3:
      op.bytes = random.below(3);
      break;
    case 4:
      op.root = rank;
      break;
    case 5:
      op.mode = static_cast<SendMode>(random.below(3));
      break;
    case 6:
      op.comm = CommId(static_cast<std::int32_t>(random.below(3)));
      break;
    case 7:
      op.request = random.below(2) == 0 ? no_handle : 1;
      break;
    default:
      op.kind = static_cast<OpKind>(random.below(op_kind_count));
  }
  return op;
}

TEST_CASE("What is printed of two sides that differ is different, whatever differs") {
  core::Random random(4, "test/diff");
  int differ = 0;
  for (int round = 0; round < 20'000; ++round) {
    CompactTrace a(40), b(40);
    for (auto* trace : {&a, &b}) {
      trace->add_communicator(Communicator::strided(0, 1, 20));
      trace->add_communicator(Communicator::strided(0, 2, 20));
    }
    Operation op;
    for (int i = 0; i < 6; ++i) op = changed(op, Communicator::all(20), random);
    auto other = changed(op, Communicator::all(20), random);
    std::vector<std::uint64_t> counts(20, 123'456'789), more = counts;
    more[random.below(20)] += random.below(2);
    if (op.kind == OpKind::alltoallv) op.send_counts = counts;
    if (other.kind == OpKind::alltoallv) other.send_counts = more;
    a.add(0, op);
    b.add(0, other);
    for (auto* trace : {&a, &b}) {
      trace->add(39, {.kind = OpKind::barrier});
      trace->finish();
    }
    for (const auto& difference : first_differences(a, b, {.computation = random.below(2) == 0})) {
      ++differ;
      REQUIRE(difference.a.operation != difference.b.operation);
      REQUIRE(difference.a.operation.size() < 300);
    }
  }
  CHECK(differ > 2000);
}

}  // namespace
}  // namespace toroid::workloads
