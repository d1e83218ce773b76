#include "toroid/study/tasks/executor.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using study::Outcome;

namespace {

std::map<std::size_t, Outcome> run(
    const study::DoTask& work, std::size_t count, std::size_t workers,
    const std::function<bool(std::size_t)>& wanted = [](std::size_t) { return true; }) {
  const auto executor = study::make_local_executor(work, workers);
  std::map<std::size_t, Outcome> outcomes;
  std::vector<std::size_t> tasks;
  for (std::size_t task = 0; task < count; ++task)
    if (wanted(task)) tasks.push_back(task);
  run_tasks(*executor, tasks, [&](const Outcome& outcome) { CHECK(outcomes.emplace(outcome.task, outcome).second); });
  return outcomes;
}

}  // namespace

TEST_CASE("every task is done once, whatever the number of workers") {
  for (const std::size_t workers : {1U, 3U, 50U}) {
    const auto outcomes = run([](std::size_t task) { return std::to_string(task * task); }, 40, workers);
    REQUIRE(outcomes.size() == 40);
    for (const auto& [task, outcome] : outcomes) CHECK(outcome.text == std::to_string(task * task));
  }
}

TEST_CASE("only the tasks that are wanted are done") {
  const auto outcomes = run([](std::size_t) { return "done"; }, 10, 2, [](std::size_t task) { return task % 3 == 0; });
  CHECK(outcomes.size() == 4);
  CHECK(outcomes.contains(9));
  CHECK(run([](std::size_t) { return ""; }, 0, 2).empty());
}

TEST_CASE("a task that fails, dies or is killed costs itself alone") {
  const auto outcomes = run(
      [](std::size_t task) -> std::string {
        if (task == 1) throw core::SimulationError("deadlock in task 1");
        if (task == 2) std::abort();
        if (task == 3) ::raise(SIGKILL);
        if (task == 4) std::exit(0);  // without a word
        return "done";
      },
      8, 2);
  REQUIRE(outcomes.size() == 8);
  for (const std::size_t task : {1U, 2U, 3U, 4U}) CHECK(outcomes.at(task).failed);
  CHECK(outcomes.at(1).text == "deadlock in task 1");
  CHECK_THAT(outcomes.at(3).text, Catch::Contains("signal 9"));
  for (const std::size_t task : {0U, 5U, 6U, 7U}) CHECK_FALSE(outcomes.at(task).failed);
}

TEST_CASE("more workers than the system has room for change no result") {
  // In a process of its own, which may limit itself: 20 open files for 40 workers.
  const auto limited = run(
      [](std::size_t) {
        const rlimit few{20, 20};
        ::setrlimit(RLIMIT_NOFILE, &few);
        const auto executor = study::make_local_executor(
            [](std::size_t task) {
              std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/stat", "r"), std::fclose);
              return file ? std::to_string(task * task) : "no file left";
            },
            40);
        std::vector<std::size_t> tasks(100);
        std::iota(tasks.begin(), tasks.end(), std::size_t{0});
        std::map<std::size_t, std::string> results;
        run_tasks(*executor, tasks, [&](const Outcome& outcome) { results[outcome.task] = outcome.text; });
        std::size_t good = 0;
        for (const auto& [task, text] : results) good += text == std::to_string(task * task) ? 1 : 0;
        return std::to_string(good);
      },
      1, 1);
  CHECK(limited.at(0).text == "100");
}

TEST_CASE("a task that never gets a worker fails, and says why", "[slow]") {
  if (test::is_sanitized) return;  // the sanitizer needs descriptors itself, to look at the exception
  const auto limited = run(
      [](std::size_t) {
        const rlimit none{4, 4};
        ::setrlimit(RLIMIT_NOFILE, &none);
        const auto executor = study::make_local_executor([](std::size_t) { return "done"; }, 2);
        std::string said;
        const std::vector<std::size_t> tasks{0, 1, 2};
        run_tasks(*executor, tasks, [&](const Outcome& outcome) { said += outcome.failed ? outcome.text + ";" : ""; });
        return said;
      },
      1, 1);
  CHECK_THAT(limited.at(0).text, Catch::StartsWith("cannot start a worker: "));
  CHECK(std::count(limited.at(0).text.begin(), limited.at(0).text.end(), ';') == 3);
}

TEST_CASE("a task that fails can keep those behind it from beginning, but none of those before it") {
  const auto work = [](std::size_t task) -> core::Json {
    if (task >= 3) throw core::SimulationError("no task " + std::to_string(task));
    return task;
  };
  for (const std::size_t workers : {1U, 4U}) {
    const auto done = study::run_all("", 40, workers, work, study::OnFailedTask::stop);
    for (std::size_t task = 0; task < 3; ++task) CHECK(done[task].result == task);
    CHECK(done[3].error == "no task 3");
    CHECK((done[39].result.is_null() && done[39].error.empty()));
    CHECK(study::run_all("", 40, workers, work)[39].error == "no task 39");
  }
}

TEST_CASE("large results come back whole") {
  const auto outcomes = run([](std::size_t task) { return std::string(3000000 + task, 'x'); }, 4, 4);
  for (const auto& [task, outcome] : outcomes) CHECK(outcome.text.size() == 3000000 + task);
}

TEST_CASE("as many workers as cores that the process may use") {
  const std::size_t cores = std::thread::hardware_concurrency();
  CHECK(study::default_workers() <= cores);
  // In a process of its own, which may bind itself.
  const auto bound = run(
      [](std::size_t) {
        cpu_set_t all, one;
        ::sched_getaffinity(0, sizeof all, &all);
        CPU_ZERO(&one);
        for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
          if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
        ::sched_setaffinity(0, sizeof one, &one);
        return std::to_string(CPU_COUNT(&all)) + " " + std::to_string(study::default_workers());
      },
      1, 1);
  CHECK(bound.at(0).text == std::to_string(study::default_workers()) + " 1");
}
