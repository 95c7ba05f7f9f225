// Gauges as text in Prometheus' exposition format 0.0.4.
#ifndef LOCKSTEP_LIB_REPORT_PROMETHEUS_TEXT_H_
#define LOCKSTEP_LIB_REPORT_PROMETHEUS_TEXT_H_

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

// Names and values. An empty value is as good as no label, and is left out.
using GaugeLabels = std::vector<std::pair<std::string, std::string>>;

struct Gauge {
  std::string name;  // letters, digits and underscores, the unit last: "lockstep_epoch_seconds"
  std::string help;
  std::vector<std::pair<GaugeLabels, double>> samples;  // no two with the same labels
};

// HELP, TYPE and a line for each sample; nothing of a gauge without samples. Any byte may stand in a label's value.
std::string PrometheusText(const std::vector<Gauge>& gauges);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PROMETHEUS_TEXT_H_
