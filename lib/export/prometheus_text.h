// Gauges as text in Prometheus' exposition format 0.0.4.
#ifndef LOCKSTEP_LIB_EXPORT_PROMETHEUS_TEXT_H_
#define LOCKSTEP_LIB_EXPORT_PROMETHEUS_TEXT_H_

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

// Names and values of labels. A label with an empty value is equivalent to no label, and is omitted.
using GaugeLabels = std::vector<std::pair<std::string, std::string>>;

struct Gauge {
  std::string name;  // letters, digits and underscores, with the unit last: "lockstep_epoch_seconds"
  std::string help;
  std::vector<std::pair<GaugeLabels, double>> samples;  // samples, whose labels must differ
};

// Returns HELP, TYPE and a line for each sample; nothing for a gauge without samples. A label's value may hold any
// bytes.
std::string PrometheusText(const std::vector<Gauge>& gauges);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_PROMETHEUS_TEXT_H_
