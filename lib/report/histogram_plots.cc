#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/network_names.h"
#include "lib/plot/plot_series.h"
#include "lib/report/plots.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr int kMaxBins = 1000;  // more bins make no useful histogram
constexpr double kInt8Max = 127, kInt8Min = -128;

// Returns the number of values in all bins and outside them; 0 if there is no histogram.
double Total(const proto::Histogram& histogram) {
  double total = static_cast<double>(histogram.below()) + static_cast<double>(histogram.above());
  for (const uint64_t count : histogram.count()) {
    total += static_cast<double>(count);
  }
  return total;
}

double BinWidth(const proto::Histogram& histogram) {
  return (histogram.high() - histogram.low()) / std::max(1, histogram.count_size());
}

bool CanBeDrawn(const proto::Histogram& histogram) {
  return histogram.count_size() > 0 && histogram.count_size() <= kMaxBins && std::isfinite(BinWidth(histogram)) &&
         BinWidth(histogram) > 0 && Total(histogram) > 0;
}

// Adds the shares of the values, scaled to bins of `width`, so that two histograms can be compared.
void AddHistogram(const std::string& label, const proto::Histogram& histogram, double width, proto::Plot& plot) {
  proto::Series& series = AddSeries(label, proto::MEASURED, plot);
  const double own_width = BinWidth(histogram), total = Total(histogram);
  for (int i = 0; i < histogram.count_size(); ++i) {
    series.add_x(histogram.low() + i * own_width);
    series.add_y(kPercent.scale * static_cast<double>(histogram.count(i)) / total * width / own_width);
  }
  series.add_x(histogram.high());
  series.add_y(0);
}

void AddMark(double x, const std::string& label, proto::Plot& plot) {
  if (std::isfinite(x)) {
    proto::Mark& mark = *plot.add_mark();
    mark.set_x(x);
    mark.set_label(label);
  }
}

enum class Sides { kUpper, kBoth };

// Adds marks at -x and x, or only at x.
void AddMarks(double x, Sides sides, const char* what, proto::Plot& plot) {
  if (!(x > 0) || !std::isfinite(x)) {
    return;
  }
  const std::string label = absl::StrCat(what, sides == Sides::kBoth ? ", ±" : ", ", FormatNumber(x, 3));
  AddMark(x, label, plot);
  if (sides == Sides::kBoth) {
    AddMark(-x, label, plot);
  }
}

proto::Plot MakePlot(const std::string& title, const char* x_label, const std::string& network) {
  proto::Plot plot;
  plot.set_kind(proto::HISTOGRAM);
  plot.set_title(absl::StrCat(title, ", ", network));
  plot.set_x_label(x_label);
  plot.set_y_label(HeadingOf("values in a bin", kPercent));
  plot.set_y_log(true);
  plot.set_group(absl::StrCat("Histograms of weights and activations: ", network));
  return plot;
}

// Returns "12,300 values in 100 bins. Marked: ...".
std::string Describe(const proto::Histogram& histogram, const std::string& clamped, const proto::Plot& plot) {
  std::string text = absl::StrCat("Histogram of ", FormatCount(static_cast<uint64_t>(Total(histogram))),
                                  " values from ", FormatNumber(histogram.low()), " to ",
                                  FormatNumber(histogram.high()), " in ", histogram.count_size(), " bins. ", clamped);
  for (int i = 0; i < plot.mark_size(); ++i) {
    if (i == 0 || plot.mark(i).label() != plot.mark(i - 1).label()) {
      absl::StrAppend(&text, i == 0 ? " Marked: " : "; ", plot.mark(i).label());
    }
  }
  return plot.mark().empty() ? text : absl::StrCat(text, ".");
}

std::string ClipText(const proto::QuantizedLayer& layer) {
  return layer.channel_weight_scale().empty() ? "where int8 ends"
                                              : "where int8 would end with one scale for all channels";
}

proto::Plot WeightPlot(const proto::QuantizedLayer& layer, const std::string& network) {
  proto::Plot plot = MakePlot(absl::StrCat("Weights of ", layer.name()), "weight", network);
  AddHistogram("weights", layer.weight_histogram(), BinWidth(layer.weight_histogram()), plot);
  AddMarks(layer.weight_scale() > 0 ? kInt8Max / layer.weight_scale() : 0, Sides::kBoth, ClipText(layer).c_str(), plot);
  AddMarks(layer.weight_three_sigma(), Sides::kBoth, "3-sigma", plot);
  plot.set_description(Describe(
      layer.weight_histogram(),
      absl::StrCat(FormatPercent(layer.weight_saturated_fraction()), " % of the weights are clipped to ±127."), plot));
  return plot;
}

// Returns the scale that sets the end of int8 for a layer's output; in records of version 1 from the largest value.
// Returns 0 if no value is clamped.
double OutputScale(const proto::QuantizedLayer& layer) {
  if (layer.writes_sums() || layer.tensor_scale() > 0) {
    return layer.writes_sums() ? 0 : layer.tensor_scale();
  }
  return layer.output_max_abs() > 0 ? kInt8Max / layer.output_max_abs() : 0;
}

void AddClip(double scale, int zero_point, Sides sides, proto::Plot& plot) {
  if (!(scale > 0)) {
    return;
  }
  const double low = (kInt8Min - zero_point) / scale, high = (kInt8Max - zero_point) / scale;
  const std::string label =
      sides == Sides::kUpper ? absl::StrCat("where int8 ends, ", FormatNumber(high, 3))
                             : absl::StrCat("where int8 ends, ", FormatNumber(low, 3), " and ", FormatNumber(high, 3));
  AddMark(high, label, plot);
  if (sides == Sides::kBoth) {
    AddMark(low, label, plot);
  }
}

proto::Plot ActivationPlot(const proto::QuantizedLayer& layer, const std::string& network) {
  proto::Plot plot = MakePlot(absl::StrCat("Activations of ", layer.name()), "activation", network);
  const bool relu = CanBeDrawn(layer.activation_after_relu());
  const proto::Histogram& read = relu ? layer.activation_after_relu() : layer.activation_before_relu();
  AddHistogram(relu ? "after ReLU" : "output", read, BinWidth(read), plot);
  if (relu && CanBeDrawn(layer.activation_before_relu())) {
    AddHistogram("before ReLU", layer.activation_before_relu(), BinWidth(read), plot);
  }
  AddClip(OutputScale(layer), layer.zero_point(), relu ? Sides::kUpper : Sides::kBoth, plot);
  AddMarks(layer.activation_three_sigma(), relu ? Sides::kUpper : Sides::kBoth, "3-sigma", plot);
  plot.set_description(Describe(read,
                                layer.writes_sums()
                                    ? "The outputs are int32 sums; nothing is clipped."
                                    : absl::StrCat(FormatPercent(layer.activation_saturated_fraction()),
                                                   " % of the outputs are clipped, over the traced images."),
                                plot));
  return plot;
}

proto::Plot InputPlot(const proto::QuantizedNetwork& network, const std::string& name) {
  proto::Plot plot = MakePlot("The normalised input", "input", name);
  AddHistogram("input", network.input_histogram(), BinWidth(network.input_histogram()), plot);
  AddClip(network.input_scale(), network.input_zero_point(), Sides::kBoth, plot);
  AddMarks(network.input_three_sigma(), Sides::kBoth, "3-sigma", plot);
  plot.set_description(Describe(network.input_histogram(), "Over the calibration images.", plot));
  return plot;
}

// `name`: name of the network on the page, with its record.
void AddPlots(const proto::QuantizedNetwork& network, const std::string& name, std::vector<proto::Plot>& plots) {
  if (CanBeDrawn(network.input_histogram())) {
    plots.push_back(InputPlot(network, name));
  }
  for (const proto::QuantizedLayer& layer : network.layer()) {
    if (CanBeDrawn(layer.weight_histogram())) {
      plots.push_back(WeightPlot(layer, name));
    }
    if (CanBeDrawn(layer.activation_before_relu()) || CanBeDrawn(layer.activation_after_relu())) {
      plots.push_back(ActivationPlot(layer, name));
    }
  }
}

}  // namespace

std::vector<proto::Plot> HistogramPlots(const LabRecords& lab, std::vector<std::string>& left_out) {
  std::vector<proto::Plot> plots;
  for (const LabQuantized& file : lab.quantized) {
    for (const proto::QuantizedNetwork& network : file.networks) {
      const std::string name = absl::StrCat(NetworkName(lab, file, network), " (", file.name(), ")");
      std::vector<proto::Plot> more;
      AddPlots(network, name, more);
      if (plots.size() + more.size() <= kMaxHistograms) {
        plots.insert(plots.end(), more.begin(), more.end());
      } else {
        left_out.push_back(name);
      }
    }
  }
  for (size_t i = 0; i < plots.size(); ++i) {
    plots[i].set_id(PlotId("histogram", i));
  }
  return plots;
}

}  // namespace lockstep
