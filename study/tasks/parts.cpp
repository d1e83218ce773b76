#include "study/tasks/parts.hpp"

#include "core/file.hpp"
#include "toroid/study/comparison.hpp"

namespace toroid::study {

Part Part::parse(std::string_view text) {
  constexpr std::size_t most = 1'000'000;
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = core::parse_number<std::size_t>(text.substr(0, slash));
    const auto of = core::parse_number<std::size_t>(text.substr(slash + 1));
    if (number && of && *number >= 1 && *number <= *of && *of <= most) return {*number, *of};
  }
  core::fail_input("found '{}', expected K/N, part K of N: 1/8 to 8/8, of at most {}", text, most);
}

std::string Part::text() const {
  return fmt::format("{}/{}", number, of);
}

std::pair<std::size_t, std::size_t> Part::range(std::size_t runs) const {
  TOROID_ASSERT(number >= 1 && number <= of);
  const auto before = [&](std::size_t parts) { return runs / of * parts + runs % of * parts / of; };
  return {before(number - 1), before(number)};
}

Json part_record(const Part& part, const Json& arguments) {
  return {{"part", part.text()}, {"arguments", arguments}};
}

namespace {

struct PartFile {
  Part part;
  Json arguments;
};

PartFile read_head(const std::string& path) {
  const auto head = Journal::last_head(path);
  if (!head.contains("part") || !head["part"].is_string() || !head.contains("arguments"))
    core::fail_input("{}: is no part of a study; expected a file that compare --part wrote", path);
  return {Part::parse(head["part"].get<std::string>()), head["arguments"]};
}

/// Where two records differ, for a message.
std::string first_difference(const Json& a, const Json& b) {
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const auto& [name, value] : one->items())
      if (!other->contains(name) || (*other)[name] != value) return name;
  return "the order of arguments";
}

class PartsExecutor final : public Executor {
 public:
  PartsExecutor(const Comparison& comparison, std::vector<std::unique_ptr<Journal>> journals)
      : comparison_(comparison), name_(task_names(comparison)), journals_(std::move(journals)) {}

  std::size_t slots() const override { return 1; }

  void start(std::size_t task) override {
    const auto name = name_(task);
    const auto& journal = *journals_[part_of(task)];
    if (const auto* result = journal.find(name)) {
      outcome_ = {task, false, core::json_text(*result)};
    } else if (const auto* error = journal.find_failure(name)) {
      outcome_ = {task, true, *error};
    } else if (comparison_.block(task) == Comparison::with_computation) {
      here_->start(task);
    } else {
      fail(task, name);
    }
  }

  std::optional<Outcome> next(double seconds) override {
    return outcome_ ? std::exchange(outcome_, std::nullopt) : here_->next(seconds);
  }

 private:
  /// The number, from 0, of the part that has the run of a task.
  std::size_t part_of(std::size_t task) const {
    const auto runs = comparison_.runs().size(), run = task % runs;
    std::size_t part = run * journals_.size() / runs;  // or a neighbour
    while (Part{part + 1, journals_.size()}.range(runs).second <= run) ++part;
    while (Part{part + 1, journals_.size()}.range(runs).first > run) --part;
    return part;
  }

  [[noreturn]] void fail(std::size_t task, const Json& name) const {
    const auto number = part_of(task);
    const auto& journal = *journals_[number];
    const auto part = Part{number + 1, journals_.size()}.text();
    if (const auto other = journal.made_from_others(); !other.empty())
      core::fail_input("{}: part {} was made {}, and its results are not to be mixed with others; do that part again",
                       journal.path(), part, other);
    core::fail_input("{}: part {} is not finished: it has no run of {}; the same command goes on where it stopped",
                     journal.path(), part, core::json_text(name));
  }

  const Comparison& comparison_;
  NameTask name_;
  std::vector<std::unique_ptr<Journal>> journals_;
  std::optional<Outcome> outcome_;
  /// Does the median runs with computation: which they are, no part has known.
  std::unique_ptr<Executor> here_ = make_local_executor([this](std::size_t task) { return comparison_.work(task); }, 1);
};

}  // namespace

void check_part_file(const Part& part, const std::string& path) {
  if (!core::is_file(path)) return;
  const auto head = Journal::last_head(path);
  if (head.contains("part") && head["part"] != part.text())
    core::fail_input("{}: is part {} of a study; expected a new file for part {}, or its own", path,
                     core::excerpt(core::json_text(head["part"])), part.text());
}

PartFiles find_parts(const std::vector<std::string>& paths) {
  std::optional<PartFile> first;
  std::vector<std::string> by_number;
  for (const auto& path : paths) {
    auto file = read_head(path);
    if (!first) {
      first = file;
      by_number.resize(first->part.of);
    }
    if (file.part.of != first->part.of)
      core::fail_input("{} is part {}, and {} is part {}: parts of different studies", paths[0], first->part.text(),
                       path, file.part.text());
    if (file.arguments != first->arguments)
      core::fail_input("{} and {} are parts of different studies: {} differs", paths[0], path,
                       first_difference(first->arguments, file.arguments));
    auto& place = by_number[file.part.number - 1];
    if (!place.empty()) core::fail_input("{} and {} are both part {}", place, path, file.part.text());
    place = path;
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < by_number.size(); ++i)
    if (by_number[i].empty()) missing.push_back(Part{i + 1, by_number.size()}.text());
  if (!missing.empty())
    core::fail_input("{} missing: {}", missing.size() == 1 ? "a part is" : "parts are", core::join(missing));
  return {by_number, first->arguments};
}

std::unique_ptr<Executor> make_parts_executor(const Comparison& comparison,
                                              std::vector<std::unique_ptr<Journal>> journals) {
  return std::make_unique<PartsExecutor>(comparison, std::move(journals));
}

}  // namespace toroid::study
