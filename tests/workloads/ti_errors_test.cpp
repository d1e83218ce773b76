// Every way in which a TI trace can be wrong, with the place that the message names.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

using test::Scratch;
using test::zstd_compressed;

std::string error_of_path(const std::string& path) {
  return test::error_of([&] { read_ti(path); });
}

/// The message for a trace with this text, without the path in front.
std::string error_in(const std::string& text) {
  const Scratch scratch;
  const auto path = scratch.write("t.ti", text);
  const auto error = error_of_path(path);
  CHECK(error.starts_with(path));
  return error.size() > path.size() ? error.substr(path.size() + 1) : error;
}

/// The message for a trace of four ranks with this action in line 5.
std::string error_of_action(const std::string& action) {
  return error_in("0 init\n1 init\n2 init\n3 init\n1 " + action + "\n0 finalize\n1 finalize\n2 finalize\n3 finalize\n");
}

TEST_CASE("An unknown action is an error") {
  CHECK(error_of_action("frobnicate 1 2") == "5: frobnicate: unknown action");
  CHECK(error_of_action("SEND 0 0 1 6") == "5: SEND: unknown action");
}

TEST_CASE("Too few or too many fields are an error that states the grammar") {
  CHECK(error_of_action("send 0 0") == "5: send: found 2 fields after the action, expected RECEIVER TAG COUNT [TYPE]");
  for (const std::string action : {"compute",
                                   "compute 1 2",
                                   "sleep",
                                   "send 0 0 1 6 7",
                                   "recv 0 0",
                                   "recv 0 0 1 6 7",
                                   "sendRecv 1 2 3",
                                   "sendRecv 1 2 3 0 6 6 6",
                                   "wait 0 1",
                                   "wait 0 1 2 3",
                                   "waitall 1 2",
                                   "waitAny",
                                   "barrier 1",
                                   "bcast",
                                   "bcast 1 0 6 7",
                                   "reduce 1",
                                   "reduce 1 0 0 6 7",
                                   "allreduce 1",
                                   "allreduce 1 0 6 7",
                                   "scan 1",
                                   "gather 1",
                                   "gather 1 1 0 6 6 6",
                                   "scatter 1",
                                   "scatter 1 1 0 6 6 6",
                                   "allgather 1",
                                   "allgather 1 1 6 6 6",
                                   "alltoall 1",
                                   "alltoall 1 1 6 6 6",
                                   "gatherv 1 1 2 3",
                                   "gatherv 1 1 2 3 4 0 6 6 6",
                                   "scatterv 1 2 3 4",
                                   "scatterv 1 2 3 4 5 0 6 6 6",
                                   "allgatherv 1 1 2 3",
                                   "allgatherv 1 1 2 3 4 6 6 6",
                                   "alltoallv 0 1 2 3 4 0 1 2 3",
                                   "alltoallv 0 1 2 3 4 0 1 2 3 4 6 6 6",
                                   "reducescatter 1 2 3 4",
                                   "reducescatter 1 2 3 4 0 6 6",
                                   "init 1 2"}) {
    const auto error = error_of_action(action);
    CAPTURE(action, error);
    CHECK(error.starts_with("5: "));
    CHECK(error.find("fields after the action, expected ") != std::string::npos);
  }
}

TEST_CASE("Negative sizes and amounts are errors") {
  CHECK(error_of_action("send 0 0 -8 6") == "5: send: found the negative amount '-8', expected 0 or more");
  CHECK(error_of_action("compute -1").starts_with("5: compute: found the negative amount"));
  CHECK(error_of_action("bcast -1 0 6").starts_with("5: bcast: found the negative amount"));
  CHECK(error_of_action("reduce 1 -1 0 6").starts_with("5: reduce: found the negative amount"));
  CHECK(error_of_action("alltoallv 0 1 2 -3 4 0 1 2 3 4 6 6").starts_with("5: alltoallv: found the negative amount"));
}

TEST_CASE("What should be a number and is none is an error that shows it") {
  CHECK(error_of_action("compute fast") == "5: compute: found 'fast', expected a number");
  CHECK(error_of_action("compute inf") == "5: compute: found 'inf', expected a number");
  CHECK(error_of_action("compute nan") == "5: compute: found 'nan', expected a number");
  CHECK(error_of_action("send 0 0 1.5 6") == "5: send: found '1.5', expected a whole number");
  CHECK(error_of_action("send 0 0 1x 6") == "5: send: found '1x', expected a number");
  CHECK(error_of_action("send zero 0 1 6") == "5: send: found 'zero', expected a whole number");
  CHECK(error_of_action("send 0 0 1 double") == "5: send: found 'double', expected a whole number");
}

TEST_CASE("Sizes that no memory holds are errors") {
  CHECK(error_of_action("send 0 0 9000000000000000000 0").find("more than 2^63 bytes") != std::string::npos);
  CHECK(error_of_action("send 0 0 99999999999999999999 0").starts_with("5: send: "));
  CHECK(error_of_action("alltoallv 0 1 2 3 9000000000000000000 0 1 2 3 4 0 0").find("more than 2^63 bytes") !=
        std::string::npos);
  CHECK(error_of_action("gatherv 9000000000000000000 1 2 3 4 0 0 0").find("more than 2^63 bytes") != std::string::npos);
  CHECK(error_of_action("scatterv 1 2 3 4 9000000000000000000 0 0 0").find("more than 2^63 bytes") !=
        std::string::npos);
}

TEST_CASE("Ranks that jump from line to line cost no memory") {
  std::string text;
  for (int i = 0; i < 255; ++i) text += std::to_string(65'536 * i) + " barrier\n";
  const auto error = test::error_of([&] { test::trace_of(text); });
  CHECK(error.find(":3: barrier: found rank 131072, far above the 2 ranks before it") != std::string::npos);
}

TEST_CASE("A wait for a request that is never posted is an error at its line") {
  CHECK(error_of_action("wait 1 0 4") ==
        "5: rank 1 waits for a message from rank 1 to rank 0 with tag 4, but has no such request");
  // What a waitany has ended is waited for once, and by a name that fits.
  const std::string ended = "irecv -333 4 8 6\n1 waitAny 1\n1 ";
  CHECK(error_of_action(ended + "wait 0 1 5").starts_with("7: "));
  CHECK(error_of_action(ended + "wait 0 1 4\n1 wait 0 1 -444").starts_with("8: "));
}

TEST_CASE("A partner beyond the last rank is an error at its line") {
  CHECK(error_of_action("send 64 0 8 6") == "5: found rank 64, expected a rank below 4: the trace has 4 ranks");
  for (const std::string action : {"send 4 0 8 6", "isend 4 0 8 6", "recv 4 0 8 6", "irecv 4 0 8 6",
                                   "sendRecv 1 4 1 0 6 6", "sendRecv 1 0 1 4 6 6", "wait 4 1 0", "wait 1 4 0"}) {
    CAPTURE(action);
    CHECK(error_of_action(action) == "5: found rank 4, expected a rank below 4: the trace has 4 ranks");
  }
}

TEST_CASE("A root beyond the last rank is an error at its line") {
  for (const std::string action : {"bcast 8 4 6", "reduce 8 0 4 6", "gather 8 8 4 6 6", "gather 8 4 6 6",
                                   "scatter 8 8 4 6 6", "gatherv 1 1 2 3 4 4 6 6", "scatterv 1 2 3 4 1 4 6 6"}) {
    CAPTURE(action);
    CHECK(error_of_action(action) == "5: found rank 4, expected a rank below 4: the trace has 4 ranks");
  }
}

TEST_CASE("Negative ranks and tags other than the wildcards are errors") {
  CHECK(error_of_action("send -1 0 8 6") == "5: send: found rank -1, expected a rank from 0 (or -333 for any)");
  CHECK(error_of_action("bcast 8 -333 6") == "5: bcast: found root -333, expected a rank from 0");
  CHECK(error_of_action("recv 0 -1 8 6") == "5: recv: found tag -1, expected 0 or more (or -444 for any)");
  CHECK(error_of_action("send 0 -444 8 6") == "5: send: found tag -444, expected 0 or more");
}

TEST_CASE("Unknown datatypes are errors") {
  CHECK(error_of_action("send 0 0 8 999") == "5: send: unknown datatype 999");
  CHECK(error_of_action("send 0 0 8 55") == "5: send: unknown datatype 55");
  CHECK(error_of_action("alltoallv 0 1 2 3 4 0 1 2 3 4 6 55") == "5: alltoallv: unknown datatype 55");
  CHECK(error_of_action("reducescatter 1 2 3 4 0 5000") == "5: reducescatter: unknown datatype 5000");
}

TEST_CASE("A derived datatype is an error that says why") {
  for (const std::string action : {"send 0 0 8 -1", "recv 0 0 8 -1", "bcast 8 0 -1", "allreduce 8 0 -1",
                                   "gather 8 8 0 -1 -1", "alltoall 8 8 -1 -1", "sendRecv 8 0 8 0 -1 -1",
                                   "alltoallv 0 1 2 3 4 0 1 2 3 4 -1 -1", "gatherv 1 1 2 3 4 0 -1 -1"}) {
    CAPTURE(action);
    CHECK(error_of_action(action).find("datatype -1 is a derived type") != std::string::npos);
  }
}

TEST_CASE("Non-blocking collectives and persistent requests are errors that say why") {
  for (const std::string action : {"ibarrier", "ibcast 8 0 6", "iallreduce 8 0 6", "ialltoallv 0 1 0 1"}) {
    CAPTURE(action);
    CHECK(error_of_action(action).find("a non-blocking collective") != std::string::npos);
  }
  CHECK(error_of_action("Start 0 1 0").starts_with("5: Start: a persistent request"));
  CHECK(error_of_action("Startall 2").starts_with("5: Startall: a persistent request"));
}

TEST_CASE("A line that does not start with a rank is an error") {
  CHECK(error_in("0 barrier\nsend 1 0 8 6\n") == "2: 1: found 'send' at the start of the line, expected a rank");
  CHECK(error_in("0 barrier\n-1 barrier\n") == "2: barrier: found '-1' at the start of the line, expected a rank");
  CHECK(error_in("0 barrier\n99999999999 barrier\n").starts_with("2: barrier: found '99999999999'"));
}

TEST_CASE("A line with nothing but a rank is an error") {
  CHECK(error_in("0 barrier\n0\n").starts_with("2: trace: found only a rank"));
}

TEST_CASE("A rank without a line is an error that names it") {
  CHECK(error_in("0 barrier\n3 barrier\n1 barrier\n") == " rank 2 has no line; expected every rank from 0 to 3");
}

TEST_CASE("A rank that never finalizes is an error: the trace is truncated") {
  CHECK(error_in("0 init\n0 finalize\n1 init\n1 barrier\n") ==
        " rank 1 has 'init' but no 'finalize': the trace is truncated");
}

TEST_CASE("An empty trace is an error") {
  for (const std::string text : {"", "\n\n", "# nothing\n"}) {
    CAPTURE(text);
    CHECK(error_in(text).starts_with(" the trace is empty"));
  }
}

TEST_CASE("A top file whose one file is empty is an error") {
  const Scratch scratch;
  CHECK(error_of_path(scratch.write("top", scratch.write("t.ti", "") + "\n")).find("the trace is empty") !=
        std::string::npos);
}

TEST_CASE("An empty rank file is an error that names the rank") {
  const Scratch scratch;
  const auto top = scratch.path("top");
  scratch.write("top", scratch.write("a", "0 barrier\n") + "\n" + scratch.write("b", "") + "\n");
  CHECK(error_of_path(top) == top + ": rank 1 has no line; expected every rank from 0 to 1");
}

TEST_CASE("A missing rank file is an error at its line of the top file") {
  const Scratch scratch;
  const auto top = scratch.write("top", scratch.write("a", "0 barrier\n") + "\nnot-there.ti\n");
  CHECK(error_of_path(top) ==
        top +
            ":2: found 'not-there.ti', expected 'RANK ACTION ...' or the path of a rank's file: no "
            "such file");
}

TEST_CASE("A missing trace is an error") {
  const Scratch scratch;
  CHECK(error_of_path(scratch.path("missing")).starts_with(scratch.path("missing") + ": No such file"));
}

TEST_CASE("A line of another rank in a rank's file is an error in that file") {
  const Scratch scratch;
  const auto a = scratch.write("a", "0 barrier\n"), b = scratch.write("b", "1 barrier\n0 barrier\n");
  CHECK(error_of_path(scratch.write("top", a + "\n" + b + "\n")) ==
        b + ":2: barrier: the line belongs to rank 0, but this is the file of rank 1");
}

TEST_CASE("A partner beyond the last rank is an error in the rank's own file") {
  const Scratch scratch;
  const auto a = scratch.write("a", "0 barrier\n"), b = scratch.write("b", "1 barrier\n1 send 2 0 8 6\n");
  CHECK(error_of_path(scratch.write("top", a + "\n" + b + "\n")) ==
        b + ":2: found rank 2, expected a rank below 2: the trace has 2 ranks");
}

TEST_CASE("A truncated compressed trace is an error with its path, top or rank file") {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "0 send 0 " + std::to_string(i * 7919 % 5000) + " 8 6\n";
  const auto packed = zstd_compressed(text);
  const auto cut = scratch.write("cut.zst", packed.substr(0, packed.size() / 2));
  const auto whole = scratch.write("whole", "1 barrier\n");
  for (const auto& path : {cut, scratch.write("top", cut + "\n" + whole + "\n")}) {
    const auto error = error_of_path(path);
    CHECK(error.starts_with(cut + ": "));
    CHECK(error.find("truncated") != std::string::npos);
  }
}

TEST_CASE("A file of random bytes is an error of one short line with its path") {
  std::string garbage = "\x7f";
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>(128 + i * 7919 % 127);
  const Scratch scratch;
  const auto path = scratch.write("binary", garbage);
  const auto error = error_of_path(path);
  CHECK(error.starts_with(path + ":1: "));
  CHECK(error.find('\n') == std::string::npos);
  CHECK(error.size() < path.size() + 300);
}

}  // namespace
}  // namespace toroid::workloads
