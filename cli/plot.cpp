// toroid plot: a comparison as a picture for a paper.

#include "cli/commands.hpp"
#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/simulate.hpp"
#include "core/error.hpp"
#include "views/studies/study_plot.hpp"

namespace toroid::cli {
namespace {

struct PlotOptions {
  std::string study, svg, pdf;
  bool strips = false;
  views::StudyPlotOptions plot;
};

/// What another version has written may have other fields.
void check_comparison(const core::Json& comparison) {
  const auto manifest = comparison.value("manifest", core::Json());
  if (manifest.is_object() && manifest.value("toroid", core::Json()) == version)
    core::check_document(comparison, "comparison", result_objects());
}

void plot(PlotOptions o) {
  if (o.svg.empty() && o.pdf.empty()) core::fail_input("expected --svg FILE, --pdf FILE or both");
  o.plot.boxes = !o.strips;
  const auto picture = views::study_plot_svg(views::read_study(o.study, check_comparison), o.plot);
  Outputs outputs;
  outputs.add_svg(o.svg, [&] { return picture; });
  outputs.add(o.pdf, [&] { return pdf_of(picture); });
  outputs.write();
}

}  // namespace

void add_plot(CLI::App& app) {
  auto* command =
      app.add_subcommand("plot", "draw a comparison for a paper: its single runs, or run times over metrics");
  auto o = std::make_shared<PlotOptions>();
  add_input(*command, "STUDY", o->study, "what compare has written: the file of --json, or of --csv")->required();
  add_output(*command, "--svg", o->svg, "write the picture as SVG");
  add_output(*command, "--pdf", o->pdf, "write the picture as PDF, by rsvg-convert");
  command->add_flag("--absolute", o->plot.absolute, "draw times in seconds; else times over the best mean beside them");
  command->add_flag("--log", o->plot.log_scale, "draw times on a logarithmic axis");
  command->add_flag("--strips", o->strips, "draw single runs without boxes, however many there are");
  auto* matrix = command->add_flag("--matrix", o->plot.matrix,
                                   "draw means as a table, what is compared by what it runs, such as what-ifs by "
                                   "programs: times over those of the baseline, or else of the first");
  command
      ->add_option("--against", o->plot.against,
                   "draw run times over these metrics of the runs, such as hops_per_byte max_link_load_bytes")
      ->excludes(matrix);
  constexpr double least = 40, most = 400;
  command->add_option("--width", o->plot.width_mm, "width in mm, such as that of a column")
      ->capture_default_str()
      ->transform(real(least, most));
  command->callback([o] { plot(*o); });
}

}  // namespace toroid::cli
