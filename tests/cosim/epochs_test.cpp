// Run times in epochs: by hand, and against replays of everything.

#include "cosim/run_times/epochs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::cosim {
namespace {

using Times = ScheduleRequest::Times;

struct Run {
  Totals totals;
  std::map<std::int64_t, Ended> jobs;
  std::vector<core::Figure> epochs;
};

Run run(Times times, const std::string& platform, const jobs::Jobs& jobs, const std::vector<std::string>& rules,
        Options options = {}, const std::string& allocator = "consecutive", EpochOptions epochs = {},
        double compute_scale = 1) {
  const auto machine = platforms::make_machine(platform);
  Records records;
  ScheduleRequest request{machine, jobs, "fcfs", allocator};
  request.options = options;
  request.times = times;
  request.programs.rules = rules;
  request.programs.map = "consecutive";
  request.programs.reference = "consecutive";
  request.programs.replay.compute_scale = compute_scale;
  request.epochs = epochs;
  request.observers = {&records};
  const auto result = run_schedule(request);
  return {result.totals, records.by_number, result.epochs};
}

// Links of 1 GB/s without latency: a message of 1 MB takes 1 ms.
const std::string line = "mesh:8,bw=1GBps,lat=0s";

TEST_CASE("Jobs in epochs tell the computation that they leave out as replayed ones do") {
  const ListedJobs jobs({job(1, 0, 4, 0)});
  const std::vector<std::string> rules{"stencil:grid={size},steps=5,flops=2Mf rounds 300"};  // 2 ms a step
  for (const auto times : {Times::epochs, Times::replayed}) {
    CHECK(run(times, "mesh:8", jobs, rules, {}, "consecutive", {}, 0).totals.left_out == Approx(3));
    CHECK(run(times, "mesh:8", jobs, rules).totals.left_out == 0);
  }
}

TEST_CASE("Rounds that share a link take twice as long while they do") {
  const test::Scratch scratch;
  const auto far = scratch.write("far.ti", "0 send 3 0 1000000 6\n1 compute 0\n2 compute 0\n3 recv 0 0 1000000 6\n");
  const auto near = scratch.write("near.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const ListedJobs jobs({job(1, 0, 4, 0), job(2, 0, 2, 0)});
  const auto alone = run(Times::epochs, line, ListedJobs({job(1, 0, 4, 0)}), {far + " rounds 300"});
  CHECK(alone.jobs.at(1).ended == Approx(0.3));
  CHECK(alone.totals.contention == Approx(1));
  const auto both = run(Times::epochs, line, jobs, {far + " rounds 300 if size=4", near + " rounds 100"});
  CHECK(both.jobs.at(1).ended == Approx(0.3));  // 0-3 beside 4-5
  CHECK(both.jobs.at(2).ended == Approx(0.1));
  // Both jobs of two nodes on a ring of one way: each message goes all the way round, over the links of the other.
  const ListedJobs pair({job(1, 0, 2, 0), job(2, 0, 2, 0)});
  const auto back = scratch.write("back.ti", "1 send 0 0 1000000 6\n0 recv 1 0 1000000 6\n");
  const auto ring =
      run(Times::epochs, "ring:4,bw=1GBps,lat=0s", pair, {back + " rounds 100 if name=1", back + " rounds 300"});
  CHECK(ring.jobs.at(1).ended == Approx(0.2).epsilon(0.00001));
  CHECK(ring.jobs.at(2).ended == Approx(0.4).epsilon(0.00001));
}

TEST_CASE("Where a mix of jobs repeats exactly, epochs are exact") {
  // The jobs of a mix do the same on nodes that lie alike, and lose time to each other; the next mix begins as they
  // end. Rates count as steady only once the rounds are alike: the first ones of most programs are others. And so may
  // the last one be, as no messages of a next one share links with the 8 bytes of its allreduce.
  const test::Scratch scratch;
  const auto back = scratch.write("back.ti", "1 send 0 0 1000000 6\n0 recv 1 0 1000000 6\n");
  const auto uneven = scratch.write("uneven.ti",
                                    "0 isend 1 0 300000 6\n0 compute 1e6\n0 recv 1 0 200000 6\n0 wait 0 1 0\n"
                                    "1 recv 0 0 300000 6\n1 send 0 0 200000 6\n");
  struct Case {
    std::string platform, program;
    std::int32_t ranks;
    int together;
    double last_round;  ///< seconds by which it is quicker than the others
  };
  for (const auto& [platform, program, ranks, together, last_round] :
       {Case{"ring:4,bw=1GBps,lat=0s", back, 2, 2, 0},
        {"ring:6,bw=1GBps,lat=1us", back, 2, 3, 0},
        {"ring:6,bw=700MBps,lat=1us", uneven, 2, 3, 0},
        {"ring:8,bw=300MBps,lat=2us", "stencil:grid={size},bytes=64KiB,steps=2", 4, 2, 4 * 8 / 300e6},
        {"ring:12,bw=300MBps,lat=2us", "stencil:grid={size},bytes=8KiB,steps=1", 4, 3, 8 * 8 / 300e6}}) {
    INFO(platform << ", " << program);
    std::vector<jobs::Job> made;
    for (int number = 1; number <= 2 * together; ++number) made.push_back(job(number, 0, ranks, 0));
    const std::vector<std::string> rules{program + " rounds 2000"};
    const auto epochs = run(Times::epochs, platform, ListedJobs(made), rules, {}, "consecutive",
                            {.error = 1e-9, .rounds = 10'000}),
               replayed = run(Times::replayed, platform, ListedJobs(made), rules);
    const auto share = std::find_if(epochs.epochs.begin(), epochs.epochs.end(),
                                    [](const auto& figure) { return figure.name == "replayed"; });
    REQUIRE(share != epochs.epochs.end());
    CHECK(share->value < 0.5);
    CHECK(replayed.totals.contention > 1.01 * 2 * together);
    for (const auto& [number, one] : replayed.jobs) {
      const double mixes = number <= together ? 1 : 2;
      CHECK(epochs.jobs.at(number).ended - mixes * last_round == Approx(one.ended).epsilon(1e-10));
    }
  }
}

TEST_CASE("A program of few rounds ends as in a replay, if it has no neighbours") {
  const ListedJobs jobs({job(1, 0, 16, 0), job(2, 0, 16, 0)});
  const std::vector<std::string> rules{"stencil:grid=4x4,steps=3 rounds 5"};
  const auto epochs = run(Times::epochs, "torus:4x4", jobs, rules),
             replayed = run(Times::replayed, "torus:4x4", jobs, rules);
  CHECK(epochs.jobs.at(2).ended == Approx(replayed.jobs.at(2).ended).epsilon(1e-9));
  CHECK(epochs.totals.contention == Approx(2));
}

TEST_CASE("A program of many rounds lasts as its log says, alone on the nodes of reference") {
  // The last one has nobody to talk to.
  const ListedJobs jobs({job(1, 0, 16, 1000), job(2, 5, 16, 3600), job(3, 6, 1, 50)});
  const auto seen = run(Times::epochs, "torus:4x4", jobs,
                        {"stencil:grid=4x4 rounds logged if size=16", "stencil:grid={size} rounds logged"});
  CHECK(seen.jobs.at(3).ended - seen.jobs.at(3).started == Approx(50));
  CHECK(seen.jobs.at(1).ended == Approx(1000).epsilon(0.0001));
  CHECK(seen.jobs.at(2).ended == Approx(4600).epsilon(0.0001));
}

TEST_CASE("Jobs in epochs are killed at their estimate, and fail alone") {
  const test::Scratch scratch;
  const auto deadlock = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  Options options;
  options.kill = true;
  const std::vector<std::string> rules{deadlock + " if size=2", "stencil:grid={size} rounds logged"};
  const ListedJobs jobs({job(1, 0, 2, 5, 9), job(2, 0, 8, 100, 30), job(3, 0, 16, 10, 20)});
  CHECK_THAT(test::message_of<core::SimulationError>([&] { run(Times::epochs, "torus:4x4", jobs, rules, options); }),
             Catch::StartsWith("job 1, "));
  options.failed_job = netsim::OnFailedJob::go_on;
  const auto seen = run(Times::epochs, "torus:4x4", jobs, rules, options);
  CHECK(seen.jobs.at(1).end == End::failed);
  CHECK(seen.jobs.at(1).ended == 0);
  CHECK(seen.jobs.at(2).end == End::killed);
  CHECK(seen.jobs.at(2).ended == 30);
  CHECK(seen.jobs.at(3).end == End::done);
  CHECK(seen.jobs.at(3).started == 30);
}

TEST_CASE("Each of several equal jobs that deadlock fails, in epochs as in a replay") {
  const test::Scratch scratch;
  const auto deadlock = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  std::vector<jobs::Job> six;
  for (int number = 1; number <= 6; ++number) six.push_back(job(number, number, 2, 10));
  Options go_on;
  go_on.failed_job = netsim::OnFailedJob::go_on;
  for (const auto times : {Times::epochs, Times::replayed})
    for (const std::string rounds : {"", " rounds 100", " rounds logged"}) {
      const std::vector<std::string> rules{deadlock + rounds};
      const auto seen = run(times, "mesh:4", ListedJobs(six), rules, go_on);
      REQUIRE(seen.jobs.size() == 6);
      for (const auto& [number, one] : seen.jobs) CHECK(one.end == End::failed);
      CHECK_THAT(test::message_of<core::SimulationError>([&] { run(times, "mesh:4", ListedJobs(six), rules); }),
                 Catch::StartsWith("job 1, ") && Catch::Contains("deadlock.ti"));
    }
}

// Of what two ranks send it the third takes what comes first, and then what comes from the first one of them. Alone the
// 1 MB of the first is through in 1 ms, and its small message is earlier than that of the second after 1.5 ms.
const std::string racing =
    "0 send 2 0 1000000 6\n0 send 2 0 1000 6\n1 sleep 0.0015\n1 send 2 0 1000 6\n"
    "2 recv 0 0 1000000 6\n2 recv -333 0 1000 6\n";

TEST_CASE("A program may fail beside others only, or alone only") {
  const test::Scratch scratch;
  const auto neighbour = scratch.write("back.ti", "1 send 0 0 1000000 6\n0 recv 1 0 1000000 6\n");
  const ListedJobs jobs({job(1, 0, 3, 0), job(2, 0, 2, 0)}), one({job(1, 0, 3, 0)});
  const std::string ring = "ring:5,bw=1GBps,lat=0s";
  const auto run_beside = [&](Times times, const ListedJobs& which, const std::string& last,
                              netsim::OnFailedJob failing) {
    const auto program = scratch.write("racing.ti", racing + last);
    Options options;
    options.failed_job = failing;
    std::vector<std::string> rules{program + " if name=1"};
    if (&which == &jobs) rules.push_back(neighbour + " rounds 100 if name=2");
    return run(times, ring, which, rules, options);
  };
  const auto go_on = netsim::OnFailedJob::go_on;
  const std::string fails_beside = "2 recv 1 0 1000 6\n", fails_alone = "2 recv 0 0 1000 6\n";
  for (const auto times : {Times::epochs, Times::replayed}) {
    CHECK(run_beside(times, one, fails_beside, go_on).jobs.at(1).end == End::done);
    const auto beside = run_beside(times, jobs, fails_beside, go_on);
    CHECK(beside.jobs.at(1).end == End::failed);
    CHECK(beside.jobs.at(2).end == End::done);
    CHECK_THAT(test::message_of<core::SimulationError>(
                   [&] { run_beside(times, jobs, fails_beside, netsim::OnFailedJob::stop); }),
               Catch::StartsWith("job 1, "));
    CHECK(run_beside(times, one, fails_alone, go_on).jobs.at(1).end == End::failed);
  }
  // What it would take alone is not known then.
  const auto alone = run_beside(Times::replayed, jobs, fails_alone, netsim::OnFailedJob::stop);
  CHECK(alone.jobs.at(1).end == End::done);
}

TEST_CASE("Whatever jobs fail, alone or beside others, they fail in epochs as in a replay") {
  const test::Scratch scratch;
  core::Random random(5, "tests/failing");
  const std::vector<std::string> programs{
      "stencil:grid={size},bytes=64KiB,steps=1",
      "broadcasts:ranks={size},rounds=1,bytes=64KiB,flops=0f",
      scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n"),
      scratch.write("late.ti", "0 send 1 0 100000 6\n1 recv 0 0 100000 6\n0 recv 1 0 8 6\n"),
      scratch.write("unreceived.ti", "0 send 1 0 1000 6\n0 send 1 0 1000 6\n1 recv 0 0 1000 6\n"),
      scratch.write("racing.ti", racing + "2 recv 1 0 1000 6\n"),
      scratch.write("alone.ti", racing + "2 recv 0 0 1000 6\n")};
  std::map<End, int> seen;
  for (int round = 0; round < 12; ++round) {
    std::vector<jobs::Job> made;
    std::vector<std::string> rules;
    for (int number = 1; number <= 12; ++number) {
      const auto size = 3 + static_cast<std::int32_t>(random.below(4));
      made.push_back(job(number, 0.001 * static_cast<double>(random.below(40)), size, 0.05,
                         0.02 + 0.01 * static_cast<double>(random.below(20))));
      const auto& program = programs[random.below(programs.size())];
      const bool is_logged = random.below(4) == 0;
      rules.push_back(fmt::format("{} rounds {} if name={}", program,
                                  is_logged ? "logged" : std::to_string(1 + random.below(60)), number));
    }
    Options options;
    options.failed_job = netsim::OnFailedJob::go_on;
    options.kill = round % 3 == 0;
    // Nothing is steady enough: all jobs are replayed from end to end.
    const auto replayed = run(Times::replayed, "mesh:12", ListedJobs(made), rules, options, "random");
    const auto exact =
        run(Times::epochs, "mesh:12", ListedJobs(made), rules, options, "random", {.error = -1, .rounds = 10'000});
    const auto epochs = run(Times::epochs, "mesh:12", ListedJobs(made), rules, options, "random");
    for (const auto& [number, one] : replayed.jobs) {
      INFO("round " << round << ", job " << number << ": " << rules[static_cast<std::size_t>(number) - 1]);
      CHECK(exact.jobs.at(number).end == one.end);
      CHECK(exact.jobs.at(number).ended == one.ended);
      ++seen[one.end];
      // Who meets whom in a race, and who is killed, is another matter when times are a little different.
      if (rules[static_cast<std::size_t>(number) - 1].find("racing") == std::string::npos &&
          rules[static_cast<std::size_t>(number) - 1].find("alone") == std::string::npos && !options.kill)
        CHECK(epochs.jobs.at(number).end == one.end);
    }
  }
  CHECK(seen[End::done] > 10);
  CHECK(seen[End::failed] > 10);
  CHECK(seen[End::killed] > 3);
}

TEST_CASE("Epochs of jobs with few rounds are a replay, and of many never more than that") {
  std::vector<jobs::Job> made;
  core::Random random(12, "tests/epochs");
  for (int number = 1; number <= 25; ++number)
    made.push_back(job(number, 0, 2 + static_cast<std::int32_t>(random.below(14)), 0));
  const ListedJobs jobs(made);
  for (const std::string rounds : {"7", "40", "3000"}) {
    const std::vector<std::string> rules{"stencil:grid={size},bytes=64KiB,steps=1,flops=0f rounds " + rounds};
    const auto machine = platforms::make_machine("mesh:8x4");
    ScheduleRequest request{machine, jobs, "fcfs", "random"};
    request.times = Times::epochs;
    request.programs.rules = rules;
    request.programs.map = "consecutive";
    const auto result = run_schedule(request);
    const double replayed = result.epochs.at(2).value;
    REQUIRE(result.epochs.at(2).name == "replayed");
    CHECK(replayed <= 1);
    if (rounds == "7")
      CHECK(result.totals.last_end == run(Times::replayed, "mesh:8x4", jobs, rules, {}, "random").totals.last_end);
    if (rounds == "3000") CHECK(replayed < 0.3);
  }
}

TEST_CASE("A quick job meets a slow one in all of its phases") {
  // On a ring of one way 3 -> 2 goes by 0 -> 1, and 2 -> 3 does not. Of 10 MB the slow job sends there the first half
  // of its round beside the quick one, in 20 ms, the second on links of its own, in 10 ms; the quick one goes through
  // 10 rounds in either.
  const test::Scratch scratch;
  const auto quick = scratch.write("quick.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const auto slow = scratch.write("slow.ti",
                                  "0 recv 1 0 10000000 6\n0 send 1 0 10000000 6\n"
                                  "1 send 0 0 10000000 6\n1 recv 0 0 10000000 6\n");
  const ListedJobs jobs({job(1, 0, 2, 0), job(2, 0, 2, 0)});
  const auto seen = run(Times::epochs, "ring:4,bw=1GBps,lat=0s", jobs,
                        {quick + " rounds 1000 if name=1", slow + " rounds 100 if name=2"});
  CHECK(seen.jobs.at(1).ended == Approx(1.5).epsilon(0.02));
  CHECK(seen.jobs.at(2).ended == Approx(2.5).epsilon(0.02));
}

TEST_CASE("Ranks that nothing keeps in step are measured when they have fallen out of it") {
  const ListedJobs jobs({job(1, 0, 15, 0)});
  const std::vector<std::string> rules{"broadcasts:ranks=15,rounds=1,bytes=64KiB,flops=0f rounds 400"};
  const auto time_of = [&](Times times, EpochOptions epochs) {
    return run(times, "redstorm-cabinet:shape=4x4", jobs, rules, {}, "consecutive", epochs).totals.makespan();
  };
  const double replayed = time_of(Times::replayed, {});
  CHECK(time_of(Times::epochs, {}) == Approx(replayed).epsilon(0.005));
  // As they are at first, which is what this is about.
  CHECK(time_of(Times::epochs, {.rounds = 2}) < 0.97 * replayed);
}

TEST_CASE("Ranks that go in step for eight rounds and then fall out of it are waited for") {
  const ListedJobs jobs({job(1, 0, 3, 0)});
  const std::vector<std::string> rules{"broadcasts:ranks=3,rounds=1,bytes=1000 rounds 300"};
  const auto time_of = [&](Times times) {
    return run(times, "mesh:12,bandwidth=0.7GBps,latency=70ns,base-latency=1us", jobs, rules, {}, "consecutive")
        .totals.makespan();
  };
  CHECK(time_of(Times::epochs) == Approx(time_of(Times::replayed)).epsilon(0.02));
}

TEST_CASE("Epochs are near a replay of all messages", "[slow]") {
  if (test::is_sanitized) return;  // many jobs, so that figures are near; few go the same ways, above
  core::Random random(11, "tests/epochs");
  std::vector<jobs::Job> made;
  for (int number = 1; number <= 60; ++number)
    made.push_back(job(number, 0, 2 + static_cast<std::int32_t>(random.below(7)), 0));
  const ListedJobs jobs(made);
  const std::vector<std::string> rules{"stencil:grid=2x2,bytes=64KiB,periodic=yes rounds 30 if size=4-8",
                                       "stencil:grid=2,bytes=64KiB rounds 40"};
  const auto replayed = run(Times::replayed, "mesh:8x4", jobs, rules, {}, "random");
  const auto epochs = run(Times::epochs, "mesh:8x4", jobs, rules, {}, "random");
  CHECK(epochs.totals.makespan() == Approx(replayed.totals.makespan()).epsilon(0.1));
  CHECK(epochs.totals.contention / 60 == Approx(replayed.totals.contention / 60).epsilon(0.1));
  CHECK(replayed.totals.contention / 60 > 1.05);
  // The same again gives the same.
  CHECK(run(Times::epochs, "mesh:8x4", jobs, rules, {}, "random").totals.last_end == epochs.totals.last_end);
}

}  // namespace
}  // namespace toroid::cosim
