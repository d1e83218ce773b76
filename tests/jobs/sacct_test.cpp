// Slurm's accounts.

#include <catch2/catch.hpp>

#include "tests/jobs/logs.hpp"

namespace toroid::jobs {
namespace {

const std::string sacct_header = "JobID|Submit|Start|End|NNodes|Timelimit|User|NodeList\n";

TEST_CASE("sacct: jobs have their times since the first submission, their limits and their nodes") {
  const test::Scratch scratch;
  const auto jobs = open_jobs(scratch.write(
      "log", sacct_header +
                 "7|2024-02-28T23:59:50|2024-02-29T00:00:10|2024-03-01T00:00:10|4|1-02:03:04|ada|nid[001-004]\n"
                 "7.batch|2024-02-28T23:59:50|2024-02-29T00:00:10|2024-03-01T00:00:10|1|||nid001\n"
                 "8_2|2024-02-28T23:59:40|2024-02-28T23:59:40|2024-03-01T00:00:00|1|30:00|eve|nid005\n"
                 "9|2024-02-28T23:59:50|Unknown|Unknown|2|UNLIMITED|ada|None assigned\n"
                 "10|2024-02-29T00:00:00|2024-02-29T00:00:00|2024-02-29T00:00:01|2|UNLIMITED|ada|\n"));
  const auto list = all(*jobs);
  REQUIRE(list.size() == 3);
  CHECK(list[0].id() == "8_2");
  CHECK(list[0].submitted == 0);
  CHECK(list[0].run_time == 86420);  // 2024 has a 29th of February
  CHECK(list[0].estimate == 1800);
  CHECK(list[1].number == 7);
  CHECK(list[1].submitted == 10);
  CHECK(list[1].wait == 20);
  CHECK(list[1].run_time == 86400);
  CHECK(list[1].estimate == 93784);
  CHECK(list[1].size == 4);
  CHECK(list[1].nodes == "nid[001-004]");
  CHECK(list[2].estimate == -1);
  CHECK(list[2].nodes.empty());
  CHECK(list[2].notes.user == list[1].notes.user);
  CHECK(list[0].notes.user != list[1].notes.user);
  CHECK(jobs->counts().without_run_time == 1);
}

TEST_CASE("sacct: accounts, QOS and partitions are groups, queues and partitions, with their names in comments") {
  const test::Scratch scratch;
  const std::string header = "JobID|User|Account|QOS|Partition|NNodes|Submit|Start|End\n", at = "2026-06-01T08:00:0";
  const auto row = [&](const std::string& facts, int second) {
    return fmt::format("{}|4|{}{}|{}9|{}9\n", facts, at, second, at, at);
  };
  const auto jobs = open_jobs(scratch.write(
      "log", header + row("1|ada|physics|high|batch", 1) + row("2|eve|chem|high|17", 2) + row("3|ada|chem||batch", 3)));
  std::vector<std::array<std::int64_t, 4>> whose;
  for (const auto& job : all(*jobs))
    whose.push_back({job.notes.user, job.notes.group, job.notes.queue, job.notes.partition});
  CHECK(whose == std::vector<std::array<std::int64_t, 4>>{{0, 0, 0, 0}, {1, 1, 0, 17}, {0, 1, -1, 0}});
  const auto lines = jobs->header();
  for (const std::string line :
       {" User: 0 ada", " User: 1 eve", " Group: 0 physics", " Group: 1 chem", " Queue: 0 high", " Partition: 0 batch"})
    CHECK(std::ranges::find(lines, line) != lines.end());
  const auto copy = open_jobs(written(scratch, "sacct", *jobs, "copy.sacct"));
  CHECK(all(*copy) == all(*jobs));
}

TEST_CASE("sacct: what is written reads back, and what it cannot say is refused") {
  const test::Scratch scratch;
  const auto path =
      scratch.write("a", sacct_header +
                             "7|2024-02-28T23:59:50|2024-02-29T00:00:10|2024-03-01T00:00:10|4|1-02:03:04|u|a,b\n"
                             "8|2024-02-29T00:00:00|2024-02-29T00:00:00|2024-02-29T00:00:01|2|UNLIMITED||\n");
  const auto copy = open_jobs(written(scratch, "sacct", *open_jobs(path), "b.sacct"));
  CHECK(all(*copy) == all(*open_jobs(path)));
  CHECK(unix_start(*copy) == unix_start(*open_jobs(path)));
  const auto fractions = open_jobs(scratch.write("c.csv", "size,run_time_s,wait_s\n4,0.5,0\n"));
  CHECK_THAT(refusal(scratch, "sacct", *fractions), Catch::Contains("found 0.5 s, expected whole seconds"));
  const auto waits = open_jobs(scratch.write("w.csv", "size,run_time_s\n4,5\n"));
  CHECK_THAT(refusal(scratch, "sacct", *waits), Catch::Contains("job 1: how long it waited is not known"));
}

TEST_CASE("sacct: jobs that never ran, that still run and that were queued again") {
  const test::Scratch scratch;
  const std::string at = "2024-02-28T00:00:",
                    header = "JobID|JobName|Submit|Eligible|Start|End|NNodes|State|NodeList\n";
  const auto row = [&](const std::string& id, int submit, const std::string& eligible, int start,
                       const std::string& end, const std::string& state, const std::string& nodes) {
    return fmt::format("{}|run (a|{}{:02}|{}|{}{:02}|{}|2|{}|{}\n", id, at, submit, eligible, at, start, end, state,
                       nodes);
  };
  const auto jobs = open_jobs(
      scratch.write("log", header + row("1", 0, at + "00", 5, at + "25", "COMPLETED", "n[1-2]") +
                               row("2", 1, "Unknown", 9, at + "09", "CANCELLED by 7", "None assigned") +
                               row("3", 1, at + "01", 9, "Unknown", "RUNNING", "n[3-4]") +
                               row("4", 2, at + "25", 27, at + "30", "COMPLETED", "n[1-2]") +  // it depends on job 1
                               row("5", 3, at + "03", 3, at + "04", "NODE_FAIL", "n[5-6]") +
                               row("5", 4, at + "04", 8, at + "20", "COMPLETED", "n[7-8]") +
                               row("6", 3, at + "03", 3, at + "03", "FAILED", "n[5-6]")));
  const auto list = all(*jobs);
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{1, 6, 5, 4});
  CHECK(list[1].run_time == 0);  // at once, but it had nodes
  CHECK(list[2].submitted == 4);
  CHECK(list[2].run_time == 12);
  CHECK(list[2].nodes == "n[7-8]");
  CHECK(list[3].submitted == 25);
  CHECK(list[3].wait == 2);
  CHECK(jobs->counts().without_run_time == 1);
  CHECK(jobs->counts().running == 1);
  CHECK(jobs->counts().partial == 1);
  CHECK(jobs->counts().dropped() == 3);
  const auto reversed = open_jobs(scratch.write("back", header + row("5", 4, "", 8, at + "20", "COMPLETED", "n[7-8]") +
                                                            row("5", 3, "", 3, at + "04", "REQUEUED", "n[5-6]") +
                                                            row("6", 3, "", 3, at + "03", "CANCELLED by 7", "")));
  CHECK(all(*reversed).size() == 1);
  CHECK(all(*reversed)[0].run_time == 12);
}

TEST_CASE("sacct: times may be seconds since 1970, and the header may follow a byte order mark") {
  const test::Scratch scratch;
  const auto jobs =
      open_jobs(scratch.write("s",
                              "\xef\xbb\xbf"
                              "Submit|Start|End|NNodes | JobID\n"
                              "1709078400|1709078405|1709078415|4|1\n1709078460|1709078460|1709078461|1|2\n"));
  const auto read = all(*jobs);
  REQUIRE(read.size() == 2);
  CHECK(read[0].wait == 5);
  CHECK(read[0].run_time == 10);
  CHECK(read[1].submitted == 60);
}

TEST_CASE("sacct: mistakes name the line") {
  const test::Scratch scratch;
  using Catch::Contains;
  const auto message = [&](const std::string& text) {
    return test::error_of([&] { open_jobs(scratch.write("s", text)); });
  };
  const auto line = [&](const std::string& text) { return message(sacct_header + text + "\n"); };
  CHECK_THAT(message("JobID|Submit|Start|End\n"), Contains("s:1: no column NNodes"));
  CHECK_THAT(message("JobID|Submit|JobID\n"), Contains("column 'JobID' is there twice"));
  // Without --parsable2, with other marks, without the header, behind a warning.
  const std::string expected = ":1: found no bar between columns, expected what sacct --parsable2 --format=JobID,";
  for (const std::string header :
       {"       JobID    JobName  Partition", "JobID,Submit,Start,End", "JobID\tSubmit\tStart"})
    CHECK_THAT(message(header + "\n"), Contains(expected));
  const auto named = [&](const std::string& text) {
    return test::error_of([&] { open_jobs(scratch.write("s.sacct", text)); });
  };
  for (const std::string first : {"sacct: warning", "1|2024-02-28T00:00:00|2024-02-28T00:00:00|4"})
    CHECK_THAT(named(first + "\n"), Contains("s.sacct:1: found no header, expected what sacct --parsable2 --format="));
  const std::string times = "1|2024-02-28T00:00:00|2024-02-28T00:00:00|2024-02-28T00:00:01|";
  CHECK_THAT(line(times + "4"), Contains("s:2: found 5 fields, expected 8"));
  CHECK_THAT(line(times + "x|||"), Contains("s:2: NNodes: found 'x'"));
  CHECK_THAT(line(times + "4|soon||"), Contains("Timelimit: found 'soon'"));
  CHECK_THAT(line("1|2023-02-29T00:00:00|Unknown|Unknown|4|||"), Contains("Submit: found '2023-02-29T00:00:00'"));
  CHECK_THAT(line("1|2024-02-28T00:00:02|2024-02-28T00:00:00|2024-02-28T00:00:01|4|||"),
             Contains("before it was submitted"));
  CHECK_THAT(line("1|2024-02-28T00:00:00|2024-02-28T00:00:05|2024-02-28T00:00:01|4|||"), Contains("before the start"));
}

}  // namespace
}  // namespace toroid::jobs
