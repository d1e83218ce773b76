// Schedulers that are functions of Python.

#include "python/outside.hpp"

namespace toroid::python {
namespace {

using cosim::Queued;
using cosim::Reserved;

/// A job, or, with an id below 0, a node that is out.
struct RunningJob : Queued {
  double started = 0, expected_end = 0;
};

struct SchedulerState {
  double now = 0;
  std::int32_t free = 0;
  cosim::Placements* placements;  ///< null when the scheduler has answered
  HeldMachine machine;
  py::dict waiting, running;       ///< jobs by id, in the order of submission and of starts
  std::vector<Reserved> reserved;  ///< those that are not over, by their beginnings
  std::optional<double> wake = {};

  cosim::Placements& asked() const {
    if (placements == nullptr) core::fail_input("SchedulerState: found a question, expected none after the answer");
    return *placements;
  }
};

class PythonScheduler final : public cosim::Scheduler {
 public:
  PythonScheduler(std::shared_ptr<const Outsider> outsider, const core::Arguments& arguments)
      : outsider_(std::move(outsider)), start_(outsider_->made(arguments)) {
    with_lock([&] {
      waiting_ = shared(py::dict());
      running_ = shared(py::dict());
    });
  }

  void submitted(const cosim::Queued& job) override {
    look_anew();
    with_lock([&] { (*waiting_)[py::int_(job.id)] = py::cast(job); });
  }

  std::optional<cosim::Start> next(const cosim::View& view) override {
    if (plan_.empty()) {
      if (asked_ && view.now < wake_) return std::nullopt;
      ask(view);
      if (plan_.empty()) return std::nullopt;
    }
    const cosim::Start start{plan_.front()};
    plan_.pop_front();
    TOROID_ASSERT(asked_);
    return start;
  }

  void refused(cosim::JobId) override {}
  void started(cosim::JobId job, std::int32_t nodes, const netsim::Time& now) override {
    with_lock([&] {
      RunningJob started{waiting_->attr("pop")(job).cast<Queued>(), now.seconds(), 0};
      started.nodes = nodes;
      started.expected_end = (now + started.estimate).seconds();
      runs(started);
    });
  }
  void resized(cosim::JobId job, std::int32_t nodes, const netsim::Time&) override {
    look_anew();
    with_lock([&] { py::object((*running_)[py::int_(job)]).cast<RunningJob&>().nodes = nodes; });
  }
  void ended(cosim::HolderId holder, const netsim::Time&) override {
    look_anew();
    with_lock([&] { running_->attr("pop")(holder.number()); });
  }
  void node_out(cosim::NodeId node, const netsim::Time& now, const netsim::Time& until) override {
    look_anew();
    Queued out;
    out.id = cosim::HolderId(node).number();
    with_lock([&] { runs({out, now.seconds(), until.seconds()}); });
  }
  void reserved(const Reserved& reserved) override { reserved_.push_back(reserved); }
  void freed() override { look_anew(); }
  void withdrawn(cosim::JobId job) override {
    look_anew();
    with_lock([&] { waiting_->attr("pop")(job); });
  }
  netsim::Time wake() const override { return wake_; }

 private:
  template <class Action>
  void with_lock(Action action) const {
    with_python(outsider_->who(), [&] {
      action();
      return 0;
    });
  }

  /// What was planned before something happened is not what is wanted now.
  void look_anew() {
    plan_.clear();
    asked_ = false;
  }
  void runs(const RunningJob& job) { (*running_)[py::int_(job.id)] = py::cast(job); }

  void ask(const cosim::View& view) {
    asked_ = true;
    wake_ = netsim::Time::never();
    with_lock([&] {
      if (machine_.machine == nullptr) {
        const auto& machine = view.placements->free().machine();
        machine_ = {machine.name(), std::make_shared<const platforms::Machine>(machine)};
      }
      const auto state = py::cast(SchedulerState{view.now.seconds(), view.free, view.placements, machine_,
                                                 py::reinterpret_borrow<py::dict>(*waiting_),
                                                 py::reinterpret_borrow<py::dict>(*running_), reservations(view.now)});
      const Asking asking(state.cast<SchedulerState&>());
      const py::object answer = (*start_)(state);
      if (!answer.is_none())
        for (const auto id : whole_numbers(py::list(answer), outsider_->who())) plan_.push_back(id);
      if (const auto wake = state.cast<const SchedulerState&>().wake) {
        if (!std::isfinite(*wake)) core::fail_input("{}: found wake {}, expected seconds", outsider_->who(), *wake);
        wake_ = netsim::Time(*wake);
      }
    });
  }

  /// While it lives, the state may be asked.
  class Asking {
   public:
    explicit Asking(SchedulerState& state) : state_(state) {}
    ~Asking() { state_.placements = nullptr; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    SchedulerState& state_;
  };

  std::vector<Reserved> reservations(const netsim::Time& now) const {
    auto all = reserved_;
    std::erase_if(all, [&](const Reserved& one) { return one.until <= now; });
    return all;
  }

  std::shared_ptr<const Outsider> outsider_;
  Shared start_, waiting_, running_;
  HeldMachine machine_;
  std::vector<Reserved> reserved_;
  std::deque<cosim::JobId> plan_;
  bool asked_ = false;  ///< since something happened
  netsim::Time wake_ = netsim::Time::never();
};

py::list values(const py::dict& dict) {
  return py::list(dict.attr("values")());
}

}  // namespace

std::unique_ptr<cosim::Scheduler> make_scheduler(std::shared_ptr<const Outsider> outsider,
                                                 const core::Arguments& arguments) {
  return std::make_unique<PythonScheduler>(std::move(outsider), arguments);
}

void add_scheduler_classes(py::module_& module) {
  py::class_<Queued> waiting(module, "WaitingJob");
  waiting.def_readonly("id", &Queued::id)
      .def_readonly("name", &Queued::name)
      .def_readonly("nodes", &Queued::nodes)
      .def_property_readonly("submitted", [](const Queued& job) { return job.submitted.seconds(); })
      .def_property_readonly("estimate", [](const Queued& job) { return job.estimate.seconds(); });
  for (const auto& [name, note] : {std::pair{"user", &jobs::JobNotes::user},
                                   {"group", &jobs::JobNotes::group},
                                   {"application", &jobs::JobNotes::application},
                                   {"queue", &jobs::JobNotes::queue},
                                   {"partition", &jobs::JobNotes::partition}})
    waiting.def_property_readonly(name, [note = note](const Queued& job) {
      return job.notes.*note >= 0 ? std::optional(job.notes.*note) : std::nullopt;
    });
  py::class_<RunningJob, Queued>(module, "RunningJob")
      .def_readonly("started", &RunningJob::started)
      .def_readonly("expected_end", &RunningJob::expected_end);
  py::class_<Reserved>(module, "Reservation")
      .def_property_readonly("begin", [](const Reserved& reserved) { return reserved.from.seconds(); })
      .def_property_readonly("end", [](const Reserved& reserved) { return reserved.until.seconds(); })
      .def_property_readonly("nodes", &Reserved::count)
      .def_property_readonly("reserved_nodes", [](const Reserved& reserved) { return numbers_of(reserved.nodes); });
  py::class_<SchedulerState>(module, "SchedulerState")
      .def_readonly("now", &SchedulerState::now)
      .def_readonly("free", &SchedulerState::free)
      .def_property_readonly("queue", [](const SchedulerState& state) { return values(state.waiting); })
      .def_property_readonly("running", [](const SchedulerState& state) { return values(state.running); })
      .def_readonly("reserved", &SchedulerState::reserved)
      .def_readonly("machine", &SchedulerState::machine)
      .def_property_readonly("free_nodes",
                             [](const SchedulerState& state) { return numbers_of(state.asked().free().all()); })
      .def(
          "nodes_for",
          [](const SchedulerState& state, const Queued& job) -> py::object {
            const auto nodes = state.asked().nodes_for(job.id);
            return nodes ? py::object(numbers_of(*nodes)) : py::none();
          },
          py::arg("job"))
      .def(
          "cost",
          [](const SchedulerState& state, const Queued& job, const py::object& nodes) {
            return state.asked().cost(job.id, nodes_in(nodes, "cost"));
          },
          py::arg("job"), py::arg("nodes"))
      .def_readwrite("wake", &SchedulerState::wake);
}

}  // namespace toroid::python
