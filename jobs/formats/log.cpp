#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

constexpr std::string_view id = "number";  // the one number that may be below 0

}  // namespace

std::string JobField::text(Job& job) const {
  const auto text_of = [&](const auto& value) {
    if constexpr (std::is_convertible_v<decltype(value), std::string>)
      return value;
    else
      return value >= 0 || name == id ? fmt::format("{}", value) : std::string();
  };
  return std::visit([&](const auto* value) { return text_of(*value); }, in(job));
}

std::string JobField::read(Job& job, std::string_view text) const {
  const auto read_into = [&]<class Value>(Value& value) -> std::string {
    if constexpr (std::is_same_v<Value, std::string>) {
      value = text;
    } else {
      constexpr bool is_whole = std::is_integral_v<Value>;
      const bool is_time = name.ends_with("_s");
      const Value least = name == id ? std::numeric_limits<Value>::lowest() : name == "size" ? 1 : is_whole ? -1 : 0;
      const auto number = core::parse_number<Value>(text);
      const double most = is_time ? latest_second : std::numeric_limits<double>::max();
      if (!number || !(*number >= least) || static_cast<double>(*number) > most)
        return is_time ? "0 or more seconds" : fmt::format("a {}number from {}", is_whole ? "whole " : "", least);
      value = *number;
    }
    return {};
  };
  return std::visit([&](auto* value) { return read_into(*value); }, in(job));
}

void JobField::forget(Job& job) const {
  Job none;
  none.run_time = -1;
  std::visit([&](auto* value) { *value = *std::get<decltype(value)>(in(none)); }, in(job));
}

const std::vector<JobField>& job_fields() {
  // clang-format off
#define FIELD(name, member) {name, [](Job& job) -> decltype(JobField{}.in(job)) { return &job.member; }}
  static const std::vector<JobField> all{
      FIELD(id, number), FIELD("name", name), FIELD("submitted_s", submitted), FIELD("size", size),
      FIELD("run_time_s", run_time), FIELD("estimate_s", estimate), FIELD("wait_s", wait),
      FIELD("user", notes.user), FIELD("group", notes.group), FIELD("application", notes.application),
      FIELD("queue", notes.queue), FIELD("partition", notes.partition), FIELD("program", program),
      FIELD("nodes", nodes), FIELD("cpu_time_s", notes.cpu_time), FIELD("memory", notes.memory),
      FIELD("requested_memory", notes.requested_memory), FIELD("status", notes.status),
      FIELD("preceding", notes.preceding), FIELD("think_time_s", notes.think_time)};
  // clang-format on
  return all;
}

std::vector<std::string> job_field_names() {
  std::vector<std::string> names;
  for (const auto& field : job_fields()) names.emplace_back(field.name);
  return names;
}

const JobField* job_field(std::string_view name) {
  const auto found = std::ranges::find(job_fields(), name, &JobField::name);
  return found == job_fields().end() ? nullptr : &*found;
}

}  // namespace toroid::jobs
