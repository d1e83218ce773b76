#include "study/executor.hpp"

#include <sched.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "core/error.hpp"

using namespace toroid;
using study::Outcome;

namespace {

std::map<std::size_t, Outcome> run(
    const study::Work& work, std::size_t count, std::size_t workers,
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

TEST_CASE("large results come back whole") {
  const auto outcomes = run([](std::size_t task) { return std::string(3000000 + task, 'x'); }, 4, 4);
  for (const auto& [task, outcome] : outcomes) CHECK(outcome.text.size() == 3000000 + task);
}

TEST_CASE("as many workers as cores that the process may use, shared with those beside it") {
  const std::size_t cores = std::thread::hardware_concurrency();
  CHECK(study::default_workers(1) <= cores);
  CHECK(study::default_workers(1000000) == 1);
  // In a process of its own, which may bind itself.
  const auto bound = run(
      [](std::size_t) {
        cpu_set_t all, one;
        ::sched_getaffinity(0, sizeof all, &all);
        CPU_ZERO(&one);
        for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
          if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
        ::sched_setaffinity(0, sizeof one, &one);
        return std::to_string(CPU_COUNT(&all)) + " " + std::to_string(study::default_workers(1));
      },
      1, 1);
  CHECK(bound.at(0).text == std::to_string(study::default_workers(1)) + " 1");
}
