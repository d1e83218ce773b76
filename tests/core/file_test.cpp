#include "core/file.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <utility>

#include "core/inputs.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/support/variable.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using test::gzip_compressed;
using test::Scratch;
using test::zstd_compressed;

Lines lines_of(const std::string& path) {
  LineReader reader(path);
  Lines lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

Lines lines_of_text(const std::string& text) {
  const Scratch scratch;
  return lines_of(scratch.write("file", text));
}

std::string read_error(const std::string& path) {
  return test::error_of([&] { lines_of(path); });
}

/// A text of about `size` bytes that does not compress well, in lines of all lengths.
std::string random_text(std::size_t size) {
  Random random(1, "text");
  std::string text;
  while (text.size() < size)
    text += random.below(60) == 0 ? '\n' : static_cast<char>('!' + static_cast<char>(random.below(90)));
  return text + '\n';
}

Lines expected_lines(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("A plain file is read line by line") {
  CHECK(lines_of_text("one\n\n two \nthree\n") == Lines{"one", "", " two ", "three"});
}

TEST_CASE("An empty file has no lines") {
  CHECK(lines_of_text("").empty());
  CHECK(lines_of_text(zstd_compressed("")).empty());
}

TEST_CASE("The last line needs no line end") {
  CHECK(lines_of_text("one\ntwo") == Lines{"one", "two"});
  CHECK(lines_of_text(zstd_compressed("one\ntwo")) == Lines{"one", "two"});
  CHECK(lines_of_text("x") == Lines{"x"});
}

TEST_CASE("Line ends of Windows are line ends") {
  CHECK(lines_of_text("one\r\n\r\ntwo\r") == Lines{"one", "", "two"});
}

TEST_CASE("Only one carriage return belongs to the line end") {
  CHECK(lines_of_text("a\rb\r\r\n") == Lines{"a\rb\r"});
}

TEST_CASE("Lines are counted from 1") {
  const Scratch scratch;
  LineReader reader(scratch.write("file", "a\n\nb"));
  CHECK(reader.line() == 0);
  reader.next();
  CHECK(reader.line() == 1);
  reader.next();
  reader.next();
  CHECK(reader.line() == 3);
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.next());
  CHECK(reader.line() == 3);
}

TEST_CASE("A compressed file is recognised by its content, not its name") {
  const Scratch scratch;
  CHECK(lines_of(scratch.write("file.txt", zstd_compressed("one\ntwo\n"))) == Lines{"one", "two"});
  CHECK(lines_of(scratch.write("file.zst", "one\ntwo\n")) == Lines{"one", "two"});
}

TEST_CASE("A large file is read whole, plain and compressed") {
  const auto text = random_text(700'000);
  CHECK(lines_of_text(text) == expected_lines(text));
  CHECK(lines_of_text(zstd_compressed(text)) == expected_lines(text));
}

TEST_CASE("The frames of a compressed file are read one after the other") {
  CHECK(lines_of_text(zstd_compressed("one\ntw") + zstd_compressed("") + zstd_compressed("o\nthree\n")) ==
        Lines{"one", "two", "three"});
}

TEST_CASE("A compressed file may start with a skippable frame, as pzstd writes it") {
  const std::string skippable("\x50\x2a\x4d\x18\x04\x00\x00\x00\x01\x02\x03\x04", 12);
  CHECK(lines_of_text(skippable + zstd_compressed("one\n")) == Lines{"one"});
}

TEST_CASE("A line may be longer than every buffer") {
  for (const std::size_t length : {131'071U, 131'072U, 131'073U, 500'000U}) {
    const std::string line(length, 'x');
    CAPTURE(length);
    CHECK(lines_of_text("a\n" + line + "\nb\n") == Lines{"a", line, "b"});
    CHECK(lines_of_text(zstd_compressed(line + "\nb")) == Lines{line, "b"});
    CHECK(lines_of_text(line) == Lines{line});
  }
}

TEST_CASE("A line end may be cut in two by the end of a buffer") {
  for (std::size_t length = 131'068; length < 131'076; ++length) {
    const std::string line(length, 'x');
    CAPTURE(length);
    for (const std::string end : {"\n", "\r\n"}) {
      CHECK(lines_of_text(line + end + "b" + end) == Lines{line, "b"});
      CHECK(lines_of_text(line + end + end + "b") == Lines{line, "", "b"});
    }
  }
}

TEST_CASE("A compressed file that ends early is an error that says so, wherever it was cut") {
  const Scratch scratch;
  const auto whole = zstd_compressed(random_text(300'000));
  for (const std::size_t size : {std::size_t{4}, std::size_t{5}, std::size_t{9}, std::size_t{100}, whole.size() / 2,
                                 std::size_t{131'072}, whole.size() - 2, whole.size() - 1}) {
    CAPTURE(size);
    const auto path = scratch.write("cut.zst", whole.substr(0, size));
    const auto error = read_error(path);
    CHECK(error.starts_with(path + ": "));
    CHECK(error.find("truncated") != std::string::npos);
  }
}

TEST_CASE("A second frame that ends early is an error too") {
  const Scratch scratch;
  const auto second = zstd_compressed(random_text(5'000));
  for (const std::size_t size : {std::size_t{2}, std::size_t{4}, std::size_t{20}, second.size() - 1}) {
    CAPTURE(size);
    CHECK_FALSE(read_error(scratch.write("cut.zst", zstd_compressed("one\n") + second.substr(0, size))).empty());
  }
}

TEST_CASE("Damaged compressed data is an error with the path") {
  const Scratch scratch;
  auto data = zstd_compressed(random_text(50'000));
  data[6] = static_cast<char>(~data[6]);
  const auto path = scratch.write("damaged.zst", data);
  CHECK(read_error(path).starts_with(path + ": damaged zstd data: "));
}

TEST_CASE("Text behind compressed data is an error, not a line") {
  const Scratch scratch;
  CHECK(read_error(scratch.write("file", zstd_compressed("one\n") + "two and three\n")).find("damaged") !=
        std::string::npos);
}

TEST_CASE("gzip is read as zstd is: whole, member by member, lines of any length") {
  CHECK(lines_of_text(gzip_compressed("")).empty());
  CHECK(lines_of_text(gzip_compressed("one\ntwo")) == Lines{"one", "two"});
  CHECK(lines_of_text(gzip_compressed("one\ntw") + gzip_compressed("") + gzip_compressed("o\nthree\n")) ==
        Lines{"one", "two", "three"});
  const auto text = random_text(700'000);
  CHECK(lines_of_text(gzip_compressed(text)) == expected_lines(text));
  const std::string line(500'000, 'x');  // a few bytes that become many
  CHECK(lines_of_text(gzip_compressed("a\n" + line + "\nb")) == Lines{"a", line, "b"});
  std::string members;
  Lines expected;
  for (int i = 0; i < 20'000; ++i) {  // more than a buffer of them, cut anywhere by its end
    expected.push_back(fmt::format("member {}", i));
    members += gzip_compressed(expected.back() + "\n");
  }
  CHECK(lines_of_text(members) == expected);
  // By hand (RFC 1952): the header, a block that is stored as it is, the check sum of "hi\n" and its length.
  const std::string stored("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x03\0\xfc\xffhi\nzzo\xed\x03\0\0\0", 26);
  CHECK(lines_of_text(stored) == Lines{"hi"});
}

TEST_CASE("gzip that is cut, damaged or followed by something else is an error of one line") {
  const Scratch scratch;
  const auto whole = gzip_compressed(random_text(300'000));
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}, std::size_t{10}, std::size_t{100}, whole.size() / 2,
                                 std::size_t{131'072}, whole.size() - 8, whole.size() - 1}) {
    CAPTURE(size);
    const auto path = scratch.write("cut.gz", whole.substr(0, size));
    CHECK(read_error(path) == path + ": the gzip data ends before it is complete: the file is truncated");
    CHECK_FALSE(read_error(scratch.write("cut.gz", whole + whole.substr(0, size))).empty());
  }
  Random random(3, "gzip");
  for (int i = 0; i < 200; ++i) {  // whatever is changed, the check sum tells, but for a few bytes of the header
    auto damaged = whole;
    const auto at = 10 + random.below(whole.size() - 10);
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1U << random.below(8)));
    const auto error = read_error(scratch.write("damaged.gz", damaged));
    CHECK(error.find("gzip data") != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
  CHECK(read_error(scratch.write("more.gz", gzip_compressed("one\n") + "two and three\n")).find("damaged gzip data") !=
        std::string::npos);
  const test::Variable limit("TOROID_UNPACK_LIMIT", "100kB");
  CHECK(read_error(scratch.write("many", gzip_compressed(std::string(1'000'000, '\n')))).find("unpacks to more") !=
        std::string::npos);
}

TEST_CASE("Files of other programs are named, with what to do") {
  const auto tar = std::string(257, 'a') + "ustar" + std::string(250, '\0');
  const std::map<std::string, std::pair<std::string, std::string>> files{
      {"dumpi-2026.bin",
       {std::string("\xff\xaa\xdd"
                    "DUMPI\0\1",
                    10),
        "a binary trace of DUMPI, expected its text: 'dumpi2ascii "}},
      {"d.meta",
       {"hostname=n\nnumprocs=8\nfileprefix=dumpi-2026\n", "a .meta file of DUMPI, expected a list of the texts"}},
      {"schedule.bin", {std::string("\4\0\0\0\1", 5), "a binary file, expected text"}},
      {"run.prv", {"#Paraver (28/11/26 at 10:00):1000_ns:1(4):1:4\n", "a trace of Paraver, expected a recording"}},
      {"run.slog2", {std::string("\0\nSLOG 2.0.6", 12), "a SLOG-2 trace"}},
      {"run.clog2", {"CLOG-02.44 is_MPI", "a CLOG trace"}},
      {"events.0.edf",
       {"41 dynamic_trace_events\n# FunctionId\n", "an event file of TAU, expected OTF2: TAU_TRACE_FORMAT=otf2"}},
      {"profile.0.0.0", {"12 templated_functions_MULTI_TIME\n", "a profile of TAU"}},
      {"experiment.xml",
       {"<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.2\">", "a database of HPCToolkit"}},
      {"a.otf", {"1:1\n2:2\n", "a trace of OTF, version 1"}},
      {"a.pcap", {std::string("\xd4\xc3\xb2\xa1\2\0", 6), "captured packets"}},
      {"a.h5", {"\x89HDF\r\n\x1a\n", "an HDF5 file, expected a table as text"}},
      {"a.zip", {"PK\3\4", "a ZIP archive"}},
      {"a.tar", {tar, "a tar archive"}},
      {"a.tar.gz", {test::gzip_compressed(tar), "a tar archive"}},
      {"p.cubex", {tar, "a profile of Cube"}},
      {"a.out",
       {"\x7f"
        "ELF\2\1",
        "a program or library, expected a file of data: toroid capture"}},
      {"a.sqlite", {std::string("SQLite format 3\0", 16), "a database of SQLite"}},
      {"a.parquet", {"PAR1\x15\x04", "a Parquet file"}},
      {"a.trace", {"#This file was generated\n%EventDef PajeDefineContainerType 0\n", "a trace of Paje"}},
      {"kineto.json", {"{\"schemaVersion\": 1,\n\"traceEvents\": [", "a trace of the Chrome kind"}},
      {"topology.conf", {"# tree\nSwitchName=s0 Nodes=n[0-3]\n", "Slurm's topology.conf"}},
      {"torus", {"topology = torus;\nk = 8;\nrouting_function = dim_order;\n", "a configuration of BookSim"}},
      {"hwloc.xml", {"<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n", "what hwloc knows"}},
      {"queue", {"             JOBID PARTITION     NAME     USER ST\n", "what squeue shows"}},
      {"lsb.acct", {"\"JOB_FINISH\" \"10.1\" 1700000000\n", "a log of LSF"}}};
  const test::Scratch scratch;
  for (const auto& [name, file] : files) {
    CAPTURE(name);
    const auto path = scratch.write(name, file.first);
    CHECK_THAT(read_error(path), Catch::StartsWith(path + ": found " + file.second));
  }
  for (const auto& text :
       {std::string("toroid trace 4\nranks 1\n\0", 24), std::string("0 compute 1\n"), std::string("#Paraver\n")})
    CHECK(read_error(scratch.write("a.bin", text)).empty());
}

TEST_CASE("xz and bzip2 are named, with what unpacks them") {
  const Scratch scratch;
  const auto xz = scratch.write("a.xz", std::string("\xfd"
                                                    "7zXZ\0\0\x04\xe6\xd6\xb4\x46",
                                                    12));
  CHECK(read_error(xz) ==
        fmt::format("{0}: found data of xz, expected a plain file, gzip or zstd: 'xz -dk {0}' unpacks it", xz));
  const auto bzip2 = scratch.write("a.bz2", std::string("BZh91AY&SY\x52\x1e\x30\x6b", 14));
  CHECK(
      read_error(bzip2) ==
      fmt::format("{0}: found data of bzip2, expected a plain file, gzip or zstd: 'bzip2 -dk {0}' unpacks it", bzip2));
  CHECK(lines_of_text("BZh is a word\n") == Lines{"BZh is a word"});
}

TEST_CASE("A missing file, a folder and a file in place of a folder are errors with the path") {
  const Scratch scratch;
  const auto missing = scratch.path("missing");
  CHECK(read_error(missing) == missing + ": No such file or directory; expected a readable file");
  CHECK(read_error(scratch.path("")).find("is a directory; expected a file") != std::string::npos);
  CHECK(read_error(scratch.write("file", "") + "/below").find("Not a directory") != std::string::npos);
}

TEST_CASE("Small files do not become large texts or lines unless that is asked for") {
  const Scratch scratch;
  const std::string many_lines = std::string(1'000'000, '\n');
  const auto packed = scratch.write("packed", zstd_compressed(many_lines));
  CHECK(lines_of(packed).size() == 1'000'000);
  {
    const test::Variable limit("TOROID_UNPACK_LIMIT", "100kB");
    CHECK(read_error(packed) ==
          packed + ": unpacks to more than 100000 bytes; a higher TOROID_UNPACK_LIMIT accepts more");
    CHECK(lines_of(scratch.write("plain", many_lines)).size() == 1'000'000);
  }
  const auto one_line = scratch.write("line", "first\n" + std::string(1'000'000, 'x'));
  CHECK(lines_of(one_line).size() == 2);
  const test::Variable limit("TOROID_LINE_LIMIT", "100kB");
  CHECK(read_error(one_line) ==
        one_line + ":2: the line is longer than 100000 bytes; a higher TOROID_LINE_LIMIT accepts it");
}

TEST_CASE("SHA-256 of known texts") {
  const Scratch scratch;
  CHECK(sha256_of_file(scratch.write("abc", "abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of_file(scratch.write("empty", "")) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_file(scratch.write("long", std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("The hash of a file that is not there is an error") {
  const Scratch scratch;
  CHECK_THROWS_AS(sha256_of_file(scratch.path("missing")), InputError);
  CHECK_THROWS_AS(sha256_of_file(scratch.path("")), InputError);
}

}  // namespace
}  // namespace toroid::core
