#include "cli/result_fields.hpp"

#include "cli/config.hpp"
#include "platforms/document.hpp"
#include "study/advice/advice.hpp"
#include "study/advice/explanation.hpp"
#include "study/advice/log_advice.hpp"
#include "study/advice/slice_layouts.hpp"
#include "study/opinions.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::cli {
namespace {

/// What the manifests of all documents have.
std::vector<core::ObjectText> manifest_objects() {
  return {{"manifest",
           {{"toroid", "text", "version of the program"},
            {"version", "text", "of calibrate: version of the program"},
            {"command", "text", "simulate, compare, ..."},
            {"arguments", "any by name", "what the user gave, without outputs: what --config reads"},
            {"inputs", "list of input", "every file that was read, in that order"},
            {"...", "options", "as given or by default, with _ for -: platform, trace, map, seed, ..."},
            {"compute_used", "any", "how --compute default was taken, by job or trace"},
            {"engine_settings", "text by name", "the engine's version and settings, and the order of messages"},
            {"provenance", "list of provenance", "where the values of each machine are from"}}},
          {"provenance",
           {{"platform", "text", "the machine, as it was given"},
            {"measured", "text by name", "properties fitted to measurements"},
            {"published", "text by name", "those of which a document says so"},
            {"estimate", "text by name", "guessed, remembered, or of a similar machine"},
            {"chosen", "text by name", "set by whoever ran toroid"},
            {"unstated", "text by name", "of a platform file that does not say"},
            {"default", "text by name", "that nobody set"}}},
          {"input", {{"file", "text", "its path"}, {"sha256", "text", "of the bytes as they were read"}}}};
}

core::ObjectText batch_line_text() {
  return {"batch line",
          {{"line", "count", "the line of the run, from 1"},
           {"id", "any", "as the line has it"},
           {"...", "fields of run", "the result, or the fields of --fields"},
           {"error", "text", "only of a run that failed"},
           {"exit_code", "count", "only of a run that failed"}}};
}

}  // namespace

const std::vector<core::ObjectText>& result_objects() {
  static const auto objects = [] {
    std::vector<core::ObjectText> all;
    for (const auto& part : {netsim::run_objects(),
                             {verification_text()},
                             study::drawn_objects(),
                             study::explanation_objects(),
                             manifest_objects(),
                             netsim::jobs_objects(),
                             {batch_line_text()},
                             {mapping_text()},
                             trace_objects(),
                             platforms::machine_objects(),
                             platform_objects(),
                             calibration_objects(),
                             collective_calibration_objects(),
                             study::comparison_objects(),
                             study::advice_objects(),
                             study::log_advice_objects(),
                             study::slice_advice_objects(),
                             cosim::schedule_objects(),
                             study::sweep_objects(),
                             {log_text()}})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return objects;
}

void check_result(const core::Json& document, const core::Json& manifest, std::string_view object,
                  std::string_view command) {
  if (const auto of = manifest.value("command", std::string()); of != command)
    core::fail_input("found a result of toroid {}, expected one of toroid {}", core::excerpt(of), command);
  if (const auto schema = document.value("schema_version", core::Json(core::schema_version));
      schema.is_number_integer() && schema > core::Json(core::schema_version))
    core::fail_input("found schema_version {}, expected {} at most: a later toroid has written it",
                     core::json_text(schema), core::schema_version);
  const auto by = manifest.value("toroid", core::Json(version));
  if (!by.is_string() || by == version)
    core::check_document(object == "manifest" ? manifest : document, object, result_objects());
}

}  // namespace toroid::cli
