#include "lib/summary/lab_runs.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/civil_time.h"
#include "lib/networks/networks.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};

bool ParseDay(const std::string& start_time, absl::CivilDay& day) {
  return absl::ParseCivilTime(start_time.substr(0, start_time.find('T')), &day);
}

std::string Month(absl::CivilDay day) { return kMonths[day.month() - 1]; }

// Returns "A" for 0, "Z" for 25, "AA" for 26.
std::string Letter(size_t number) {
  std::string letters;
  for (size_t left = number + 1; left > 0; left = (left - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (left - 1) % 26));
  }
  return letters;
}

proto::LabRun RunOf(const RecordSource& source, const std::string& network, const std::string& what, size_t number) {
  proto::LabRun run;
  run.set_letter(Letter(number));
  run.set_what(what);
  run.set_machine(DescribeDevices(source.header));
  run.set_date(DateText(source.header.start_time()));
  run.set_file(source.name());
  run.set_tool(source.header.build().tool());
  run.set_network(network);
  return run;
}

std::string ScaleText(const LabScale& scale) {
  const std::string precision = DescribePrecision(scale.spec.training().precision());
  switch (scale.spec.experiment()) {
    case proto::LARGE_BATCH:
      return absl::StrCat("large batches, ", CountOf(scale.spec.seeds(), "seed"));
    case proto::SAMPLER_EPOCH:
      return "sampler with and without the epoch";
    case proto::WHAT_IS_SENT:
      return "what is sent";
    case proto::OPTIMIZERS:
      return "optimizers";
    default:
      break;
  }
  std::set<uint32_t> ranks;
  for (const proto::ScalePoint& point : scale.points) {
    ranks.insert(point.ranks());
  }
  return absl::StrCat(ModelTitle(scale.spec.training().model()), " on ", absl::StrJoin(ranks, ", "),
                      ranks.size() == 1 && *ranks.begin() == 1 ? " device, " : " devices, ", precision);
}

// Returns the measuring runs in the order of their letters.
std::vector<const RecordSource*> MeasuringRuns(const LabRecords& lab) {
  std::vector<const RecordSource*> runs;
  for (const LabSweep& sweep : lab.sweeps) {
    runs.push_back(&sweep);
  }
  for (const LabScale& scale : lab.scales) {
    runs.push_back(&scale);
  }
  for (const LabQuantized& file : lab.quantized) {
    runs.push_back(&file);
  }
  return runs;
}

}  // namespace

std::vector<proto::LabRun> LabRuns(const LabRecords& lab) {
  std::vector<proto::LabRun> runs;
  for (const LabSweep& sweep : lab.sweeps) {
    const std::string network = ModelTitle(sweep.spec.training().model());
    runs.push_back(
        RunOf(sweep, network,
              absl::StrCat(network, ", ", sweep.points.size(), sweep.points.size() == 1 ? " batch, " : " batches, ",
                           DescribePrecision(sweep.spec.training().precision())),
              runs.size()));
  }
  for (const LabScale& scale : lab.scales) {
    runs.push_back(RunOf(scale, ModelTitle(scale.spec.training().model()), ScaleText(scale), runs.size()));
  }
  for (const LabQuantized& file : lab.quantized) {
    std::set<std::string> names;
    for (const proto::QuantizedNetwork& network : file.networks) {
      names.insert(ModelTitle(network.name()));
    }
    const std::string networks = absl::StrJoin(names, ", ");
    runs.push_back(RunOf(file, networks, absl::StrCat(networks, names.empty() ? "" : " ", "in int8"), runs.size()));
  }
  return runs;
}

std::string LetterOf(const LabRecords& lab, const RecordSource& source) {
  const std::vector<const RecordSource*> runs = MeasuringRuns(lab);
  const auto run = std::find(runs.begin(), runs.end(), &source);
  return run == runs.end() ? "" : Letter(static_cast<size_t>(run - runs.begin()));
}

std::string DateText(const std::string& start_time) {
  absl::CivilDay day;
  return ParseDay(start_time, day) ? absl::StrCat(day.day(), " ", Month(day), " ", day.year()) : start_time;
}

std::string DatesText(const LabRecords& lab) {
  std::set<absl::CivilDay> days;
  for (const RecordSource* run : MeasuringRuns(lab)) {
    absl::CivilDay day;
    if (ParseDay(run->header.start_time(), day)) {
      days.insert(day);
    }
  }
  if (days.empty()) {
    return "";
  }
  const absl::CivilDay first = *days.begin(), last = *days.rbegin();
  const std::string end = absl::StrCat(last.day(), " ", Month(last), " ", last.year());
  return first == last                   ? end
         : first.year() != last.year()   ? absl::StrCat(first.day(), " ", Month(first), " ", first.year(), " to ", end)
         : first.month() != last.month() ? absl::StrCat(first.day(), " ", Month(first), " to ", end)
                                         : absl::StrCat(first.day(), " to ", end);
}

}  // namespace lockstep
