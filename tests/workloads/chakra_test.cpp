// Execution traces of Chakra: bytes spelled out by hand from the schema, JSON, what programs become and come back as,
// and what is refused.

#include <fmt/format.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/damaged.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/chakra/node.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

/// A message behind its length, which is below 128.
std::string framed(const std::string& message) {
  TOROID_ASSERT(message.size() < 128);
  return static_cast<char>(message.size()) + message;
}

/// A text as a field of that number, below 16.
std::string text_field(int number, const std::string& text) {
  return static_cast<char>(8 * number + 2) + framed(text);
}

/// An attribute with a value as bytes.
std::string attribute(const std::string& name, const std::string& value) {
  return text_field(10, text_field(1, name) + value);
}

const std::string header = framed(text_field(1, "0.0.4"));

/// The files of a trace, a file a rank, of nodes.
std::unique_ptr<Trace> read(const std::vector<std::vector<ChakraNode>>& ranks, const std::string& keys = {},
                            const ChakraHeader& header_of_all = {}) {
  const test::Scratch scratch;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::string text = chakra_text(header_of_all);
    for (const auto& node : ranks[rank]) text += chakra_text(node);
    scratch.write(fmt::format("t.{}.et", rank), text);
  }
  return open_trace("chakra:" + scratch.path("t.%d.et") + keys);
}

std::string error_of_nodes(const std::vector<std::vector<ChakraNode>>& ranks, const std::string& keys = {}) {
  const auto error = test::error_of([&] { read(ranks, keys); });
  const auto file = error.find("t.");
  return file == std::string::npos ? error : error.substr(file);
}

ChakraNode computation(std::uint64_t id, std::uint64_t micros, std::vector<std::uint64_t> after = {}) {
  return {.id = id, .type = ChakraType::computation, .data = std::move(after), .micros = micros};
}

ChakraNode collective(std::uint64_t id, std::uint64_t kind, std::uint64_t bytes,
                      std::vector<std::uint64_t> after = {}) {
  return {.id = id, .type = ChakraType::collective, .data = std::move(after), .kind = kind, .bytes = bytes};
}

/// Writes a trace as execution traces.
void write(const std::string& spec, const std::string& path) {
  core::OutputSet outputs;
  write_chakra(*open_trace(spec), {}, outputs, path);
  outputs.commit();
}

}  // namespace

TEST_CASE("Bytes of the schema are read as it says") {
  const test::Scratch scratch;
  using namespace std::string_literals;
  // Node 0 has no id, as zeros are left out; it lasts 3 us on the CPU.
  const auto first = framed(text_field(2, "a") + "\x18\x04\x38\x03"s + attribute("is_cpu_op", "\xd8\x01\x01"s));
  // Node 300 = ac 02 sends 5 bytes (int64) with tag 7 (uint32) to rank 1 (int32); its dependency on 0 is not packed.
  const auto second = framed("\x08\xac\x02\x18\x05\x28\x00"s + attribute("comm_size", "\x48\x05"s) +
                             attribute("comm_tag", "\x58\x07"s) + attribute("comm_dst", "\x38\x01"s));
  // Node 301 lasts 1 us on the accelerator, after 0 and 300, which are packed; by control it waits for 300 alone.
  const auto third = framed("\x08\xad\x02\x18\x04\x22\x02\xac\x02\x2a\x03\x00\xac\x02\x38\x01"s);
  const auto receives = framed("\x08\x01\x18\x06"s + attribute("comm_size", "\x48\x05"s) +
                               attribute("comm_tag", "\x58\x07"s) + attribute("comm_src", "\x38\x00"s));
  scratch.write("x.0.et", header + first + second + third);
  scratch.write("x.1.et", test::gzip_compressed(header + receives));
  const auto trace = open_trace(scratch.path("x.0.et"));
  CHECK(trace->ranks() == 2);
  CHECK(trace->computation() == Computation::timed);
  CHECK(program(*trace, 0) == std::vector<std::string>{"compute_after amount=3000",
                                                       "send_after to=1 root=1 tag=7 bytes=5 after=1",
                                                       "compute_after root=2 amount=1000 after=1/2", "join"});
  CHECK(program(*trace, 1) == std::vector<std::string>{"irecv tag=7 bytes=5"});
  CHECK(trace->locate(0, 1) == scratch.path("x.0.et") + ":2");

  // The same in JSON.
  scratch.write("y.0.json",
                R"({"workload_graph": [{"Id": 0, "Name": "a", "NodeType": 4, "runtime": 3, "is_cpu_op": true},
 {"Id": 300, "NodeType": 5, "data_deps": [0], "comm_size": 5, "comm_tag": 7, "comm_dst": 1},
 {"Id": 301, "NodeType": 4, "ctrlDeps": [300], "data_deps": [0, 300], "runtime": 1, "is_cpu_op": false}]})");
  scratch.write("y.1.json", R"({"workload_graph": [
 {"Id": 1, "NodeType": 6, "comm_size": 5, "comm_tag": 7, "comm_src": 0}]})");
  const auto json = open_trace(scratch.path("y.0.json"));
  for (const Rank rank : {Rank(0), Rank(1)}) CHECK(program(*json, rank) == program(*trace, rank));
}

TEST_CASE("A collective of each kind is the operation of that kind, with the bytes that a rank hands in") {
  std::vector<ChakraNode> nodes;
  for (std::uint64_t kind = 0; kind < 10; ++kind) {
    nodes.push_back(collective(kind, kind, 100));
    if (kind == 1 || kind == 5) nodes.back().root = 2;
  }
  const auto trace = read({nodes, nodes, nodes});
  CHECK(program(*trace, 1) ==
        std::vector<std::string>{
            "allreduce request=4294967294 bytes=100", "reduce root=2 request=4294967294 bytes=100",
            "allgather request=4294967294 bytes=100", "gather request=4294967294 bytes=100",
            "scatter request=4294967294 bytes=33", "bcast root=2 request=4294967294 bytes=100",
            "alltoall request=4294967294 bytes=33", "reduce_scatter request=4294967294 receives=34/33/33",
            "reduce_scatter request=4294967294 receives=34/33/33", "barrier request=4294967294", "join"});
  CHECK(trace->collectives() == CollectiveWorld::torus);
}

TEST_CASE("Collectives of a group stand in the order of their ids at every rank, whatever they wait for") {
  // What the first one waits for has the last id at rank 0 and the first one at rank 1; the second waits for nothing.
  const auto trace = read({{collective(2, 0, 40, {9}), collective(3, 2, 50), computation(9, 1)},
                           {computation(1, 1), collective(2, 0, 40, {1}), collective(3, 2, 50)}});
  for (const Rank rank : {Rank(0), Rank(1)})
    CHECK(program(*trace, rank) == std::vector<std::string>{"compute_after amount=1000",
                                                            "allreduce request=4294967294 bytes=40 after=1",
                                                            "allgather request=4294967294 bytes=50", "join"});
  CHECK(error_of_nodes({{collective(2, 0, 40, {3}), collective(3, 2, 50)}}) ==
        "t.0.et:1: found a collective that requires a later one of its group, expected those of a group in the order "
        "in which they can begin");
}

TEST_CASE("Process groups come from metadata, or from a file") {
  auto call = collective(2, 0, 8);
  call.group = "7";
  const ChakraNode metadata{
      .id = 1,
      .type = ChakraType::metadata,
      .values = R"(['[{"pg_name": "7", "pg_desc": "x", "ranks": [2, 0]}, {"pg_name": "0", "ranks": []}]'])"};
  const auto trace = read({{metadata, call}, {}, {metadata, call}});
  const auto& comm = trace->communicator(1);
  CHECK(comm.size() == 2);
  CHECK((comm.member(0) == Rank(2) && comm.member(1) == Rank(0)));
  CHECK(program(*trace, 0)[1] == "allreduce comm=1 request=4294967294 bytes=8");

  const test::Scratch scratch;
  const auto file = scratch.write("groups.json", R"({"7": [0, 2]})");
  const auto given = read({{call}, {}, {call}}, ",groups=" + file);
  CHECK(given->communicator(1).member(1) == Rank(2));
  // A group without a list of ranks has all.
  const auto empty = scratch.write("empty.json", R"({"7": []})");
  CHECK(read({{call}, {call}, {call}}, ",groups=" + empty)->communicator(1).size() == 3);
  auto wrong = metadata;
  wrong.values = R"([{"pg_name": "7", "ranks": [9]}])";
  CHECK(error_of_nodes({{wrong}, {}}) ==
        "t.0.et: node 1: found rank 9, expected 0 to 1: there are the files of so many ranks");
  CHECK(error_of_nodes({{call}}) ==
        "t.0.et: node 1: found the process group '7', expected one that a METADATA node lists or the file of "
        "chakra:...,groups=FILE");
  CHECK(error_of_nodes({{call}, {call}, {call}}, ",groups=" + file) ==
        "t.1.et: node 1: found the process group '7', expected one with rank 1");
}

TEST_CASE("Keys say what of a trace counts") {
  auto after = computation(1, 7);
  after.control = {0};
  after.stream = 3;
  auto also = computation(2, 5);
  also.stream = 4;
  const std::vector<ChakraNode> nodes{computation(0, 5), after, also};
  const auto second = [&](const std::string& keys) { return program(*read({nodes}, keys), 0)[1]; };
  CHECK(second("") == "compute amount=7000");              // one after the other: no graph is needed
  CHECK(second(",control=yes") == "compute amount=5000");  // the third could begin before
  CHECK(second(",streams=yes") == "compute_after root=1 amount=7000");
  CHECK(read({nodes}, ",ranks=3")->ranks() == 3);
  auto counted = computation(0, 5);
  counted.operations = 70;
  CHECK(program(*read({{counted}}), 0)[0] == "compute amount=5000");
  const auto by_operations = read({{counted}}, ",compute=operations");
  CHECK(program(*by_operations, 0)[0] == "compute amount=70");
  CHECK(by_operations->computation() == Computation::modelled);
  // So they do of traces that we have written, which have exact amounts.
  counted.amount = 4900;
  const ChakraHeader ours{"timed", "mpi"};
  CHECK(program(*read({{counted}}, "", ours), 0)[0] == "compute amount=4900");
  CHECK(program(*read({{counted}}, ",compute=duration", ours), 0)[0] == "compute amount=5000");
  const auto ours_by_operations = read({{counted}}, ",compute=operations", ours);
  CHECK(program(*ours_by_operations, 0)[0] == "compute amount=70");
  CHECK(ours_by_operations->computation() == Computation::modelled);
}

TEST_CASE("One file for all ranks may be that of any rank") {
  const test::Scratch scratch;
  for (const int rank : {0, 1})
    scratch.write(fmt::format("t.{}.et", rank),
                  chakra_text(ChakraHeader{}) + chakra_text(computation(0, 5 + static_cast<std::uint64_t>(rank))));
  const auto trace = open_trace("chakra:" + scratch.path("t.1.et") + ",ranks=3");
  CHECK(trace->ranks() == 3);
  for (const Rank rank : core::ids<Rank>(3)) CHECK(program(*trace, rank)[0] == "compute amount=6000");
}

TEST_CASE("Each rank has streams of its own, as many as a rank has cores") {
  const auto streams = [](std::uint64_t first, std::uint64_t count) {
    std::vector<ChakraNode> nodes;
    for (auto stream = first; stream < first + count; ++stream) {
      nodes.push_back(computation(stream, 1));
      nodes.back().stream = stream;
    }
    return nodes;
  };
  CHECK(program(*read({streams(0, 253), streams(253, 253)}, ",streams=yes"), 1)[252] ==
        "compute_after root=252 amount=1000");
  CHECK(error_of_nodes({streams(0, 254)}, ",streams=yes") ==
        "t.0.et: node 254: found 254 streams, expected at most 253");
}

TEST_CASE("Cores of a graph come back from execution traces that we write") {
  const test::Scratch scratch;
  const auto goal =
      scratch.write("t.goal", "num_ranks 1\nrank 0 {\nl1: calc 1000\nl2: calc 1000 cpu 1\nl3: calc 500 cpu 1\n}\n");
  write(goal, scratch.path("t.%d.et"));
  CHECK(program(*open_trace(scratch.path("t.0.et")), 0) ==
        std::vector<std::string>{"compute_after amount=1000", "compute_after root=1 amount=1000",
                                 "compute_after root=1 amount=500", "compute_after after=1/2/3", "join"});
}

TEST_CASE("Files of execution traces are written only where they are read as they were") {
  const test::Scratch scratch;
  const auto error = [&](const std::string& name) {
    return test::error_of([&] { write("cg:class=S,ranks=2,iterations=1", scratch.path(name)); });
  };
  for (const std::string name : {"t%d.et", "t.et", "t.%d.json", "t.%d.x", "%d/t.et"})
    CHECK(error(name) ==
          scratch.path(name) + ": has no place for the number of a rank; expected a name as PREFIX.%d.et");
  write("cg:class=S,ranks=4,iterations=1", scratch.path("%d.%d.et"));
  CHECK(open_trace(scratch.path("%d.3.et"))->ranks() == 4);
  CHECK(error("%d.%d.et") ==
        scratch.path("%d.2.et") +
            ": found the file of a rank more, expected none beside those of 2 ranks: it would be read as one of them");
  CHECK(open_trace(scratch.path("%d.3.et"))->ranks() == 4);
}

TEST_CASE("An execution trace may have more files than can be open at once") {
  const test::Scratch scratch;
  std::string text = "toroid trace 4\nranks 60\n", computations;
  for (int i = 0; i < 3000; ++i) computations += "c1000\n";  // more than is kept back for a file
  for (int rank = 0; rank < 60; ++rank) text += fmt::format("rank {}\n{}", rank, computations);
  const auto own = scratch.write("own", text + "end\n");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 40;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto error = test::error_of([&] { write(own, scratch.path("t.%d.et")); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(error.empty());
  CHECK(open_trace(scratch.path("t.0.et"))->ranks() == 60);
}

TEST_CASE("The files of all ranks are found however the path is written, and packed alike") {
  const test::Scratch scratch;
  const auto text = chakra_text(ChakraHeader{}) + chakra_text(computation(0, 1));
  scratch.write("t.0.et", text);
  scratch.write("t.1.et", text);
  const auto folder = scratch.path("t.0.et").substr(0, scratch.path("t.0.et").rfind('/'));
  for (const std::string between : {"/", "//", "/.//"}) CHECK(open_trace(folder + between + "t.0.et")->ranks() == 2);
  CHECK(open_trace(folder + "/")->ranks() == 2);
  scratch.write("t.2.et.gz", test::gzip_compressed(text));
  CHECK(error_of_trace(scratch.path("t.0.et")) ==
        scratch.path("t.2.et.gz") + ": found a file that is packed otherwise than that of rank 0, expected " +
            scratch.path("t.2.et"));
  scratch.write("t.2.et", text);
  CHECK(open_trace(scratch.path("t.0.et"))->ranks() == 3);
}

TEST_CASE("What cannot be replayed is counted, and only orders the rest") {
  auto without_size = collective(1, 0, 0, {0});
  without_size.bytes = {};
  const auto trace = read({{computation(0, 3), without_size, collective(2, 0, 40, {1}), computation(3, 0)}});
  CHECK(program(*trace, 0) == std::vector<std::string>{"compute_after amount=3000", "compute_after after=1",
                                                       "allreduce request=4294967294 bytes=40 after=1", "compute_after",
                                                       "join"});
  const auto coverage = recording_of(*trace).coverage.value();
  CHECK(coverage.all.nodes == 4);
  CHECK(coverage.replayed.nodes == 2);
  CHECK(coverage.replayed.bytes == 40);
  CHECK(coverage.left_out ==
        std::map<std::string, std::uint64_t>{{"COMM_COLL without a comm_size", 1},
                                             {"COMP without a duration or a number of operations", 1}});

  // In JSON, dimensions that a collective leaves out are read as well.
  const test::Scratch scratch;
  const auto json = open_trace(
      scratch.write("t.0.json", R"({"workload_graph": [{"Id": 0, "NodeType": 7, "comm_size": 5, "comm_type": 0,
 "involved_dim": [true, false]}, {"Id": 1, "NodeType": 7, "comm_size": 5, "comm_type": 0, "involved_dim": [true]}]})"));
  CHECK(recording_of(*json).coverage.value().left_out ==
        std::map<std::string, std::uint64_t>{
            {"COMM_COLL along some dimensions of a network that the trace does not tell", 1}});

  // A text where a number should stand is none, and not the number before.
  using namespace std::string_literals;
  const auto odd = open_trace(scratch.write("odd.et", header + framed("\x18\x04\x3a\x01x"s)));
  CHECK(recording_of(*odd).coverage.value().replayed.nodes == 0);
}

TEST_CASE("Programs come back as execution traces that move the same") {
  const test::Scratch scratch;
  const std::string spec = GENERATE(
      "cg:class=S,ranks=8,iterations=1", "is:class=S,ranks=4,iterations=1", "lulesh:ranks=8,elements=3,steps=2",
      "llm:model=llama3-8b,layers=4,tensor=2,context=2,data=2,pipeline=2,chunks=2,micro-batches=2",
      "llm:model=mixtral-8x7b,layers=2,tensor=1,data=4,expert=2,pipeline=2,micro-batches=2,gradients=reduce-scatter");
  CAPTURE(spec);
  const auto trace = open_trace(spec);
  core::OutputSet outputs;
  write_chakra(*trace, {}, outputs, scratch.path("t.%d.et.gz"));
  outputs.commit();
  const auto again = open_trace(scratch.path("t.0.et.gz"));
  CHECK(again->ranks() == trace->ranks());
  CHECK(again->collectives() == trace->collectives());
  CHECK(again->computation() == trace->computation());
  CHECK(matrix_csv(communication_matrix(*again, {})) == matrix_csv(communication_matrix(*trace, {})));
  CHECK(summarize(*again).flops == Approx(summarize(*trace).flops).epsilon(1e-12));
}

TEST_CASE("A graph with collectives comes back from our own form as it was") {
  const test::Scratch scratch;
  const auto trace = read({{computation(0, 3), collective(1, 0, 40, {0}), collective(2, 7, 40, {1})}});
  for (const bool binary : {true, false}) {
    core::OutputSet outputs;
    if (binary)
      write_own(*trace, outputs, scratch.path("t"));
    else
      write_own_text(*trace, outputs, scratch.path("t"));
    outputs.commit();
    CHECK(program(*open_trace(scratch.path("t")), 0) == program(*trace, 0));
  }
  core::OutputSet outputs;
  CHECK_THROWS_WITH(write_ti(*trace, outputs, scratch.path("ti")),
                    Catch::Contains("in a graph that no program can say"));
}

TEST_CASE("What is no execution trace is an error that says where") {
  using namespace std::string_literals;
  const auto error = [](const std::string& text) { return error_of_file("t.et", text); };
  CHECK(error("") == " found an empty file, expected an execution trace");
  CHECK(error(header + "\x05") == " node 1: found the end, expected a message of 5 bytes: the file is truncated");
  CHECK(error(header + framed("\x0b")) == " node 1: found wire type 3, expected 0, 1, 2 or 5");
  CHECK(error(header + framed("\x08")) == " node 1: found the end within a field");
  CHECK(error(header + framed("\x08"s + std::string(10, '\xff'))) == " node 1: found a number of more than 64 bits");
  CHECK(error_of_nodes({{computation(4, 1), computation(4, 1)}}) ==
        "t.0.et: node 2: found the id 4 of node 1 again, expected another one");
  CHECK(error_of_nodes({{computation(4, 1, {5})}}) ==
        "t.0.et: node 1: found that it depends on node 5, expected the id of a node of the file");
  CHECK(error_of_nodes({{computation(4, 1, {5}), computation(5, 1, {4})}}) ==
        "t.0.et:1: found a cycle of requirements, expected an order in which operations can begin");
  CHECK(
      error_of_nodes({{{.id = 1, .type = ChakraType::send, .bytes = 5, .target = 8}}}) ==
      "t.0.et: node 1: found rank 8, expected 0 to 0: there are the files of so many ranks; chakra:FILE,ranks=N takes "
      "one file for all of N ranks");
  CHECK(error_of_nodes({{{.id = 1, .type = ChakraType::send, .bytes = 5, .target = ~std::uint64_t{0}}}, {}}) ==
        "t.0.et: node 1: found rank -1, expected 0 to 1: there are the files of so many ranks");
  const auto packed = test::gzip_compressed(header + framed("\x08\x01"));
  const auto cut = error_of_file("cut.et.gz", packed.substr(0, packed.size() - 6));
  CHECK((cut.starts_with(" ") && cut.find("cut.et.gz") == std::string::npos));
  CHECK(error_of_nodes({{{.id = 1, .type = ChakraType::send, .bytes = 5, .source = 1, .target = 0}}, {}}) ==
        "t.0.et: node 1: found a COMM_SEND of rank 1, expected one of rank 0");
  CHECK(error_of_nodes({{computation(1, 1)}, {computation(1, 1)}}, ",ranks=4")
            .ends_with("found the files of 2 ranks; ranks=4 takes one file for all ranks"));
  const test::Scratch scratch;
  scratch.write("t.0.et", header);
  scratch.write("t.2.et", header);
  CHECK(error_of_trace(scratch.path("t.0.et")) ==
        scratch.path("t.1.et") + ": no such file; expected those of ranks 0 to 2");
  CHECK(error_of_trace("chakra:" + scratch.path("u.%d.et")) ==
        scratch.path("u.0.et") + ": no such file; expected that of rank 0");
  CHECK(error_of_file("t.json", R"({"workload_graph": [{"Id": -1}]})") ==
        " node 1: found Id = -1, expected a whole number");
  CHECK(error_of_file("t.json", R"({"workload_graph": [{"Id": 1, "data_deps": 5}]})") ==
        " node 1: found no list in data_deps, expected one of numbers");
}

TEST_CASE("Damaged execution traces are read or refused in one line") {
  core::Random random(3, "chakra");
  const test::Scratch scratch;
  std::vector<std::string> texts;
  for (const std::string spec :
       {"llm:model=llama3-8b,layers=2,tensor=2,data=2,pipeline=1,micro-batches=1", "cg:class=S,ranks=4,iterations=1"}) {
    core::OutputSet outputs;
    write_chakra(*open_trace(spec), {}, outputs, scratch.path("t.%d.et"));
    outputs.commit();
    texts.push_back(test::content(scratch.path("t.1.et")).substr(0, 4000));
  }
  texts.push_back(R"({"workload_graph": [{"Id": 0, "NodeType": 4, "runtime": 3, "is_cpu_op": true},
 {"Id": 3, "NodeType": 7, "data_deps": [0], "comm_size": 5, "comm_type": 6, "pg_name": "4"}]})");
  for (int i = 0; i < test::tenth_if_sanitized(10'000); ++i) {
    const auto which = random.below(texts.size());
    const auto file = scratch.write(which == 2 ? "d.json" : "d.et", test::damaged(texts[which], random));
    test::read_or_be_refused([&] { open_trace("chakra:" + file + ",ranks=4,control=yes"); });
  }
}

}  // namespace toroid::workloads
