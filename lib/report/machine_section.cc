#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/renamed_flags.h"
#include "lib/base/shell_word.h"
#include "lib/report/sections.h"
#include "lib/summary/lab_runs.h"
#include "lib/warnings/warnings.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

proto::Cell LabelOr(absl::string_view text, absl::string_view reason) {
  return text.empty() ? AbsentCell(reason) : LabelCell(text);
}

// Returns the letter by which the page names a run.
proto::Cell LetterCell(const LabRecords& lab, const RecordSource& source) {
  return LabelOr(LetterOf(lab, source), "not a measuring run");
}

void AddConditions(const LabRecords& lab, const RecordSource& source, const proto::TrainingSpec& training,
                   absl::string_view mode, proto::Table& table) {
  std::vector<std::string> topology;
  for (const proto::Device& device : source.header.device()) {
    if (!device.link_topology().empty()) {
      topology.push_back(device.link_topology());
    }
  }
  const std::string drivers = source.header.device().empty() ? "" : source.header.device(0).driver_version();
  AddRow(table, {LabelCell(source.name()), LetterCell(lab, source), LabelCell(DescribeDevices(source.header)),
                 LabelOr(absl::StrJoin(topology, " | "), "one device, or its links are not known"),
                 LabelCell(absl::StrCat(DescribeLibraries(source.header.libraries()),
                                        drivers.empty() ? "" : absl::StrCat(", driver ", drivers))),
                 LabelCell(absl::StrCat(training.model(), ": ", DescribeRecipe(training))),
                 LabelCell(absl::StrCat(DescribeTiming(training), mode.empty() ? "" : absl::StrCat("; ", mode)))});
}

proto::Table MachineTable(const LabRecords& lab) {
  proto::Table table = MakeTable("Machine and conditions of each measurement",
                                 {"record", "run", "devices", "links", "libraries", "training", "timing"});
  std::vector<std::string> hosts;
  for (const LabSweep& sweep : lab.sweeps) {
    AddConditions(lab, sweep, sweep.spec.training(), sweep.spec.preset().empty() ? "" : "preset " + sweep.spec.preset(),
                  table);
    hosts.push_back(DescribeHost(sweep.header.host()));
  }
  for (const LabScale& scale : lab.scales) {
    AddConditions(lab, scale, scale.spec.training(), DescribeScaleMode(scale.spec), table);
    hosts.push_back(DescribeHost(scale.header.host()));
  }
  if (table.row().empty()) {
    table.set_absent_reason("no sweep.rec and no scale.rec among the inputs");
  }
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  for (const std::string& host : hosts) {
    table.add_note(absl::StrCat("Host: ", host, "."));
  }
  return table;
}

std::string Statistics(const google::protobuf::RepeatedField<double>& values) {
  return absl::StrJoin(values, " ", [](std::string* out, double value) { absl::StrAppendFormat(out, "%.4f", value); });
}

// Returns "image folders, 37 classes of 64x64"; classes and size are left out if they are CIFAR-10's.
std::string SourceText(const proto::DatasetInfo& info) {
  const std::string format = DescribeInputFormat(info.input_format());
  return info.class_name_size() == 10 && info.height() == 32 && info.width() == 32
             ? format
             : absl::StrCat(format, ", ", info.class_name_size(), " classes of ", info.height(), "x", info.width());
}

proto::Table DatasetTable(const LabRecords& lab) {
  proto::Table table = MakeTable("Images", {"record", "split", "images", "source", "official", "mean (R G B)",
                                            "std of pixels", "mean std of an image"});
  for (const LabDataset& dataset : lab.datasets) {
    for (const proto::DatasetInfo& info : dataset.info) {
      const auto counted = [](const google::protobuf::RepeatedField<double>& values) {
        proto::Cell cell = LabelOr(Statistics(values), "not in the record");
        if (!values.empty()) {
          cell.set_provenance(proto::MEASURED);
        }
        return cell;
      };
      AddRow(table, {LabelCell(dataset.name()), LabelCell(info.split() == proto::TRAIN ? "train" : "test"),
                     CountCell(info.image_count(), proto::MEASURED, ""), LabelCell(SourceText(info)),
                     LabelCell(info.official() ? "yes: the published digests" : absl::StrCat("no: ", info.note())),
                     counted(info.statistics().mean()), counted(info.statistics().pixel_std()),
                     counted(info.statistics().image_std())});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("dataset.rec is not among the inputs");
  } else {
    table.add_note(
        "In units of full scale (pixel / 255), over all images of the split. Training normalises by the train split's "
        "mean and mean std of an image, like the lab.");
  }
  return table;
}

// Returns the words as a shell reads them.
std::string CommandText(const google::protobuf::RepeatedPtrField<std::string>& words) {
  return absl::StrJoin(words, " ",
                       [](std::string* out, const std::string& word) { absl::StrAppend(out, ShellWord(word)); });
}

// Returns the command that made a record, as this version takes it.
std::string CommandOf(const proto::Header& header) {
  google::protobuf::RepeatedPtrField<std::string> words = header.command_line();
  for (std::string& word : words) {
    word = WithPresentFlags(word);
  }
  return CommandText(words);
}

}  // namespace

proto::Section MachineSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("machine");
  section.set_title("Machine and data");
  for (const std::string& warning : PageWarnings(lab)) {
    section.add_warning(warning);
  }
  *section.add_table() = MachineTable(lab);
  *section.add_table() = DatasetTable(lab);
  return section;
}

proto::Section RecordsSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("records");
  section.set_title("Records");
  proto::Table records = MakeTable("What this report was made from", {"record", "run", "tool", "build", "seed",
                                                                      "started (UTC)", "SHA-256", "size, bytes"});
  proto::Table commands = MakeTable("The commands", {"record", "command"});
  bool renamed = false;
  for (const RecordSource* source : lab.Sources()) {
    const proto::Header& header = source->header;
    AddRow(records, {LabelCell(source->name()), LetterCell(lab, *source), LabelCell(header.build().tool()),
                     LabelCell(DescribeBuild(header.build())), LabelCell(absl::StrCat(header.seed())),
                     LabelOr(header.start_time(), "not in the record"), LabelCell(source->input.sha256()),
                     CountCell(source->input.size_bytes(), proto::MEASURED, "")});
    const std::string command = CommandOf(header);
    AddRow(commands, {LabelCell(source->name()), LabelOr(command, "the record does not say")});
    renamed = renamed || command != CommandText(header.command_line());
  }
  if (renamed) {
    commands.add_note("Commands of older records have the present names of their flags.");
  }
  if (records.row().empty()) {
    records.set_absent_reason("no record was given");
    commands.set_absent_reason("no record was given");
  }
  *section.add_table() = std::move(records);
  *section.add_table() = std::move(commands);
  return section;
}

}  // namespace lockstep
