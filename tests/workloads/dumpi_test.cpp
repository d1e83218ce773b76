// Texts of dumpi2ascii: written here as that program prints them (its macros for each type of argument), and read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/damaged.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

/// What a rank calls, as text. Times go on by themselves: a call takes 500 ns.
class Text {
 public:
  Text() { call("MPI_Init", {"int argc=0", "string argv[0]=<IGNORED>"}); }

  void call(const std::string& name, const Program& arguments) {
    lines_ += fmt::format("{} entering at walltime {}, cputime 0.001000000 seconds in thread 0.\n", name, time());
    for (const auto& argument : arguments) lines_ += argument + "\n";
    now_ += 500;
    lines_ += fmt::format("{} returning at walltime {}, cputime 0.001000000 seconds in thread 0.\n", name, time());
  }
  void compute(std::int64_t nanoseconds) { now_ += nanoseconds; }
  void line(const std::string& text) { lines_ += text + "\n"; }
  std::string end() {
    call("MPI_Finalize", {});
    return lines_;
  }

 private:
  std::string time() const { return fmt::format("{}.{:09}", now_ / 1'000'000'000, now_ % 1'000'000'000); }

  std::int64_t now_ = 8'153'049'300'000;
  std::string lines_;
};

std::unique_ptr<Trace> read(const std::vector<std::string>& ranks) {
  const test::Scratch scratch;
  std::string top = "# ranks\n";
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    scratch.write(fmt::format("dumpi-{:04}.txt", r), ranks[r]);
    top += fmt::format("dumpi-{:04}.txt\n", r);
  }
  return open_trace(scratch.write("top", top));
}

std::string comm_text(std::int64_t number) {
  return fmt::format("MPI_Comm comm={} ({})", number, number == 2 ? "MPI_COMM_WORLD" : "user-defined-comm");
}
const std::string byte = "=5 (MPI_BYTE)";

TEST_CASE("What a text of dumpi2ascii says of computation was measured") {
  CHECK(read({Text().end()})->computation() == Computation::timed);
}

TEST_CASE("A text of dumpi2ascii is read") {
  Text a, b;
  a.compute(1'234'567'890);
  a.call("MPI_Send",
         {"int count=100", "MPI_Datatype datatype=14 (MPI_DOUBLE)", "int dest=1", "int tag=7", comm_text(2)});
  a.call("MPI_Wtime", {});
  a.compute(10);
  a.call("MPI_Irecv", {"int count=3", "MPI_Datatype datatype=9 (MPI_INT)", "int source=-1 (MPI_ANY_SOURCE)",
                       "int tag=-1 (MPI_ANY_TAG)", comm_text(2), "MPI_Request request=[7]"});
  a.call("MPI_Wait",
         {"MPI_Request request=[7]", "MPI_Status status=[{bytes=12, cancelled=0, source=1, tag=3, error=0}]"});
  a.call("MPI_Allreduce",
         {"int count=2", "MPI_Datatype datatype=13 (MPI_FLOAT)", "MPI_Op op=3 (MPI_SUM)", comm_text(2)});
  b.call("MPI_Recv", {"int count=100", "MPI_Datatype datatype=14 (MPI_DOUBLE)", "int source=0", "int tag=7",
                      comm_text(2), "MPI_Status status=<IGNORED>"});
  b.call("MPI_Ssend", {"int count=3", "MPI_Datatype datatype=9 (MPI_INT)", "int dest=0", "int tag=3", comm_text(2)});
  b.call("MPI_Allreduce",
         {"int count=2", "MPI_Datatype datatype=13 (MPI_FLOAT)", "MPI_Op op=3 (MPI_SUM)", comm_text(2)});
  const auto trace = read({"version=1.1.0\nhostname=n0\n" + a.end() +
                               "MPI_Send called 1 times and ignored 0 times\n"
                               "Datatype 9 (MPI_INT) has size 4\n",
                           b.end()});
  CHECK(program(*trace, 0) == Program{"compute amount=1234567890", "send to=1 tag=7 bytes=800", "compute amount=10",
                                      "irecv from=-1 tag=-1 request=0 bytes=12", "wait request=0",
                                      "allreduce bytes=8"});
  CHECK(program(*trace, 1) == Program{"recv tag=7 bytes=800", "send synchronous tag=3 bytes=12", "allreduce bytes=8"});
  CHECK(trace->locate(0, 1).ends_with("dumpi-0000.txt:7"));
  CHECK(test::simulate("mesh:2", *trace, {}, {}, "fluid")["runtime_s"] > 0);
}

/// Prints a program: what each rank calls, on the communicators of random programs.
class Printer {
 public:
  Printer(const Trace& trace, Rank rank) : trace_(trace), rank_(rank) {
    const auto me = rank.value();
    // Odd ranks, and all backwards.
    split(me % 2 == 1 ? 1 : -32766, 0, me % 2 == 1 ? 4 : 1);
    split(0, -me, 5);
  }

  std::string print() {
    const auto stream = trace_.open(rank_);
    for (Operation op; stream->next(op);) print(op);
    return text_.end();
  }

 private:
  void split(int color, int key, int number) {
    text_.call("MPI_Comm_split", {"MPI_Comm oldcomm=2 (MPI_COMM_WORLD)", fmt::format("int color={}", color),
                                  fmt::format("int key={}", key), fmt::format("MPI_Comm newcomm={} (?)", number)});
  }

  void print(const Operation& op) {
    if (op.kind == OpKind::compute) return text_.compute(static_cast<std::int64_t>(op.amount));
    const auto comm = comm_text(op.comm == world ? 2 : op.comm == CommId(1) ? 4 : 5);
    const auto request = fmt::format("MPI_Request request=[{}]", op.request + 10);
    if (is_point_to_point(op.kind)) {
      static const std::map<OpKind, std::string> names{
          {OpKind::send, "end"},      {OpKind::isend, "end"},       {OpKind::send_init, "end_init"},
          {OpKind::recv, "MPI_Recv"}, {OpKind::irecv, "MPI_Irecv"}, {OpKind::recv_init, "MPI_Recv_init"}};
      const bool receives = names.at(op.kind)[0] == 'M';
      auto name = names.at(op.kind);
      if (!receives) {
        const bool synchronous = op.mode == SendMode::synchronous;
        if (op.kind == OpKind::isend)
          name = std::string("MPI_I") + (synchronous ? "ss" : "s") + name;
        else
          name = std::string("MPI_") + (synchronous ? "Ss" : "S") + name;
      }
      return text_.call(name, {fmt::format("int count={}", op.bytes), "MPI_Datatype datatype" + byte,
                               receives ? fmt::format("int source={}", op.from) : fmt::format("int dest={}", op.to),
                               fmt::format("int tag={}", op.tag), comm, request});
    }
    if (op.kind == OpKind::start) return text_.call("MPI_Start", {request});
    if (op.kind == OpKind::wait) return text_.call("MPI_Wait", {request, "MPI_Status status=<IGNORED>"});
    if (op.kind == OpKind::waitall) {
      std::vector<RequestHandle> numbers;
      for (const auto handle : op.requests) numbers.push_back(handle + 10);
      return text_.call("MPI_Waitall",
                        {fmt::format("int count={}", numbers.size()),
                         fmt::format("MPI_Request requests[{}]=[{}]", numbers.size(), fmt::join(numbers, ", "))});
    }
    collective(op, comm);
  }

  void collective(const Operation& op, const std::string& comm) {
    const auto& members = trace_.communicator(op.comm);
    const auto me = members.rank_of(rank_);
    const auto list = [](std::string_view name, std::span<const std::uint64_t> counts) {
      if (counts.empty()) return fmt::format("int {}[0]=<IGNORED>", name);
      return fmt::format("int {}[{}]=[{}]", name, counts.size(), fmt::join(counts, ", "));
    };
    const auto count = [](std::string_view name, std::uint64_t bytes) { return fmt::format("int {}={}", name, bytes); };
    const Program rest{"MPI_Datatype datatype" + byte,
                       "MPI_Datatype sendtype" + byte,
                       "MPI_Datatype recvtype" + byte,
                       fmt::format("int root={}", op.root),
                       fmt::format("int commrank={}", me),
                       fmt::format("int commsize={}", members.size()),
                       comm};
    Program arguments;
    std::string name;
    switch (op.kind) {
      case OpKind::barrier:
        return text_.call("MPI_Barrier", {comm});
      case OpKind::bcast:
      case OpKind::allreduce:
        name = op.kind == OpKind::bcast ? "MPI_Bcast" : "MPI_Allreduce";
        arguments = {count("count", op.bytes)};
        break;
      case OpKind::gather:  // the root's own part is in place
        name = "MPI_Gather";
        arguments = {count("sendcount", me == op.root ? 0 : op.bytes),
                     count("recvcount", me == op.root ? op.bytes : 0)};
        break;
      case OpKind::scatterv:
        name = "MPI_Scatterv";
        arguments = {list("sendcounts", op.send_counts), count("recvcount", op.bytes)};
        break;
      case OpKind::alltoallv:
        name = "MPI_Alltoallv";
        arguments = {list("sendcounts", op.send_counts), list("recvcounts", op.recv_counts)};
        break;
      default:
        REQUIRE(op.kind == OpKind::allgatherv);
        name = "MPI_Allgatherv";
        arguments = {count("sendcount", op.bytes), list("recvcounts", op.recv_counts)};
    }
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    text_.call(name, arguments);
  }

  const Trace& trace_;
  Rank rank_;
  Text text_;
};

TEST_CASE("Programs are read as they were printed") {
  core::Random random(8, "test/dumpi");
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto trace = random_program(
        random, {.ranks = 2 + static_cast<std::int32_t>(random.below(4)), .nonblocking = false, .uncertain = false});
    std::vector<std::string> texts;
    for (const Rank rank : core::ids<Rank>(trace->ranks())) texts.push_back(Printer(*trace, rank).print());
    const auto again = read(texts);
    const auto differences = first_differences(*trace, *again, {true, 0, true});
    for (const auto& difference : differences) UNSCOPED_INFO(difference.a.operation + " / " + difference.b.operation);
    CHECK(differences.empty());
  }
}

TEST_CASE("Communicators are duplicated and split by all their ranks") {
  const auto split = [](int from, int color, int key, int to) {
    return Program{fmt::format("MPI_Comm oldcomm={} (c)", from), fmt::format("int color={}", color),
                   fmt::format("int key={}", key), fmt::format("MPI_Comm newcomm={} (c)", to)};
  };
  std::vector<std::string> texts;
  for (int rank = 0; rank < 4; ++rank) {
    Text text;
    text.call("MPI_Comm_dup", {"MPI_Comm oldcomm=2 (MPI_COMM_WORLD)", "MPI_Comm newcomm=4 (user-defined-comm)"});
    text.call("MPI_Comm_split", split(4, rank / 2, -rank, 5));
    text.call("MPI_Comm_free", {"MPI_Comm comm=4 (user-defined-comm)"});
    text.call("MPI_Comm_dup", {"MPI_Comm oldcomm=5 (user-defined-comm)", "MPI_Comm newcomm=4 (user-defined-comm)"});
    text.call("MPI_Bcast", {"int count=8", "MPI_Datatype datatype" + byte, "int root=1", comm_text(4)});
    text.call("MPI_Barrier", {comm_text(3)});
    texts.push_back(text.end());
  }
  const auto trace = read(texts);
  for (const Rank rank : core::ids<Rank>(4)) {
    const auto stream = trace->open(rank);
    Operation op;
    REQUIRE(stream->next(op));
    const auto& members = trace->communicator(op.comm);
    REQUIRE(members.size() == 2);
    CHECK(members.member(op.root) == Rank(rank.value() / 2 * 2));  // the lower one, as keys go down
    REQUIRE(stream->next(op));
    CHECK(trace->communicator(op.comm).size() == 1);
    CHECK(trace->communicator(op.comm).member(0) == rank);
  }
}

TEST_CASE("Waits for one of several take what they took") {
  Text text;
  const auto post = [&](int request) {
    text.call("MPI_Irecv",
              {"int count=1", "MPI_Datatype datatype=30 (user-defined-datatype)", "int source=0",
               fmt::format("int tag={}", request), comm_text(2), fmt::format("MPI_Request request=[{}]", request)});
  };
  for (const int request : {2, 3, 4, 5, 6}) post(request);
  text.call("MPI_Test", {"MPI_Request request=[2]", "int flag=0", "MPI_Status status=<IGNORED>"});
  text.call("MPI_Waitany", {"int count=2", "MPI_Request requests[2]=[2, 3]", "int index=1"});
  text.call("MPI_Waitany", {"int count=1", "MPI_Request requests[1]=[1]", "int index=-32766"});
  text.call("MPI_Waitsome",
            {"int count=3", "MPI_Request requests[3]=[2, 1, 4]", "int outcount=2", "int indices[2]=[0, 2]"});
  post(3);
  text.call("MPI_Testall", {"int count=2", "MPI_Request requests[2]=[3, 5]", "int flag=1"});
  text.call("MPI_Request_free", {"MPI_Request request=[6]"});
  const auto trace = read({text.end() + "Datatype 30 (user-defined-datatype) has size 24\n"});
  const auto operations = program(*trace, 0);
  REQUIRE(operations.size() == 9);
  CHECK(operations[0] == "irecv tag=2 request=0 bytes=24");
  CHECK(operations[5] == "wait request=1");
  CHECK(operations[6] == "waitall requests=0/2");
  CHECK(operations[8].starts_with("waitall requests="));
}

std::string error_of_ranks(const std::vector<std::string>& texts) {
  const auto error = test::error_of([&] { read(texts); });
  CHECK(error.find('\n') == std::string::npos);
  const auto at = error.find(".txt:");
  return at == std::string::npos ? error : error.substr(at + 5);
}
/// Of one call behind MPI_Init, which has lines 1 to 4.
std::string error_of_call(const std::string& name, const Program& arguments) {
  Text text;
  text.call(name, arguments);
  return error_of_ranks({text.end()});
}

TEST_CASE("What is not understood in a text of dumpi2ascii is an error that says where") {
  const Program send{"int count=1", "MPI_Datatype datatype" + byte, "int dest=0", "int tag=0", comm_text(2)};
  const auto with = [&](std::size_t i, const std::string& argument) {
    auto changed = send;
    changed[i] = argument;
    return error_of_call("MPI_Send", changed);
  };
  CHECK(with(0, "int count=1").empty());
  CHECK(with(0, "int c=1") == "5: MPI_Send: found no argument 'count', expected one");
  CHECK(with(0, "int count=x") == "5: MPI_Send: found count=x, expected a whole number");
  CHECK(with(0, "int count=-1") == "5: MPI_Send: found count=-1, expected 0 or more");
  CHECK_THAT(with(1, "MPI_Datatype datatype=30 (t)"), Catch::StartsWith("5: MPI_Send: found datatype 30, expected"));
  CHECK_THAT(with(1, "MPI_Datatype datatype=0 (t)"), Catch::StartsWith("5: MPI_Send: found datatype 0, expected"));
  CHECK(with(2, "int dest=1") == "5: found rank 1, expected one below 1: so many has the communicator");
  CHECK(with(2, "int dest=-1").empty());
  CHECK(with(3, "int tag=-1") == "5: MPI_Send: found tag=-1, expected a tag of 0 or more");
  CHECK(with(4, comm_text(9)) == "5: MPI_Send: found communicator 9, expected one that a call before made");
  CHECK_THAT(error_of_call("MPI_Put", {}), Catch::StartsWith("5: MPI_Put: found a call that is not understood"));
  CHECK(error_of_call("MPI_Wait", {"MPI_Request request=[8]"}) ==
        "5: MPI_Wait: found request 8, expected one that a call before gave");
  CHECK(error_of_call("MPI_Start", {"MPI_Request request=[8]"}) ==
        "5: MPI_Start: found request 8, expected one that is persistent");
  CHECK(error_of_call("MPI_Waitany", {"int count=1", "MPI_Request requests[1]=[1]", "int index=1"}) ==
        "5: MPI_Waitany: found index 1, expected one below 1");
  CHECK(error_of_call("MPI_Waitall", {"int count=1", "MPI_Request requests[1]=1"}) ==
        "5: MPI_Waitall: found requests=1, expected a list [...]");
  CHECK_THAT(
      error_of_call("MPI_Alltoallv", {"int commsize=1", "int sendcounts[2]=[1, 1]", "int recvcounts[1]=[1]",
                                      "MPI_Datatype sendtype" + byte, "MPI_Datatype recvtype" + byte, comm_text(2)}),
      Catch::StartsWith("5: MPI_Alltoallv: found 2 sendcounts, expected 1"));
  Text cart;
  cart.call("MPI_Cart_create", {"MPI_Comm oldcomm=2 (MPI_COMM_WORLD)", "MPI_Comm newcomm=4 (user-defined-comm)"});
  cart.call("MPI_Barrier", {comm_text(4)});
  CHECK_THAT(error_of_ranks({cart.end()}),
             Catch::StartsWith("9: MPI_Barrier: found a communicator that comes from MPI_Cart_create on line 5"));
  Text child;
  child.call("MPI_Cart_create", {"MPI_Comm oldcomm=2 (MPI_COMM_WORLD)", "MPI_Comm newcomm=4 (user-defined-comm)"});
  child.call("MPI_Comm_dup", {"MPI_Comm oldcomm=4 (user-defined-comm)", "MPI_Comm newcomm=5 (user-defined-comm)"});
  child.call("MPI_Barrier", {comm_text(5)});
  CHECK_THAT(error_of_ranks({child.end()}),
             Catch::StartsWith("13: MPI_Barrier: found a communicator that comes from MPI_Cart_create on line 5"));
}

TEST_CASE("Lists are as long as their calls say") {
  const auto error_behind_two = [](const std::string& name, const Program& arguments) {
    Text text;
    for (const int request : {5, 6})
      text.call("MPI_Irecv", {"int count=1", "MPI_Datatype datatype" + byte, "int source=0", "int tag=0", comm_text(2),
                              fmt::format("MPI_Request request=[{}]", request)});
    text.call(name, arguments);
    const auto error = error_of_ranks({text.end()});
    return error.substr(std::min(error.size(), error.find(name)));
  };
  CHECK(error_behind_two("MPI_Waitall", {"int count=2", "MPI_Request requests[2]=[5, 6]"}).empty());
  CHECK(error_behind_two("MPI_Waitall", {"int count=0", "MPI_Request requests[0]=<IGNORED>"}).empty());
  CHECK(error_behind_two("MPI_Waitall", {"int count=2", "MPI_Request requests[2]=<IGNORED>"}) ==
        "MPI_Waitall: found 0 requests, expected 2");
  CHECK(error_behind_two("MPI_Waitall", {"int count=2", "MPI_Request requests[2]=[6]"}) ==
        "MPI_Waitall: found 1 requests, expected 2");
  CHECK(error_behind_two("MPI_Startall", {"int count=1", "MPI_Request requests[1]=<IGNORED>"}) ==
        "MPI_Startall: found 0 requests, expected 1");
  const Program some{"int count=2", "MPI_Request requests[2]=[5, 6]"};
  const auto error_of_some = [&](const std::string& outcount, const std::string& indices) {
    return error_behind_two("MPI_Waitsome", {some[0], some[1], outcount, indices});
  };
  CHECK(error_of_some("int outcount=1", "int indices[1]=[1]").empty());
  CHECK(error_of_some("int outcount=-32766", "int indices[0]=<IGNORED>").empty());
  CHECK(error_of_some("int outcount=1", "int indices[1]=<IGNORED>") == "MPI_Waitsome: found 0 indices, expected 1");
  CHECK(error_of_call("MPI_Wait", {"MPI_Request request=<IGNORED>"}) == "5: MPI_Wait: found 0 request, expected 1");
}

TEST_CASE("Texts stand in the order of their ranks, and all are there") {
  const auto text = [](int rank, int size) {
    Text all;
    all.call("MPI_Comm_rank", {comm_text(2), fmt::format("int rank={}", rank)});
    all.call("MPI_Comm_size", {comm_text(2), fmt::format("int size={}", size)});
    all.call("MPI_Comm_rank", {comm_text(3), "int rank=0"});
    return all.end();
  };
  CHECK(error_of_ranks({text(0, 2), text(1, 2)}).empty());
  CHECK(error_of_ranks({text(1, 2), text(0, 2)}) ==
        "5: MPI_Comm_rank: found rank=1, expected 0: texts stand in the order of their ranks");
  CHECK(error_of_ranks({text(0, 64), text(1, 64)}) ==
        "9: MPI_Comm_size: found size=64, expected 2: there are so many texts");
  const auto gatherv = [](int commrank, int color) {
    Text all;
    const auto comm = color < 0 ? 2 : 4;
    if (color >= 0)
      all.call("MPI_Comm_split", {"MPI_Comm oldcomm=2 (w)", fmt::format("int color={}", color), "int key=0",
                                  fmt::format("MPI_Comm newcomm={} (c)", comm)});
    all.call("MPI_Gatherv", {"int sendcount=3", "MPI_Datatype sendtype" + byte,
                             commrank == 0 ? "int recvcounts[2]=[3, 3]" : "int recvcounts[0]=<IGNORED>",
                             "MPI_Datatype recvtype" + byte, "int root=0", comm_text(comm),
                             fmt::format("int commrank={}", commrank), "int commsize=2"});
    return all.end();
  };
  CHECK(error_of_ranks({gatherv(0, -1), gatherv(1, -1)}).empty());
  CHECK_THAT(error_of_ranks({gatherv(1, -1), gatherv(1, -1)}), Catch::StartsWith("5: MPI_Gatherv: found commrank=1"));
  CHECK_THAT(error_of_ranks({gatherv(0, -1), gatherv(0, -1)}), Catch::StartsWith("5: MPI_Gatherv: found commrank=0"));
  // On other communicators the counts tell.
  CHECK(error_of_ranks({gatherv(0, 7), gatherv(1, 7)}).empty());
  CHECK(error_of_ranks({gatherv(1, 7), gatherv(1, 7)}) ==
        "11: found 0 counts, expected 2, one for each rank of the communicator");
  CHECK(error_of_ranks({gatherv(0, 7), gatherv(0, 7)}) == "11: found counts, expected none: the rank is not the root");
}

TEST_CASE("Each call becomes its operation") {
  const std::string type = "MPI_Datatype datatype=9 (MPI_INT)", types = "MPI_Datatype sendtype=9 (MPI_INT)",
                    typer = "MPI_Datatype recvtype=14 (MPI_DOUBLE)", comm = comm_text(2);
  const auto to = [&](const std::string& argument) {
    return Program{"int count=3", type, argument, "int tag=7", comm, "MPI_Request request=[9]"};
  };
  const auto rooted = [&](Program arguments, int root) {
    arguments.insert(arguments.end(), {types, typer, comm, fmt::format("int root={}", root), "int commrank=0",
                                       "int commsize=2", "int sendcount=2", "int recvcount=5"});
    return arguments;
  };
  const auto reduced = Program{"int count=3", type, "int root=1", comm};
  const auto both = [&](int tag) {
    return Program{"int sendcount=2",
                   types,
                   "int dest=1",
                   "int sendtag=7",
                   "int recvcount=5",
                   typer,
                   "int source=-1 (x)",
                   fmt::format("int recvtag={}", tag),
                   comm};
  };
  struct Case {
    std::string call;
    Program arguments, operations;
  };
  const std::vector<Case> cases{
      {"MPI_Send", to("int dest=1"), {"send to=1 tag=7 bytes=12"}},
      {"MPI_Rsend", to("int dest=1"), {"send to=1 tag=7 bytes=12"}},
      {"MPI_Ssend", to("int dest=1"), {"send synchronous to=1 tag=7 bytes=12"}},
      {"MPI_Bsend", to("int dest=1"), {"send buffered to=1 tag=7 bytes=12"}},
      {"MPI_Irsend", to("int dest=1"), {"isend to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Issend", to("int dest=1"), {"isend synchronous to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Ibsend", to("int dest=1"), {"isend buffered to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Rsend_init", to("int dest=1"), {"send_init to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Ssend_init", to("int dest=1"), {"send_init synchronous to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Bsend_init", to("int dest=1"), {"send_init buffered to=1 tag=7 request=0 bytes=12"}},
      {"MPI_Recv_init", to("int source=1"), {"recv_init from=1 tag=7 request=0 bytes=12"}},
      {"MPI_Sendrecv", both(7), {"sendrecv to=1 from=-1 tag=7 bytes=8"}},
      {"MPI_Sendrecv",
       both(8),
       {"irecv from=-1 tag=8 request=0 bytes=40", "isend to=1 tag=7 request=1 bytes=8", "waitall requests=0/1"}},
      {"MPI_Sendrecv_replace",
       {"int count=3", type, "int dest=1", "int sendtag=7", "int source=1", "int recvtag=7", comm},
       {"sendrecv to=1 from=1 tag=7 bytes=12"}},
      {"MPI_Reduce", reduced, {"reduce root=1 bytes=12"}},
      {"MPI_Scan", reduced, {"scan bytes=12"}},
      {"MPI_Exscan", reduced, {"exscan bytes=12"}},
      {"MPI_Gather", rooted({}, 0), {"gather bytes=40"}},
      {"MPI_Gather", rooted({}, 1), {"gather root=1 bytes=8"}},
      {"MPI_Scatter", rooted({}, 0), {"scatter bytes=8"}},
      {"MPI_Scatter", rooted({}, 1), {"scatter root=1 bytes=40"}},
      {"MPI_Gatherv", rooted({"int recvcounts[2]=[4, 6]"}, 0), {"gatherv bytes=32 receives=32/48"}},
      {"MPI_Gatherv", rooted({"int recvcounts[0]=<IGNORED>"}, 1), {"gatherv root=1 bytes=8"}},
      {"MPI_Scatterv", rooted({"int sendcounts[2]=[4, 6]"}, 0), {"scatterv bytes=16 sends=16/24"}},
      {"MPI_Scatterv", rooted({"int sendcounts[0]=<IGNORED>"}, 1), {"scatterv root=1 bytes=40"}},
      {"MPI_Allgather", rooted({}, 0), {"allgather bytes=40"}},
      {"MPI_Alltoall", rooted({}, 0), {"alltoall bytes=40"}},
      {"MPI_Reduce_scatter",
       {"int recvcounts[2]=[4, 6]", type, comm, "int commsize=2"},
       {"reduce_scatter receives=16/24"}},
  };
  for (const auto& [call, arguments, operations] : cases) {
    CAPTURE(call, arguments);
    Text text;
    text.call(call, arguments);
    CHECK(program(*read({text.end(), Text().end()}), 0) == operations);
  }
  for (const std::string local :
       {"MPI_Alloc_mem", "MPI_Free_mem", "MPI_Comm_remote_group", "MPI_Cart_map", "MPI_Graph_map",
        "MPI_Graph_neighbors", "MPI_Graph_neighbors_count", "MPI_Comm_create_errhandler", "MPI_Comm_delete_attr",
        "MPI_Comm_get_parent", "MPI_Get_library_version", "MPI_Type_commit", "MPI_Cart_coords"}) {
    CAPTURE(local);
    CHECK(error_of_call(local, {}).empty());
  }
}

TEST_CASE("Texts that are not whole are errors") {
  Text text;
  text.call("MPI_Barrier", {comm_text(2)});
  const auto whole = text.end();
  CHECK(error_of_ranks({whole}).empty());
  CHECK_THAT(error_of_ranks({whole.substr(0, whole.find("MPI_Finalize"))}),
             Catch::Contains("found the end, expected MPI_Finalize"));
  CHECK(error_of_ranks({whole.substr(0, whole.rfind("MPI_Finalize"))}) ==
        "8: MPI_Finalize: found the end, expected that it returns: the file is truncated");
  CHECK_THAT(error_of_ranks({whole + whole}), Catch::Contains("found a call behind MPI_Finalize"));
  CHECK(error_of_ranks({whole, Text().end()}).empty());  // ranks may do different things
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto other = whole;
    other.replace(other.find(from), from.size(), to);
    return error_of_ranks({other});
  };
  CHECK(
      changed("MPI_Barrier entering at walltime 8153.0493005", "MPI_Barrier entering at walltime 8153.0493004") ==
      "5: MPI_Barrier: found that it is entered before the call before it returns, expected times that do not go back");
  CHECK_THAT(changed("walltime 8153", "walltime x"), Catch::Contains("expected a time in seconds"));
  CHECK(changed("thread 0", "thread 1") ==
        "1: found thread 1, expected 0: a rank with several threads is no one program");
  CHECK(changed("MPI_Barrier returning", "MPI_Bcast returning") ==
        "7: found that MPI_Bcast returns, expected MPI_Barrier");
  CHECK(changed("MPI_Barrier entering", "junk\nMPI_Barrier entering") ==
        "5: found 'junk' between calls, expected a call");
  CHECK(error_of_ranks({whole + "MPI_Barrier called 3 times and ignored 2 times\n"}) ==
        "10: found that calls of MPI_Barrier were not recorded, expected all of them");
  CHECK(error_of_ranks({whole + "MPI_Send called 12 times and ignored 12 times\n"}) ==
        "10: found that calls of MPI_Send were not recorded, expected all of them");
  CHECK(error_of_ranks({whole + "MPI_Comm_rank called 3 times and ignored 2 times\n"}).empty());
  Text one, other;
  one.call("MPI_Comm_dup", {"MPI_Comm oldcomm=2 (w)", "MPI_Comm newcomm=4 (c)"});
  CHECK(error_of_ranks({one.end(), other.end()}) ==
        "5: found MPI_Comm_dup on a communicator of rank 0, expected that rank 1 calls it too");
}

TEST_CASE("Damaged texts are read or refused, no more") {
  core::Random random(9, "test/dumpi");
  const auto trace = random_program(random, {.ranks = 2, .events = 25, .nonblocking = false, .uncertain = false});
  const std::vector<std::string> whole{Printer(*trace, 0).print(), Printer(*trace, 1).print()};
  for (int round = 0; round < 400; ++round) {
    auto texts = whole;
    auto& text = texts[random.below(2)];
    text = test::damaged(std::move(text), random);
    test::read_or_be_refused([&] { read(texts); });
  }
}

}  // namespace
}  // namespace toroid::workloads
