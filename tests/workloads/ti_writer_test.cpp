#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "core/file.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;
using test::Scratch;

// Write these files at once.
void write_ti(const Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  write_ti(trace, outputs, path);
  outputs.commit();
}
void write_ti_per_rank(const Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  write_ti_per_rank(trace, outputs, path);
  outputs.commit();
}

/// The action lines that a rank of `trace` becomes.
Program lines_of_rank(const Trace& trace, Rank rank) {
  const Scratch scratch;
  write_ti(trace, scratch.path("t.ti"));
  const auto prefix = fmt::format("{} ", rank);
  Program lines;
  core::LineReader reader(scratch.path("t.ti"));
  while (const auto line = reader.next())
    if (line->starts_with(prefix)) lines.emplace_back(line->substr(prefix.size()));
  return lines;
}

std::unique_ptr<CompactTrace> written_and_read(const Trace& trace) {
  const Scratch scratch;
  write_ti(trace, scratch.path("t.ti"));
  return read_ti(scratch.path("t.ti"));
}

void check_same_programs(const Trace& a, const Trace& b) {
  REQUIRE(a.ranks() == b.ranks());
  for (const Rank r : core::ids<Rank>(a.ranks())) CHECK(program(a, r) == program(b, r));
}

/// One operation of every kind that TI has, as rank 1 of three would have it.
std::vector<Operation> one_of_each_kind() {
  static const std::vector<std::uint64_t> counts{3, 5, 7};
  static const std::vector<RequestHandle> handles{0, 1, 1};
  using enum OpKind;
  return {{.kind = compute, .amount = 0.1},
          {.kind = OpKind::sleep, .amount = 1e-9},
          {.kind = OpKind::send, .to = 2, .tag = 7, .bytes = 80},
          {.kind = OpKind::send, .mode = SendMode::synchronous, .to = 2, .bytes = 80},
          {.kind = OpKind::send, .mode = SendMode::buffered, .to = 2, .bytes = 80},
          {.kind = OpKind::isend, .to = 2, .tag = 7, .request = 0, .bytes = 80},
          {.kind = OpKind::isend, .mode = SendMode::synchronous, .to = 2, .request = 1, .bytes = 80},
          {.kind = OpKind::isend, .mode = SendMode::buffered, .to = 2, .request = 1, .bytes = 80},
          {.kind = OpKind::send, .to = no_process, .bytes = 1},
          {.kind = OpKind::recv, .from = 2, .tag = 7, .bytes = 80},
          {.kind = OpKind::recv, .from = any_source, .tag = any_tag, .bytes = 80},
          {.kind = irecv, .from = 2, .tag = 7, .request = 2, .bytes = std::uint64_t{1} << 62U},
          {.kind = irecv, .from = any_source, .tag = any_tag, .request = 3, .bytes = 8},
          {.kind = sendrecv, .to = 2, .from = 0, .bytes = 9},
          {.kind = OpKind::test, .request = 2},
          {.kind = OpKind::wait, .request = 2},
          {.kind = OpKind::wait, .request = 3},
          {.kind = waitany, .requests = handles},
          {.kind = waitall, .requests = handles},
          {.kind = barrier},
          {.kind = bcast, .root = 2, .bytes = 11},
          {.kind = reduce, .root = 2, .bytes = 11, .amount = 2.5},
          {.kind = allreduce, .bytes = 11, .amount = 1e20},
          {.kind = gather, .root = 2, .bytes = 11},
          {.kind = gatherv, .root = 1, .bytes = 5, .recv_counts = counts},
          {.kind = scatter, .root = 2, .bytes = 11},
          {.kind = scatterv, .root = 1, .bytes = 5, .send_counts = counts},
          {.kind = allgather, .bytes = 11},
          {.kind = allgatherv, .bytes = 5, .recv_counts = counts},
          {.kind = alltoall, .bytes = 11},
          {.kind = alltoallv, .send_counts = counts, .recv_counts = counts},
          {.kind = reduce_scatter, .amount = 4, .recv_counts = counts},
          {.kind = scan, .bytes = 11, .amount = 3},
          {.kind = exscan, .bytes = 11}};
}

TEST_CASE("Operations of every kind that TI has are written and read back the same") {
  CompactTrace trace(3);
  std::vector<bool> seen(op_kind_count);
  for (const auto& op : one_of_each_kind()) {
    trace.add(1, op);
    seen[static_cast<std::size_t>(op.kind)] = true;
  }
  trace.finish();
  for (const auto kind :
       {OpKind::send_init, OpKind::recv_init, OpKind::start, OpKind::startall, OpKind::waitsome, OpKind::put,
        OpKind::fence, OpKind::compute_after, OpKind::send_after, OpKind::recv_after, OpKind::join}) {
    CHECK_FALSE(seen[static_cast<std::size_t>(kind)]);
    seen[static_cast<std::size_t>(kind)] = true;
  }
  CHECK(seen == std::vector<bool>(op_kind_count, true));
  check_same_programs(*written_and_read(trace), trace);
}

TEST_CASE("Amounts are written and read back to the last bit") {
  CompactTrace trace(1);
  for (const double amount : {0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, 0.0})
    trace.add(0, {.kind = OpKind::compute, .amount = amount});
  trace.finish();
  check_same_programs(*written_and_read(trace), trace);
  CHECK(program(trace, 0)[1] == "compute amount=0.3333333333333333");
}

TEST_CASE("The flops of a reduce_scatter are written and read back the same") {
  const std::vector<std::uint64_t> counts{3};
  CompactTrace trace(1);
  trace.add(0, {.kind = OpKind::reduce_scatter, .amount = 0.5, .recv_counts = counts});
  trace.finish();
  check_same_programs(*written_and_read(trace), trace);
}

TEST_CASE("A trace is written in rank order, each rank between init and finalize") {
  CompactTrace trace(2);
  trace.add(1, {.kind = OpKind::recv, .from = 0, .tag = 3, .bytes = 8});
  trace.add(0, {.kind = OpKind::send, .to = 1, .tag = 3, .bytes = 8});
  trace.finish();
  CHECK(lines_of_rank(trace, 0) == Program{"init", "send 1 3 8 6", "finalize"});
  CHECK(lines_of_rank(trace, 1) == Program{"init", "recv 0 3 8 6", "finalize"});
}

TEST_CASE("A generated trace is written and read back the same") {
  const auto trace = open_trace("stencil:grid=3x2,steps=2,periodic=yes");
  check_same_programs(*written_and_read(*trace), *trace);
}

TEST_CASE("A trace is compressed when its name says so") {
  const Scratch scratch;
  const auto trace = open_trace("stencil:grid=4x4,steps=20");
  write_ti(*trace, scratch.path("t.ti"));
  write_ti(*trace, scratch.path("t.ti.zst"));
  CHECK(std::filesystem::file_size(scratch.path("t.ti.zst")) < std::filesystem::file_size(scratch.path("t.ti")) / 5);
  check_same_programs(*read_ti(scratch.path("t.ti.zst")), *trace);
}

TEST_CASE("A trace can be written as a file for each rank") {
  const Scratch scratch;
  const auto trace = open_trace("stencil:grid=3x2,steps=2");
  write_ti_per_rank(*trace, scratch.path("top"));
  const auto read = read_ti(scratch.path("top"));
  check_same_programs(*read, *trace);
  CHECK(read->files().size() == 7);  // the list, too
  CHECK(read->locate(4, 0) == scratch.path("top") + ".rank4:2");
}

TEST_CASE("A trace of one rank can be written as a file for each rank") {
  const Scratch scratch;
  const auto trace = open_trace("stencil:grid=1,steps=3");
  write_ti_per_rank(*trace, scratch.path("top"));
  check_same_programs(*read_ti(scratch.path("top")), *trace);
}

/// Three ranks, and a communicator of ranks 2 and 1 in this order; rank 1 does `op`.
std::unique_ptr<CompactTrace> with_communicator(const Operation& op) {
  auto trace = std::make_unique<CompactTrace>(3);
  trace->add_communicator(Communicator({2, 1}));
  trace->add(1, op);
  trace->finish();
  return trace;
}

TEST_CASE("Ranks of a communicator are written as world ranks") {
  const auto line = [](const Operation& op) { return lines_of_rank(*with_communicator(op), 1).at(1); };
  CHECK(line({.kind = OpKind::isend, .comm = 1, .to = 0, .bytes = 8}) == "isend 2 0 8 6");
  CHECK(line({.kind = OpKind::irecv, .comm = 1, .from = 1, .bytes = 8}) == "irecv 1 0 8 6");
  CHECK(line({.kind = OpKind::recv, .comm = 1, .from = any_source, .bytes = 8}) == "recv -333 0 8 6");
  CHECK(line({.kind = OpKind::sendrecv, .comm = 1, .to = 0, .from = 1, .bytes = 8}) == "sendRecv 8 2 8 1 6 6");
}

TEST_CASE("A wait is written with the name of its request, in world ranks") {
  CompactTrace trace(3);
  const auto comm = trace.add_communicator(Communicator({2, 1}));
  trace.add(1, {.kind = OpKind::irecv, .comm = comm, .from = 0, .tag = 4, .request = 9, .bytes = 8});
  trace.add(1, {.kind = OpKind::isend, .to = 0, .tag = 5, .request = 1, .bytes = 8});
  trace.add(1, {.kind = OpKind::wait, .request = 9});
  trace.add(1, {.kind = OpKind::test, .request = 1});
  trace.finish();
  const auto lines = lines_of_rank(trace, 1);
  CHECK(lines.at(3) == "wait 2 1 4");
  CHECK(lines.at(4) == "test 1 0 5");
}

std::string refusal_of(const std::vector<Operation>& operations) {
  CompactTrace trace(3);
  for (const auto& op : operations) trace.add(1, op);
  trace.finish();
  const Scratch scratch;
  return test::error_of([&] { write_ti(trace, scratch.path("t.ti")); });
}

TEST_CASE("Waits for requests that TI cannot tell from others are refused") {
  const Operation first{.kind = OpKind::irecv, .from = 2, .tag = 7, .request = 0, .bytes = 8};
  const Operation same{.kind = OpKind::irecv, .from = 2, .tag = 7, .request = 1, .bytes = 8};
  const Operation other{.kind = OpKind::irecv, .from = 2, .tag = 8, .request = 2, .bytes = 8};
  const Operation last{.kind = OpKind::irecv, .from = 2, .tag = 9, .request = 3, .bytes = 8};
  const std::vector<RequestHandle> handles{0, 2};
  const auto wait = [](RequestHandle handle) { return Operation{.kind = OpKind::wait, .request = handle}; };
  const Operation all{.kind = OpKind::waitall, .requests = handles};
  CHECK(refusal_of({first, same, wait(0), wait(1)}).empty());
  CHECK(refusal_of({first, same, wait(1), wait(0)}).find("operation 2: rank 1: wait for requests that") !=
        std::string::npos);
  CHECK(refusal_of({first, other, all}).empty());
  CHECK(refusal_of({first, other, last, all, wait(3)}).empty());  // the wait names the last
  CHECK(refusal_of({first, other, last, all}).find("operation 3: rank 1: waitall for requests that") !=
        std::string::npos);
  CHECK(refusal_of({first, wait(0), wait(0)}).find("wait for a request that it does not have") != std::string::npos);
}

TEST_CASE("A request that was tested may have ended or not") {
  const auto trace = test::trace_of(
      "0 init\n0 irecv 0 7 8 6\n0 test 0 0 7\n0 irecv 0 7 8 6\n0 wait 0 0 7\n0 wait 0 0 7\n0 finalize\n");
  REQUIRE(program(*trace, 0).size() == 5);
  check_same_programs(*written_and_read(*trace), *trace);

  const Operation first{.kind = OpKind::irecv, .from = 2, .tag = 7, .request = 0, .bytes = 8};
  const Operation other{.kind = OpKind::irecv, .from = 2, .tag = 8, .request = 0, .bytes = 8};
  const Operation test{.kind = OpKind::test, .request = 0}, wait{.kind = OpKind::wait, .request = 0};
  CHECK(refusal_of({first, other, wait, wait}).empty());
  // Which name the waits have depends on the test.
  CHECK(refusal_of({first, test, other, wait, wait}).find("operation 3: rank 1: wait for requests that") !=
        std::string::npos);
}

TEST_CASE("A test for which nothing is outstanding is not written") {
  CompactTrace trace(3);
  trace.add(1, {.kind = OpKind::test, .request = 4});
  trace.add(1, {.kind = OpKind::irecv, .from = 2, .tag = 7, .request = 4, .bytes = 8});
  trace.add(1, {.kind = OpKind::wait, .request = 4});
  trace.add(1, {.kind = OpKind::test, .request = 4});
  trace.finish();
  CHECK(lines_of_rank(trace, 1) == Program{"init", "irecv 2 7 8 6", "wait 2 1 7", "finalize"});
}

/// What the waits of rank 1 take, if its request i is done when done[i] waits and posts have gone by.
std::vector<std::vector<std::size_t>> taken(const Trace& trace, const std::vector<std::size_t>& done) {
  std::map<RequestHandle, std::vector<std::size_t>> outstanding;
  std::vector<std::vector<std::size_t>> all;
  std::size_t now = 0, posted = 0;
  const auto stream = trace.open(1);
  for (Operation op; stream->next(op);) {
    auto& requests = outstanding[op.request];
    if (op.kind == OpKind::test) {
      if (!requests.empty() && done.at(requests.front()) <= now) requests.erase(requests.begin());
      continue;
    }
    ++now;
    if (op.kind == OpKind::irecv) {
      requests.push_back(posted++);
      continue;
    }
    auto handles = op.kind == OpKind::wait ? std::vector{op.request}
                                           : std::vector<RequestHandle>(op.requests.begin(), op.requests.end());
    auto& takes = all.emplace_back();
    for (const auto handle : handles) {
      auto& of_handle = outstanding[handle];
      if (of_handle.empty()) continue;
      takes.push_back(of_handle.front());
      of_handle.erase(of_handle.begin());
    }
    std::sort(takes.begin(), takes.end());
  }
  return all;
}

TEST_CASE("Programs with tests that are written mean the same, whatever has ended when") {
  core::Random random(1, "tests");
  int written = 0, refused = 0;
  for (int round = 0; round < 2000; ++round) {
    CompactTrace trace(3);
    const auto some_handle = [&] { return static_cast<RequestHandle>(random.below(3)); };
    const bool one_name_each = random.below(2) == 0;
    std::size_t posted = 0;
    for (int step = 0; step < 9; ++step) {
      const auto handle = some_handle();
      const auto choice = random.below(9);
      if (choice < 4) {
        const auto tag = static_cast<std::int32_t>(one_name_each ? handle : random.below(2));
        trace.add(1, {.kind = OpKind::irecv, .from = 2, .tag = tag, .request = handle});
        ++posted;
      } else if (choice < 6) {
        trace.add(1, {.kind = OpKind::test, .request = handle});
      } else if (choice < 8) {
        trace.add(1, {.kind = OpKind::wait, .request = handle});
      } else {
        const std::vector<RequestHandle> handles{some_handle(), some_handle()};
        trace.add(1, {.kind = OpKind::waitall, .requests = handles});
      }
    }
    trace.finish();
    std::unique_ptr<CompactTrace> read;
    try {
      read = written_and_read(trace);
    } catch (const core::InputError&) {
      ++refused;
      continue;
    }
    ++written;
    for (int i = 0; i < 20; ++i) {
      std::vector<std::size_t> done;
      for (std::size_t request = 0; request < posted; ++request) done.push_back(random.below(12));
      REQUIRE(taken(*read, done) == taken(trace, done));
    }
  }
  CHECK(written > 200);
  CHECK(refused > 200);
}

TEST_CASE("What TI has no word for is refused by name") {
  CHECK(refusal_of({{.kind = OpKind::bcast, .request = 0, .bytes = 8}}).find("bcast that does not block") !=
        std::string::npos);
  CHECK(refusal_of({{.kind = OpKind::send_init, .to = 2, .request = 0}}).find("persistent") != std::string::npos);
  CHECK_FALSE(refusal_of({{.kind = OpKind::waitsome}}).empty());
}

TEST_CASE("Random programs of waits are written and read back the same, or refused") {
  core::Random random(1, "waits");
  int written = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    CompactTrace trace(3);
    const auto some_handles = [&] {
      std::vector<RequestHandle> handles;
      for (RequestHandle h = 0; h < 6; ++h)
        if (random.below(3) > 0) handles.push_back(h);
      return handles;
    };
    for (int step = 0; step < 6; ++step) {
      std::vector<RequestHandle> open;
      for (RequestHandle h = 0; h < 6; ++h) {
        if (random.below(2) == 0) continue;
        const auto tag = random.below(8) == 0 ? any_tag : static_cast<std::int32_t>(random.below(3));
        trace.add(1, {.kind = OpKind::irecv, .from = static_cast<CommRank>(random.below(3)), .tag = tag, .request = h});
        open.push_back(h);
      }
      if (random.below(3) == 0) trace.add(1, {.kind = OpKind::waitall, .requests = some_handles()});
      while (!open.empty() && random.below(3) > 0) {
        trace.add(1, {.kind = OpKind::wait, .request = open.back()});
        open.pop_back();
      }
      trace.add(1, {.kind = OpKind::waitall, .requests = open});
    }
    trace.finish();
    const Scratch scratch;
    try {
      write_ti(trace, scratch.path("a.ti"));
    } catch (const core::InputError&) {
      ++refused;
      continue;
    }
    ++written;
    const auto read = read_ti(scratch.path("a.ti"));
    // A waitall may have counted handles without requests.
    const auto without_counts = [](Program lines) {
      for (auto& line : lines) line = line.starts_with("waitall") ? "waitall" : line;
      return lines;
    };
    REQUIRE(without_counts(lines_of_rank(*read, 1)) == without_counts(lines_of_rank(trace, 1)));
    check_same_programs(*written_and_read(*read), *read);
  }
  CHECK(written > 20);
  CHECK(refused > 20);
}

std::string refusal(const Operation& op) {
  return test::error_of([&] { written_and_read(*with_communicator(op)); });
}

TEST_CASE("A collective of another communicator than the world cannot be written") {
  CHECK(refusal({.kind = OpKind::bcast, .comm = 1, .bytes = 8}).find("communicator that is not the world") !=
        std::string::npos);
}

TEST_CASE("A send-receive with a tag cannot be written: TI has no field for it") {
  CHECK_FALSE(refusal({.kind = OpKind::sendrecv, .to = 2, .from = 0, .tag = 5, .bytes = 8}).empty());
}

TEST_CASE("A receive from no process does not become one from any") {
  for (const auto kind : {OpKind::recv, OpKind::irecv, OpKind::sendrecv}) {
    Operation op{.kind = kind, .to = no_process, .from = no_process, .bytes = 8};
    const auto trace = with_communicator(op);
    std::string read;
    try {
      for (const auto& text : program(*written_and_read(*trace), 1)) read += text;
    } catch (const core::InputError&) {
    }
    CAPTURE(to_string(kind), read);
    CHECK(read.find("=-1") == std::string::npos);
  }
}

TEST_CASE("A trace that cannot be written leaves nothing behind") {
  const Scratch scratch;
  CHECK_THROWS_AS(write_ti(*with_communicator({.kind = OpKind::bcast, .comm = 1}), scratch.path("t.ti")),
                  core::InputError);
  CHECK(std::filesystem::is_empty(scratch.path("")));
}

}  // namespace
}  // namespace toroid::workloads
