#include "core/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "core/inputs.hpp"
#include "core/isolate.hpp"
#include "core/process.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::Scratch;

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Lines that a compressor cannot make much of.
std::string numbers(int count) {
  Random random(1, "numbers");
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(random.below(1'000'000)) + "\n";
  return text;
}

std::string lines_in(const std::string& path) {
  LineReader reader(path);
  std::string text;
  while (const auto line = reader.next()) text += std::string(*line) + "\n";
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string add_error(const std::string& path) {
  return test::error_of([&] { OutputSet().add(path); });
}

TEST_CASE("a committed file holds what was written") {
  const Scratch scratch;
  OutputSet outputs;
  auto& file = outputs.add(scratch.path("file"));
  file.write("one\n");
  file.write("two");
  outputs.commit();
  CHECK(content(scratch.path("file")) == "one\ntwo");
  CHECK(files_in(scratch.path("")) == 1);
  write_text(scratch.path("text"), "one\ntwo\n");
  CHECK(content(scratch.path("text")) == "one\ntwo\n");
}

TEST_CASE("a large file is written whole, plain and compressed") {
  const Scratch scratch;
  const auto text = numbers(100'000);
  for (const std::string name : {"file.txt", "file.zst", "file.gz"}) {
    OutputSet outputs;
    auto& file = outputs.add(scratch.path(name));
    for (std::size_t at = 0; at < text.size(); at += 1000) file.write(std::string_view(text).substr(at, 1000));
    outputs.commit();
    CHECK(lines_in(scratch.path(name)) == text);
  }
  CHECK(fs::file_size(scratch.path("file.txt")) == text.size());
  for (const std::string name : {"file.zst", "file.gz"}) CHECK(fs::file_size(scratch.path(name)) < text.size() / 2);
  // By another implementation; and each time the same bytes.
  CHECK(std::system(("gunzip -c " + scratch.path("file.gz") + " | cmp - " + scratch.path("file.txt")).c_str()) == 0);
  write_text(scratch.path("again.gz"), content(scratch.path("file.txt")));
  CHECK(content(scratch.path("again.gz")) == content(scratch.path("file.gz")));
  write_text(scratch.path("empty.gz"), "");
  CHECK(std::system(("gunzip -c " + scratch.path("empty.gz") + " | cmp - /dev/null").c_str()) == 0);
}

TEST_CASE("a compression that is not written is refused by the name of the file") {
  const Scratch scratch;
  for (const std::string name : {"a.xz", "a.bz2"}) {
    OutputSet outputs;
    CHECK_THROWS_WITH(outputs.add(scratch.path(name)), Catch::Contains("expected a name that ends in .zst or .gz"));
  }
  CHECK(files_in(scratch.path("")) == 0);
}

TEST_CASE("without commit old files stay and nothing is left behind") {
  const Scratch scratch;
  const auto old = scratch.write("old", "old");
  {
    OutputSet outputs;
    outputs.add(old).write(numbers(50'000));
    outputs.add(scratch.path("new")).write(numbers(50'000));
    CHECK(content(old) == "old");
    CHECK(files_in(scratch.path("")) == 3);
  }
  CHECK(content(old) == "old");
  CHECK(files_in(scratch.path("")) == 1);
}

TEST_CASE("an output that is not written yet leaves nothing, whatever happens") {
  const Scratch scratch;
  OutputSet outputs;
  outputs.add(scratch.path("file"));
  CHECK(files_in(scratch.path("")) == 0);
  outputs.commit();
  CHECK(content(scratch.path("file")).empty());
}

TEST_CASE("when one file of a set cannot come to its place, the others are as before") {
  const Scratch scratch;
  const auto old = scratch.write("old", "old"), fresh = scratch.path("fresh"), lost = scratch.path("lost");
  OutputSet outputs;
  for (const auto& path : {old, fresh, lost}) outputs.add(path).write("new");
  fs::create_directory(lost);  // somebody takes its place
  CHECK_THAT(test::error_of([&] { outputs.commit(); }), Catch::StartsWith(lost + ": cannot be written: "));
  CHECK(content(old) == "old");
  CHECK_FALSE(fs::exists(fresh));
  CHECK(files_in(scratch.path("")) == 2);
}

TEST_CASE("when one output of a set has no room, no file appears") {
  const Scratch scratch;
  const auto old = scratch.write("old", "old");
  OutputSet outputs;
  outputs.add(old).write("new");
  outputs.add("/dev/full").write("lost");
  CHECK_THAT(test::error_of([&] { outputs.commit(); }), Catch::Contains("/dev/full: cannot be written: No space"));
  CHECK(content(old) == "old");
}

TEST_CASE("a file that grows too large is an error that leaves the old one") {
  const Scratch scratch;
  const auto old = scratch.write("old", "old");
  const auto said = run_isolated([&](std::uint64_t&) {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    return test::error_of([&] { write_text(old, numbers(1000)); });
  });
  CHECK_THAT(said, Catch::Contains("old: cannot be written: File too large"));
  CHECK(content(old) == "old");
  CHECK(files_in(scratch.path("")) == 1);
}

TEST_CASE("a file keeps its rights when it is replaced") {
  const Scratch scratch;
  const auto path = scratch.write("file", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_text(path, "new");
  CHECK(content(path) == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a file that is read-only is not replaced") {
  const Scratch scratch;
  const auto path = scratch.write("file", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read);
  CHECK(add_error(path) == path + ": cannot be written: Permission denied");
  CHECK(content(path) == "old");
}

TEST_CASE("what cannot be written is refused at once") {
  const Scratch scratch;
  CHECK(add_error(scratch.path("no/file")) ==
        scratch.path("no/file") + ": cannot be written: No such file or directory");
  fs::create_directory(scratch.path("folder"));
  CHECK_THAT(add_error(scratch.path("folder")), Catch::Contains("Is a directory"));
  CHECK_THAT(add_error(scratch.path("folder/")), Catch::Contains("Is a directory"));
  CHECK_THAT(add_error(scratch.path(std::string(300, 'x'))), Catch::Contains("File name too long"));
  CHECK_THAT(add_error("/dev/fd/999"), Catch::Contains("Bad file descriptor"));
  fs::create_symlink("loop", scratch.path("loop"));
  CHECK_THAT(add_error(scratch.path("loop")), Catch::Contains("symbolic links"));
  CHECK(files_in(scratch.path("")) == 2);
  if (::geteuid() == 0) return;  // root may
  fs::permissions(scratch.path("folder"), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THAT(add_error(scratch.path("folder/file")), Catch::Contains("Permission"));
}

TEST_CASE("a name may be as long as the file system allows") {
  const Scratch scratch;
  const auto path = scratch.path(std::string(255, 'x'));
  write_text(path, "text");
  CHECK(content(path) == "text");
}

TEST_CASE("a file that is called like a temporary one is left alone") {
  const Scratch scratch;
  const auto other = scratch.write("file.partial." + std::to_string(::getpid()), "mine");
  write_text(scratch.path("file"), "text");
  CHECK(content(scratch.path("file")) == "text");
  CHECK(content(other) == "mine");
  CHECK(files_in(scratch.path("")) == 2);
}

TEST_CASE("a symbolic link is followed, also to a file that is not there yet") {
  const Scratch scratch;
  fs::create_directory(scratch.path("folder"));
  fs::create_symlink("folder/file", scratch.path("link"));
  fs::create_symlink(scratch.path("link"), scratch.path("link2"));
  for (const std::string text : {"one", "two"}) {
    write_text(scratch.path("link2"), text);
    CHECK(content(scratch.path("folder/file")) == text);
    CHECK(fs::is_symlink(scratch.path("link")));
    CHECK(fs::is_symlink(scratch.path("link2")));
  }
}

TEST_CASE("two outputs may not be one file, however it is spelled") {
  const Scratch scratch;
  const auto there = scratch.write("there", "");
  fs::create_symlink("there", scratch.path("link"));
  fs::create_hard_link(there, scratch.path("twin"));
  fs::create_symlink("new", scratch.path("dangling"));
  fs::create_directory(scratch.path("folder"));
  const std::vector<std::pair<std::string, std::string>> same{
      {"there", "there"}, {"there", "./there"}, {"there", "folder/../there"}, {"there", "link"},  {"there", "twin"},
      {"new", "new"},     {"new", "./new"},     {"new", "folder/../new"},     {"new", "dangling"}};
  for (const auto& [a, b] : same) {
    CAPTURE(a, b);
    OutputSet outputs;
    outputs.add(scratch.path(a));
    CHECK_THAT(test::error_of([&] { outputs.add(scratch.path(b)); }),
               Catch::Contains(a == b ? "is given for two outputs" : "are the same file"));
    OutputSet claimed;
    claimed.claim(scratch.path(b));
    CHECK_THROWS_AS(claimed.add(scratch.path(a)), InputError);
  }
  OutputSet outputs;
  outputs.add(scratch.path("new"));
  outputs.add(scratch.path("folder/new"));
  outputs.add("/dev/null");
  outputs.add("/dev/null");
  outputs.commit();
  CHECK(fs::exists(scratch.path("folder/new")));
}

TEST_CASE("an output that another process replaces is not taken for the file that gets its number") {
  const Scratch scratch;
  for (int round = 0; round < 50; ++round) {
    OutputSet outputs;
    fs::remove(scratch.path("b"));
    outputs.add(scratch.write("a", ""));
    fs::remove(scratch.path("a"));  // its number is free now, unless the set holds the file
    scratch.write("b", "");
    outputs.add(scratch.path("b"));
    const Inputs inputs;
    Inputs::enter(scratch.write("c" + std::to_string(round), ""));
  }
}

TEST_CASE("no output may be a file that is read") {
  const Scratch scratch;
  const auto input = scratch.write("input", "");
  fs::create_symlink("input", scratch.path("link"));
  for (const std::string name : {"input", "./input", "link"}) {
    const Inputs inputs;
    OutputSet first, last;
    Inputs::enter(input);
    CHECK_THAT(test::error_of([&] { first.add(scratch.path(name)); }), Catch::Contains("is an input"));
  }
  for (const std::string name : {"input", "./input", "link"}) {
    const Inputs inputs;
    OutputSet set;
    set.add(scratch.path(name));
    CHECK_THAT(test::error_of([&] { Inputs::enter(input); }), Catch::Contains("is an input"));
    CHECK_THAT(test::error_of([&] { Inputs::keep(input); }), Catch::Contains("is an input"));
  }
}

TEST_CASE("what a process that was killed left goes when its output is written again") {
  const Scratch scratch;
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const auto dead = ".partial." + std::to_string(ended), alive = ".partial." + std::to_string(::getppid());
  const std::string long_name(250, 'x');
  const std::vector<std::string> gone{"out" + dead, "out" + dead + ".3", std::string(200, 'x') + dead};
  const std::vector<std::string> stays{"out" + alive,       "out.partial.",   "out.partial.x",
                                       "out" + dead + ".x", "other" + dead,   "out" + dead + "~",
                                       "out.partial.0",     "out.partial.-1", "out" + dead + ".1"};
  for (const auto& names : {gone, stays})
    for (const auto& name : names) scratch.write(name, "left");
  // Somebody still writes into it, on another machine.
  const int in_use = ::open(scratch.path(stays.back()).c_str(), O_WRONLY);
  REQUIRE(::flock(in_use, LOCK_EX) == 0);
  {
    OutputSet outputs;
    outputs.add(scratch.path("out")).write("new");
    outputs.add(scratch.path(long_name)).write("new");
    outputs.commit();
  }
  ::close(in_use);
  for (const auto& name : gone) CHECK_FALSE(fs::exists(scratch.path(name)));
  for (const auto& name : stays) CHECK(fs::exists(scratch.path(name)));
  CHECK(content(scratch.path("out")) == "new");
}

/// Makes what a library would make in the folder.
void fill(const OutputFolder& folder) {
  write_file(folder.place() + "/top", "text");
  fs::create_directories(folder.place() + "/inside/deeper");
  write_file(folder.place() + "/inside/deeper/file", "more");
}

TEST_CASE("a folder appears with all that is in it, and only with the files of its set") {
  const Scratch scratch;
  {
    OutputSet outputs;
    auto& folder = outputs.add_folder(scratch.path("out/"));
    CHECK(files_in(scratch.path("")) == 0);  // a long run leaves nothing until it writes
    outputs.add(scratch.path("file")).write("text");
    folder.create();
    fill(folder);
    CHECK_FALSE(fs::exists(scratch.path("out")));
    outputs.commit();
  }
  CHECK(content(scratch.path("out/top")) == "text");
  CHECK(content(scratch.path("out/inside/deeper/file")) == "more");
  CHECK(files_in(scratch.path("")) == 2);
  // Somebody else makes what the last output of the set was to be: nothing appears.
  for (const bool folder_first : {true, false}) {
    const Scratch other;
    OutputSet outputs;
    const auto add_folder = [&] {
      auto& folder = outputs.add_folder(other.path("out"));
      folder.create();
      fill(folder);
    };
    if (folder_first) add_folder();
    outputs.add(other.path("file")).write("text");
    if (!folder_first) add_folder();
    fs::create_directory(other.path(folder_first ? "file" : "out"));
    CHECK_THROWS_AS(outputs.commit(), InputError);
    CHECK(files_in(other.path("")) == 1);
  }
  // Nor where the work fails.
  {
    OutputSet outputs;
    auto& folder = outputs.add_folder(scratch.path("other"));
    folder.create();
    fill(folder);
  }
  CHECK(files_in(scratch.path("")) == 2);
}

TEST_CASE("a folder must be new, and one that can be made") {
  const Scratch scratch;
  scratch.write("file", "");
  fs::create_directory(scratch.path("folder"));
  fs::create_symlink("nowhere", scratch.path("link"));
  const auto error = [&](const std::string& path) { return test::error_of([&] { OutputSet().add_folder(path); }); };
  for (const std::string name : {"file", "folder", "folder/", "link"})
    CHECK_THAT(error(scratch.path(name)), Catch::Contains("is there already; expected the name of a new folder"));
  CHECK(error("-") == "-: found a stream, expected the name of a new folder");
  CHECK(error(scratch.path("none/out")) == scratch.path("none/out") + ": cannot be written: No such file or directory");
  CHECK_THAT(error("/proc/self/out"), Catch::Contains("cannot be written"));
  OutputSet outputs;
  outputs.add_folder(scratch.path("out"));
  CHECK_THAT(test::error_of([&] { outputs.add(scratch.path("out")); }), Catch::Contains("is given for two"));
  CHECK_THAT(test::error_of([&] { outputs.add_folder(scratch.path("out/")); }), Catch::Contains("is given for two"));
  CHECK(files_in(scratch.path("")) == 3);
}

TEST_CASE("two processes build folders of one name beside each other, and a signal takes away what its process built") {
  const Scratch scratch;
  OutputSet mine;
  auto& folder = mine.add_folder(scratch.path("out"));
  folder.create();
  fill(folder);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);  // the test's own handler stays away
      prepare_process();
      OutputSet outputs;
      auto& of_child = outputs.add_folder(scratch.path("out"));
      of_child.create();
      fill(of_child);
      for (int i = 0; i < 300; ++i) write_file(of_child.place() + "/a longer name " + std::to_string(i), "");
      if (files_in(scratch.path("")) == 2) std::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
    CHECK(files_in(scratch.path("")) == 1);
  }
  mine.commit();
  CHECK(content(scratch.path("out/inside/deeper/file")) == "more");
}

TEST_CASE("what a process that was killed left of a folder goes when its folder is written again") {
  const Scratch scratch;
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const auto left = scratch.path("out.partial." + std::to_string(ended)), in_use = left + ".1";
  for (const auto& path : {left, in_use}) {
    fs::create_directories(path + "/inside");
    write_file(path + "/inside/file", "left");
  }
  const int lock = ::open(in_use.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  OutputSet().add(scratch.path("out"));  // a file is no folder
  CHECK(fs::exists(left));
  OutputSet().add_folder(scratch.path("out"));
  ::close(lock);
  CHECK_FALSE(fs::exists(left));
  CHECK(content(in_use + "/inside/file") == "left");
}

TEST_CASE("a file under construction is locked") {
  const Scratch scratch;
  OutputSet outputs;
  outputs.add(scratch.path("out")).write(numbers(100'000));
  for (const auto& entry : fs::directory_iterator(scratch.path(""))) {
    const int descriptor = ::open(entry.path().c_str(), O_RDONLY);
    CHECK(::flock(descriptor, LOCK_EX | LOCK_NB) != 0);
    ::close(descriptor);
  }
  CHECK(files_in(scratch.path("")) == 1);
}

TEST_CASE("a pipe is opened once and written as it is") {
  const Scratch scratch;
  const auto path = scratch.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  std::array<char, 100> got{};
  {
    OutputSet outputs;
    auto& file = outputs.add(path);
    file.write("text");
    CHECK(::read(reader, got.data(), got.size()) < 0);  // not yet, but there is a writer
    outputs.commit();
  }
  CHECK(::read(reader, got.data(), got.size()) == 4);
  CHECK(::read(reader, got.data(), got.size()) == 0);
  CHECK(fs::is_fifo(path));
  ::close(reader);
}

TEST_CASE("an open descriptor can be named") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    write_text(folder + std::to_string(ends[1]), "text");
    std::array<char, 100> got{};
    CHECK(::read(ends[0], got.data(), got.size()) == 4);
  }
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace toroid::core
