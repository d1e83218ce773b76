// Batsim's JSON workloads: jobs whose profiles say what they do, in the words of Batsim 5 or of those before it. A
// profile that lasts a given time (a delay, or several of them one after the other) is a job that we know, and so is
// one that names a trace or a program of ours. How long others take only a machine could tell: their jobs have no run
// time.

#include <filesystem>

#include "core/output.hpp"
#include "jobs/formats/log.hpp"
#include "toroid/core/json.hpp"

namespace toroid::jobs {
namespace {

using core::Json;
using Document = core::SearchedJson;  // it may have a profile for each of its jobs

bool looks_like_json(const std::string& path) {
  return core::first_content(path).starts_with('{');
}

constexpr std::string_view ours = "toroid", new_delay = "DelayProfile", old_delay = "delay";
/// Whether Batsim's jobs have no place for a field. Such fields are in `extra_data`, a text that Batsim keeps and
/// ignores: a JSON object in a JSON object by our name.
bool is_extra(std::string_view field, const Job& job) {
  return field == "number" ? !job.name.empty()
                           : field != "name" && field != "submitted_s" && field != "size" && field != "run_time_s" &&
                                 field != "estimate_s" && field != "program";
}

/// The id of a job without the name of its workload: `7` of `w0!7`.
std::string_view behind_workload(std::string_view id) {
  return id.substr(id.find('!') + 1);
}

/// The text that a value is; empty if it is none.
std::string word(const Document& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
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
    const auto is_unknown = [](const Job& job) { return !job.has_run_time() && job.program.empty(); };
    if (reading_ == Reading::lenient) counts.without_run_time = std::erase_if(jobs, is_unknown);
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
    if (entry.contains("extra_data")) read_extra(job, entry["extra_data"], place);
    return job;
  }

  /// Reads what write_batsim() put there; others may have anything there, in a text or not.
  void read_extra(Job& job, const Document& extra, const std::string& place) const {
    Document document = extra;
    if (extra.is_string() && extra.get_ref<const std::string&>().find(ours) != std::string::npos) try {
        document = core::parse_json<Document>(extra.get<std::string>());
      } catch (const core::JsonError&) {  // a text of others
      }
    const auto found = document.is_object() ? document.value(std::string(ours), Document()) : Document();
    if (!found.is_object()) return;
    for (const auto& [name, value] : found.items()) {
      const auto* field = job_field(name);
      const auto text = value.is_string() ? word(value) : core::json_text(value);
      const auto expected = field == nullptr || !is_extra(name, job) ? "none of this name" : field->read(job, text);
      if (!expected.empty())
        fail("{}: extra_data: {}: found {}, expected {}", place, core::excerpt(name), shown(value), expected);
    }
  }

  /// Numbers and texts that are numbers, also behind the name of a workload (`w0!7`), are numbers.
  void name(Job& job, const Document& id, std::string_view place) const {
    job.number = static_cast<std::int64_t>(entry_);
    if (id.is_number_integer()) {
      job.number = id.get<std::int64_t>();
    } else if (id.is_string()) {
      const auto text = id.get<std::string>();
      const auto number = core::parse_number<std::int64_t>(behind_workload(text));
      if (number)
        job.number = *number;
      else
        job.name = text;
    } else {
      fail("{}: id: found {}, expected a number or a name", place, shown(id));
    }
  }

  /// Reads a profile that names the program of a job, and perhaps how long it lasts alone: one of type `toroid`, which
  /// is our own, or a trace that is replayed, by its path from the workload. Others say how long the job lasts.
  void read_profile(Job& job, const std::string& name, const std::string& place) {
    const auto inside = fmt::format("{}: profile '{}'", place, core::excerpt(name));
    const auto& profile = member(*profiles_, name.c_str(), place + ": profiles");
    const auto type = word(member(profile, "type", inside));
    const auto read_program = [&](const char* key) {
      const auto& program = member(profile, key, inside);
      if (!program.is_string()) fail("{}: {}: found {}, expected a text", inside, key, shown(program));
      job.program = program.get<std::string>();
    };
    const auto kind = word(profile.value("trace_type", Document()));
    job.run_time = -1;
    if (type == ours) {
      read_program("program");
      if (profile.contains("delay")) job.run_time = seconds(profile["delay"], "delay", inside);
    } else if (type == "smpi" || kind == "SMPI" || kind == "smpi") {
      read_program(type == "smpi" ? "trace" : profile.contains("trace_file") ? "trace_file" : "filename");
      job.program = (std::filesystem::path(path_).parent_path() / job.program).string();
    } else {
      job.run_time = duration(name, place, 0).seconds;
    }
  }

  struct Known {
    double seconds;  ///< -1: as long as a machine needs
    int height;      ///< how deep profiles lie within it
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
    const auto type = word(member(profile, "type", inside));
    if (type == new_delay || type == old_delay) return {seconds(member(profile, "delay", inside), "delay", inside), 0};
    if (type != "SequentialCompositionProfile" && type != "sequential_composition" && type != "composed")
      return {-1, 0};
    const auto& sequence = member(profile, "seq", inside);
    if (!sequence.is_array()) fail("{}: seq: found {}, expected a list", inside, shown(sequence));
    Known all{0, 0};
    for (const auto& part : sequence) {
      if (!part.is_string()) fail("{}: seq: found {}, expected names of profiles", inside, shown(part));
      const auto one = duration(part.get<std::string>(), inside, nested + 1);
      const bool known = all.seconds >= 0 && one.seconds >= 0;
      all = {known ? all.seconds + one.seconds : -1, std::max(all.height, one.height + 1)};
    }
    const double repeat = seconds(profile.value("repeat", Document(1)), "repeat", inside);
    if (all.seconds >= 0) all.seconds = seconds(Document(all.seconds * repeat), "all of it", inside);
    return all;
  }

  const std::string& path_;
  Reading reading_;
  const Document* profiles_ = nullptr;
  std::size_t entry_ = 0;
  std::map<std::string, Known> known_;
};

/// The name of what a job does, which no other has, and that in full.
std::pair<std::string, Json> profile_of(const Job& job, std::string_view delay) {
  if (!job.has_run_time() && job.program.empty())
    core::fail_input("job {}: neither its run time nor its program is known: Batsim wants one", job.id());
  if (job.program.empty())
    return {fmt::format("delay{}", job.run_time), {{"type", std::string(delay)}, {"delay", job.run_time}}};
  Json profile{{"type", std::string(ours)}, {"program", job.program}};
  if (!job.has_run_time()) return {": " + job.program, profile};
  profile["delay"] = job.run_time;
  return {fmt::format("{}: {}", job.run_time, job.program), profile};
}

void check_texts(const Job& job) {
  for (const auto& text : {job.name, job.program, job.nodes})
    if (core::parse_json(core::json_text(Json(text))) != Json(text))
      core::fail_input("job {}: '{}' is not in UTF-8: JSON cannot say that", job.number, core::excerpt(text));
  if (core::parse_number<std::int64_t>(behind_workload(job.name)))
    core::fail_input("job {}: found the name '{}', expected one that is no number: Batsim's workloads cannot say that",
                     job.number, core::excerpt(job.name));
}

template <const std::string_view& delay>
void write_batsim(const Jobs& jobs, core::OutputFile& file) {
  std::map<std::string, Json> profiles;
  std::int32_t largest = 1;
  file.write("{\"jobs\": [");
  Job job;
  const char* separator = "\n";
  for (const auto stream = jobs.open(); stream->next(job); separator = ",\n") {
    check_texts(job);
    const auto profile = profiles.insert(profile_of(job, delay)).first;
    Json entry{{"id", job.name.empty() ? Json(job.number) : Json(job.name)},
               {"subtime", job.submitted},
               {"res", job.size},
               {"profile", profile->first}};
    if (job.estimate >= 0) entry["walltime"] = job.estimate;
    Json extra = Json::object();
    for (const auto& field : job_fields())
      if (is_extra(field.name, job) && !field.text(job).empty())
        std::visit([&](const auto* value) { extra[std::string(field.name)] = *value; }, field.in(job));
    if (!extra.empty()) entry["extra_data"] = core::json_text(Json::object({{std::string(ours), extra}}));
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
          "JSON workloads of Batsim: jobs that last a given time, replay a trace, or take as long as a machine needs",
          {looks_like_json, read_held<BatsimReader>, write_batsim<new_delay>, ".json"}};
}

core::Entry<JobFormat> old_batsim_format() {
  return {"batsim4",
          "the same, written with the words of Batsim before version 5",
          {looks_like_json, read_held<BatsimReader>, write_batsim<old_delay>, ".json"}};
}

}  // namespace toroid::jobs
