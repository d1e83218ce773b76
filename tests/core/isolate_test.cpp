#include "core/isolate.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using test::message_of;

std::string run(const std::function<std::string()>& work) {
  return run_isolated([&](std::uint64_t&) { return work(); });
}

std::string death_of(const std::function<std::string()>& work) {
  return message_of<SimulationError>([&] { run(work); });
}

TEST_CASE("What isolated work returns comes back") {
  CHECK(run([] { return "a value\nwith \"lines\""; }) == "a value\nwith \"lines\"");
  CHECK(run([] { return ""; }).empty());
}

TEST_CASE("A long result comes back whole") {
  CHECK(run([] { return std::string(3'000'000, 'x'); }) == std::string(3'000'000, 'x'));
}

TEST_CASE("Isolated work changes nothing here") {
  int value = 1;
  const auto seen = run([&] {
    value = 2;
    return std::to_string(value);
  });
  CHECK(seen == "2");
  CHECK(value == 1);
}

TEST_CASE("The errors of isolated work are thrown here with their kind") {
  CHECK(test::error_of([] { run([]() -> std::string { throw InputError("bad file"); }); }) == "bad file");
  CHECK(message_of<SimulationError>([] { run([]() -> std::string { throw SimulationError("deadlock"); }); }) ==
        "deadlock");
}

TEST_CASE("Any other exception of isolated work is an internal error") {
  CHECK(death_of([]() -> std::string { throw std::logic_error("oops"); }) == "internal error: oops");
}

TEST_CASE("A crash of isolated work is an error with its signal and its first line") {
  const auto message = death_of([]() -> std::string {
    std::signal(SIGABRT, SIG_DFL);  // not Catch's handler
    std::fputs("\n first words \nmore\n", stderr);
    std::abort();
  });
  CHECK(message == "the simulation worker died (signal 6): first words");
}

TEST_CASE("Isolated work that says nothing before it dies is an error too") {
  const auto message = death_of([]() -> std::string {
    std::raise(SIGKILL);
    return "";
  });
  CHECK(message == "the simulation worker died (signal 9)");
}

TEST_CASE("Isolated work that exits without a result is an error") {
  CHECK(death_of([]() -> std::string { ::_exit(3); }) == "the simulation worker died (exit code 3)");
  CHECK(death_of([]() -> std::string { ::_exit(0); }) == "the simulation worker died (exit code 0)");
}

TEST_CASE("Want of memory has a line of its own") {
  CHECK(death_of([]() -> std::string { throw std::bad_alloc(); }) == out_of_memory);
  // Nothing is undone, whose undoing might want memory.
  struct Undone {
    ~Undone() { std::raise(SIGKILL); }
  };
  CHECK(death_of([]() -> std::string {
          const Undone undone;
          std::get_new_handler()();
          return "";
        }) == out_of_memory);
}

TEST_CASE("What isolated work printed is shown without what controls a terminal") {
  const auto message = death_of([]() -> std::string {
    std::fputs(("\x1b[31m" + std::string(100'000, 'x')).c_str(), stderr);
    std::fflush(stderr);
    ::_exit(3);
  });
  CHECK_THAT(message, Catch::Contains("\\x1b[31mxxx"));
  CHECK(message.size() < 1000);
}

TEST_CASE("Isolated work has no file open but its own") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto open = run([] {
    std::string all;
    for (int descriptor = 0; descriptor < 100; ++descriptor)
      if (::fcntl(descriptor, F_GETFD) >= 0) all += std::to_string(descriptor) + " ";
    return all;
  });
  CHECK(open == "0 1 2 3 ");
  for (const int end : ends) ::close(end);
}

#ifndef __SANITIZE_ADDRESS__  // the sanitizers need to open files themselves
TEST_CASE("Where there is no room for a worker, that is what is said") {
  const auto said = run([] {
    const rlimit none{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &none);
    return message_of<CannotStart>([] { run([] { return "started"; }); });
  });
  CHECK_THAT(said, Catch::StartsWith("cannot start a worker: ") && Catch::Contains("Too many open files"));
}
#endif

TEST_CASE("Isolated work may count its progress") {
  Progress bar("working", 3);
  const auto result = run_isolated(
      [](std::uint64_t& progress) {
        while (progress < 3) ++progress;
        return std::to_string(progress);
      },
      &bar);
  CHECK(result == "3");
}

TEST_CASE("Isolated work can be run again and again") {
  for (int i = 0; i < 20; ++i) REQUIRE(run([&] { return std::to_string(i); }) == std::to_string(i));
}

}  // namespace
}  // namespace toroid::core
