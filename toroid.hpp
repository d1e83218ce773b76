#pragma once
// What a program needs of toroid. docs/reference/library.md shows a run, a mapping, a study and a schedule; these
// headers say the rest. All other headers are what these include, and what adding to toroid needs
// (docs/architecture.md).
//
//   a machine          platforms::make_machine("torus:8x8x8"), or from a Description
//   a trace            workloads::open_trace("cg:class=A,ranks=64"), or one of your own (CompactTrace)
//   a mapping          mapping::make_mapping("auto", {machine, slots, traffic}); what it costs: mapping::measure()
//   a run              netsim::run({machine, trace, mapping}); several jobs at once: netsim::run_together()
//   a study            study::Comparison: machines x traces x mappers, run by study::run_study()
//   a schedule         cosim::run_schedule({machine, jobs, "easy", "mc1x1"}); many: study::Sweep
//
// What users may have done wrong is thrown as core::InputError, what goes wrong in the simulated program as
// core::SimulationError, and a mistake in a program that calls toroid, or in toroid, as core::ContractError.

#include "alloc/allocator.hpp"
#include "core/assert.hpp"
#include "core/error.hpp"
#include "cosim/schedule.hpp"
#include "jobs/jobs_source.hpp"
#include "mapping/mapper.hpp"
#include "mapping/metrics.hpp"
#include "netsim/result_json.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "platforms/machine.hpp"
#include "study/comparison.hpp"
#include "study/report.hpp"
#include "study/sweep.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/trace.hpp"
#include "workloads/trace_source.hpp"
