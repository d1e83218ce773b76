// Our own form of traces: what is written is read again as it was, whatever a program says.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/damaged.hpp"
#include "tests/support/support.hpp"
#include "tests/support/variable.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

std::string written_by(void (*write)(const Trace&, core::OutputSet&, const std::string&), const Trace& trace) {
  const test::Scratch scratch;
  core::OutputSet outputs;
  write(trace, outputs, scratch.path("t"));
  outputs.commit();
  return test::content(scratch.path("t"));
}

std::string text_of(const Trace& trace) {
  return written_by(write_own_text, trace);
}

/// With code in it.
std::string file_of(const Trace& trace) {
  return written_by(write_own, trace);
}

std::unique_ptr<Trace> trace_of_text(const std::string& text) {
  const test::Scratch scratch;
  return open_trace(scratch.write("t", text));
}

// This text was written by the first version that had the form, and stays as it is: later ones must read it.
constexpr const char* kept = R"(toroid trace 1
ranks 4
rank 0
c1000
comm 1 from 0 step 2 size 2
+ allreduce comm=1 request=3 bytes=8 amount=2
+ send mode=synchronous to=1 tag=5 bytes=100
c0.125 1 c3 1
+ wait request=3
rank 1
+ recv from=any tag=any bytes=100
0 0
+ sendrecv to=none from=none
rank 2
comm 7 of 3/2
+ alltoallv comm=7 sends=1/2 receives=3/4
+ allreduce comm=1 request=3 bytes=8 amount=2
+ waitall requests=3
rank 3
+ alltoallv comm=7 sends=5/3 receives=6/1
+ recv_init from=3 tag=1 request=9
+ start request=9
+ send to=3 tag=1
+ wait request=9
end
)";

TEST_CASE("Files of the first version are read") {
  const auto trace = trace_of_text(kept);
  using Program = std::vector<std::string>;
  CHECK(trace->ranks() == 4);
  CHECK(program(*trace, 0) == Program{"compute amount=1000", "allreduce comm=1 request=3 bytes=8 amount=2",
                                      "send synchronous to=1 tag=5 bytes=100", "compute amount=0.125",
                                      "send synchronous to=1 tag=5 bytes=100", "compute amount=3",
                                      "send synchronous to=1 tag=5 bytes=100", "wait request=3"});
  CHECK(program(*trace, 1) == Program{"recv from=-1 tag=-1 bytes=100", "recv from=-1 tag=-1 bytes=100",
                                      "recv from=-1 tag=-1 bytes=100", "sendrecv to=-2 from=-2"});
  CHECK(trace->communicator(1).member(1) == 2);
  CHECK(trace->communicator(2).member(0) == 3);
  CHECK(trace->locate(0, 2).ends_with("t:7"));
  CHECK(text_of(*trace_of_text(text_of(*trace))) == text_of(*trace));
  CHECK(text_of(*trace_of_text(file_of(*trace))) == text_of(*trace));
}

// The same for what the second version brought.
constexpr const char* kept_of_version_2 = R"(toroid trace 2
ranks 2
rank 0
comm 1 from 0 step 1 size 2
+ put comm=1 to=1 bytes=100
+ put to=none
+ fence comm=1
0 2
rank 1
+ fence comm=1
0
end
)";

TEST_CASE("Files of the second version are read") {
  const auto trace = trace_of_text(kept_of_version_2);
  using Program = std::vector<std::string>;
  CHECK(program(*trace, 0) ==
        Program{"put comm=1 to=1 bytes=100", "put to=-2", "fence comm=1", "put comm=1 to=1 bytes=100", "fence comm=1"});
  CHECK(program(*trace, 1) == Program{"fence comm=1", "fence comm=1"});
}

// And for the third: operations that are told before they are done, and code. Amounts are 1000, 70000 and 0.5.
const std::string kept_of_version_3 = std::string(R"(toroid trace 3
ranks 2
rank 0
= send to=1 tag=5 bytes=100
code 5 6 8
)") +
                                      std::string(
                                          "\x00\x03\x01\x02\x03"
                                          "\xe8\x03\x70\x11\x01\x00"
                                          "\x00\x00\x00\x00\x00\x00\xe0\x3f\n",
                                          20) +
                                      R"(= barrier
code 1 0 0
)" + "\x04\n" + R"(rank 1
+ recv from=any bytes=100
0 c7
+ barrier
end
)";

TEST_CASE("Files of the third version are read") {
  const auto trace = trace_of_text(kept_of_version_3);
  using Program = std::vector<std::string>;
  CHECK(program(*trace, 0) == Program{"compute amount=1000", "send to=1 tag=5 bytes=100", "compute amount=70000",
                                      "compute amount=0.5", "send to=1 tag=5 bytes=100", "barrier"});
  CHECK(program(*trace, 1) ==
        Program{"recv from=-1 bytes=100", "recv from=-1 bytes=100", "compute amount=7", "barrier"});
  CHECK(trace->locate(0, 1) == "operation 1");
  CHECK(trace->locate(1, 0).ends_with("t:9"));
  CHECK(text_of(*trace).starts_with(
      "toroid trace 4\nranks 2\nrank 0\nc1000\n+ send to=1 tag=5 bytes=100\nc70000 c0.5 0\n"));
}

// And for the fourth: whose algorithms the collectives have, and what was measured.
TEST_CASE("Files of the fourth version say whose collectives they have") {
  const std::string text = "toroid trace 4\nranks 1\ncollectives torus\nrank 0\nend\n";
  CHECK(trace_of_text(text)->collectives() == CollectiveWorld::torus);
  CHECK(text_of(*trace_of_text(text)) == text);
  CHECK(trace_of_text("toroid trace 4\nranks 1\nrank 0\nend\n")->collectives() == CollectiveWorld::mpi);
  CHECK(error_of_file("t", "toroid trace 4\nranks 1\ncollectives x\nrank 0\nend\n") ==
        "3: found 'collectives x', expected collectives mpi or collectives torus");
  CHECK(error_of_file("t", "toroid trace 3\nranks 1\ncollectives torus\nrank 0\nend\n") ==
        "3: found 'collectives torus', expected rank NUMBER or comm ...");
  const auto step = open_trace("llm:model=llama2-7b,layers=1,tensor=2,data=1,pipeline=1,micro-batches=1");
  CHECK(trace_of_text(file_of(*step))->collectives() == CollectiveWorld::torus);
}

TEST_CASE("Files of the fourth version say whether their computations were measured") {
  for (const auto& [word, what] :
       {std::pair("timed", Computation::timed), std::pair("counted", Computation::counted)}) {
    const auto text = fmt::format("toroid trace 4\nranks 1\ncomputation {}\nrank 0\nc5\nend\n", word);
    CHECK(trace_of_text(text)->computation() == what);
    CHECK(text_of(*trace_of_text(text)) == text);
    CHECK(trace_of_text(file_of(*trace_of_text(text)))->computation() == what);
  }
  CHECK(trace_of_text("toroid trace 4\nranks 1\nrank 0\nend\n")->computation() == Computation::modelled);
  CHECK(error_of_file("t", "toroid trace 4\nranks 1\ncomputation fast\nrank 0\nend\n") ==
        "3: found 'computation fast', expected computation timed or computation counted, and perhaps clock=wall "
        "ranks=4 cores=2");
}

TEST_CASE("How computation was recorded is kept, and odd words about that are refused") {
  const auto of = [](const std::string& line) {
    return "toroid trace 4\nranks 1\ncomputation " + line + "\nrank 0\nc5\nend\n";
  };
  const auto crowded = of("timed clock=wall ranks=4 cores=2");
  const auto trace = trace_of_text(crowded);
  CHECK(trace->computation() == Computation::timed);
  CHECK(recording_of(*trace).clock == "wall");
  CHECK(recording_of(*trace).is_crowded());
  CHECK(text_of(*trace) == crowded);
  CHECK(recording_of(*trace_of_text(of("counted"))).clock.empty());
  for (const std::string words : {"clock=wall ranks=4", "clock=wall cores=2 ranks=4", "clock=wall ranks=4 cores=two",
                                  "clock=wall ranks=0 cores=2", "clock=wall ranks=4 cores=2 more"})
    CHECK_THAT(error_of_file("t", of("timed " + words)), Catch::StartsWith("3: "));
}

TEST_CASE("Every program is read as it was written") {
  for (const auto& entry : generators().entries()) {
    if (!entry.argument.empty()) continue;  // it reads files
    std::string spec(entry.name);
    if (entry.name == "npb" || entry.parameters[0].name == "class") spec += ":class=S,ranks=4,iterations=1";
    if (entry.name == "traffic") spec += ":rate=1MBps,messages=5";
    if (entry.name == "llm") spec += ":model=mixtral-8x7b,layers=4,expert=2,micro-batches=2,gradients=reduce-scatter";
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    for (const auto& form : {text_of, file_of}) {
      const auto text = form(*trace);
      const auto again = trace_of_text(text);
      CHECK(first_differences(*trace, *again, {true, 0, true}).empty());
      CHECK(form(*again) == text);
    }
  }
  const auto pencils = open_trace("ft:class=S,ranks=128,iterations=1");
  CHECK(first_differences(*pencils, *trace_of_text(file_of(*pencils)), {true, 0, true}).empty());
  CHECK(test::simulate("torus:128", *pencils, {}, {}, "fluid")["runtime_s"] ==
        test::simulate("torus:128", *trace_of_text(file_of(*pencils)), {}, {}, "fluid")["runtime_s"]);
}

TEST_CASE("Compressed files are read too") {
  const auto trace = open_trace("cg:class=S,ranks=4,iterations=1");
  CHECK(first_differences(*trace, *trace_of_text(test::zstd_compressed(text_of(*trace))), {}).empty());
  CHECK(first_differences(*trace, *trace_of_text(test::zstd_compressed(file_of(*trace))), {}).empty());
}

TEST_CASE("Long programs, and such with many different operations, come back from code") {
  CompactTrace trace(2);
  for (int i = 0; i < 200'000; ++i) {
    trace.add(0, {.kind = OpKind::put, .to = 1, .bytes = static_cast<std::uint64_t>(i % 20'000)});
    if (i % 3 == 0) trace.compute(0, 1e4 * (i % 11) + (i % 7 == 0 ? 0.25 : 0), 0);
  }
  for (const Rank rank : core::ids<Rank>(2)) trace.add(rank, {.kind = OpKind::fence});
  trace.finish();
  const auto again = trace_of_text(file_of(trace));
  CHECK(again->operation_count() == trace.operation_count());
  CHECK(first_differences(trace, *again, {true, 0, true}).empty());
}

TEST_CASE("What is not understood is an error that says where") {
  const std::string head = "toroid trace 1\nranks 2\n";
  CHECK(error_of_file("t", "toroid trace 5\n") == "1: found '5', expected a version, 1 to 4");
  CHECK(error_of_file("t", "toroid trace 1 2\n") == "1: found 'toroid trace 1 2', expected toroid trace VERSION");
  CHECK(error_of_file("t", head + "rank 0\n").find("the file is truncated") != std::string::npos);
  CHECK(error_of_file("t", "toroid trace 1\nranks 0\nend\n") ==
        "2: found '0', expected a number of ranks, 1 to 16777216");
  CHECK(error_of_file("t", head + "0\nend\n") == "3: found '0', expected rank NUMBER or comm ...");
  CHECK(error_of_file("t", head + "rank 2\nend\n") == "3: found '2', expected a rank, 0 to 1");
  CHECK(error_of_file("t", head + "rank 0\nrank 0\nend\n") == "4: found rank 0, expected 1: ranks stand in order");
  CHECK(error_of_file("t", head + "rank 0\n0\nend\n") ==
        "4: found '0', expected an operation below 0 or a computation cAMOUNT");
  for (const std::string item : {"c-1", "cx", "c", "1x", "-1", "c1e999", "cnan", "99999999999999999999"})
    CHECK(error_of_file("t", head + "rank 0\n+ barrier\n0 " + item + "\nend\n").starts_with("5: found '" + item + "'"));
  CHECK(error_of_file("t", head + "rank 0\n+ barrier\n+ barrier after=1\nend\n") ==
        "5: found a barrier that waits for others, expected request=strand with it");
  CHECK(error_of_file("t", head + "rank 0\n+ frob\nend\n") == "4: found 'frob', expected an operation");
  for (const std::string field : {"to", "to=2", "to=any", "to=-1", "to=1 to=1", "size=1", "mode=ready", "bytes=-1",
                                  "comm=1", "tag=1.5", "amount=nan", "amount=-1", "requests=", "request=x"}) {
    CAPTURE(field);
    CHECK(error_of_file("t", head + "rank 0\n+ send " + field + "\nend\n").starts_with("4: found "));
  }
  CHECK(error_of_file("t", head + "rank 0\n+ alltoallv sends=1 receives=1/2\nend\n")
            .starts_with("4: found 1 counts, expected 2"));
  CHECK(error_of_file("t", head + "rank 0\n+ allgatherv\nend\n").starts_with("4: found allgatherv without the counts"));
  CHECK(error_of_file("t", head + "rank 0\n+ compute\nend\n").starts_with("4: found compute"));
  CHECK(error_of_file("t", head + "comm 1 of 1/1\nend\n").find("expected different ranks") != std::string::npos);
  CHECK(error_of_file("t", head + "comm 1 from 0 step 1 size 3\nend\n")
            .starts_with("3: found '3', expected a size, 1 to 2"));
  CHECK(error_of_file("t", head + "comm 1 from 1 step 1 size 2\nend\n").find("expected different ranks below 2") !=
        std::string::npos);
  CHECK(error_of_file("t", head + "comm 1 of 0\ncomm 1 of 1\nend\n").starts_with("4: found communicator 1 again"));
  CHECK(error_of_file("t", head + "comm 1 of 1\nrank 0\n+ barrier comm=1\nend\n").find("rank 0 is no member") !=
        std::string::npos);
  CHECK(error_of_file("t", head + "rank 0\nend\n") == "4: found the end after 1 ranks, expected 2");
  CHECK(error_of_file("t", head + "rank 0\nrank 1\nend\nx\n") == "6: found another line after the end, expected none");
}

TEST_CASE("Keys that an operation of that kind does not have are errors") {
  const auto refused = [](const std::string& operation) {
    const auto kind = operation.substr(0, operation.find(' ')), key = operation.substr(kind.size() + 1);
    CAPTURE(operation);
    CHECK(error_of_file("t", "toroid trace 2\nranks 2\nrank 0\n+ " + operation + "\nend\n") ==
          "4: found '" + key + "', expected KEY=VALUE with a key and a value of " + kind + ", each key once");
  };
  for (const std::string operation :
       {"put tag=1",        "put request=1",      "put from=1",           "put root=1",      "fence root=1",
        "fence request=1",  "fence tag=1",        "fence bytes=8",        "send from=1",     "send request=0",
        "recv to=1",        "recv mode=buffered", "irecv root=1",         "barrier bytes=1", "barrier to=1",
        "barrier tag=0",    "allreduce root=1",   "allreduce requests=1", "bcast amount=1",  "bcast sends=1/2",
        "wait requests=1",  "wait bytes=1",       "waitall request=1",    "sleep bytes=1",   "scatterv receives=1/2",
        "gatherv sends=1/2"})
    refused(operation);
}

TEST_CASE("What a version did not have is an error in its files") {
  const auto error = [](int version, const std::string& lines) {
    return error_of_file("t", "toroid trace " + std::to_string(version) + "\nranks 1\nrank 0\n" + lines + "end\n");
  };
  for (const std::string kind : {"put", "fence"}) {
    CHECK(error(1, "+ " + kind + "\n") == "4: found " + kind + ", expected none in version 1 of the form");
    CHECK(error(2, "+ " + kind + "\n").empty());
  }
  CHECK(error(2, "= barrier\n") == "4: found '=', expected an operation below 0 or a computation cAMOUNT");
  CHECK(error(2, "code 0 0 0\n\n") == "4: found 'code', expected an operation below 0 or a computation cAMOUNT");
  CHECK(error(3, "= barrier\ncode 0 0 0\n\n").empty());
}

TEST_CASE("Code that is not sound is an error that says where") {
  const auto error = [](const std::string& code) {
    return error_of_file("t", "toroid trace 3\nranks 1\nrank 0\n= barrier\n= wait request=0\n" + code + "\nend\n");
  };
  const std::string zeros(8, '\0');
  CHECK(error("code 2 0 0\n\x03\x04").empty());
  CHECK(error("code 1 2 0\n" + zeros.substr(0, 1) + "ab").empty());
  CHECK(error("code 1 0 8\n\x02" + zeros).empty());
  CHECK(error("code 2 0 0\n\x83\x05") == "6: found operation 640, expected one of 0 to 1");
  CHECK(error("code 1 0 0\n\x05") == "6: found operation 2, expected one of 0 to 1");
  CHECK(error("code 2 0 0\n\x82" + zeros.substr(0, 1)) == "6: found operation -1, expected one of 0 to 1");
  CHECK(error("code 1 0 0\n\x83").starts_with("6: found a number that does not end"));
  CHECK(error("code 6 0 0\n\xff\xff\xff\xff\xff\x01").starts_with("6: found a number that does not end"));
  CHECK(error("code 1 0 0\n\x01") == "6: found 0 and 0 bytes of amounts, expected 4 and 0");
  CHECK(error("code 1 3 0\n\x03"
              "abc") == "6: found 3 and 0 bytes of amounts, expected 0 and 0");
  CHECK(error("code 1 0 8\n\x02" + zeros.substr(2) + "\xf0\x7f") ==
        "6: found a computation of inf, expected an amount of 0 or more");
  CHECK(error("code 1 0 8\n\x02" + zeros.substr(2) + "\xf0\xbf") ==
        "6: found a computation of -1, expected an amount of 0 or more");
  CHECK(error("code 1 0 0\n\x03\x03").starts_with("6: found more than 1 bytes of code"));
  CHECK(error("code 99 0 0\n\x03").starts_with("6: found the end, expected 99 bytes of code: the file is truncated"));
  CHECK(error("code 9999999 0 0\n") == "6: found '9999999', expected a number of bytes, 0 to 1048576");
  CHECK(error("code 1\n\x03") == "6: found 'code 1', expected code ITEMS WHOLE REAL");
  CHECK(error("= barrier\ncode 1 0 0\n\x03").starts_with("7: found code behind an operation that stands there twice"));
}

TEST_CASE("Damaged files are read or refused, no more") {
  core::Random random(1, "test/own");
  for (int round = 0; round < 1000; ++round) {
    const auto text = test::damaged(round % 2 == 0 ? kept : kept_of_version_3, random);
    test::read_or_be_refused([&] {
      const auto trace = trace_of_text(text);
      for (const Rank rank : core::ids<Rank>(std::min(trace->ranks(), 100))) program(*trace, rank);
    });
  }
}

}  // namespace
}  // namespace toroid::workloads
