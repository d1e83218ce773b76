// Algorithms that are functions of Python, in the registries beside all others.

#include <cmath>

#include "cli/plugins.hpp"
#include "core/blame.hpp"
#include "netsim/network.hpp"
#include "python/outside.hpp"
#include "toroid/mapping/mapper.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::python {

Shared shared(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* kept) {
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire lock;
            delete kept;
          }};
}

namespace {

using platforms::Machine;
using platforms::NodeId;

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

std::shared_ptr<const Machine> copy_of(const Machine& machine) {
  return std::make_shared<const Machine>(machine);
}

// Allocators

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
    for (const NodeId node : nodes) {
      TOROID_ASSERT(node.index() < flags_->size() && (*flags_)[node.index()] != flag);
      (*flags_)[node.index()] = flag;
    }
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
    cosim::add_scheduler(entry<cosim::MakeScheduler>(
        outsider, help, from,
        [outsider](const core::Arguments& arguments) { return make_scheduler(outsider, arguments); }));
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

}  // namespace

py::object Outsider::called_with(const core::Arguments& arguments) const {
  py::dict values;
  for (const auto& one : keys) values[py::str(std::string(one.name))] = value_of(one.read(arguments.spec()));
  return (*make)(**values);
}

void add_outside(py::module_& module) {
  py::class_<AskedJob>(module, "Job")
      .def_readonly("id", &AskedJob::id)
      .def_readonly("nodes", &AskedJob::nodes)
      .def_property_readonly("shape", [](const AskedJob& job) { return py::tuple(py::cast(job.shape)); })
      .def_property_readonly("held", [](const AskedJob& job) { return numbers_of(job.held); })
      .def("__repr__", [](const AskedJob& job) { return fmt::format("<toroid.Job {}, {} nodes>", job.id, job.nodes); });
  add_scheduler_classes(module);
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
