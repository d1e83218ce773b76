// toroid plot: a comparison as a picture for a paper.

#include "cli/commands.hpp"
#include "cli/commands/simulate.hpp"
#include "cli/config.hpp"
#include "cli/result_fields.hpp"
#include "views/studies/study_plot.hpp"

namespace toroid::cli {
namespace {

struct PlotOptions {
  std::string study, svg, pdf;
  views::StudyPlotOptions plot;
};

void check_comparison(const core::Json& comparison) {
  const auto manifest = comparison.value("manifest", core::Json());
  if (manifest.is_object() && manifest.contains("toroid")) check_result(comparison, manifest, "comparison", "compare");
}

void plot(const PlotOptions& o) {
  if (o.svg.empty() && o.pdf.empty()) core::fail_input("expected --svg FILE, --pdf FILE or both");
  const auto picture = views::study_plot_svg(views::read_study(o.study, check_comparison), o.plot);
  Outputs outputs;
  outputs.add_svg(o.svg, [&] { return picture; });
  outputs.add(o.pdf, [&] { return pdf_of(picture); });
  outputs.write();
}

Options plot_options(PlotOptions& o) {
  return {
      {"STUDY", o.study, input_file(), required, "the file that compare --json has written"},
      {"--svg", o.svg, output_file(), "write the picture as SVG"},
      {"--pdf", o.pdf, output_file(), "write the picture as PDF, by rsvg-convert"},
      {"--absolute", o.plot.absolute, "draw times in seconds; else times over the best mean beside them"},
      {"--log", o.plot.log_scale, "draw times on a logarithmic axis"},
      {"--strips", o.plot.boxes, "draw single runs without boxes, however many there are"},
      {"--against", o.plot.against,
       "draw run times over these metrics of the runs, such as hops_per_byte max_link_load_bytes"},
      {"--width", o.plot.width_mm, real(40, 400), "width in mm, such as that of a column"},
  };
}

}  // namespace

void add_plot(CLI::App& app) {
  add_command<PlotOptions>(app, "plot", "draw a comparison for a paper: its single runs, or run times over metrics",
                           plot_options, plot);
}

}  // namespace toroid::cli
