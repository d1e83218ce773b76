#include "views/studies/study_plot.hpp"

#include <ranges>
#include "core/blame.hpp"
#include "core/file.hpp"
#include "views/documents/numbering.hpp"

namespace toroid::views {
namespace {

using core::Json;
using Kind = StudyRuns::Kind;

constexpr const char* compared_results = "results of toroid compare: the file of --json";
constexpr const char* row_keys[] = {"platform", "trace", "collectives", "alloc", "map"};
constexpr const char* list_keys[] = {"platforms", "traces", "collectives", "allocs", "maps"};
/// Panels differ in these, but for what is compared.
constexpr Kind panel_kinds[] = {StudyRuns::platform, StudyRuns::trace, StudyRuns::collectives, StudyRuns::alloc};

/// Whether not all studies tell things of a kind.
bool is_optional(std::size_t kind) {
  return kind == StudyRuns::collectives || kind == StudyRuns::alloc;
}

/// The work for which the times of programs are judged, where they do not all do as much.
std::string equal_work(const Json& comparison) {
  const auto programs = comparison.value("programs", Json::object());
  std::string text;
  for (const auto& [key, words] : {std::pair("tokens", " for {:.0f} tokens"), {"chips", " on {:.0f} chips"}})
    if (programs.contains(key)) text += fmt::format(fmt::runtime(words), programs[key].get<double>());
  return text;
}

class JsonStudy {
 public:
  explicit JsonStudy(const Json& json) : json_(json) {}

  StudyRuns read() {
    for (std::size_t kind = 0; kind < StudyRuns::engine; ++kind) {
      const auto nobody = Json::array({""});
      const bool is_told = !is_optional(kind) || json_.at("labels").contains(list_keys[kind]);
      for (const auto& name : is_told ? json_.at("manifest").at(list_keys[kind]) : nobody) names_[kind].number(name);
      study_.labels[kind] = (is_told ? json_.at("labels").at(list_keys[kind]) : nobody).get<std::vector<std::string>>();
    }
    const auto subject = json_.at("subject").get<std::string>();
    for (std::size_t kind = 0; kind < StudyRuns::engine; ++kind)
      if (subject == row_keys[kind]) study_.subject = static_cast<Kind>(kind);
    study_.alpha = json_.at("manifest").at("alpha");
    const auto& cases = json_.at("computation");
    study_.is_of_communication = std::ranges::all_of(cases, [](const Json& one) { return one.at("left_out") == true; });
    study_.equal_work = equal_work(json_);
    add_engine(json_, json_.at("manifest").at("engine"));
    for (const auto& opinion : json_.value("opinions", Json::array())) add_engine(opinion, opinion.at("engine"));
    return std::move(study_);
  }

 private:
  void add_engine(const Json& part, const std::string& engine) {
    const auto number = names_[StudyRuns::engine].number(engine);
    study_.labels[StudyRuns::engine] = names_[StudyRuns::engine].all();
    for (const auto& row : part.at("rows")) add_row(row, number);
    for (const auto& one : part.at("statistics")) {
      const auto panel = panel_of(one);
      if (study_.subject != StudyRuns::map) continue;
      add_pairs(one, panel, number);
      for (const auto& c : one.at("correlations"))
        if (!c.at("spearman").is_null())
          study_.correlations.push_back({panel, number, c.at("metric"), c.at("spearman")});
    }
    for (const auto& [kind, contests] : {std::pair(StudyRuns::platform, "machines"),
                                         {StudyRuns::collectives, "collectives"},
                                         {StudyRuns::alloc, "allocators"}})
      if (study_.subject == kind)
        for (const auto& one : part.at(contests)) add_pairs(one, panel_of(one), number);
    if (study_.subject == StudyRuns::trace && !part.at("programs").is_null()) add_pairs(part.at("programs"), 0, number);
    for (std::size_t kind = 0; kind < StudyRuns::engine; ++kind)
      if (names_[kind].all().size() > study_.labels[kind].size())
        core::fail_input("found {} without labels, expected {}", list_keys[kind], compared_results);
  }

  /// What the times of a trace are multiplied by to be judged.
  double time_factor(const std::string& trace) const {
    return !study_.equal_work.empty() ? json_.at("programs").at("time_factors").at(trace).get<double>() : 1;
  }

  void add_row(const Json& row, std::size_t engine) {
    StudyRuns::Run run{};
    for (std::size_t kind = 0; kind < StudyRuns::engine; ++kind)
      run.of[kind] = names_[kind].number(is_optional(kind) ? row.value(row_keys[kind], std::string())
                                                           : row.at(row_keys[kind]).get<std::string>());
    run.of[StudyRuns::engine] = engine;
    if (row.at("runtime_s").is_null()) return study_.failed.push_back(run.of);
    run.runtime = time_factor(row.at("trace")) * row.at("runtime_s").get<double>();
    for (const auto& [key, value] : row.items())
      if (value.is_number() && key != "runtime_s") run.metrics[key] = value;
    study_.runs.push_back(std::move(run));
  }

  /// The panel of an object that names its machine, its trace, or both.
  std::size_t panel_of(const Json& one) {
    StudyRuns::Run run{};
    for (std::size_t kind = 0; kind < StudyRuns::map; ++kind)
      if (one.contains(row_keys[kind])) run.of[kind] = names_[kind].number(one.at(row_keys[kind]));
    return study_.panel_of(run);
  }

  void add_pairs(const Json& contest, std::size_t panel, std::size_t engine) {
    const auto* key = row_keys[study_.subject];
    for (const auto& pair : contest.at("pairs")) {
      const auto& p = pair.at("p_holm");
      study_.pairs.push_back({panel, engine, names_[study_.subject].number(pair.at(key)),
                              names_[study_.subject].number(pair.at("other")),
                              p.is_null() ? std::nullopt : std::optional(p.get<double>()), pair.at("conclusion")});
    }
  }

  const Json& json_;
  Numbering<std::string> names_[StudyRuns::kinds];
  StudyRuns study_;
};

}  // namespace

std::size_t StudyRuns::panels() const {
  std::size_t count = 1;
  for (const auto kind : panel_kinds) count *= varying(kind);
  return count;
}

std::size_t StudyRuns::panel_of(const Run& run) const {
  std::size_t panel = 0;
  for (const auto kind : panel_kinds) panel = panel * varying(kind) + (kind == subject ? 0 : run.of[kind]);
  return panel;
}

std::string StudyRuns::name_of_panel(std::size_t panel) const {
  TOROID_ASSERT(panel < panels());
  Place at{};
  for (const auto kind : std::views::reverse(panel_kinds)) {
    at[kind] = panel % varying(kind);
    panel /= varying(kind);
  }
  const auto label = [&](Kind kind) { return labels[kind][at[kind]]; };
  if (subject == trace) return label(platform);
  auto name = label(trace);
  if (subject != platform) name += " on " + label(platform);
  if (varying(alloc) > 1) name += " by " + label(alloc);
  return varying(collectives) > 1 ? name + " and " + label(collectives) : name;
}

std::string StudyRuns::time_in_words() const {
  return (is_of_communication ? "communication time" : "run time") + equal_work;
}

std::string StudyRuns::failures() const {
  if (failed.empty()) return {};
  const bool is_one = failed.size() == 1;
  return fmt::format("{} run{} failed and {} left out", failed.size(), is_one ? "" : "s", is_one ? "is" : "are");
}

StudyRuns study_of(const Json& comparison) {
  auto study = JsonStudy(comparison).read();
  for (const auto& run : study.runs)
    for (std::size_t kind = 0; kind < StudyRuns::kinds; ++kind) TOROID_ASSERT(run.of[kind] < study.labels[kind].size());
  return study;
}

StudyRuns read_study(const std::string& path, const std::function<void(const Json&)>& check) {
  core::LineReader file(path);
  std::string text;
  while (const auto line = file.next()) text.append(*line).push_back('\n');
  return core::in_context(path, [&] {
    return core::read_document(compared_results, [&] {
      const auto comparison = core::parse_json(text);
      if (check) check(comparison);
      return study_of(comparison);
    });
  });
}

}  // namespace toroid::views
