#include "core/interrupt.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

namespace toroid::core {
namespace {

/// How a child process ends that does this.
template <class Action>
int end_of_child(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    std::signal(SIGINT, SIG_DFL);
    action();
    ::_exit(is_interrupted() ? 3 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_CASE("The first interrupt asks searches to end, the next one ends the process") {
  CHECK(end_of_child([] {
          const Interruptible interruptible;
          std::raise(SIGINT);
          ::_exit(is_interrupted() ? 3 : 0);
        }) == 3);
  CHECK(end_of_child([] {
          const Interruptible interruptible;
          std::raise(SIGINT);
          std::raise(SIGINT);
        }) == -SIGINT);
}

TEST_CASE("Interrupts end the process where no search can be interrupted, or are ignored as before") {
  CHECK(end_of_child([] { std::raise(SIGINT); }) == -SIGINT);
  CHECK(end_of_child([] {
          { const Interruptible interruptible; }
          std::raise(SIGINT);
        }) == -SIGINT);
  CHECK(end_of_child([] {
          std::signal(SIGINT, SIG_IGN);
          const Interruptible interruptible;
          std::raise(SIGINT);
          ::_exit(is_interrupted() ? 3 : 0);
        }) == 0);
  CHECK(end_of_child([] {
          const Interruptible interruptible;
          { std::raise(SIGINT); }
        }) == 0);  // it is over with the search
}

TEST_CASE("An interrupt ends the work of the thread that can be interrupted, and no other's") {
  CHECK(end_of_child([] {
          const Interruptible interruptible;
          bool others = true;
          std::raise(SIGINT);
          std::thread([&] { others = is_interrupted(); }).join();
          ::_exit(is_interrupted() && !others ? 7 : 0);
        }) == 7);
}

TEST_CASE("Runs end by an interrupt only where that is asked for, and whoever embeds us is told as well") {
  CHECK(end_of_child([] {
          std::signal(SIGINT, [](int) {});
          const Interruptible interruptible(Interruptible::Ends::runs);
          end_if_interrupted();
          std::raise(SIGINT);
          try {
            end_if_interrupted();
          } catch (const Interrupted&) {
            ::_exit(4);
          }
        }) == 4);
  CHECK(end_of_child([] {
          const Interruptible interruptible;
          std::raise(SIGINT);
          end_if_interrupted();
          ::_exit(5);
        }) == 5);
  CHECK(end_of_child([] {  // there is nobody to tell
          const Interruptible interruptible(Interruptible::Ends::runs);
          std::raise(SIGINT);
        }) == -SIGINT);
  CHECK(end_of_child([] {
          std::signal(SIGINT, [](int) { ::_exit(6); });
          const Interruptible interruptible(Interruptible::Ends::runs);
          std::raise(SIGINT);
        }) == 6);
}

}  // namespace
}  // namespace toroid::core
