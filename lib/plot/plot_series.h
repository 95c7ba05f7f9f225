// Helpers for the plots of all sections: ids, series and their points.
#ifndef LOCKSTEP_LIB_PLOT_PLOT_SERIES_H_
#define LOCKSTEP_LIB_PLOT_PLOT_SERIES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the id of the plot that follows `index` others of its kind: "split", "split_2", "split_3".
std::string PlotId(absl::string_view kind, size_t index);

// Sets the ids of all plots of one kind. `main` is the index of the plot of the record that answers the question; it
// comes first and has the id `kind`, to which cards link. Without such a plot (no value) the ids begin with "split_2",
// so that no card links to the plot of another record.
void SetPlotIds(absl::string_view kind, std::optional<size_t> main, std::vector<proto::Plot>& plots);

// Appends an empty series to the plot.
proto::Series& AddSeries(const std::string& label, proto::Provenance provenance, proto::Plot& plot);

// Adds the point (x, y) with the ends of its error bar.
void AddPoint(double x, double y, double low, double high, proto::Series& series);

// Adds a point whose error bar is the quantity's interval. Without an interval, the bar has length 0.
void AddPoint(double x, const proto::Quantity& y, proto::Series& series);

// Adds a point with an error bar of length 0.
void AddPoint(double x, double y, proto::Series& series);

// Puts the plots into a group with this heading if there are more than a reader looks at.
void GroupIfMany(const std::string& heading, std::vector<proto::Plot>& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_PLOT_SERIES_H_
