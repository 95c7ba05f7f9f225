// What the plots of every section are made of: names, series and their points.
#ifndef LOCKSTEP_LIB_REPORT_PLOT_SERIES_H_
#define LOCKSTEP_LIB_REPORT_PLOT_SERIES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// The id of the plot with `index` others of its kind before it: "split", "split_2", "split_3".
std::string PlotId(absl::string_view kind, size_t index);

// An empty series at the end of the plot's.
proto::Series& AddSeries(const std::string& label, proto::Provenance provenance, proto::Plot& plot);

// y with the ends of its error bar.
void AddPoint(double x, double y, double low, double high, proto::Series& series);

// The error bar is the quantity's interval, and has no length where it has none.
void AddPoint(double x, const proto::Quantity& y, proto::Series& series);

// Without a bar.
void AddPoint(double x, double y, proto::Series& series);

// The line y = x from `low` to `high`, to compare with.
void AddDiagonal(const std::string& label, double low, double high, proto::Plot& plot);

// Behind a heading of this text, where there are more than a reader looks at.
void GroupIfMany(const std::string& heading, std::vector<proto::Plot>& plots);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOT_SERIES_H_
