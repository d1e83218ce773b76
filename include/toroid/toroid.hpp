#pragma once
// What a program needs of toroid. docs/reference/library.md shows a run, a mapping, a study and a schedule; these
// headers say the rest. All other headers are what these include, and what adding to toroid needs
// (docs/architecture.md).
//
//   a machine          platforms::make_machine("torus:8x8x8"), or from a Description
//   a trace            workloads::open_trace("cg:class=A,ranks=64"), or one of your own (TraceBuilder)
//   a mapping          mapping::make_mapping("auto", {machine, slots, traffic}); what it costs: mapping::measure()
//   a run              netsim::run({machine, trace, mapping}), or of several jobs at once: netsim::run({machine, jobs})
//   a study            study::Comparison: machines x traces x mappers, run by study::run_study()
//   a schedule         cosim::run_schedule({machine, jobs, "easy", "mc1x1"}); many: study::Sweep
//
// What users may have done wrong is thrown as core::InputError, what goes wrong in the simulated program as
// core::SimulationError, and a mistake in a program that calls toroid, or in toroid, as core::ContractError.

#include "toroid/alloc/allocator.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/core/error.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/study/comparison.hpp"
#include "toroid/study/report.hpp"
#include "toroid/study/sweep.hpp"
#include "toroid/workloads/trace.hpp"
#include "toroid/workloads/trace_source.hpp"
