// Algorithms that are functions of Python, in the registries beside all others.

#include <any>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

#include "alloc/allocator.hpp"
#include "cli/plugins.hpp"
#include "core/blame.hpp"
#include "cosim/scheduler.hpp"
#include "mapping/mapper.hpp"
#include "netsim/network.hpp"
#include "python/objects.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::python {
namespace {

using platforms::Machine;
using platforms::NodeId;

/// An object of Python that is let go of with Python's lock, whoever holds it last; one that a registry holds is left
/// alone, as registries outlive the interpreter.
using Shared = std::shared_ptr<const py::object>;

Shared shared(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* kept) {
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire lock;
            delete kept;
          }};
}

/// A text that lives as long as the process, as those of registries must.
std::string_view keep(const std::string& text) {
  static auto& kept = *new std::deque<std::string>;
  return kept.emplace_back(text);
}

// Keys

template <class T>
core::AnyParameter key(std::string_view name, const core::Type<T>& type, const std::string& otherwise) {
  return core::Parameter<T>{name, "", type, otherwise};
}

core::Type<double> any_number() {
  return {"a finite number", [](std::string_view text, const core::Place&) -> std::optional<double> {
            const auto value = core::parse_number<double>(text);
            return value && std::isfinite(*value) ? value : std::nullopt;
          }};
}

core::Type<std::string> any_text() {
  return {"a text", [](std::string_view text, const core::Place&) { return std::optional(std::string(text)); }};
}

core::AnyParameter key_like(const std::string& name, const py::object& otherwise) {
  const auto kept = keep(name);
  if (py::isinstance<py::bool_>(otherwise)) return key(kept, core::yes_or_no(), otherwise.cast<bool>() ? "yes" : "no");
  using Whole = std::numeric_limits<std::int64_t>;
  if (py::isinstance<py::int_>(otherwise))
    return key(kept, core::whole(Whole::min(), Whole::max()), py::str(otherwise));
  if (py::isinstance<py::float_>(otherwise)) return key(kept, any_number(), py::repr(otherwise));
  return key(kept, any_text(), py::str(otherwise));
}

py::object value_of(const std::any& value) {
  if (const auto* whole = std::any_cast<std::int64_t>(&value)) return py::int_(*whole);
  if (const auto* number = std::any_cast<double>(&value)) return py::float_(*number);
  if (const auto* truth = std::any_cast<bool>(&value)) return py::bool_(*truth);
  return py::str(std::any_cast<const std::string&>(value));
}

/// What a function of Python is registered as.
struct Outsider {
  std::string kind, name;
  Shared make;  ///< called with the keys
  std::vector<core::AnyParameter> keys;
  std::map<std::string, bool> options;

  std::string who() const { return fmt::format("{} '{}'", kind, name); }
  bool option(const char* which) const { return options.at(which); }

  /// What the function makes of the keys of a spec.
  py::object called_with(const core::Arguments& arguments) const {
    py::dict values;
    for (const auto& one : keys) values[py::str(std::string(one.name))] = value_of(one.read(arguments.spec()));
    return (*make)(**values);
  }
  Shared made(const core::Arguments& arguments) const {
    return with_python(who(), [&] { return shared(called_with(arguments)); });
  }
};

std::shared_ptr<const Machine> copy_of(const Machine& machine) {
  return std::make_shared<const Machine>(machine);
}

/// Nodes that a function returns.
std::vector<NodeId> nodes_in(const py::object& answer, const std::string& who) {
  std::vector<NodeId> nodes;
  for (const auto number : whole_numbers(answer, who)) {
    constexpr std::int64_t most = std::numeric_limits<NodeId::Value>::max();
    nodes.push_back(number < 0 || number > most ? NodeId::none() : NodeId(number));
  }
  return nodes;
}

// Allocators

/// A job as its allocator sees it.
struct AskedJob {
  std::int64_t id = 0;
  std::int32_t nodes = 0;
  std::vector<std::int32_t> shape;
  std::vector<NodeId> held;
};

class PythonAllocator final : public alloc::LocalAllocator, alloc::FreeView {
 public:
  PythonAllocator(std::shared_ptr<const Outsider> outsider, const alloc::Site& site, const core::Arguments& arguments)
      : LocalAllocator(site),
        FreeView(site.free),
        outsider_(std::move(outsider)),
        find_(outsider_->made(arguments)),
        flags_(std::make_shared<std::vector<char>>(site.machine().node_count(), 0)) {
    for (const NodeId node : site.free.all()) (*flags_)[node.index()] = 1;
    with_python(outsider_->who(), [&] {
      machine_ = shared(py::cast(HeldMachine{site.machine().name(), copy_of(site.machine())}));
      const py::capsule owner(new std::shared_ptr(flags_),
                              [](void* flags) { delete static_cast<std::shared_ptr<std::vector<char>>*>(flags); });
      py::array free(py::dtype::of<bool>(), {flags_->size()}, {std::size_t{1}}, flags_->data(), owner);
      free.attr("setflags")(py::arg("write") = false);
      free_ = shared(free);
      return 0;
    });
  }

  bool counting_suffices() const override { return !outsider_->option("may_refuse"); }

 private:
  void taken(std::span<const NodeId> nodes) override { set(nodes, 0); }
  void given_back(std::span<const NodeId> nodes) override { set(nodes, 1); }
  void set(std::span<const NodeId> nodes, char flag) {
    for (const NodeId node : nodes) (*flags_)[node.index()] = flag;
  }

  std::optional<alloc::Allocation> find(const alloc::Request& request) override {
    return with_python(
        fmt::format("{}, job {}", outsider_->who(), request.job), [&]() -> std::optional<alloc::Allocation> {
          const AskedJob job{request.job, request.nodes, request.shape, {request.held.begin(), request.held.end()}};
          const py::object answer = (*find_)(*free_, job, *machine_);
          if (answer.is_none()) return std::nullopt;
          return nodes_in(answer, fmt::format("{}, job {}", outsider_->who(), request.job));
        });
  }

  std::shared_ptr<const Outsider> outsider_;
  Shared find_, machine_, free_;
  std::shared_ptr<std::vector<char>> flags_;  ///< what `free_` shows, which somebody may keep longer than we live
};

// Schedulers

struct WaitingJob {
  std::int64_t id = 0;
  std::int32_t nodes = 0;
  double submitted = 0, estimate = 0;
};

struct RunningJob {
  std::int64_t id = 0;
  std::int32_t nodes = 0;
  double started = 0, expected_end = 0;
};

/// Nodes that are set aside for a time, such as for maintenance.
struct Reservation {
  double begin = 0, end = 0;
  std::int32_t nodes = 0;
};

struct SchedulerState {
  double now = 0;
  std::int32_t free = 0;
  py::dict waiting, running;          ///< by id, in the order of submission and of starts
  std::vector<Reservation> reserved;  ///< those that are not over, by their beginnings
  std::optional<double> wake;
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
    estimates_[job.id] = job.estimate;
    with_lock([&] {
      (*waiting_)[py::int_(job.id)] =
          py::cast(WaitingJob{job.id, job.nodes, job.submitted.seconds(), job.estimate.seconds()});
    });
  }

  std::optional<cosim::Start> next(const cosim::View& view) override {
    if (plan_.empty()) {
      if (asked_ && view.now < wake_) return std::nullopt;
      ask(view);
      if (plan_.empty()) return std::nullopt;
    }
    const cosim::Start start{plan_.front()};
    plan_.pop_front();
    return start;
  }

  void refused(cosim::JobId) override {}
  void started(cosim::JobId job, std::int32_t nodes, const netsim::Time& now) override {
    const auto end = now + estimates_.at(job);
    forget(job);
    runs({job, nodes, now.seconds(), end.seconds()});
  }
  void resized(cosim::JobId job, std::int32_t nodes, const netsim::Time&) override {
    look_anew();
    with_lock([&] { py::object((*running_)[py::int_(job)]).cast<RunningJob&>().nodes = nodes; });
  }
  void ended(cosim::JobId job, const netsim::Time&) override {
    look_anew();
    with_lock([&] { running_->attr("pop")(job); });
  }
  void node_out(cosim::JobId id, const netsim::Time& now, const netsim::Time& until) override {
    look_anew();
    runs({id, 1, now.seconds(), until.seconds()});
  }
  void reserved(const cosim::Reserved& reserved) override { reserved_.push_back(reserved); }
  void freed() override { look_anew(); }
  void withdrawn(cosim::JobId job) override {
    look_anew();
    forget(job);
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
  void forget(cosim::JobId job) {
    estimates_.erase(job);
    with_lock([&] { waiting_->attr("pop")(job); });
  }
  void runs(const RunningJob& job) {
    with_lock([&] { (*running_)[py::int_(job.id)] = py::cast(job); });
  }

  void ask(const cosim::View& view) {
    asked_ = true;
    wake_ = netsim::Time::never();
    with_lock([&] {
      const auto state =
          py::cast(SchedulerState{view.now.seconds(), view.free, py::reinterpret_borrow<py::dict>(*waiting_),
                                  py::reinterpret_borrow<py::dict>(*running_), reservations(view.now), std::nullopt});
      const py::object answer = (*start_)(state);
      if (!answer.is_none())
        for (const auto id : whole_numbers(py::list(answer), outsider_->who())) plan_.push_back(id);
      if (const auto wake = state.cast<const SchedulerState&>().wake) {
        if (!std::isfinite(*wake)) core::fail_input("{}: found wake {}, expected seconds", outsider_->who(), *wake);
        wake_ = netsim::Time(*wake);
      }
    });
  }

  /// The reservations that are not over.
  std::vector<Reservation> reservations(const netsim::Time& now) const {
    std::vector<Reservation> all;
    for (const auto& one : reserved_)
      if (one.until > now) all.push_back({one.from.seconds(), one.until.seconds(), one.nodes});
    return all;
  }

  std::shared_ptr<const Outsider> outsider_;
  Shared start_, waiting_, running_;
  std::vector<cosim::Reserved> reserved_;
  std::map<cosim::JobId, netsim::Time> estimates_;
  std::deque<cosim::JobId> plan_;
  bool asked_ = false;  ///< since something happened
  netsim::Time wake_ = netsim::Time::never();
};

// Mappers

struct AskedMapping {
  HeldMachine machine;
  std::vector<NodeId> slots;
  std::int32_t ranks = 0;
  std::uint64_t seed = 1;
  Shared matrix;  ///< null where the mapper does not look at it
  bool uses_seed = false;

  /// Runs of a mapper that does not say that it draws lots are taken for certain.
  std::uint64_t given_seed() const {
    if (uses_seed) return seed;
    core::fail_input(
        "problem.seed is read by a mapper that was registered as drawing no lots; expected uses_seed=True");
  }
};

class PythonMapper final : public mapping::Mapper {
 public:
  PythonMapper(std::shared_ptr<const Outsider> outsider, const core::Arguments& arguments)
      : outsider_(std::move(outsider)), place_(outsider_->made(arguments)) {}

  bool uses_seed() const override { return outsider_->option("uses_seed"); }
  bool uses_traffic() const override { return outsider_->option("uses_traffic"); }

  mapping::Mapping map(const mapping::MappingProblem& problem) const override {
    const auto* matrix = uses_traffic() ? &problem.traffic.matrix() : nullptr;
    return with_python(outsider_->who(), [&] {
      const AskedMapping asked{{problem.machine.name(), copy_of(problem.machine)},
                               problem.slots,
                               problem.ranks(),
                               problem.seed,
                               matrix == nullptr ? nullptr : shared(SparseRows(*matrix).to_scipy()),
                               uses_seed()};
      return mapping::Mapping(nodes_in((*place_)(py::cast(asked)), outsider_->who()));
    });
  }

 private:
  std::shared_ptr<const Outsider> outsider_;
  Shared place_;
};

// Generators

std::unique_ptr<workloads::Trace> generate(const Outsider& outsider, const core::Arguments& arguments) {
  return with_python(outsider.who(), [&]() -> std::unique_ptr<workloads::Trace> {
    const auto trace = py::module_::import("toroid").attr("trace");
    auto made = outsider.called_with(arguments)();
    if (!py::isinstance<HeldTrace>(made)) made = trace(made);
    return std::make_unique<workloads::ForwardedTrace>(made.cast<const HeldTrace&>().trace);
  });
}

// Registration

template <class Make>
core::Entry<Make> entry(const std::shared_ptr<const Outsider>& outsider, const std::string& help,
                        const std::string& from, Make make) {
  core::Entry<Make> made(keep(outsider->name), keep(help), std::move(make), outsider->keys);
  made.from = from;
  return made;
}

/// The registries are read without Python's lock by whoever is at work.
void check_idle(const std::string& who) {
  if (is_at_work())
    core::fail_input("{}: cannot be added while a run goes on, around this call or in another thread", who);
}

void add(const std::string& kind, const std::string& name, const std::string& help, const py::object& make,
         const std::vector<std::pair<std::string, py::object>>& keys, const std::map<std::string, bool>& options) {
  check_idle(fmt::format("{} '{}'", kind, name));
  import_numpy();
  // Outside the command, cells of a notebook may register a name again and again.
  const std::string from = cli::plugin_at_work().empty() ? "Python" : cli::plugin_at_work();
  auto made = std::make_shared<Outsider>(Outsider{kind, name, shared(make), {}, options});
  for (const auto& [key, otherwise] : keys) made->keys.push_back(key_like(key, otherwise));
  const std::shared_ptr<const Outsider> outsider = made;
  if (kind == "allocator")
    alloc::add_allocator(entry<alloc::MakeAllocator>(
        outsider, help, from, [outsider](const alloc::Site& site, const core::Arguments& arguments) {
          return std::make_unique<PythonAllocator>(outsider, site, arguments);
        }));
  else if (kind == "scheduler")
    cosim::add_scheduler(
        entry<cosim::MakeScheduler>(outsider, help, from, [outsider](const core::Arguments& arguments) {
          return std::make_unique<PythonScheduler>(outsider, arguments);
        }));
  else if (kind == "mapper")
    mapping::add_mapper(entry<mapping::MakeMapper>(outsider, help, from, [outsider](const core::Arguments& arguments) {
      return std::make_unique<PythonMapper>(outsider, arguments);
    }));
  else
    workloads::add_generator(entry<workloads::MakeTrace>(
        outsider, help, from, [outsider](const core::Arguments& arguments) { return generate(*outsider, arguments); }));
}

std::vector<std::string> names(const py::object& given) {
  const auto kind = text_of(given, "kind");
  if (kind == "allocators") return alloc::allocators().names();
  if (kind == "schedulers") return cosim::schedulers().names();
  if (kind == "mappers") return mapping::mappers().names();
  if (kind == "generators") return workloads::generators().names();
  if (kind == "engines") return netsim::engines().names();
  core::fail_input("found '{}', expected allocators, schedulers, mappers, generators or engines", kind);
}

py::list values(const py::dict& dict) {
  return py::list(dict.attr("values")());
}

}  // namespace

void add_outside(py::module_& module) {
  py::class_<AskedJob>(module, "Job")
      .def_readonly("id", &AskedJob::id)
      .def_readonly("nodes", &AskedJob::nodes)
      .def_property_readonly("shape", [](const AskedJob& job) { return py::tuple(py::cast(job.shape)); })
      .def_property_readonly("held", [](const AskedJob& job) { return numbers_of(job.held); })
      .def("__repr__", [](const AskedJob& job) { return fmt::format("<toroid.Job {}, {} nodes>", job.id, job.nodes); });
  py::class_<WaitingJob>(module, "WaitingJob")
      .def_readonly("id", &WaitingJob::id)
      .def_readonly("nodes", &WaitingJob::nodes)
      .def_readonly("submitted", &WaitingJob::submitted)
      .def_readonly("estimate", &WaitingJob::estimate);
  py::class_<RunningJob>(module, "RunningJob")
      .def_readonly("id", &RunningJob::id)
      .def_readonly("nodes", &RunningJob::nodes)
      .def_readonly("started", &RunningJob::started)
      .def_readonly("expected_end", &RunningJob::expected_end);
  py::class_<Reservation>(module, "Reservation")
      .def_readonly("begin", &Reservation::begin)
      .def_readonly("end", &Reservation::end)
      .def_readonly("nodes", &Reservation::nodes);
  py::class_<SchedulerState>(module, "SchedulerState")
      .def_readonly("now", &SchedulerState::now)
      .def_readonly("free", &SchedulerState::free)
      .def_property_readonly("queue", [](const SchedulerState& state) { return values(state.waiting); })
      .def_property_readonly("running", [](const SchedulerState& state) { return values(state.running); })
      .def_readonly("reserved", &SchedulerState::reserved)
      .def_readwrite("wake", &SchedulerState::wake);
  py::class_<AskedMapping>(module, "MappingProblem")
      .def_readonly("machine", &AskedMapping::machine)
      .def_property_readonly("slots", [](const AskedMapping& asked) { return numbers_of(asked.slots); })
      .def_readonly("ranks", &AskedMapping::ranks)
      .def_property_readonly("seed", &AskedMapping::given_seed)
      .def_property_readonly("matrix", [](const AskedMapping& asked) -> py::object {
        return asked.matrix == nullptr ? py::none() : *asked.matrix;
      });
  module.def("register", add, py::arg("kind"), py::arg("name"), py::arg("help"), py::arg("make"), py::arg("keys"),
             py::arg("options"));
  module.def("check_deterministic", [] { core::are_twins_made = true; });
  module.def(
      "load_plugin",
      [](const py::object& given) {
        const auto path = text_of(given, "path");
        check_idle(path);
        cli::load_plugin_library(path);
      },
      py::arg("path"));
  module.def("names", names, py::arg("kind"));
}

}  // namespace toroid::python
