#include "jobs/jobs_source.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "jobs/formats/log.hpp"
#include "jobs/when.hpp"
#include "tests/support/support.hpp"

namespace toroid::jobs {
namespace {

std::vector<Job> all(const Jobs& jobs) {
  std::vector<Job> list;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) list.push_back(job);
  return list;
}

std::vector<std::int64_t> numbers(const Jobs& jobs) {
  std::vector<std::int64_t> list;
  for (const auto& job : all(jobs)) list.push_back(job.number);
  return list;
}

/// Writes jobs into a file, which is returned.
std::string written(const test::Scratch& scratch, std::string_view format, const Jobs& jobs, const std::string& name) {
  core::OutputSet outputs;
  write_jobs(job_formats().find(format), jobs, outputs.add(scratch.path(name)));
  outputs.commit();
  return scratch.path(name);
}

/// Why the format cannot say these jobs; empty if it can.
std::string refusal(const test::Scratch& scratch, std::string_view format, const Jobs& jobs) {
  return test::error_of([&] { written(scratch, format, jobs, "refused"); });
}

/// A line of a log; `rest` are fields 11 to 18.
std::string line(int number, double submitted, double wait, double run_time, int allocated, int requested,
                 double estimate, const std::string& rest = "1 -1 -1 -1 -1 -1 -1 -1") {
  return fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {}\n", number, submitted, wait, run_time, allocated, requested,
                     estimate, rest);
}

std::unique_ptr<Jobs> log_of(const test::Scratch& scratch, const std::string& text, Reading reading = Reading::strict) {
  return open_jobs(scratch.write("log.swf", text), reading);
}

std::string complaint(const std::string& text, Reading reading = Reading::strict) {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", text);
  const auto message = test::error_of([&] { open_jobs(path, reading); });
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

const std::string hint = " (--lenient leaves such jobs out)";

TEST_CASE("SWF: every field of a line has its place") {
  const test::Scratch scratch;
  const auto jobs =
      log_of(scratch, "; Version: 2.2\n;\n\n 7\t100 5 60.5 8 33.25 1000 16 120 2000 1 3 4 5 6 9 11 12.5\r\n");
  CHECK(jobs->header() == std::vector<std::string>{" Version: 2.2", ""});
  const auto list = all(*jobs);
  REQUIRE(list.size() == 1);
  Job expected{.number = 7, .name = {}, .submitted = 100, .run_time = 60.5, .estimate = 120, .wait = 5, .size = 8};
  expected.notes = {.cpu_time = 33.25,
                    .memory = 1000,
                    .requested_memory = 2000,
                    .think_time = 12.5,
                    .status = 1,
                    .user = 3,
                    .group = 4,
                    .application = 5,
                    .queue = 6,
                    .partition = 9,
                    .preceding = 11};
  CHECK(list[0] == expected);
}

TEST_CASE("SWF: the size is field 5, else 8; jobs without size or run time and parts of jobs are counted") {
  const test::Scratch scratch;
  const auto jobs =
      log_of(scratch, line(1, 0, -1, 10, 4, 8, -1) + line(2, 1, -1, 10, -1, 8, -1) + line(3, 2, -1, 10, -1, -1, -1) +
                          line(4, 3, -1, -1, 4, 4, -1) + line(5, 4, -1, 0, 0, 2, -1) +
                          line(6, 5, -1, 3, 2, 2, -1, "2 -1 -1 -1 -1 -1 -1 -1") +
                          line(7, 6, -1, 3, 2, 2, -1, "5 -1 -1 -1 -1 -1 -1 -1") + line(6, 5, -1, 7, 2, 2, -1));
  const auto list = all(*jobs);
  REQUIRE(list.size() == 5);
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{1, 2, 5, 6, 7});
  CHECK(list[0].size == 4);
  CHECK(list[1].size == 8);
  CHECK(list[2].size == 2);
  CHECK(list[3].run_time == 7);
  CHECK(list[0].wait == -1);
  const auto counts = jobs->counts();
  CHECK(counts.jobs == 5);
  CHECK(counts.lone_parts == 0);
  CHECK(counts.without_size == 1);
  CHECK(counts.without_run_time == 1);
  CHECK(counts.partial == 1);
  CHECK(counts.left_out() ==
        std::vector<std::string>{"1 without a size", "1 without a run time",
                                 "1 parts of jobs that have a line for the whole or for a later run"});
}

TEST_CASE("SWF: a line that says it is a part is left out only where its job has a line for the whole") {
  const auto with_status = [](int number, double submitted, int status) {
    return line(number, submitted, -1, 1, 1, 1, -1, fmt::format("{} -1 -1 -1 -1 -1 -1 -1", status));
  };
  core::Random random(2, "parts");
  for (int round = 0; round < 100; ++round) {
    struct Entry {
      int number, status;
    };
    std::vector<Entry> entries;
    std::string text;
    for (int i = 0; i < 30; ++i) {
      entries.push_back({static_cast<int>(random.below(12)), static_cast<int>(random.below(7)) - 1});
      text += with_status(entries.back().number, i, entries.back().status);
    }
    std::vector<std::int64_t> expected;
    std::uint64_t parts = 0, lone = 0;
    for (const auto& entry : entries) {
      const bool part = entry.status >= 2 && entry.status <= 4;
      const bool has_whole = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
        return other.number == entry.number && (other.status < 2 || other.status > 4);
      });
      parts += part && has_whole ? 1 : 0;
      lone += part && !has_whole ? 1 : 0;
      if (!part || !has_whole) expected.push_back(entry.number);
    }
    const test::Scratch scratch;
    const auto jobs = log_of(scratch, text);
    CHECK(numbers(*jobs) == expected);
    CHECK(jobs->counts().partial == parts);
    CHECK(jobs->counts().lone_parts == lone);
    CHECK(jobs->counts().jobs == expected.size());
  }
}

TEST_CASE("No job of Sandia-Ross is a part of another: its status holds exit codes") {
  const auto path = test::shared_data("swf/Sandia-Ross-2001-1.1-cln.swf.zst");
  if (path.empty()) return;
  const auto counts = open_jobs(path, Reading::lenient)->counts();
  CHECK(counts.partial == 0);
  CHECK(counts.lone_parts == 1994);  // with a run time; none repeats a number
}

TEST_CASE("SWF: lines out of order come in the order of submission, those of one time as they stand") {
  const test::Scratch scratch;
  std::string text;
  std::vector<std::pair<int, int>> expected;
  core::Random random(1, "order");
  for (int i = 0; i < 500; ++i) {
    const int submitted = std::max(0, i + static_cast<int>(random.below(40)) - 20) / 3;
    text += line(i, submitted, -1, 1, 1, 1, -1);
    expected.emplace_back(submitted, i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return a.first < b.first; });
  std::vector<std::pair<int, int>> found;
  for (const auto& job : all(*log_of(scratch, text)))
    found.emplace_back(static_cast<int>(job.submitted), static_cast<int>(job.number));
  CHECK(found == expected);
  CHECK(numbers(*log_of(scratch, line(1, 50, -1, 1, 1, 1, -1) + line(2, 20, -1, 1, 1, 1, -1) +
                                     line(3, 0, -1, 1, 1, 1, -1))) == std::vector<std::int64_t>{3, 2, 1});
}

TEST_CASE("SWF: what is malformed is an error with file, line and field") {
  const std::string good = line(1, 0, -1, 10, 4, 4, -1);
  CHECK(complaint(good + "1 2 3\n") == ":2: found 3 fields, expected the 18 of a job in SWF" + hint);
  CHECK(complaint(good + "; x\n" + good.substr(0, good.size() - 1) + " 7\n").empty());
  CHECK(complaint("1 x -1 10 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n") ==
        ":1: field 2 (submit time): found 'x', expected a number" + hint);
  for (const char* submitted : {"-5", "nan", "inf", "1e13", "1.2.3", "0x10"})
    CHECK_THAT(complaint(fmt::format("1 {} -1 10 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n", submitted)),
               Catch::StartsWith(":1: field 2"));
  CHECK_THAT(complaint("1 0 -1 10 4.5 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"), Catch::StartsWith(":1: field 5"));
  CHECK_THAT(complaint("1 0 -1 10 3000000000 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"),
             Catch::StartsWith(":1: field 5"));
  CHECK_THAT(complaint("1.5 0 -1 10 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"), Catch::StartsWith(":1: field 1"));
  CHECK(complaint("\x1b[31m\n").find('\x1b') == std::string::npos);
}

TEST_CASE("SWF: what stands behind the 18 fields is ignored, with a line") {
  const test::Scratch scratch;
  const auto good = line(1, 0, -1, 10, 4, 4, -1);
  for (const std::string more : {"7", "7 8", "a b -1"}) {
    const auto jobs = log_of(scratch, good + good.substr(0, good.size() - 1) + " " + more + "\n");
    CHECK(all(*jobs)[0] == all(*jobs)[1]);
    CHECK(jobs->counts().wide == 1);
    CHECK(jobs->counts().ignored() == std::vector<std::string>{"fields behind the 18 of SWF, in 1 lines"});
  }
}

TEST_CASE("SWF: a job that was cancelled while it waited never ran") {
  const test::Scratch scratch;
  const std::string cancelled = "5 -1 -1 -1 -1 -1 -1 -1";
  const auto jobs = log_of(scratch, line(1, 0, 9, 0, -1, 4, -1, cancelled) + line(2, 0, 9, 0, 0, 4, -1, cancelled) +
                                        line(3, 0, 9, 0, 4, 4, -1, cancelled) + line(4, 0, 9, 2, -1, 4, -1, cancelled) +
                                        line(5, 0, 9, 0, -1, 4, -1));
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{3, 4, 5});
  CHECK(jobs->counts().without_run_time == 2);
}

TEST_CASE("SWF: jobs that name the job before them are told, and depend on it if they are to") {
  const test::Scratch scratch;
  const auto after = [](int preceding, int think) { return fmt::format("1 -1 -1 -1 -1 -1 {} {}", preceding, think); };
  const auto path = scratch.write("log.swf", line(1, 0, -1, 10, 4, 4, -1) + line(2, 5, -1, 10, 4, 4, -1, after(1, 30)) +
                                                 line(3, 6, -1, 10, 4, 4, -1, after(4, 0)) +
                                                 line(4, 7, -1, 10, 8, 8, -1, after(9, 0)));
  const auto counts = open_jobs(path)->counts();
  CHECK(counts.preceded == 3);
  CHECK(counts.dependent == 0);
  REQUIRE(counts.ignored().size() == 1);
  CHECK_THAT(counts.ignored()[0], Catch::Contains("think times of 3 jobs") && Catch::Contains("dependencies=yes"));
  const auto jobs = open_jobs(path + ":dependencies=yes");
  const auto list = all(*jobs);
  CHECK(list[1].after == 1);
  CHECK(list[2].after == -1);  // that job is submitted later, and so is no condition
  CHECK(list[3].after == -1);
  CHECK(jobs->counts().dependent == 1);
  CHECK(open_jobs(path + ":dependencies=yes,sizes=8")->counts().dependent == 0);
}

TEST_CASE("SWF: a lenient reader leaves out what is malformed, and counts it") {
  const test::Scratch scratch;
  const auto jobs = log_of(
      scratch, line(1, 0, -1, 10, 4, 4, -1) + "garbage\n" + line(2, 9, -1, 10, 4, 4, -1) + "3 0 -1 10 4 -1 -1 4 -1\n",
      Reading::lenient);
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{1, 2});
  CHECK(jobs->counts().malformed == 2);
}

TEST_CASE("A log or a slice of one without a job is an error that says what was left out") {
  const auto no_job = ": found no job, expected at least one";
  CHECK(complaint("") == no_job);
  CHECK(complaint("; only comments\n") == no_job);
  CHECK(complaint(line(1, 0, -1, -1, 4, 4, -1) + line(2, 0, -1, 5, -1, -1, -1)) ==
        std::string(no_job) + "; left out: 1 without a size, 1 without a run time");
  CHECK(complaint("frob\n", Reading::lenient) == std::string(no_job) + "; left out: 1 malformed");
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", line(1, 0, -1, 10, 4, 4, -1));
  CHECK_THROWS_WITH(open_jobs(path + ":sizes=5-9"), path + ":sizes=5-9" + no_job + "; left out: 1 not wanted");
  CHECK_THROWS_WITH(open_jobs(scratch.write("l.csv", "size\n")), Catch::Contains(no_job));
  CHECK_THROWS_WITH(open_jobs(scratch.write("w.json", R"({"jobs": [], "profiles": {}})")), Catch::Contains(no_job));
}

TEST_CASE("Logs are read as the archive has them, and named where they are packed in another way") {
  const test::Scratch scratch;
  const auto text = "; MaxProcs: 8\n" + line(1, 0, -1, 10, 4, 4, -1) + line(2, 5, -1, 10, 4, 4, -1);
  CHECK(numbers(*open_jobs(scratch.write("l.swf.gz", test::gzip_compressed(text)))) == std::vector<std::int64_t>{1, 2});
  CHECK_THROWS_WITH(open_jobs(scratch.write("l.swf.xz", std::string("\xfd"
                                                                    "7zXZ\0",
                                                                    6) +
                                                            text)),
                    Catch::Contains("xz -dk"));
}

TEST_CASE("Jobs are read again as they were written, plain and compressed") {
  const test::Scratch scratch;
  const auto jobs = log_of(scratch, "; Computer: x\n" + line(1, 0.5, 3, 10.25, 4, 9, 20) +
                                        line(2, 1, -1, 1e9 + 0.125, 1, 1, -1, "0 1 2 3 4 5 6 7"));
  for (const std::string name : {"copy.swf", "copy.swf.zst", "copy.json", "copy.json.zst", "copy.csv"}) {
    INFO(name);
    const auto copy = open_jobs(written(scratch, job_format_for(name).name, *jobs, name));
    CHECK(all(*copy) == all(*jobs));
    if (name.find("swf") != std::string::npos) CHECK(copy->header() == jobs->header());
  }
}

/// Jobs of any values, those among them that only some formats can say.
std::vector<Job> random_jobs(core::Random& random) {
  const auto any = [&](const std::vector<std::string>& texts) { return texts[random.below(texts.size())]; };
  const std::vector<std::string> names{"run",    "run.1", "a|b",       "a\nb",     "\x1b[31m", "x\xc2\x9b", "7",
                                       "w0!7",   " a",    "a(",        "\xc3\xbc", "\xff",     "a,\"b\"",   "=1+1",
                                       "'quote", "8_2",   "run\tdone", "-3",       "a!b"};
  const std::vector<std::string> programs{"cg:class=S", "delay10", "x 5", "5: x", "x", "10", "c\xff"};
  const std::vector<std::string> nodes{"nid[001-004]", "None assigned", "a b", "a|b", "a\r"};
  const bool whole_times = random.below(4) > 0, plain = random.below(2) > 0;
  const auto rarely = [&] { return !plain && random.below(6) == 0; };
  const auto time = [&] { return static_cast<double>(random.below(200'000)) / (whole_times || !rarely() ? 1 : 8); };
  std::vector<Job> jobs(1 + random.below(6));
  std::int64_t number = 0;
  for (auto& job : jobs) {
    job.number = rarely() ? static_cast<std::int64_t>(random.below(4)) - 1 : ++number;
    if (&job != &jobs[0] || rarely()) job.submitted = time();
    job.size = 1 + static_cast<std::int32_t>(random.below(100));
    job.run_time = rarely() ? -1 : time();
    job.wait = rarely() ? -1 : time();
    job.estimate = random.below(3) == 0 ? -1 : random.below(5) == 0 ? 0 : time();
    if (rarely()) job.name = any(names);
    if (rarely()) job.program = any(programs);
    if (rarely() || (plain && random.below(3) == 0)) job.nodes = plain ? nodes[0] : any(nodes);
    if (rarely()) job.demand = Demand::pyramid;
    if (random.below(2) == 0) job.notes.user = static_cast<std::int64_t>(random.below(9));
    auto& n = job.notes;
    for (auto* field : {&n.status, &n.group, &n.application, &n.queue, &n.partition, &n.preceding})
      if (rarely()) *field = static_cast<std::int64_t>(random.below(6));
    for (auto* field : {&n.cpu_time, &n.memory, &n.requested_memory, &n.think_time})
      if (rarely()) *field = time();
  }
  return jobs;
}

TEST_CASE("Any jobs are read from each format as they were written, or are refused") {
  const test::Scratch scratch;
  core::Random random(1, "jobs");
  std::map<std::string, std::pair<int, int>> counts;  // written and refused, by format
  for (int round = 0; round < 3000; ++round) {
    const HeldJobs jobs("jobs", random_jobs(random), {});
    for (const auto& format : job_formats().entries()) {
      const std::string name(format.name);
      INFO(name << " in round " << round);
      const auto path = "copy." + name + ".log";
      if (!test::error_of([&] { written(scratch, name, jobs, path); }).empty()) {
        ++counts[name].second;
        continue;
      }
      ++counts[name].first;
      auto expected = all(jobs), found = all(*open_jobs(scratch.path(path)));
      if (name == "sacct")  // where a name is all that tells jobs apart
        for (auto* list : {&expected, &found})
          for (auto& job : *list)
            if (!job.name.empty()) job.number = 0;
      REQUIRE(found == expected);
    }
  }
  for (const auto& [name, of] : counts) {
    INFO(name << ": " << of.first << " written, " << of.second << " refused");
    CHECK((of.first > 500 && of.second > 500));
  }
}

TEST_CASE("What a format has no place for is named, with what leaves it out") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", line(4, 0, 3, 10, 4, 4, 20, "1 2 -1 -1 5 -1 -1 -1") +
                                                 line(5, 9, 3, 10, 4, 4, 20, "1 2 6 -1 -1 -1 -1 -1"));
  CHECK(refusal(scratch, "sacct", *open_jobs(path)) ==
        "job 4: the format sacct cannot say what is known of jobs: queue, status, group; "
        "JOBS:without=queue/status/group leaves that out");
  const auto left = open_jobs(path + ":without=queue/status/group");
  const auto copy = all(*open_jobs(written(scratch, "sacct", *left, "copy.sacct")));
  REQUIRE(copy.size() == 2);
  CHECK(copy == all(*left));
  CHECK(copy[1].notes.user == 2);
  CHECK(copy[1].notes.group == -1);
  CHECK_THROWS_WITH(open_jobs(path + ":without=user/size"), Catch::Contains("expected columns of tables but number"));
  const auto later = open_jobs(path + ":first=1,from=9s,without=queue/status/group,arrivals=2");
  CHECK(refusal(scratch, "sacct", *later).empty());
  const auto late = open_jobs(scratch.write("late.csv", "size,submitted_s,run_time_s,wait_s\n1,7,1,0\n"));
  CHECK_THAT(refusal(scratch, "sacct", *late), Catch::Contains("JOBS:from=7s takes that off"));
}

TEST_CASE("What sacct tells by marks of its own is no name of a job") {
  const test::Scratch scratch;
  const auto message = [&](const std::string& name, const std::string& nodes = "") {
    return refusal(scratch, "sacct",
                   *open_jobs(scratch.write("n.csv", "name,nodes,size,run_time_s,wait_s,submitted_s\n" + name + "," +
                                                         nodes + ",1,1,0,0\n")));
  };
  using Catch::Contains;
  CHECK(message("8_2").empty());
  for (const std::string name : {"run.1", "a|b", "a\x1b[2J", "7"})
    CHECK_THAT(message(name), Contains(": its name has a bar, a dot") && Contains(": sacct cannot say that"));
  for (const std::string nodes : {"n1|n2", "None assigned"})
    CHECK_THAT(message("a", nodes), Contains("job a: its nodes are called '" + nodes + "': sacct cannot say that"));
}

// Batsim

std::unique_ptr<Jobs> batsim(const test::Scratch& scratch, const std::string& jobs, const std::string& profiles,
                             Reading reading = Reading::strict) {
  return open_jobs(
      scratch.write("w.json", "{\"nb_res\": 4, \"jobs\": [" + jobs + "], \"profiles\": {" + profiles + "}}"), reading);
}

const std::string profiles = R"("ten": {"type": "delay", "delay": 10}, "half": {"type": "delay", "delay": 0.5},
  "both": {"type": "composed", "repeat": 2, "seq": ["ten", "half"]}, "loop": {"type": "composed", "seq": ["loop"]},
  "text": {"type": "composed", "seq": "ten"}, "work": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0})";

TEST_CASE("Batsim: jobs in the order of submission, with names, limits and compositions of delays") {
  const test::Scratch scratch;
  const auto list = all(*batsim(scratch, R"({"id": "w0!7", "subtime": 5, "walltime": 20, "res": 4, "profile": "both"},
    {"id": 3, "subtime": 1.5, "walltime": -1, "res": 2, "profile": "ten"},
    {"id": "first", "subtime": 1, "res": 1, "profile": "half"})",
                                profiles));
  REQUIRE(list.size() == 3);
  CHECK(list[0].id() == "first");
  CHECK(list[0].run_time == 0.5);
  CHECK(list[0].estimate == -1);
  CHECK(list[1].number == 3);
  CHECK(list[1].estimate == -1);
  CHECK(list[2].number == 7);
  CHECK(list[2].run_time == 21);
  CHECK(list[2].estimate == 20);
  CHECK(list[2].size == 4);
}

TEST_CASE("Batsim: mistakes name the job") {
  const auto message = [](const std::string& job) {
    const test::Scratch scratch;
    return test::error_of([&] { batsim(scratch, job, profiles); });
  };
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "none"})"),
             Catch::Contains("job 1 of the list: profiles: expected an object with the key 'none'"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "loop"})"),
             Catch::Contains("more than 20 profiles within each other"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 1, "profile": "text"})"), Catch::Contains("expected a list"));
  CHECK_THAT(message(R"({"id": 1, "subtime": -1, "res": 1, "profile": "ten"})"), Catch::Contains("subtime: found -1"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "res": 0, "profile": "ten"})"), Catch::Contains("res: found 0"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 0, "profile": "ten"})"), Catch::Contains("the key 'res'"));
  CHECK_THAT(message(R"({"id": [], "subtime": 0, "res": 1, "profile": "ten"})"), Catch::Contains("id: found []"));
  CHECK_THAT(message(R"(7)"), Catch::Contains("job 1 of the list"));
  CHECK_THAT(message(R"({"id": 1, "subtime": 1e999, "res": 1, "profile": "ten"})"),
             Catch::Contains("a number beyond 1.8e308"));
  CHECK_THAT(message("\n\n{"), Catch::Contains("w.json:3: expected a workload of Batsim"));
}

TEST_CASE("Batsim: compositions of compositions are added up once each") {
  // Each of 20 is made of ten of the one before: 10^20 parts in the end.
  const test::Scratch scratch;
  std::string nested = R"("p0": {"type": "delay", "delay": 1e-12})";
  const auto add = [&](int i) {
    nested += fmt::format(R"(, "p{}": {{"type": "composed", "seq": [)", i);
    for (int part = 0; part < 10; ++part) nested += fmt::format(R"({}"p{}")", part == 0 ? "" : ",", i - 1);
    nested += "]}";
  };
  const auto job = [](int profile) {
    return fmt::format(R"({{"id": {}, "subtime": 0, "res": 1, "profile": "p{}"}})", profile, profile);
  };
  for (int i = 1; i <= 20; ++i) add(i);
  const auto list = all(*batsim(scratch, job(20) + "," + job(12), nested));
  REQUIRE(list.size() == 2);
  CHECK(list[0].run_time == Approx(1e8));
  CHECK(list[1].run_time == Approx(1));
  add(21);
  for (const auto& jobs : {job(21), job(20) + "," + job(21)})  // known or not
    CHECK_THROWS_WITH(batsim(scratch, jobs, nested), Catch::Contains("more than 20 profiles within each other"));
}

TEST_CASE("Batsim: a lenient reader leaves out jobs that are not known") {
  const test::Scratch scratch;
  const auto jobs = batsim(scratch, R"({"id": 1, "subtime": 0, "res": 1, "profile": "work"},
    {"id": 2, "subtime": 0, "res": 1, "profile": "ten"})",
                           profiles, Reading::lenient);
  CHECK(numbers(*jobs) == std::vector<std::int64_t>{2});
  CHECK(jobs->counts().without_run_time == 1);
  CHECK(jobs->counts().of_unknown_length == 0);
}

TEST_CASE("Batsim: a workload that is nested too deep is an error, and one with a profile for each job is read") {
  const test::Scratch scratch;
  const auto deep = [&](const std::string& text) {
    return test::error_of([&] { open_jobs(scratch.write("deep.json", text)); });
  };
  const std::string open(80'000, '['), close(80'000, ']');
  for (const auto& text : {"{\"jobs\": " + open + close + ", \"profiles\": {}}", "{\"profiles\":\n" + open})
    CHECK_THAT(deep(text), Catch::Contains("more than 100 deep") && !Catch::Contains("\n"));
  std::string jobs, all_profiles;
  constexpr int count = 40'000;  // took 11 s when each was looked for among all others
  for (int i = 0; i < count; ++i) {
    jobs += fmt::format(R"({}{{"id": {}, "subtime": {}, "res": 1, "profile": "p{}"}})", i == 0 ? "" : ",", i, i, i);
    all_profiles += fmt::format(R"({}"p{}": {{"type": "delay", "delay": {}}})", i == 0 ? "" : ",", i, i % 1000);
  }
  const auto list = all(*batsim(scratch, jobs, all_profiles));
  REQUIRE(list.size() == count);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(list[i].run_time == static_cast<double>(i % 1000));
}

TEST_CASE("Batsim: profiles of versions 5, 4 and before are delays, sequences, traces, or work for a machine") {
  struct Case {
    std::string profiles;  ///< the job does p
    double run_time;
    std::string program;
  };
  const std::string work = R"("cpu": [1e6, 0], "com": [0, 1e6, 0, 0])",
                    part = R"("d": {"type": "DelayProfile", "delay": 4}, )";
  const auto typed = [](const std::string& type, const std::string& rest = "") {
    return R"("p": {"type": ")" + type + '"' + (rest.empty() ? "" : ", " + rest) + "}";
  };
  const std::vector<Case> cases{
      {typed("DelayProfile", R"("delay": 20.25, "ret": 1)"), 20.25, ""},
      {typed("delay", R"("delay": 20.25)"), 20.25, ""},
      {part + typed("SequentialCompositionProfile", R"("seq": ["d", "d"], "repeat": 3)"), 24, ""},
      {part + typed("sequential_composition", R"("seq": ["d"])"), 4, ""},
      {part + typed("composed", R"("seq": ["d"], "repeat": 2)"), 8, ""},
      {part + R"("w": {"type": "ParallelTaskProfile", "cpu": [1]}, )" +
           typed("SequentialCompositionProfile", R"("seq": ["d", "w"])"),
       -1, ""},
      {part + R"("w": {"type": "ptask", "cpu": [1]}, )" + typed("composed", R"("seq": ["w", "d"], "repeat": 9)"), -1,
       ""},
      {typed("ParallelTaskProfile", work), -1, ""},
      {typed("ParallelTaskProfile", R"("com": [0, 1, 1, 0])"), -1, ""},
      {typed("ParallelTaskHomogeneousProfile", R"("cpu": 1e6, "com": 2)"), -1, ""},
      {typed("ParallelTaskHomogeneousProfile",
             R"("cpu": 1e6, "com": 2, "generation_strategy": "DefinedAmountsSpreadUniformly")"),
       -1, ""},
      {typed("ParallelTaskOnStorageHomogeneousProfile", R"("bytes_to_read": 1e6, "storage": "nfs")"), -1, ""},
      {typed("ParallelTaskDataStagingBetweenStoragesProfile", R"("nb_bytes": 1e6, "from": "a", "to": "b")"), -1, ""},
      {typed("ForkJoinCompositionProfile"), -1, ""},
      {typed("ParallelTaskMergeCompositionProfile"), -1, ""},
      {typed("TraceReplayProfile", R"("trace_type": "SMPI", "filename": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("TraceReplayProfile", R"("trace_type": "FractionalComputation", "filename": "use.txt")"), -1, ""},
      {typed("trace_replay", R"("trace_type": "smpi", "trace_file": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("trace_replay", R"("trace_type": "usage", "trace_file": "use.txt")"), -1, ""},
      {typed("smpi", R"("trace": "run/traces.txt")"), -1, "run/traces.txt"},
      {typed("parallel_homogeneous_total", R"("cpu": 1e6, "com": 2)"), -1, ""},
      {typed("usage_trace", R"("trace": "use.txt")"), -1, ""},
      {typed("msg_par_hg", R"("cpu": 1e6, "com": 2)"), -1, ""}};
  for (const auto& [text, run_time, program] : cases) {
    INFO(text);
    const test::Scratch scratch;
    const auto jobs = batsim(
        scratch, R"({"id": "a", "subtime": 3, "walltime": 100, "res": 2, "profile": "p", "extra_data": "{\"x\": 1}"},
                           {"id": 7, "subtime": 4, "res": 1, "profile": "p", "extra_data": {"desired": "0-1"}})",
        text);
    const auto list = all(*jobs);
    REQUIRE(list.size() == 2);
    CHECK(list[0].name == "a");
    CHECK(list[0].estimate == 100);
    CHECK(list[1].number == 7);
    CHECK(list[1].run_time == run_time);
    CHECK(list[1].program == (program.empty() ? "" : scratch.path(program)));
    CHECK(jobs->counts().of_unknown_length == (run_time < 0 ? 2U : 0U));
  }
}

TEST_CASE("Batsim: its present words are written, or those before version 5, and what jobs have besides goes along") {
  const test::Scratch scratch;
  const auto jobs =
      open_jobs(scratch.write("a.csv", "size,run_time_s,submitted_s,user,nodes,wait_s\n4,10,0,3,n[1-4],5\n"));
  for (const auto& [format, type] : {std::pair("batsim", "DelayProfile"), {"batsim4", "delay"}}) {
    const auto path = written(scratch, format, *jobs, "w.json");
    const auto json = core::Json::parse(test::content(path));
    CHECK(json["profiles"][json["jobs"][0]["profile"].get<std::string>()]["type"] == type);
    const auto extra = core::Json::parse(json["jobs"][0]["extra_data"].get<std::string>())["toroid"];
    CHECK(extra == core::Json{{"wait_s", 5.0}, {"user", 3}, {"nodes", "n[1-4]"}});
    CHECK(all(*open_jobs(path)) == all(*jobs));
  }
  const auto wrong = [&](const std::string& extra) {
    return test::error_of([&] {
      batsim(scratch, R"({"id": 1, "subtime": 0, "res": 1, "profile": "ten", "extra_data": )" + extra + "}", profiles);
    });
  };
  CHECK_THAT(wrong(R"({"toroid": {"user": "eve"}})"),
             Catch::Contains("extra_data: user: found \"eve\", expected a whole"));
  CHECK_THAT(wrong(R"({"toroid": {"frob": 1}})"), Catch::Contains("extra_data: frob: found 1, expected none"));
  CHECK(wrong(R"("{ toroid")").empty());
}

// Filters

TEST_CASE("Filters leave some jobs, and scale the times between submissions") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", line(1, 0, -1, 10, 1, 1, -1) + line(2, 100, -1, 10, 3, 3, -1) +
                                                 line(3, 200, -1, 10, 4, 4, -1) + line(4, 300, -1, 10, 8, 8, -1));
  const auto left = [&](const std::string& keys) { return numbers(*open_jobs(path + ":" + keys)); };
  using Numbers = std::vector<std::int64_t>;
  CHECK(left("sizes=3-4") == Numbers{2, 3});
  CHECK(left("sizes=8") == Numbers{4});
  CHECK(left("powers=yes") == Numbers{1, 3, 4});
  CHECK(left("from=100s,until=300s") == Numbers{2, 3});
  CHECK(left("powers=yes,first=2") == Numbers{1, 3});
  CHECK(left("per-node=4,sizes=1") == Numbers{1, 2, 3});
  const auto jobs = open_jobs(path + ":arrivals=0.5,from=100s");
  CHECK(jobs->counts().jobs == 3);
  CHECK(jobs->counts().filtered == 1);
  CHECK(all(*jobs)[2].submitted == 100);  // half of the 200 s since the slice began
  CHECK(jobs->files() == std::vector<std::string>{path});
  CHECK(JobsSource(path + ":first=1").file() == path);
  CHECK_THROWS_WITH(left("size=3"), Catch::Contains("has no key 'size'") && Catch::Contains("did you mean 'sizes'?"));
  CHECK_THROWS_WITH(left("sizes=4-3"), Catch::Contains("expected a size or a range"));
  CHECK_THROWS_WITH(left("from=100"), Catch::Contains("no unit"));
  CHECK_THROWS_WITH(open_jobs("nowhere.swf"), Catch::Contains("no such file and no such job stream"));
  CHECK_THROWS_WITH(open_jobs("deroze:load=3"), Catch::Contains("did you mean 'derose'?"));
}

// Generators

TEST_CASE("De Rose's jobs have the load, sizes and demands that they are told to have") {
  for (const std::string distribution : {"uniform", "exponential", "rectangles"}) {
    const auto jobs = open_jobs("derose:jobs=40000,load=4,service=10s,distribution=" + distribution);
    const auto list = all(*jobs);
    REQUIRE(list.size() == 40000);
    CHECK(jobs->counts().jobs == 40000);
    double size = 0, run_time = 0;
    std::int32_t most = 0;
    std::map<Demand, int> demands;
    for (const auto& job : list) {
      size += job.size / 40000.0;
      run_time += job.run_time / 40000.0;
      most = std::max(most, job.size);
      ++demands[job.demand];
      REQUIRE(job.size >= 1);
    }
    // Five standard errors: 10 / 200 * 5 = 0.25 of times, of sizes 37 / 200 * 5 and 64 / 200 * 5.
    CHECK(run_time == Approx(10).margin(0.25));
    CHECK(list.back().submitted == Approx(40000 * 10 / 4.0).epsilon(0.025));
    CHECK(demands[Demand::constant] == Approx(28000).margin(460));
    for (const auto changing : {Demand::increasing, Demand::decreasing, Demand::pyramid})
      CHECK(demands[changing] == Approx(4000).margin(300));
    if (distribution == "uniform") {
      CHECK(size == Approx(64.5).margin(0.93));
      CHECK(most == 128);
    } else if (distribution == "rectangles") {
      CHECK(size == Approx(16.5 * 16.5).margin(5.8));  // 232 / 200 * 5
      CHECK(most == 1024);
      for (const auto& job : list) {
        std::int32_t width = (job.size + 31) / 32;
        while (width <= 32 && job.size % width != 0) ++width;
        REQUIRE(width <= 32);
      }
    } else {
      CHECK(size == Approx(64.5).margin(1.6));  // rounded up: half a node more than the mean
      CHECK(most <= 1024);
    }
  }
}

TEST_CASE("Another load has the same jobs, another seed has others") {
  const auto a = all(*open_jobs("derose:load=1")), b = all(*open_jobs("derose:load=10")),
             c = all(*open_jobs("derose:load=10,seed=2"));
  bool same = true, other = false;
  for (std::size_t j = 0; j < a.size(); ++j) {
    same = same && a[j].size == b[j].size && a[j].run_time == b[j].run_time && a[j].demand == b[j].demand;
    other = other || c[j].size != b[j].size;
    CHECK(a[j].submitted == Approx(10 * b[j].submitted));
  }
  CHECK(same);
  CHECK(other);
  CHECK(all(*open_jobs("derose:load=10,first=7")).size() == 7);
}

TEST_CASE("Walker's stream has the jobs of the paper, mixed") {
  const auto list = all(*open_jobs("walker:message=2s"));
  std::map<std::int32_t, int> sizes;
  for (const auto& job : list) {
    ++sizes[job.size];
    CHECK(job.run_time == 25 * 2 * (job.size - 1));
    CHECK(job.submitted == 0);
  }
  CHECK(sizes == std::map<std::int32_t, int>{{2, 1820}, {5, 660}, {15, 620}, {20, 660}});
  CHECK(list[0].size + list[1].size + list[2].size + list[3].size + list[4].size != 10);
}

TEST_CASE("No format can say that a demand changes") {
  const test::Scratch scratch;
  const auto jobs = open_jobs("derose:changing=1");
  for (const auto& format : job_formats().entries())
    CHECK_THAT(refusal(scratch, format.name, *jobs), Catch::Contains("expected a constant one"));
}

TEST_CASE("What a format cannot hold as it is it refuses") {
  const test::Scratch scratch;
  const auto program = open_jobs(scratch.write("a.csv", "size,program\n4,cg\n4,c\xff\n"));
  CHECK_THAT(refusal(scratch, "batsim", *program), Catch::Contains("job 2: 'c\\xff' is not in UTF-8"));
  for (const std::string name : {" a", "a\\n", "a\\rb"}) {
    const auto jobs =
        batsim(scratch, R"({"id": ")" + name + R"(", "subtime": 0, "res": 1, "profile": "ten"})", profiles);
    CHECK_THAT(refusal(scratch, "csv", *jobs),
               Catch::Contains("job 1: its name '") && Catch::Contains("a table cannot say that"));
  }
}

// The real logs

/// Of LLNL-Atlas 39,190 jobs got processors; 17 more were cancelled after no time at all, and have only asked for some.
struct KnownLog {
  const char* name;
  std::uint64_t jobs, without_size;
  std::int32_t largest;
};

TEST_CASE("The archive's logs have the jobs that the papers count") {
  for (const auto& log : {KnownLog{"NASA-iPSC-1993-3.1-cln", 18'239, 0, 128},
                          {"LANL-CM5-1994-4.1-cln", 122'057, 3, 1024},
                          {"SDSC-SP2-1998-4.2-cln", 54'044, 0, 128},
                          {"KTH-SP2-1996-2.1-cln", 28'475, 1, 100},
                          {"HPC2N-2002-2.2-cln", 202'871, 0, 200},
                          {"LLNL-Atlas-2006-2.1-cln", 39'190, 4571, 9120}}) {
    const auto path = test::shared_data(fmt::format("swf/{}.swf.zst", log.name));
    if (path.empty()) return;
    const auto jobs = open_jobs(path);
    const auto summary = summarize(*jobs);
    INFO(log.name);
    CHECK(jobs->counts().jobs == log.jobs);
    CHECK(summary.jobs == log.jobs);
    CHECK(summary.largest == log.largest);
    CHECK(jobs->counts().malformed == 0);
    if (log.without_size > 0) CHECK(jobs->counts().without_size == log.without_size);
  }
}

TEST_CASE("Tables of jobs: what a column is called says what it is") {
  const test::Scratch scratch;
  const auto path = scratch.write("jobs.csv",
                                  "size,program,submitted_s, run_time_s,name,user\n"
                                  "16,\"npb:bench=cg,ranks=16\",20,5.5,late,3\n"
                                  "\n"
                                  "4,,10,,,\n");
  const auto list = all(*open_jobs(path));
  REQUIRE(list.size() == 2);
  CHECK(list[0].number == 2);
  CHECK(list[0].size == 4);
  CHECK_FALSE(list[0].has_run_time());
  CHECK(list[0].estimate == -1);
  CHECK(list[0].program.empty());
  CHECK(list[1].id() == "late");
  CHECK(list[1].submitted == 20);
  CHECK(list[1].run_time == 5.5);
  CHECK(list[1].notes.user == 3);
  CHECK(list[1].program == "npb:bench=cg,ranks=16");
}

TEST_CASE("Tables and Batsim's workloads keep what jobs run") {
  const test::Scratch scratch;
  const auto path = scratch.write("jobs.csv",
                                  "number,size,program,submitted_s,run_time_s,estimate_s\n"
                                  "5,16,\"npb:bench=cg,ranks=16\",20,5.5,6\n"
                                  "6,16,\"npb:bench=cg,ranks=16\",20,7,8\n"
                                  "7,1,,30,1,\n"
                                  "8,4,stencil:grid=4,40,,\n");
  const auto before = all(*open_jobs(path));
  for (const char* format : {"csv", "batsim", "batsim4"})
    CHECK(all(*open_jobs(written(scratch, format, *open_jobs(path), format))) == before);
}

TEST_CASE("What other formats cannot say of a job without a run time is refused") {
  const test::Scratch scratch;
  const auto jobs = open_jobs(scratch.write("jobs.csv", "number,size,submitted_s,wait_s\n5,16,0,0\n"));
  for (const auto& [format, expected] : {std::pair("swf", "job 5: its run time is not known: who reads a log in SWF"),
                                         {"sacct", "job 5: its run time is not known: sacct cannot say that"},
                                         {"batsim", "job 5: neither its run time nor its program is known"}}) {
    CHECK_THAT(refusal(scratch, format, *jobs), Catch::Contains(expected));
  }
}

// Slurm's accounts

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

TEST_CASE("sacct: what is written reads back, and what it cannot say is refused") {
  const test::Scratch scratch;
  const auto path =
      scratch.write("a", sacct_header +
                             "7|2024-02-28T23:59:50|2024-02-29T00:00:10|2024-03-01T00:00:10|4|1-02:03:04|u|a,b\n"
                             "8|2024-02-29T00:00:00|2024-02-29T00:00:00|2024-02-29T00:00:01|2|UNLIMITED||\n");
  const auto copy = open_jobs(written(scratch, "sacct", *open_jobs(path), "b.sacct"));
  CHECK(all(*copy) == all(*open_jobs(path)));
  CHECK(copy->header() == open_jobs(path)->header());  // the dates, too
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

TEST_CASE("Tables of jobs: mistakes name the line") {
  const test::Scratch scratch;
  const auto message = [&](const std::string& text, Reading reading = Reading::strict) {
    return test::error_of([&] { open_jobs(scratch.write("t.csv", text), reading); });
  };
  using Catch::Contains;
  CHECK_THAT(message("size,sice\n"), Contains("t.csv:1: unknown column 'sice'; did you mean 'size'?"));
  CHECK_THAT(message("size,size\n"), Contains("t.csv:1: column 'size' is there twice"));
  CHECK_THAT(message("size,name\n4\n"), Contains("t.csv:2: found 1 fields, expected 2"));
  CHECK_THAT(message("size\n0\n"), Contains("t.csv:2: size: found '0', expected a whole number from 1"));
  CHECK_THAT(message("size,wait_s\n1,2\n1,x\n"), Contains("t.csv:3: wait_s: found 'x'"));
  CHECK_THAT(message("size,user\n1,-2\n"), Contains("t.csv:2: user: found '-2'"));
  const auto lenient = open_jobs(scratch.write("l.csv", "size\nx\n3\n"), Reading::lenient);
  CHECK(lenient->counts().malformed == 1);
  CHECK(lenient->counts().jobs == 1);
}

TEST_CASE("Times are dates, where the log says when it began") {
  // 2024-05-01T10:00:00 UTC, by date(1).
  CHECK(read_date("2024-05-01T10:00:00") == 1714557600);
  CHECK(read_date("2024-05-01T10:00") == 1714557600);
  CHECK(read_date("2024-05-01") == 1714521600);
  for (const auto* text : {"2024-05", "2024-13-01", "2024-05-01 10:00", "2024-05-01T25:00", "10h", "2024-05-01T10"})
    CHECK_FALSE(read_date(text).has_value());
  CHECK_THROWS_WITH(parse_when("2024-13-01", "t"), Catch::Contains("t: found '2024-13-01', expected a date such as"));
  CHECK_THROWS_WITH(parse_when("10", "t"), Catch::Contains("no unit"));
  const test::Scratch scratch;
  const auto lines = line(1, 0, -1, 10, 1, 1, -1) + line(2, 3600, -1, 10, 3, 3, -1) + line(3, 90000, -1, 10, 4, 4, -1);
  const auto path = scratch.write("log.swf", "; UnixStartTime: 1714557600\n" + lines);
  const auto left = [&](const std::string& keys) { return numbers(*open_jobs(path + ":" + keys)); };
  CHECK(left("from=2024-05-01T11:00") == std::vector<std::int64_t>{2, 3});
  CHECK(left("from=2024-05-01T10:00:01,until=2024-05-02") == std::vector<std::int64_t>{2});
  CHECK(left("from=30min,until=1d") == std::vector<std::int64_t>{2});
  CHECK_THROWS_WITH(left("from=2023-05-01"), Catch::Contains("before the beginning of the log"));
  // A slice keeps its own origin, and says when that was.
  const auto slice = open_jobs(path + ":from=30min");
  CHECK(all(*slice)[0].submitted == 1800);
  CHECK(unix_start(*slice) == 1714557600 + 1800);
  CHECK(since_beginning(parse_when("2024-05-01T11:00", "t"), *slice, "t") == 1800);
  CHECK_FALSE(unix_start(*open_jobs(path + ":arrivals=0.5")).has_value());
  const auto unknown = scratch.write("other.swf", lines);
  CHECK_THROWS_WITH(open_jobs(unknown + ":from=2024-05-01"), Catch::Contains("does not say when it began"));
  CHECK(all(*open_jobs(unknown + ":from=1h"))[0].number == 2);
}

TEST_CASE("A log that does not know when it began gets no date from a slice") {
  const test::Scratch scratch;
  for (const std::string start : {"0", "-1", "unknown"}) {
    CAPTURE(start);
    const auto path = scratch.write("log.swf", "; UnixStartTime: " + start + "\n" + line(1, 7200, -1, 10, 1, 1, -1));
    const auto slice = open_jobs(path + ":from=1h");
    CHECK_FALSE(unix_start(*slice).has_value());
    CHECK(slice->header() == open_jobs(path)->header());
    CHECK_THROWS_WITH(open_jobs(path + ":from=2024-05-01"),
                      Catch::StartsWith(fmt::format("'{}:from=2024-05-01': from: found a date", path)));
  }
}

TEST_CASE("A log of sacct knows its dates") {
  const test::Scratch scratch;
  const auto path = scratch.write("log",
                                  "JobID|Submit|Start|End|NNodes\n"
                                  "7|2024-05-01T10:00:00|2024-05-01T10:00:07|2024-05-01T10:01:00|2\n"
                                  "8|2024-05-01T12:00:00|2024-05-01T12:00:00|2024-05-01T12:00:10|1\n");
  CHECK(numbers(*open_jobs(path + ":from=2024-05-01T11:00")) == std::vector<std::int64_t>{8});
  const auto header = open_jobs(path)->header();
  REQUIRE(header.size() == 2);
  CHECK_THAT(header[1], Catch::Contains("does not say of which zone"));
}

}  // namespace
}  // namespace toroid::jobs
