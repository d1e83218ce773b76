// The forms in which a TI trace lies on disk.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

namespace fs = std::filesystem;
using Program = std::vector<std::string>;
using test::Scratch;
using test::zstd_compressed;

const std::string rank_0 = "0 init\n0 send 1 0 5 6\n0 finalize\n";
const std::string rank_1 = "1 init\n1 recv 0 0 5 6\n1 barrier\n1 finalize\n";

void check_both_ranks(const Trace& trace) {
  CHECK(trace.ranks() == 2);
  CHECK(program(trace, 0) == Program{"send to=1 bytes=5"});
  CHECK(program(trace, 1) == Program{"recv bytes=5", "barrier"});
}

TEST_CASE("One file with all ranks, one after the other") {
  const Scratch scratch;
  const auto path = scratch.write("t.ti", rank_0 + rank_1);
  const auto trace = read_ti(path);
  check_both_ranks(*trace);
  CHECK(trace->locate(0, 0) == path + ":2");
  CHECK(trace->locate(1, 1) == path + ":6");
  CHECK(trace->files() == std::vector<std::string>{path});
}

TEST_CASE("One file with the lines of all ranks mixed") {
  const Scratch scratch;
  const auto path =
      scratch.write("t.ti", "1 init\n0 init\n1 recv 0 0 5 6\n0 send 1 0 5 6\n0 finalize\n\n1 barrier\n1 finalize\n");
  const auto trace = read_ti(path);
  check_both_ranks(*trace);
  CHECK(trace->locate(0, 0) == path + ":4");
  CHECK(trace->locate(1, 0) == path + ":3");
  CHECK(trace->locate(1, 1) == path + ":7");
  CHECK(trace->files() == std::vector<std::string>{path});
}

TEST_CASE("One compressed file with all ranks") {
  const Scratch scratch;
  const auto path = scratch.write("t.ti.zst", zstd_compressed(rank_0 + rank_1));
  const auto trace = read_ti(path);
  check_both_ranks(*trace);
  CHECK(trace->locate(1, 1) == path + ":6");
}

TEST_CASE("A top file with the path of one file for all ranks") {
  const Scratch scratch;
  const auto shared = scratch.write("all.ti", rank_0 + rank_1);
  const auto trace = read_ti(scratch.write("top", shared + "\n"));
  check_both_ranks(*trace);
  CHECK(trace->locate(1, 0) == shared + ":5");
}

TEST_CASE("A top file with a file for each rank") {
  const Scratch scratch;
  const auto a = scratch.write("a.ti", rank_0), b = scratch.write("b.ti", rank_1);
  const auto trace = read_ti(scratch.write("top", "# two ranks\n" + a + "\n\n" + b));
  check_both_ranks(*trace);
  CHECK(trace->locate(0, 0) == a + ":2");
  CHECK(trace->locate(1, 1) == b + ":3");
  CHECK(trace->files() == std::vector<std::string>{scratch.path("top"), a, b});
}

TEST_CASE("Compressed and plain rank files may stand side by side") {
  const Scratch scratch;
  const auto a = scratch.write("a.ti.zst", zstd_compressed(rank_0)), b = scratch.write("b.ti", rank_1);
  check_both_ranks(*read_ti(scratch.write("top", a + "\n" + b + "\n")));
  check_both_ranks(*read_ti(scratch.write("top.zst", zstd_compressed(a + "\n" + b + "\n"))));
}

TEST_CASE("Paths in a top file may be relative to it") {
  const Scratch scratch;
  fs::create_directory(scratch.path("files"));
  scratch.write("files/a.ti", rank_0);
  scratch.write("files/b.ti", rank_1);
  check_both_ranks(*read_ti(scratch.write("top", "files/a.ti\nfiles/b.ti\n")));
}

TEST_CASE("Paths in a top file may have blanks") {
  const Scratch scratch;
  scratch.write("rank 0.ti", rank_0);
  scratch.write("rank 1.ti", rank_1);
  check_both_ranks(*read_ti(scratch.write("top", "rank 0.ti\nrank 1.ti\n")));
}

TEST_CASE("A trace argument is a file or a generator") {
  const Scratch scratch;
  check_both_ranks(*open_trace(scratch.write("t.ti", rank_0 + rank_1)));
  CHECK(open_trace("stencil:grid=2x2")->ranks() == 4);
}

TEST_CASE("A trace argument that is neither file nor generator is an error that lists the generators") {
  CHECK(test::error_of([] { open_trace("missing.ti"); }) ==
        "missing.ti: no such file and no such generator" + core::valid_instead("missing.ti", generators().names()) +
            ", or a trace file");
}

TEST_CASE("A folder is no trace") {
  const Scratch scratch;
  CHECK(test::error_of([&] { open_trace(scratch.path("")); }).find("is a directory") != std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads
