// What every action of a TI trace means. Lines marked (seen) were written by SimGrid 3.32's own tracer.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/ti/actions.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

/// What rank 1 of four does with these actions.
Program read_actions(const std::vector<std::string>& actions, const std::string& init = "1 init") {
  std::string lines;
  for (const auto& action : actions) lines += "1 " + action + "\n";
  return program(*test::trace_of("0 init\n0 finalize\n" + init + "\n" + lines +
                                 "1 finalize\n2 init\n2 finalize\n3 init\n3 finalize\n"),
                 1);
}

std::string read_action(const std::string& action, const std::string& init = "1 init") {
  const auto operations = read_actions({action}, init);
  return operations.size() == 1 ? operations[0] : "not one operation";
}

/// The last operation, after what it needs.
std::string read_last(const std::vector<std::string>& actions) {
  return read_actions(actions).back();
}

TEST_CASE("compute and sleep have an amount") {
  CHECK(read_action("compute 6.65007e+07") == "compute amount=66500700");
  CHECK(read_action("compute 0") == "compute");
  CHECK(read_action("sleep 0.25") == "sleep amount=0.25");
}

TEST_CASE("Sends have a receiver, a tag and bytes") {
  CHECK(read_action("send 2 7 10 0") == "send to=2 tag=7 bytes=80");
  CHECK(read_action("isend 0 0 3 1") == "isend request=0 bytes=12");
  CHECK(read_action("send 2 7 0 0") == "send to=2 tag=7");
  CHECK(read_action("send 2 7 1e6 6") == "send to=2 tag=7 bytes=1000000");
}

TEST_CASE("The send modes are told apart") {
  CHECK(read_action("Ssend 2 7 10 6") == "send synchronous to=2 tag=7 bytes=10");
  CHECK(read_action("ISsend 2 7 10 6") == "isend synchronous to=2 tag=7 request=0 bytes=10");
  CHECK(read_action("bsend 2 7 10 6") == "send buffered to=2 tag=7 bytes=10");
  CHECK(read_action("ibsend 2 7 10 6") == "isend buffered to=2 tag=7 request=0 bytes=10");
}

TEST_CASE("Receives have a sender, a tag and a capacity") {
  CHECK(read_action("recv 2 7 10 43") == "recv from=2 tag=7 bytes=160");
  CHECK(read_action("irecv 2 7 10 5") == "irecv from=2 tag=7 request=0 bytes=40");
}

TEST_CASE("A receive may be from any rank, with any tag") {
  CHECK(read_action("recv -333 -444 4 6") == "recv from=-1 tag=-1 bytes=4");
  CHECK(read_action("irecv -333 5 4 6") == "irecv from=-1 tag=5 request=0 bytes=4");
}

TEST_CASE("A send to no process is one") {
  CHECK(read_action("send -333 0 1 2") == "send to=-2 bytes=1");  // (seen)
  CHECK(read_action("isend -333 0 1 2") == "isend to=-2 request=0 bytes=1");
}

TEST_CASE("A send-receive has a receiver and a sender") {
  CHECK(read_action("sendRecv 10 2 20 3 0 1") == "sendrecv to=2 from=3 bytes=80");
  CHECK(read_action("sendrecv 10 2 20 3") == "sendrecv to=2 from=3 bytes=10");
  CHECK(read_action("sendRecv 10 -333 20 -333 6 6") == "sendrecv to=-2 from=-1 bytes=10");
}

TEST_CASE("A wait and a test name a request by its message") {
  CHECK(read_last({"irecv 2 7 8 6", "irecv 3 7 8 6", "wait 3 1 7"}) == "wait request=1");
  CHECK(read_last({"irecv 2 7 8 6", "irecv 3 7 8 6", "test 2 1 7"}) == "test request=0");
  CHECK(read_last({"isend 2 7 8 6", "wait 1 2 7"}) == "wait request=0");
  CHECK(read_last({"irecv -333 -444 8 6", "wait -333 1 -444"}) == "wait request=0");
  CHECK(read_last({"isend -333 0 1 2", "wait 1 -333 0"}) == "wait request=0");  // (seen)
}

TEST_CASE("A wait finds a request that was posted for any source or tag, or names any, if none is exactly meant") {
  CHECK(read_last({"irecv -333 7 8 6", "irecv 2 7 8 6", "wait 2 1 7"}) == "wait request=1");
  CHECK(read_last({"irecv -333 7 8 6", "irecv 2 7 8 6", "wait 2 1 7", "wait 2 1 7"}) == "wait request=0");
  CHECK(read_last({"irecv 2 -444 8 6", "wait 2 1 7"}) == "wait request=0");
  CHECK(read_last({"irecv 2 6 8 6", "irecv 2 7 8 6", "wait -333 1 7"}) == "wait request=1");
  CHECK(read_last({"isend 2 7 8 6", "irecv 2 6 8 6", "wait 1 2 -444"}) == "wait request=0");
}

TEST_CASE("A waitall and a waitany are for the newest requests that no later wait names") {
  CHECK(read_last({"irecv 2 7 8 6", "isend 2 7 8 6", "isend 3 7 8 6", "waitall 2"}) == "waitall requests=1/2");
  CHECK(read_last({"irecv 2 7 8 6", "isend 2 7 8 6", "waitall 12"}) == "waitall requests=0/1");
  CHECK(read_last({"irecv 2 7 8 6", "isend 2 7 8 6", "waitAny 2"}) == "waitany requests=0/1");
  CHECK(read_last({"irecv 2 7 8 6", "waitany 3"}) == "waitany requests=0");
  CHECK(read_last({"waitall 3"}) == "waitall");
  CHECK(read_actions({"irecv 2 7 8 6", "isend 2 7 8 6", "waitall 2", "wait 2 1 7"})[2] == "waitall requests=1");
}

TEST_CASE("Requests that a waitany may have ended are not counted by later waits") {
  const std::vector<std::string> receives{"isend 2 0 8 6", "irecv 2 1 8 6", "irecv 2 2 8 6", "irecv 2 3 8 6"};
  auto actions = receives;
  const auto with = [&](const std::string& action) {
    actions.push_back(action);
    return read_last(actions);
  };
  CHECK(with("waitany 3") == "waitany requests=1/2/3");
  CHECK(with("waitany 2") == "waitany requests=1/2/3");
  CHECK(with("waitall 1") == "waitall requests=1/2/3");
  CHECK(with("waitall 1") == "waitall requests=0");
  // A worker's request that is posted again has ended, whichever it was.
  actions = receives;
  CHECK(with("waitany 3") == "waitany requests=1/2/3");
  actions.emplace_back("irecv 2 2 8 6");
  CHECK(with("waitany 3") == "waitany requests=1/3/2");
}

TEST_CASE("A wait for what a waitany has ended finds it as one for what is outstanding does") {
  CHECK(read_last({"irecv -333 0 8 6", "waitAny 1", "wait 2 1 0"}) == "wait request=0");
  CHECK(read_last({"irecv 2 0 8 6", "waitAny 1", "wait -333 1 0"}) == "wait request=0");
  CHECK(read_last({"isend 2 0 8 6", "waitAny 1", "wait 1 2 -444"}) == "wait request=0");
  CHECK(read_last({"irecv -333 0 8 6", "irecv 2 -444 8 6", "waitAny 2", "waitAny 1", "wait 2 1 0", "wait 2 1 5"}) ==
        "wait request=1");
  // One that was waited for does not count.
  CHECK(read_last({"irecv 2 0 8 6", "wait 2 1 0", "irecv -333 0 8 6", "waitAny 1", "wait 2 1 0"}) == "wait request=1");
  // Which one it was shows when the other's name is posted again.
  CHECK(read_last({"irecv -333 0 8 6", "irecv -333 1 8 6", "waitAny 2", "irecv -333 1 8 6", "wait 2 1 1",
                   "wait 2 1 1"}) == "wait request=1");
}

TEST_CASE("barrier has nothing") {
  CHECK(read_action("barrier") == "barrier");
}

TEST_CASE("bcast has a count and may have root and type") {
  CHECK(read_action("bcast 5 2 1 ") == "bcast root=2 bytes=20");
  CHECK(read_action("bcast 5 2") == "bcast root=2 bytes=5");
  CHECK(read_action("bcast 5") == "bcast bytes=5");
}

TEST_CASE("reduce has a count and flops and may have root and type") {
  CHECK(read_action("reduce 5 1.5 2 0 ") == "reduce root=2 bytes=40 amount=1.5");
  CHECK(read_action("reduce 5 0 2") == "reduce root=2 bytes=5");
  CHECK(read_action("reduce 5 0") == "reduce bytes=5");
}

TEST_CASE("allreduce, scan and exscan have a count and flops") {
  CHECK(read_action("allreduce 5 3 0 ") == "allreduce bytes=40 amount=3");
  CHECK(read_action("allreduce 5 0") == "allreduce bytes=5");
  CHECK(read_action("scan 5 0 1") == "scan bytes=20");
  CHECK(read_action("exscan 3 0 2 ") == "exscan bytes=3");  // (seen)
}

TEST_CASE("gather has a send count; the receive count may be left out") {
  CHECK(read_action("gather 3 4 2 0 1") == "gather root=2 bytes=24");
  CHECK(read_action("gather 3 2 1 2") == "gather root=2 bytes=12");  // (seen) at a rank that is not the root
  CHECK(read_action("gather 3 3") == "gather bytes=3");
  CHECK(read_action("gather 3 3 2") == "gather root=2 bytes=3");
}

TEST_CASE("scatter has the root's send count, or else the receive count") {
  CHECK(read_action("scatter 3 3 2 0 0") == "scatter root=2 bytes=24");
  CHECK(read_action("scatter 0 3 2 2 1") == "scatter root=2 bytes=12");  // (seen) at a rank that is not the root
  CHECK(read_action("scatter 3 1 1 2") == "scatter root=1 bytes=12");    // the root, in place
  CHECK(read_action("scatter 3 3") == "scatter bytes=3");
}

TEST_CASE("allgather and alltoall have a send count, or in place the receive count") {
  for (const std::string name : {"allgather", "alltoall"}) {
    CHECK(read_action(name + " 3 3 0 0") == name + " bytes=24");
    CHECK(read_action(name + " 0 3 0 1") == name + " bytes=12");
    CHECK(read_action(name + " 3 3") == name + " bytes=3");
    CHECK(read_action(name + " 3 1 1") == name + " bytes=12");
    CHECK(read_action(name + " 0 0 0") == name);  // (seen) nothing to send, nothing to receive
  }
}

TEST_CASE("gatherv has a send count and the receive counts") {
  CHECK(read_action("gatherv 2 1 2 3 4 1 0 1") == "gatherv root=1 bytes=16 receives=4/8/12/16");
  CHECK(read_action("gatherv 3 0 0 0 0 2 2 2") == "gatherv root=2 bytes=3 receives=0/0/0/0");  // (seen)
  CHECK(read_action("gatherv 2 1 2 3 4") == "gatherv bytes=2 receives=1/2/3/4");
}

TEST_CASE("scatterv has the send counts and a receive count") {
  CHECK(read_action("scatterv 1 2 3 4 2 1 0 1") == "scatterv root=1 bytes=8 sends=8/16/24/32");
  CHECK(read_action("scatterv 0 0 0 0 3 2 2 2") == "scatterv root=2 bytes=3 sends=0/0/0/0");  // (seen)
}

TEST_CASE("allgatherv has the counts of all ranks, this rank's among them") {
  CHECK(read_action("allgatherv 2 1 2 3 4 2 1") == "allgatherv bytes=8 receives=4/8/12/16");
}

TEST_CASE("alltoallv has buffer sizes and the counts to and from each rank") {
  CHECK(read_action("alltoallv 10 1 2 3 4 26 5 6 7 8 1 0") == "alltoallv sends=4/8/12/16 receives=40/48/56/64");
  CHECK(read_action("alltoallv 10 1 2 3 4 26 5 6 7 8") == "alltoallv sends=1/2/3/4 receives=5/6/7/8");
}

TEST_CASE("What SimGrid's tracer writes of polls and waits is read") {
  // As smpirun 3.32 wrote it for MPI_Testsome, Testall, Testany and Test, and a waitall as its replayer also takes it.
  const auto trace = test::trace_of(
      "0 isend 1 5 1 1\n0 irecv 1 5 1 1\n0 testsome \n0 testall\n0 testany\n0 test\n0 waitall\n"
      "1 irecv 0 5 1 1\n1 irecv 0 6 1 1\n1 wait 0 1 5\n1 isend 0 5 1 1\n1 waitall \n0 send 1 6 1 1\n");
  CHECK(program(*trace, 0) == std::vector<std::string>{"isend to=1 tag=5 request=0 bytes=4",
                                                       "irecv from=1 tag=5 request=1 bytes=4", "waitall requests=0/1",
                                                       "send to=1 tag=6 bytes=4"});
  CHECK(program(*trace, 1).back() == "waitall requests=1/2");
}

TEST_CASE("reducescatter has the counts of all ranks and flops") {
  CHECK(read_action("reducescatter 1 2 3 4 9 1") == "reduce_scatter amount=9 receives=4/8/12/16");
  CHECK(read_action("reducescatter 1 2 3 4 0") == "reduce_scatter receives=1/2/3/4");
}

TEST_CASE("The flops of a reduction need not be whole") {
  CHECK(read_action("reducescatter 1 2 3 4 0.5 6") == "reduce_scatter amount=0.5 receives=1/2/3/4");
}

TEST_CASE("A line that comes again means the same, unless init comes between") {
  const auto trace = test::trace_of("0 bcast 3\n0 bcast 3\n0 init 1\n0 bcast 3\n0 compute 1\n0 bcast 3\n0 finalize\n");
  CHECK(program(*trace, 0) ==
        Program{"bcast bytes=3", "bcast bytes=3", "bcast bytes=24", "compute amount=1", "bcast bytes=24"});
  CHECK(trace->locate(0, 4).ends_with(":6"));
}

TEST_CASE("An element without type is a byte, with an argument to init a double") {
  CHECK(read_action("send 2 0 3", "1 init") == "send to=2 bytes=3");
  CHECK(read_action("send 2 0 3", "1 init 1") == "send to=2 bytes=24");
  CHECK(read_action("recv 2 0 3", "1 init 1") == "recv from=2 bytes=24");
  CHECK(read_action("allreduce 3 0", "1 init 1") == "allreduce bytes=24");
  CHECK(read_action("reducescatter 1 2 3 4 0", "1 init 1") == "reduce_scatter receives=8/16/24/32");
  CHECK(read_action("send 2 0 3 6", "1 init 1") == "send to=2 bytes=3");
}

TEST_CASE("init of one rank says nothing about the others") {
  const auto trace = test::trace_of("0 init 1\n0 send 1 0 3\n0 finalize\n1 init\n1 send 0 0 3\n1 finalize\n");
  CHECK(program(*trace, 0) == Program{"send to=1 bytes=24"});
  CHECK(program(*trace, 1) == Program{"send bytes=3"});
}

TEST_CASE("Actions without effect on time leave nothing") {
  const auto trace = test::trace_of(
      "0 init\n0 location f.c 12\n0 comm_size 4\n0 comm_split 4\n0 comm_dup 4\n0 testall 3\n0 testany 3\n0 finalize\n");
  CHECK(program(*trace, 0).empty());
}

TEST_CASE("Datatypes have the sizes of SMPI's") {
  const std::vector<std::pair<int, std::uint64_t>> sizes{{0, 8},  {1, 4},  {2, 1},   {3, 2},  {4, 8},   {5, 4},
                                                         {6, 1},  {7, 8},  {20, 8},  {23, 4}, {26, 16}, {39, 4},
                                                         {40, 8}, {42, 8}, {43, 16}, {47, 4}, {48, 8}};
  for (const auto& [id, size] : sizes) {
    CAPTURE(id);
    CHECK(ti::datatype_size(id) == size);
  }
}

TEST_CASE("Ids that are no datatypes have size 0") {
  for (const int id : {-2, -1, 51, 58, 60, 1000}) CHECK(ti::datatype_size(id) == 0);
}

TEST_CASE("Blank lines, comments, tabs and several blanks mean nothing") {
  const auto trace = test::trace_of("# a trace\n\n0  init\n \t\n0\tsend   1 0\t8 6 \n0 finalize\r\n1 barrier\n");
  CHECK(program(*trace, 0) == Program{"send to=1 bytes=8"});
  CHECK(program(*trace, 1) == Program{"barrier"});
}

TEST_CASE("init and finalize may be missing") {
  CHECK(program(*test::trace_of("0 barrier\n1 barrier\n"), 1) == Program{"barrier"});
}

}  // namespace
}  // namespace toroid::workloads
