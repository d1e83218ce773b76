// The module toroid._core. What users see of it is in toroid/__init__.py, with its units and shapes.

#include <Python.h>

#include <cctype>
#include <filesystem>

#include "cli/commands.hpp"
#include "core/isolate.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"

namespace toroid::python {
namespace {

/// What the command calls --ranks-per-node is ranks_per_node here.
std::string in_python(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins =
        text.compare(at, 2, "--") == 0 && (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0);
    if (!begins || at + 2 == text.size() || std::islower(static_cast<unsigned char>(text[at + 2])) == 0) {
      made += text[at];
      continue;
    }
    for (at += 2; at < text.size() && (std::islower(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
         ++at)
      made += text[at] == '-' ? '_' : text[at];
    --at;
  }
  return made;
}

void translate(std::exception_ptr thrown, const py::object& input_error) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (CallError& error) {
    error.error().restore();
  } catch (const core::InputError& error) {
    PyErr_SetObject(input_error.ptr(), python_text(in_python(error.what())).ptr());
  }
}

/// Exceptions of the package, and what Python calls them.
void add_exceptions(py::module_& module) {
  auto make = [&](const char* name, PyObject* base, const char* doc) {
    auto made = py::reinterpret_steal<py::object>(
        PyErr_NewExceptionWithDoc((std::string("toroid.") + name).c_str(), doc, base, nullptr));
    module.attr(name) = made;
    return made.release().ptr();  // as long as the process
  };
  static PyObject* const input_error =
      make("InputError", PyExc_ValueError,
           "Bad arguments or input files: one line says what was found and what was expected.");
  static PyObject* const simulation_error = make(
      "SimulationError", PyExc_RuntimeError, "The simulated program cannot go on: a deadlock, an unmatched message.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      translate(std::move(thrown), py::reinterpret_borrow<py::object>(input_error));
    } catch (const core::SimulationError& error) {
      PyErr_SetObject(simulation_error, python_text(error.what()).ptr());
    }
  });
}

/// A fork in the middle of what another thread does with the interpreter would leave the child with a lock that nobody
/// gives back.
PyGILState_STATE state_at_fork;

void set_hooks() {
  core::set_fork_hooks({.before =
                            [] {
                              state_at_fork = PyGILState_Ensure();
                              PyOS_BeforeFork();
                            },
                        .after_in_parent =
                            [] {
                              PyOS_AfterFork_Parent();
                              PyGILState_Release(state_at_fork);
                            },
                        .after_in_child =
                            [] {
                              PyOS_AfterFork_Child();
                              PyGILState_Release(state_at_fork);
                            }});
}

/// Runs a file that registers algorithms, as if it were imported.
void run_file(const std::string& path) {
  with_python("its code", [&] {
    const auto folder = std::filesystem::absolute(path).parent_path().string();
    py::module_::import("sys").attr("path").attr("append")(python_text(folder));  // what lies beside can be imported
    py::module_::import("runpy").attr("run_path")(python_text(path));
    return 0;
  });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = TOROID_VERSION;
  add_exceptions(module);
  set_hooks();
  module.def("keywords", keywords_of, py::arg("function"));
  add_machine(module);
  add_trace(module);
  add_runs(module);
  add_studies(module);
  add_outside(module);
  module.def(
      "run_command",
      [](const std::vector<std::string>& words) {
        const py::gil_scoped_release unlocked;
        return cli::run_command(words, run_file);
      },
      py::arg("words"));
}

}  // namespace toroid::python
