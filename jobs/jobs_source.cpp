#include "core/file.hpp"

#include <filesystem>

#include "jobs/streams/streams.hpp"

namespace toroid::jobs {
namespace {

namespace fs = std::filesystem;
using core::is_file;

/// Names come first: a file that is called like a generator is ./derose.
bool is_generator(std::string_view text) {
  return job_generators().has(core::trim(text.substr(0, text.find(':'))));
}

std::unique_ptr<Jobs> read_log(const std::string& path, Reading reading) {
  for (const auto& format : job_formats().entries())
    if (format.make.recognizes(path)) return format.make.read(path, reading);
  core::fail_input("{}: no format of job logs that is known", path);
}

/// The spec of a log with keys behind a colon; the registry is the one that checks keys.
core::Spec spec_of_log(const std::string& text) {
  auto spec = core::Spec::parse(text);
  const core::Registry<int> log("job log", {{spec.name(), "", 0, job_filters()}});
  log.find(spec);
  return spec;
}

std::unique_ptr<Jobs> open_any_jobs(const std::string& text, Reading reading, std::uint64_t seed) {
  if (is_generator(text)) {
    const auto spec = core::Spec::parse(text);
    return filtered(job_generators().make(spec, seed), core::Arguments(spec, job_filters()));
  }
  if (is_file(text)) return read_log(text, reading);
  const auto spec = spec_of_log(text);
  return filtered(read_log(spec.name(), reading), core::Arguments(spec, job_filters()));
}

}  // namespace

void JobsSource::check() const {
  if (is_generator(text_)) {
    job_generators().find(text_);
    return;
  }
  if (is_file(text_)) return;
  const auto name = core::Spec::parse(text_).name();
  std::error_code ignored;
  if (!fs::exists(name, ignored))
    core::fail_input("{}: no such file and no such job stream{}, or a job log", core::excerpt(text_),
                     core::valid_instead(name, job_generators().names()));
  spec_of_log(text_);
}

std::string JobsSource::file() const {
  if (open_ || is_generator(text_)) return {};
  return is_file(text_) ? text_ : core::Spec::parse(text_).name();
}

std::unique_ptr<Jobs> JobsSource::open(Reading reading, std::uint64_t seed) const {
  auto jobs = open_ ? open_(reading) : open_any_jobs(text_, reading, seed);
  const auto counts = jobs->counts();
  if (counts.jobs > 0) return jobs;
  const auto left_out = counts.left_out();
  core::fail_input("{}: found no job, expected at least one{}", core::excerpt(text_),
                   left_out.empty() ? "" : fmt::format("; left out: {}", core::join(left_out)));
}

bool is_jobs(std::string_view text) {
  if (is_generator(text)) return true;
  const auto whole = std::string(text);
  const auto path = is_file(whole) ? whole : whole.substr(0, whole.find(':'));
  if (!is_file(path)) return false;
  std::string_view name = path;
  for (const std::string_view packing : {".zst", ".gz"})
    if (name.ends_with(packing)) name.remove_suffix(packing.size());
  if (name.ends_with(".swf")) return true;
  const auto& formats = job_formats().entries();
  return std::any_of(formats.begin(), formats.end(), [&](const auto& format) {
    return !format.make.extension.empty() && format.make.recognizes(path);  // the format without one takes any text
  });
}

std::unique_ptr<Jobs> open_jobs(const JobsSource& source, Reading reading, std::uint64_t seed) {
  return source.open(reading, seed);
}

}  // namespace toroid::jobs
