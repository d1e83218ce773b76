#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "workloads/diff.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

using test::trace_of;

std::vector<Difference> differences(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
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

}  // namespace
}  // namespace toroid::workloads
