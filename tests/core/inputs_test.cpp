#include "core/inputs.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using test::Scratch;

void read_lines(const std::string& path, std::size_t most = ~std::size_t{0}) {
  LineReader lines(path);
  for (std::size_t i = 0; i < most && lines.next(); ++i) {
  }
}

std::string some_text(std::size_t bytes) {
  Random random(bytes, "text");
  std::string text;
  while (text.size() < bytes) text += std::to_string(random.below(1'000'000)) + "\n";
  return text;
}

std::vector<std::string> paths_of(const Inputs& inputs) {
  std::vector<std::string> paths;
  for (const auto& file : inputs.files()) paths.push_back(file.path);
  return paths;
}

TEST_CASE("A file is listed with the hash of its bytes, however much of it was read") {
  const Scratch scratch;
  for (const std::size_t bytes : {0, 10, 131072, 1'000'000}) {
    const auto text = some_text(bytes);
    const auto plain = scratch.write("plain", text), packed = scratch.write("packed", test::zstd_compressed(text));
    for (const std::size_t lines : {std::size_t{0}, std::size_t{1}, ~std::size_t{0}}) {
      CAPTURE(bytes, lines);
      const Inputs inputs;
      for (const auto& path : {plain, packed}) {
        read_lines(path, lines);
        read_lines(path);
        read_lines(path, lines);
      }
      CHECK(inputs.files() == std::vector<Inputs::File>{{plain, sha256_of_text(text)},
                                                        {packed, sha256_of_text(test::zstd_compressed(text))}});
    }
  }
}

TEST_CASE("Files are listed once, in the order of their first reading, on all lists that are kept then") {
  const Scratch scratch;
  const auto a = scratch.write("a", "1"), b = scratch.write("b", "2"), c = scratch.write("c", "3");
  read_lines(a);
  const Inputs all;
  CHECK(Inputs::of_command() == &all);
  CHECK(all.files().empty());
  read_lines(b);
  {
    const Inputs some;
    read_lines(a);
    read_lines(b);
    CHECK(paths_of(some) == std::vector{a, b});
    CHECK(Inputs::of_command() == &all);
  }
  Inputs::enter(c);
  read_lines(a);
  CHECK(paths_of(all) == std::vector{b, a, c});
}

TEST_CASE("Without a list nothing is remembered") {
  const Scratch scratch;
  const auto path = scratch.write("file", "old");
  { const Inputs inputs; }
  CHECK(Inputs::of_command() == nullptr);
  read_lines(path);
  scratch.write("file", "another");
  read_lines(path);
  const Inputs inputs;
  read_lines(path);
  CHECK(inputs.files()[0].sha256 == sha256_of_text("another"));
}

TEST_CASE("A file that changes between two readings, or while it is read, is refused") {
  const Scratch scratch;
  const auto changed = Catch::Contains("found another file than before");
  const auto path = scratch.write("file", some_text(1'000'000));
  {
    const Inputs inputs;
    read_lines(path);
    scratch.write("file", "short");
    CHECK_THAT(test::error_of([&] { read_lines(path); }), changed);
    CHECK(inputs.files()[0].sha256 == sha256_of_text(some_text(1'000'000)));  // as it was read
  }
  {
    scratch.write("file", some_text(1'000'000));
    const Inputs inputs;
    read_lines(path, 0);
    scratch.write("file", some_text(999'000));
    CHECK_THAT(test::error_of([&] { inputs.files(); }), changed);
  }
  const Inputs inputs;
  CHECK_THAT(test::error_of([&] {
               LineReader lines(path);
               lines.next();
               std::ofstream(path, std::ios::app) << "more\n";
               while (lines.next()) {
               }
             }),
             changed);
}

TEST_CASE("A list may end before the reading does") {
  const Scratch scratch;
  const auto path = scratch.write("file", some_text(1'000'000));
  std::optional<Inputs> inputs;
  inputs.emplace();
  LineReader lines(path);
  inputs.reset();
  std::uint64_t bytes = 0;
  while (const auto line = lines.next()) bytes += line->size() + 1;
  CHECK(bytes == std::filesystem::file_size(path));
}

TEST_CASE("What is no file cannot be entered, and need not be there to be kept") {
  const Scratch scratch;
  const Inputs inputs;
  CHECK_THROWS_AS(Inputs::enter(scratch.path("missing")), InputError);
  CHECK_NOTHROW(Inputs::keep(scratch.path("missing")));
  CHECK_NOTHROW(Inputs::keep(scratch.path("")));
  Inputs::keep(scratch.write("kept", "x"));
  CHECK(inputs.files().empty());
}

}  // namespace
}  // namespace toroid::core
