// Batsim's JSON workloads: jobs whose profiles say what they do. A profile that lasts a given time (`delay`, or several
// of them one after the other) is a job that we know, and so is one that names a program of ours; others need a machine
// of Batsim's to say how long they take.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/file.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "core/whole_file.hpp"
#include "jobs/formats/held_jobs.hpp"
#include "jobs/formats/malformed.hpp"

namespace toroid::jobs {
namespace {

using core::Json;
using Document = core::SearchedJson;  // it may have a profile for each of its jobs

bool looks_like_json(const std::string& path) {
  return core::first_content(path).starts_with('{');
}

std::string shown(const Document& json) {
  return core::excerpt(core::json_text(json));
}

/// Reads a document whose profiles may stand behind its jobs.
class BatsimReader {
 public:
  BatsimReader(const std::string& path, Reading reading) : path_(path), reading_(reading) {}

  HeldJobs read() {
    const Document document = parse();
    profiles_ = &member(document, "profiles", "the workload");
    const auto& list = member(document, "jobs", "the workload");
    if (!list.is_array()) fail("jobs: found {}, expected a list", shown(list));
    std::vector<Job> jobs;
    JobCounts counts;
    for (const auto& entry : list) {
      const auto place = fmt::format("job {} of the list", ++entry_);
      read_or_leave_out(reading_, counts.malformed, [&] { jobs.push_back(job(entry, place)); });
    }
    return {path_, std::move(jobs), counts};
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::fail_input("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...));
  }

  Document parse() const {
    try {
      return core::parse_json<Document>(core::text_of_file(path_));
    } catch (const core::JsonError& error) {
      if (error.line == 0) fail("expected a workload of Batsim: {}", error.what());
      core::fail_input_at(path_, error.line, "expected a workload of Batsim: {}", error.what());
    }
  }

  const Document& member(const Document& object, const char* key, std::string_view place) const {
    if (!object.is_object() || !object.contains(key)) fail("{}: expected an object with the key '{}'", place, key);
    return object[key];
  }

  double seconds(const Document& value, const char* key, std::string_view place) const {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= latest_second))
      fail("{}: {}: found {}, expected 0 or more seconds", place, key, shown(value));
    return number;
  }

  Job job(const Document& entry, const std::string& place) {
    Job job;
    name(job, member(entry, "id", place), place);
    job.submitted = seconds(member(entry, "subtime", place), "subtime", place);
    const auto& size = member(entry, "res", place);
    const auto number = size.is_number_integer() ? size.get<std::int64_t>() : 0;
    if (number < 1 || number > std::numeric_limits<std::int32_t>::max())
      fail("{}: res: found {}, expected a whole number from 1", place, shown(size));
    job.size = static_cast<std::int32_t>(number);
    // -1 and no walltime both say that there is no limit.
    if (entry.contains("walltime") && entry["walltime"] != -1)
      job.estimate = seconds(entry["walltime"], "walltime", place);
    const auto& profile = member(entry, "profile", place);
    if (!profile.is_string()) fail("{}: profile: found {}, expected a name", place, shown(profile));
    read_profile(job, profile.get<std::string>(), place);
    return job;
  }

  /// Numbers and texts that are numbers, also behind the name of a workload (`w0!7`), are numbers.
  void name(Job& job, const Document& id, std::string_view place) const {
    job.number = static_cast<std::int64_t>(entry_);
    if (id.is_number_integer()) {
      job.number = id.get<std::int64_t>();
    } else if (id.is_string()) {
      const auto text = id.get<std::string>();
      const auto number = core::parse_number<std::int64_t>(std::string_view(text).substr(text.find('!') + 1));
      if (number)
        job.number = *number;
      else
        job.name = text;
    } else {
      fail("{}: id: found {}, expected a number or a name", place, shown(id));
    }
  }

  /// Reads a profile of our own: type `toroid` names the program of a job, and perhaps how long it lasts alone.
  void read_profile(Job& job, const std::string& name, const std::string& place) {
    const auto inside = fmt::format("{}: profile '{}'", place, core::excerpt(name));
    const auto& profile = member(*profiles_, name.c_str(), place + ": profiles");
    if (member(profile, "type", inside) != "toroid") {
      job.run_time = duration(name, place, 0).seconds;
      return;
    }
    const auto& program = member(profile, "program", inside);
    if (!program.is_string()) fail("{}: program: found {}, expected a text", inside, shown(program));
    job.program = program.get<std::string>();
    job.run_time = profile.contains("delay") ? seconds(profile["delay"], "delay", inside) : -1;
  }

  struct Known {
    double seconds;
    int height;  ///< of the profiles within it
  };

  /// How long a profile lasts. Each is looked at once, however many others it is a part of.
  Known duration(const std::string& name, const std::string& place, int nested) {
    constexpr int most_nested = 20;
    const auto found = known_.find(name);
    if (nested + (found == known_.end() ? 0 : found->second.height) > most_nested)
      fail("{}: more than {} profiles within each other", place, most_nested);
    if (found == known_.end()) return known_[name] = computed_duration(name, place, nested);
    return found->second;
  }

  Known computed_duration(const std::string& name, const std::string& place, int nested) {
    const auto inside = fmt::format("{}: profile '{}'", place, core::excerpt(name));
    const auto& profile = member(*profiles_, name.c_str(), place + ": profiles");
    const auto& type = member(profile, "type", inside);
    if (type == "delay") return {seconds(member(profile, "delay", inside), "delay", inside), 0};
    if (type != "composed" && type != "sequential_composition")
      fail("{}: type {}: expected delay, a composition of such, or toroid: how long others take depends on the machine",
           inside, shown(type));
    const auto& sequence = member(profile, "seq", inside);
    if (!sequence.is_array()) fail("{}: seq: found {}, expected a list", inside, shown(sequence));
    Known all{0, 0};
    for (const auto& part : sequence) {
      if (!part.is_string()) fail("{}: seq: found {}, expected names of profiles", inside, shown(part));
      const auto one = duration(part.get<std::string>(), inside, nested + 1);
      all = {all.seconds + one.seconds, std::max(all.height, one.height + 1)};
    }
    const double repeat = seconds(profile.value("repeat", Document(1)), "repeat", inside);
    all.seconds = seconds(Document(all.seconds * repeat), "all of it", inside);
    return all;
  }

  const std::string& path_;
  Reading reading_;
  const Document* profiles_ = nullptr;
  std::size_t entry_ = 0;
  std::map<std::string, Known> known_;
};

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = core::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// The name of what a job does, and that in full.
std::pair<std::string, Json> profile_of(const Job& job) {
  if (!job.has_run_time()) {
    if (job.program.empty())
      core::fail_input("job {}: neither its run time nor its program is known: Batsim wants one", job.id());
    return {job.program, {{"type", "toroid"}, {"program", job.program}}};
  }
  if (job.program.empty()) return {fmt::format("delay{}", job.run_time), {{"type", "delay"}, {"delay", job.run_time}}};
  return {fmt::format("{} {}", job.program, job.run_time),
          {{"type", "toroid"}, {"program", job.program}, {"delay", job.run_time}}};
}

void write_batsim(const Jobs& jobs, core::OutputFile& file) {
  std::map<std::string, Json> profiles;
  std::int32_t largest = 1;
  file.write("{\"jobs\": [");
  Job job;
  const char* separator = "\n";
  for (const auto stream = jobs.open(); stream->next(job); separator = ",\n") {
    if (job.demand != Demand::constant)
      core::fail_input("job {}: its demand is {}, expected a constant one: Batsim's workloads cannot say that",
                       job.id(), to_string(job.demand));
    for (const auto& text : {job.name, job.program})
      if (!is_utf8(text))
        core::fail_input("job {}: '{}' is not in UTF-8: JSON cannot say that", job.number, core::excerpt(text));
    const auto profile = profiles.insert(profile_of(job)).first;
    Json entry{{"id", job.name.empty() ? Json(job.number) : Json(job.name)},
               {"subtime", job.submitted},
               {"res", job.size},
               {"profile", profile->first}};
    if (job.estimate >= 0) entry["walltime"] = job.estimate;
    file.write(separator + core::json_text(entry));
    largest = std::max(largest, job.size);
  }
  file.write("],\n\"profiles\": {");
  separator = "\n";
  for (const auto& [name, profile] : profiles) {
    file.write(fmt::format("{}{}: {}", separator, core::json_text(name), core::json_text(profile)));
    separator = ",\n";
  }
  file.write(fmt::format("}},\n\"nb_res\": {}}}\n", largest));
}

}  // namespace

core::Entry<JobFormat> batsim_format() {
  return {"batsim",
          "JSON workloads of Batsim, of jobs that last a given time",
          {looks_like_json,
           [](const std::string& path, Reading reading) -> std::unique_ptr<Jobs> {
             return std::make_unique<HeldJobs>(BatsimReader(path, reading).read());
           },
           write_batsim, ".json"}};
}

}  // namespace toroid::jobs
