// Feeds broken job logs to the readers for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_jobs [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE...
//
// Logs in the Standard Workload Format, workloads of Batsim and tables, of our own or given ones, are changed in a few
// places: bytes, copied or lost pieces, values from other files, large numbers. What reads well must be in order and
// make sense, be the same when it is read again, and when it has been written and is read from there; what does not
// must be complained of, and be read leniently. Build it with the preset asan and -DTOROID_BENCH=ON.

#include <cstdlib>
#include <filesystem>

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "fuzz/fuzzing.hpp"
#include "jobs/jobs_source.hpp"

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
  return {{".swf",
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
"program": {"type": "toroid", "program": "stencil:grid=2x2", "delay": 3}}})"}},
          {".csv",
           {with_numbers({",", "\"", "\"\"", "\n", "size", "name", "number", "program", "\"a,b\""}), ",", ",\n"},
           {"number,name,submitted_s,size,run_time_s,estimate_s,wait_s,user,group,application,queue,partition,program\n"
            "1,first,0,4,10,20,,1,2,3,4,5,\"stencil:grid=2x2,steps=1\"\n2,,5.5,8,10,,3,,,,,,\n",
            "size,submitted_s,run_time_s\n4,0,10\n\n2,3,1\n"}}};
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

/// The estimate, or -1 for all that say there is none.
double known_estimate(const Job& job) {
  return job.estimate < 0 ? -1 : job.estimate;
}

/// As tables have it: what controls terminals is an escape there.
std::string in_a_table(const std::string& text) {
  const auto fields = core::csv_fields(core::csv_field(text));
  return fields.empty() ? "" : fields.front();
}

/// Written by the format that it is in, and read again. Formats say so if they have no way to write something.
void check_copy(const std::string& format, const jobs::Jobs& jobs, const std::string& path) {
  std::filesystem::remove(path);
  try {
    core::OutputSet outputs;
    jobs::job_formats().find(format).make.write(jobs, outputs.add(path));
    outputs.commit();
  } catch (const core::InputError&) {
    return;
  }
  auto expected = all(jobs);
  const auto copies = all(*jobs::open_jobs(path));
  check(copies.size() == expected.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto &a = copies[i], &b = expected[i];
    check(in_a_table(a.id()) == in_a_table(b.id()) && a.submitted == b.submitted && a.size == b.size &&
          a.run_time == b.run_time);
    check(known_estimate(a) == known_estimate(b) && in_a_table(a.program) == in_a_table(b.program));
  }
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
    check_copy("swf", *jobs, folder + "/copy.swf");
    check_copy("batsim", *jobs, folder + "/copy.json");
    check_copy("csv", *jobs, folder + "/copy.csv");
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
