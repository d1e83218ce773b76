// Many runs in one process: a line of JSON with the arguments of `toroid simulate` for each, a line with its result
// back.

#include <cmath>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/commands/simulate.hpp"
#include "cli/config.hpp"
#include "core/file.hpp"

namespace toroid::cli {
namespace {

struct BatchOptions {
  std::string runs = "-", output = "-";
  bool tables = false;
  std::vector<std::string> fields;  ///< fields of results, if not all are wanted
};

/// The lines of a file, or of standard input.
class Lines {
 public:
  explicit Lines(const std::string& path) {
    if (path != "-") file_.emplace(path);
  }

  bool next(std::string& line) {
    if (!file_) return static_cast<bool>(std::getline(std::cin, line));
    const auto text = file_->next();
    if (text) line = *text;
    return text.has_value();
  }

 private:
  std::optional<core::LineReader> file_;
};

Json object_of(const std::string& line) {
  constexpr std::string_view example = R"(an object such as {"platform": "mesh:8x8", "trace": "cg"})";
  Json object;
  try {
    object = core::parse_json(line);
  } catch (const core::JsonError& error) {
    if (error.line == 0) throw;
    core::fail_input("found no JSON in '{}', expected {}", line, example);
  }
  if (!object.is_object()) core::fail_input("found '{}', expected {}", line, example);
  return object;
}

/// Runs `simulate` once for each line, with the machines and traces that earlier ones had.
class Batch {
 public:
  explicit Batch(const BatchOptions& told) : told_(told) {}

  /// The result of the run in line `number`, or what is wrong with it.
  Json answer(std::uint64_t number, const std::string& line) {
    auto answer = core::object({{"line", number}});
    try {
      core::append(answer, run(line, answer));
    } catch (const core::InputError& error) {
      note(answer, 2, error.what());
    } catch (const core::SimulationError& error) {
      note(answer, 1, error.what());
    } catch (const std::exception& error) {  // the fault of one run is none of the others
      note(answer, 1, fmt::format("internal error: {}", error.what()).c_str());
    }
    ++runs_;
    return answer;
  }

  /// Throws what the worst of the failures was, if there were any: an InputError before a SimulationError.
  void complain() const {
    if (failed_ == 0) return;
    const auto message = fmt::format("{} of {} runs failed, the first in {}", failed_, runs_, first_);
    if (exit_code_ == 2) throw core::InputError(message);
    throw core::SimulationError(message);
  }

 private:
  Json run(const std::string& line, Json& answer) {
    auto record = object_of(line);
    if (record.contains("id")) answer["id"] = id_of(record["id"]);
    record.erase("id");
    const core::Inputs inputs;
    options_ = untold_;
    options_.arguments = parser_.parse(record);
    options_.tables = told_.tables || wants("links") || wants("ranks");
    options_.brief = !told_.fields.empty() && !wants("manifest") && !wants("bottleneck_links");
    Json result;
    simulate(options_, kept_, [&](Json&& made) { result = std::move(made); });
    if (!options_.brief) result["manifest"]["inputs"] = inputs_json(inputs);
    if (told_.fields.empty()) return result;
    return chosen(result);
  }

  /// An id that comes back as it is: a whole number that has lost its last digits does not.
  static const Json& id_of(const Json& id) {
    constexpr double too_many_digits = 9007199254740992;  // 2^53: from there on a double has no digits behind the point
    if (id.is_number_float() && std::abs(id.get<double>()) >= too_many_digits)
      core::fail_input("id: found about {:.6g}, expected a whole number from -2^63 to 2^64 - 1, or a text in quotes",
                       id.get<double>());
    return id;
  }

  bool wants(std::string_view field) const { return std::ranges::find(told_.fields, field) != told_.fields.end(); }
  Json chosen(Json& result) const {
    Json fields = Json::object();
    for (const auto& name : told_.fields) {
      if (fields.contains(name)) continue;
      const auto found = result.find(name);
      if (found == result.end()) fail_unknown(name, result);
      fields[name] = std::move(*found);
    }
    return fields;
  }
  [[noreturn]] static void fail_unknown(const std::string& name, const Json& result) {
    std::vector<std::string> names;
    for (const auto& [field, value] : result.items()) names.push_back(field);
    core::fail_input("--fields: the result has no field '{}'{}", core::excerpt(name), core::valid_instead(name, names));
  }

  void note(Json& answer, int exit_code, const char* error) {
    answer["error"] = error;
    answer["exit_code"] = exit_code;
    exit_code_ = std::max(exit_code_, exit_code);
    if (failed_++ == 0) first_ = fmt::format("line {}: {}", answer["line"].get<std::uint64_t>(), error);
  }

  const BatchOptions& told_;
  const SimulateOptions untold_;
  SimulateOptions options_;
  RecordParser parser_{"a run", simulate_options(options_)};
  Kept kept_;
  std::uint64_t runs_ = 0, failed_ = 0;
  int exit_code_ = 0;
  std::string first_;
};

Options batch_options(BatchOptions& o) {
  return {
      {"RUNS", o.runs, input_file(),
       "file with the runs, - for standard input; a line has arguments of simulate by their names, and an id, if you "
       "like, that comes back: {\"id\": 1, \"platform\": \"mesh:8x8\", \"trace\": \"cg\", \"engine\": \"fluid\"}"},
      {"-o,--output", o.output, output_file(),
       "write the results, in the order of the runs: those of simulate --json without its tables of links and ranks, "
       "or an error; exit code 1 or 2 if any run failed, after all of them"},
      {"--tables", o.tables, "results with their tables of links and ranks"},
      {"--fields", o.fields, separated(','), repeated,
       "results with these fields alone, as in runtime_s,hop_bytes: small runs then take two thirds of the time"},
  };
}

void run_batch(const BatchOptions& o) {
  Lines lines(o.runs);
  Outputs outputs;
  auto& output = outputs.stream(o.output);
  Batch batch(o);
  std::string line;
  for (std::uint64_t number = 1; lines.next(line); ++number) {
    if (core::trim(line).empty()) continue;
    output.write(core::json_text(batch.answer(number, line)) + "\n");
    if (!output.is_file()) output.hand_on();
  }
  outputs.write();
  batch.complain();
}

}  // namespace

void add_batch(CLI::App& app) {
  add_command<BatchOptions>(
      app, "batch", "many runs of simulate in one process: a line of JSON for each run in, a line with its result out",
      batch_options, run_batch);
}

}  // namespace toroid::cli
