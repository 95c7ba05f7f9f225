#include "lib/report/run_names.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/sweep_detail.h"
#include "lib/summary/lab_runs.h"

namespace lockstep {
namespace {

// Title of a run in captions, and the name that replaces it.
struct RunName {
  std::string title;
  std::string name;
  std::string letter;  // letter that `name` contains; empty if it contains none
};

// Returns the name of one way to train of a record. `ways` is the number of ways that the record has.
RunName NameOf(const std::string& title, const RecordSource& source, const LabRecords& lab, size_t ways) {
  const std::string letter = LetterOf(lab, source), run = absl::StrCat("run ", letter);
  const std::string file = absl::StrCat("(", source.name(), ")");
  const size_t end = title.find(file);
  const std::string way = end == std::string::npos ? "" : title.substr(end + file.size());
  const bool keeps_title = ways > 1 && way.empty();
  return {title, keeps_title ? title : ways == 1 ? run : absl::StrCat(run, way), keeps_title ? "" : letter};
}

template <typename View>
void AddViews(const LabRecords& lab, const std::vector<View>& views, std::vector<RunName>& names) {
  std::map<const LabScale*, size_t> ways;
  for (const View& view : views) {
    ++ways[view.scale];
  }
  for (const View& view : views) {
    if (view.scale != nullptr) {
      names.push_back(NameOf(view.Title(), *view.scale, lab, ways[view.scale]));
    }
  }
}

// Returns the names of all runs, those with the longest titles first.
std::vector<RunName> NamesOf(const LabRecords& lab) {
  std::vector<RunName> names;
  for (const LabSweep& sweep : lab.sweeps) {
    names.push_back(NameOf(DescribeSweep(sweep), sweep, lab, 1));
  }
  AddViews(lab, ScalingViews(lab), names);
  for (const proto::Experiment experiment : kExperiments) {
    AddViews(lab, ExperimentViews(lab, experiment), names);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const RunName& a, const RunName& b) { return a.title.size() > b.title.size(); });
  return names;
}

// Replaces the title at the end of `text`, and adds the letter that `text` then contains to `letters`.
void Replace(const std::vector<RunName>& names, std::string& text,
             google::protobuf::RepeatedPtrField<std::string>& letters) {
  for (const RunName& name : names) {
    if (absl::EndsWith(text, name.title)) {
      text = absl::StrCat(absl::StripSuffix(text, name.title), name.name);
      if (!name.letter.empty()) {
        *letters.Add() = name.letter;
      }
      return;
    }
  }
}

}  // namespace

void NameRunsByLetter(const LabRecords& lab, std::vector<proto::Section>& sections) {
  const std::vector<RunName> names = NamesOf(lab);
  for (proto::Section& section : sections) {
    for (proto::Table& table : *section.mutable_table()) {
      Replace(names, *table.mutable_caption(), *table.mutable_run());
    }
    for (proto::Plot& plot : *section.mutable_plot()) {
      Replace(names, *plot.mutable_title(), *plot.mutable_run());
    }
  }
}

}  // namespace lockstep
