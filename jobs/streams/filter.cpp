#include <bit>
#include <unordered_set>

#include "jobs/formats/log.hpp"

namespace toroid::jobs {
namespace {

template <class Number>
struct Range {
  Number least = 1, most = std::numeric_limits<Number>::max();
};
using SizeRange = Range<std::int32_t>;
using NumberRange = Range<std::int64_t>;  ///< users, groups, queues or partitions, by their numbers in the log

/// The type of ranges from `least` on, such as `a size` or several.
template <class Number>
core::Type<Range<Number>> range_type(std::string_view one, Number lowest) {
  return {fmt::format("{} or a range such as 2-64", one),
          [lowest](std::string_view text, const core::Place&) -> std::optional<Range<Number>> {
            const auto dash = text.find('-');
            const auto least = core::parse_number<Number>(text.substr(0, dash));
            const auto most =
                dash == std::string_view::npos ? least : core::parse_number<Number>(text.substr(dash + 1));
            if (!least || !most || *least < lowest || *most < *least) return std::nullopt;
            return Range<Number>{*least, *most};
          }};
}

const core::OptionalParameter<SizeRange> size_range{"sizes", "only jobs of these sizes",
                                                    range_type<std::int32_t>("a size", 1), "all"};
const core::Parameter<bool> powers{"powers", "only jobs whose size is a power of two", core::yes_or_no(), "no"};
const core::OptionalParameter<When> from{"from", "only jobs submitted then or later; times count from then on",
                                         when_type(), "the beginning"};
const core::OptionalParameter<When> until{"until", "only jobs submitted before", when_type(), "the end"};
const core::OptionalParameter<std::uint64_t> first{"first", "only so many of the jobs that are left",
                                                   core::whole(std::uint64_t{1}, std::uint64_t{1} << 40U), "all"};
const core::Parameter<std::int32_t> per_node{"per-node", "processors of a node: a size counts nodes then, rounded up",
                                             core::whole(1, 1 << 20U), "1"};
const core::Parameter<double> arrivals{"arrivals", "factor of the times between submissions: below 1 more load",
                                       core::real(0, 1e6), "1"};
const core::Parameter<bool> dependencies{
    "dependencies", "whether a job that names the job before it is submitted when that has ended, think time later",
    core::yes_or_no(), "no"};

using Fields = std::vector<const JobField*>;

core::Type<Fields> fields_type() {
  return {"columns of tables but number, submitted_s and size, joined by /, such as user/group",
          [](std::string_view text, const core::Place&) -> std::optional<Fields> {
            Fields all;
            for (const auto name : core::split(text, '/')) {
              if (name == "number" || name == "submitted_s" || name == "size") return std::nullopt;
              all.push_back(job_field(name));
            }
            return std::ranges::find(all, nullptr) == all.end() ? std::optional(all) : std::nullopt;
          }};
}

const core::OptionalParameter<Fields> without{"without", "what jobs are to know no more", fields_type(), "nothing"};

const core::OptionalParameter<NumberRange> only_user{"user", "only jobs of these users",
                                                     range_type<std::int64_t>("a number", 0), "all"};
const core::OptionalParameter<NumberRange> only_group{"group", "only jobs of these groups",
                                                      range_type<std::int64_t>("a number", 0), "all"};
const core::OptionalParameter<NumberRange> only_queue{"queue", "only jobs of these queues",
                                                      range_type<std::int64_t>("a number", 0), "all"};
const core::OptionalParameter<NumberRange> only_partition{"partition", "only jobs of these partitions",
                                                          range_type<std::int64_t>("a number", 0), "all"};

class Filter {
 public:
  Filter(const core::Arguments& arguments, const Jobs& jobs)
      : arguments_(arguments),
        from_(time(arguments[from].value_or(When{}), jobs, from.name)),
        until_(arguments[until] ? time(*arguments[until], jobs, until.name) : std::numeric_limits<double>::infinity()) {
    for (const auto& [parameter, member] : {std::pair{&only_user, &JobNotes::user},
                                            {&only_group, &JobNotes::group},
                                            {&only_queue, &JobNotes::queue},
                                            {&only_partition, &JobNotes::partition}})
      if (const auto range = arguments[*parameter]) of_.emplace_back(member, *range);
  }

  std::uint64_t first_jobs() const { return first_; }

  /// Whether the job is wanted by its size; then of that size in nodes.
  bool apply_to_size(Job& job) const {
    TOROID_ASSERT(job.size >= 1);
    job.size = (job.size - 1) / per_node_ + 1;
    const bool is_power = std::has_single_bit(static_cast<std::uint32_t>(job.size));
    return job.size >= sizes_.least && job.size <= sizes_.most && (!powers_ || is_power);
  }
  /// Whether the job is wanted by its submission; then submitted at its time in the slice.
  bool apply_to_times(Job& job) const {
    if (job.submitted < from_ || job.submitted >= until_) return false;
    job.submitted = (job.submitted - from_) * arrivals_;
    TOROID_ASSERT(job.submitted >= 0);
    return true;
  }
  /// Whether the job is wanted; then as it is wanted. `before` has the numbers of all that were wanted before it.
  bool apply(Job& job, std::unordered_set<std::int64_t>& before) const {
    for (const auto& [member, range] : of_)
      if (job.notes.*member < range.least || job.notes.*member > range.most) return false;
    if (!apply_to_size(job) || !apply_to_times(job)) return false;
    for (const auto* field : without_) field->forget(job);
    if (!dependencies_) return true;
    job.after = before.contains(job.notes.preceding) ? job.notes.preceding : -1;
    before.insert(job.number);
    return true;
  }

  /// The comments of what is left, which begins at its own time.
  std::vector<std::string> header(std::vector<std::string> of_all) const {
    return header_from(std::move(of_all), arrivals_ == 1 ? std::optional(from_) : std::nullopt);
  }

 private:
  double time(const When& when, const Jobs& jobs, std::string_view key) const {
    return since_beginning(when, jobs, fmt::format("'{}': {}", arguments_.spec().text(), key));
  }

  core::Arguments arguments_;
  SizeRange sizes_ = arguments_[size_range].value_or(SizeRange{});
  bool powers_ = arguments_[powers], dependencies_ = arguments_[dependencies];
  double from_, until_, arrivals_ = arguments_[arrivals];
  std::uint64_t first_ = arguments_[first].value_or(std::numeric_limits<std::uint64_t>::max());
  std::int32_t per_node_ = arguments_[per_node];
  Fields without_ = arguments_[without].value_or(Fields());
  std::vector<std::pair<std::int64_t JobNotes::*, NumberRange>> of_;
};

class FilteredJobs final : public Jobs {
 public:
  FilteredJobs(std::unique_ptr<Jobs> all, const core::Arguments& arguments)
      : all_(std::move(all)), filter_(arguments, *all_), counts_(all_->counts()) {
    counts_.filtered += std::exchange(counts_.jobs, 0);
    counts_.of_unknown_length = counts_.preceded = 0;
    counts_.most_nodes = 0;
    Job job;
    double last = std::numeric_limits<double>::infinity();
    for (const auto stream = open(); stream->next(job);) {
      counts_.add(job);
      if (counts_.jobs == filter_.first_jobs()) last = job.submitted;
    }
    TOROID_ASSERT(counts_.jobs <= counts_.filtered && counts_.jobs <= filter_.first_jobs());
    counts_.filtered -= counts_.jobs;
    for (const auto& left : std::exchange(counts_.left_out_jobs, {})) {
      job.submitted = left.submitted;
      job.size = left.size;
      if ((left.size <= 0 || filter_.apply_to_size(job)) && filter_.apply_to_times(job) && job.submitted <= last)
        continue;
      TOROID_ASSERT(counts_.*left.counter > 0);
      --(counts_.*left.counter);
      ++counts_.filtered;
    }
  }

  std::unique_ptr<JobStream> open() const override {
    return stream_of([this, all = all_->open(), left = filter_.first_jobs(),
                      before = std::unordered_set<std::int64_t>()](Job& job) mutable {
      if (left == 0) return false;
      while (all->next(job))
        if (filter_.apply(job, before)) return left-- > 0;
      return false;
    });
  }
  JobCounts counts() const override { return counts_; }
  bool uses_seed() const override { return all_->uses_seed(); }
  std::vector<std::string> header() const override { return filter_.header(all_->header()); }
  std::vector<std::string> files() const override { return all_->files(); }

 private:
  std::unique_ptr<Jobs> all_;
  Filter filter_;
  JobCounts counts_;
};

}  // namespace

const std::vector<core::AnyParameter>& job_filters() {
  static const std::vector<core::AnyParameter> all{size_range, powers,     from,          until,   first,
                                                   per_node,   arrivals,   dependencies,  without, only_user,
                                                   only_group, only_queue, only_partition};
  return all;
}

std::unique_ptr<Jobs> filtered(std::unique_ptr<Jobs> jobs, const core::Arguments& arguments) {
  for (const auto& filter : job_filters())
    if (arguments.spec().find(filter.name)) return std::make_unique<FilteredJobs>(std::move(jobs), arguments);
  return jobs;
}

}  // namespace toroid::jobs
