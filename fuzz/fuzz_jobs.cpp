// Feeds broken job logs to the readers for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_jobs [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE...
//
// Logs in the Standard Workload Format, workloads of Batsim, accounts of Slurm (FILE.sacct) and tables, of our own or
// given ones, are changed in a few places: bytes, copied or lost pieces, values from other files, large numbers. What
// reads well must be in order and make sense, be the same when it is read again, and when it has been written in any
// format that can say it and is read from there; what does not must be complained of, and be read leniently. Build it
// with the preset asan and -DTOROID_BENCH=ON.

#include <cstdlib>
#include <filesystem>

#include "core/output.hpp"
#include "fuzz/fuzzing.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/jobs/jobs.hpp"

namespace {

using namespace toroid;
using namespace std::string_literals;
using jobs::Job;
using jobs::Reading;

const std::vector<std::string> numbers{"-1",   "0",     "-0",  "0.5", "1e308", "-1e308", "1e-308",    "999999999999",
                                       "1e12", "10e12", "nan", "inf", "\0"s,   "+1",     "2147483648"};

std::vector<std::string> with_numbers(std::vector<std::string> pieces) {
  pieces.insert(pieces.end(), numbers.begin(), numbers.end());
  return pieces;
}

using Kind = fuzzing::Kind;

std::vector<Kind> kinds() {
  return {
      {".swf",
       {with_numbers({";", "\t", "\n", "\r\n", " ", "9223372036854775808"}), " ", " \t\n"},
       {"; Version: 2.2\n; MaxProcs: 128\n"
        "1 0 5 100 4 33.5 1000 4 120 2000 1 3 4 5 6 1 -1 -1\n2 90 -1 50 -1 -1 -1 16 -1 -1 1 -1 -1 -1 -1 -1 1 10\n"
        "3 20 -1 -1 8 -1 -1 8 40 -1 0 1 1 -1 -1 -1 -1 -1\n3 20 -1 30 8 -1 -1 8 40 -1 4 1 1 -1 -1 -1 -1 -1\n"}},
      {".json",
       {with_numbers(
            {"{", "}", "[", "]", ",", ":", "\"", "null", "true", "\"a\"", "\"a\\n,\"", "{}", "[]", "\"both\""}),
        ": ", ",}]"},
       {R"({"nb_res": 4, "jobs": [{"id": "w0!7", "subtime": 5, "walltime": 20, "res": 4, "profile": "both"},
{"id": "first", "subtime": 1.5, "walltime": -1, "res": 2, "profile": "ten"},
{"id": 3, "subtime": 0, "res": 1, "profile": "program"}], "profiles": {"ten": {"type": "delay", "delay": 10},
"both": {"type": "composed", "repeat": 2, "seq": ["ten", "ten"]},
"program": {"type": "toroid", "program": "stencil:grid=2x2", "delay": 3}}})",
        R"({"nb_res": 4, "jobs": [{"id": "a", "subtime": 5, "walltime": 20, "res": 4, "profile": "seq",
"extra_data": "{\"toroid\": {\"wait_s\": 5, \"user\": 3, \"nodes\": \"n[1-4]\", \"status\": 1}}"},
{"id": 2, "subtime": 6, "res": 2, "profile": "ten", "extra_data": {"toroid": {"number": 3, "queue": 1}}},
{"id": "w0!3", "subtime": 7, "res": 1, "profile": "work"}, {"id": 4, "subtime": 8, "res": 1, "profile": "trace"}],
"profiles": {"ten": {"type": "DelayProfile", "delay": 10}, "work": {"type": "ParallelTaskProfile", "cpu": [1e6]},
"seq": {"type": "SequentialCompositionProfile", "repeat": 2, "seq": ["ten", "ten"]},
"trace": {"type": "TraceReplayProfile", "trace_type": "SMPI", "filename": "a/b.txt"}}})"}},
      {".sacct",
       {with_numbers({"|", "\n", "JobID", "Eligible", "Unknown", "None assigned", "CANCELLED by 7", "UNLIMITED", ".0",
                      "(", "user1", "2026-06-01T08:00:00", "9999-12-31T23:59:59", "1970-01-01T00:00:00", "\x1b"}),
        "|", "|\n"},
       {"JobID|User|NNodes|Timelimit|Submit|Eligible|Start|End|State|NodeList\n"
        "101|ada|4|02:00:00|2026-06-01T08:00:00|2026-06-01T08:00:03|2026-06-01T08:00:05|2026-06-01T09:30:00|"
        "COMPLETED|nid[001-002,005-006]\n"
        "101.0|ada|4||2026-06-01T08:00:05|Unknown|2026-06-01T08:00:05|2026-06-01T09:30:00|COMPLETED|nid001\n"
        "102_3|eve|8|1-00:00:00|2026-06-01T08:10:00||2026-06-01T08:10:00|Unknown|RUNNING|nid[009-012]\n"
        "103|ada|4|UNLIMITED|2026-06-01T08:20:00||2026-06-01T08:30:00|2026-06-01T08:30:00|CANCELLED|None assigned\n"
        "104|ada|4|10:00|2026-06-01T08:20:00||2026-06-01T08:30:00|2026-06-01T08:31:00|NODE_FAIL|\n"
        "104|ada|4|10:00|2026-06-01T08:31:00||2026-06-01T08:40:00|2026-06-01T08:41:00|COMPLETED|\n",
        "JobID|Submit|Start|End|NNodes|User\n1|2026-06-01T08:00:00|2026-06-01T08:00:00|2026-06-01T08:00:00|1|user2\n"
        "2|2026-06-01T08:00:00|2026-06-01T08:00:07|2026-06-01T08:00:09|1|user1\n"}},
      {".csv",
       {with_numbers({",", "\"", "\"\"", "\n", "size", "name", "number", "program", "\"a,b\""}), ",", ",\n"},
       {"number,name,submitted_s,size,run_time_s,estimate_s,wait_s,user,group,application,queue,partition,program\n"
        "1,first,0,4,10,20,,1,2,3,4,5,\"stencil:grid=2x2,steps=1\"\n2,,5.5,8,10,,3,,,,,,\n",
        "size,submitted_s,run_time_s\n4,0,10\n\n2,3,1\n",
        "name,nodes,size,submitted_s,run_time_s,wait_s,cpu_time_s,memory,requested_memory,status,preceding,"
        "think_time_s\na,n1,1,0,10,0,5.5,1e6,2,1,1,30\n,,2,3,1,0,,,,,,\n"}}};
}

std::vector<Job> all(const jobs::Jobs& jobs) {
  std::vector<Job> list;
  Job job;
  for (const auto stream = jobs.open(); stream->next(job);) list.push_back(job);
  return list;
}

void check(bool holds) {
  if (!holds) std::abort();
}

void check_sense(const std::vector<Job>& jobs, const jobs::JobCounts& counts) {
  check(jobs.size() == counts.jobs);
  std::uint64_t of_unknown_length = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    of_unknown_length += job.has_run_time() ? 0 : 1;
    check(job.size >= 1 && job.submitted >= 0 && job.submitted <= 1e12);
    check((job.run_time >= 0 && job.run_time <= 1e12) || job.run_time == -1);
    check(job.estimate <= 1e12 && (i == 0 || jobs[i - 1].submitted <= job.submitted));
  }
  check(of_unknown_length == counts.of_unknown_length);
}

/// Written by the format, and read again: the same, unless the format says that it cannot say something.
void check_copy(const core::Entry<jobs::JobFormat>& format, const jobs::Jobs& jobs, const std::string& path) {
  std::filesystem::remove(path);
  try {
    core::OutputSet outputs;
    jobs::write_jobs(format, jobs, outputs.add(path));
    outputs.commit();
  } catch (const core::InputError&) {
    return;
  }
  auto expected = all(jobs), copies = all(*jobs::open_jobs(path));
  if (format.name == "sacct")  // where a name is all that tells jobs apart
    for (auto* list : {&expected, &copies})
      for (auto& job : *list)
        if (!job.name.empty()) job.number = 0;
  check(copies == expected);
}

bool try_out(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  const auto lenient = [&] {
    const auto jobs = jobs::open_jobs(path, Reading::lenient);
    check_sense(all(*jobs), jobs->counts());
  };
  try {
    lenient();
  } catch (const core::InputError&) {  // even so: no JSON, say
  }
  try {
    const auto jobs = jobs::open_jobs(path);
    const auto list = all(*jobs);
    check_sense(list, jobs->counts());
    check(all(*jobs) == list);
    jobs::summarize(*jobs);
    for (const auto& format : jobs::job_formats().entries())
      check_copy(format, *jobs, fmt::format("{}/copy.{}", folder, format.name));
    return true;
  } catch (const core::InputError& error) {
    check(*error.what() != '\0');
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto all_kinds = kinds();
  for (auto& kind : all_kinds) kind.try_out = try_out;
  return fuzzing::fuzz_files(argc, argv, "broken job logs", all_kinds);
}
