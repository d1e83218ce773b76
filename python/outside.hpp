#pragma once
// What algorithms that are functions of Python have in common.

#include "python/objects.hpp"
#include "toroid/cosim/scheduler.hpp"

namespace toroid::python {

/// An object of Python that is let go of with Python's lock, whoever holds it last; one that a registry holds is left
/// alone, as registries outlive the interpreter.
using Shared = std::shared_ptr<const py::object>;
Shared shared(py::object object);

/// What a function of Python is registered as.
struct Outsider {
  std::string kind, name;
  Shared make;  ///< called with the keys
  std::vector<core::AnyParameter> keys;
  std::map<std::string, bool> options;

  std::string who() const { return fmt::format("{} '{}'", kind, name); }
  bool option(const char* which) const { return options.at(which); }

  /// What the function makes of the keys of a spec.
  py::object called_with(const core::Arguments& arguments) const;
  Shared made(const core::Arguments& arguments) const {
    return with_python(who(), [&] { return shared(called_with(arguments)); });
  }
};

std::unique_ptr<cosim::Scheduler> make_scheduler(std::shared_ptr<const Outsider> outsider,
                                                 const core::Arguments& arguments);
void add_scheduler_classes(py::module_& module);

}  // namespace toroid::python
