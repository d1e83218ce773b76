
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "jobs/formats/log.hpp"
#include "tests/jobs/logs.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::jobs {
namespace {

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

TEST_CASE("Any jobs are read from each format as they were written, or are refused", "[slow]") {
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
                                                 line(5, 9, 3, 10, 4, 4, 20, "1 2 6 7 -1 -1 -1 -1"));
  CHECK(refusal(scratch, "sacct", *open_jobs(path)) ==
        "job 4: the format sacct cannot say what is known of jobs: status, application; "
        "JOBS:without=status/application leaves that out");
  const auto left = open_jobs(path + ":without=status/application");
  const auto copy = all(*open_jobs(written(scratch, "sacct", *left, "copy.sacct")));
  REQUIRE(copy.size() == 2);
  CHECK(copy == all(*left));
  CHECK(copy[1].notes.user == 2);
  CHECK(copy[1].notes.application == -1);
  CHECK_THROWS_WITH(open_jobs(path + ":without=user/size"), Catch::Contains("expected columns of tables but number"));
  const auto later = open_jobs(path + ":first=1,from=9s,without=status/application,arrivals=2");
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

TEST_CASE("Dates are in the log's own time zone, unless Z or an offset stands behind them") {
  const test::Scratch scratch;
  // 18:11:04 in California, by its summer time; the log's zone knows none.
  const auto path =
      scratch.write("log.swf", "; UnixStartTime: 893466664\n; TimeZone: -28800\n" + line(1, 0, -1, 10, 4, 4, -1));
  const auto jobs = open_jobs(path);
  CHECK(time_zone(*jobs) == -28800);
  const auto since = [&](std::string_view text) { return since_beginning(parse_when(text, "t"), *jobs, "t"); };
  CHECK(since("1998-04-24T17:11:04") == 0);
  CHECK(since("1998-04-25T01:11:04Z") == 0);
  CHECK(since("1998-04-24T18:11:04-07:00") == 0);
  CHECK(since("1998-04-25T03:11:04+0200") == 0);
  CHECK(since("1998-04-25") == 86400 - (17 * 3600 + 11 * 60 + 4));
  CHECK(date_text(0, *jobs) == "1998-04-24 17:11 (UTC-08:00)");
  CHECK(date_text(86400, *jobs) == "1998-04-25 17:11 (UTC-08:00)");
  for (const auto* text :
       {"1998-04-24T17:11+2", "1998-04-24T17:11+25:00", "1998-04-24T17:11+02:75", "1998-04-24T17:11ZZ"})
    CHECK_THROWS_WITH(parse_when(text, "t"), Catch::Contains("with Z or +02:00 behind it"));
  CHECK_THROWS_WITH(since("1998-04-24T17:00"), Catch::Contains("before the beginning of the log, 1998-04-24 17:11"));
  const auto none = open_jobs(scratch.write("none.swf", "; UnixStartTime: 893466664\n" + line(1, 0, -1, 10, 4, 4, -1)));
  CHECK(date_text(0, *none) == "1998-04-25 01:11");
  CHECK(date_text(0, *open_jobs("derose:jobs=3")).empty());
}

TEST_CASE("A log can be narrowed to users, groups, queues and partitions") {
  const test::Scratch scratch;
  std::string table = "size,submitted_s,run_time_s,user,group,queue,partition\n";
  for (int i = 0; i < 12; ++i) table += fmt::format("1,{},5,{},{},{},{}\n", i, i % 4, i % 3, i % 2, i / 6);
  const auto path = scratch.write("log.csv", table + "1,12,5,,,,\n");
  const auto count = [&](const std::string& filters) { return open_jobs(path + ":" + filters)->counts().jobs; };
  CHECK(count("user=0-9") == 12);  // not the last, of which nothing is known
  CHECK(count("user=2") == 3);
  CHECK(count("user=1-2") == 6);
  CHECK(count("group=0,queue=1") == 2);
  CHECK(count("partition=1,queue=0") == 3);
  CHECK_THROWS_WITH(open_jobs(path + ":user=x"), Catch::Contains("a number or a range"));
  CHECK_THROWS_WITH(open_jobs(path + ":queue=3-1"), Catch::Contains("a number or a range"));
}

TEST_CASE("A log that does not know when it began gets no date from a slice") {
  const test::Scratch scratch;
  for (const std::string start : {"0", "-1", "unknown", "1e30"}) {
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
