#include "study/parts_executor.hpp"

#include <optional>
#include <utility>

#include "core/error.hpp"
#include "study/parts.hpp"
#include "study/study.hpp"

namespace toroid::study {

using core::Json;

namespace {

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

std::unique_ptr<Executor> make_parts_executor(const Comparison& comparison,
                                              std::vector<std::unique_ptr<Journal>> journals) {
  return std::make_unique<PartsExecutor>(comparison, std::move(journals));
}

}  // namespace toroid::study
