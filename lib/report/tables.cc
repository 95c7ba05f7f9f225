#include "lib/report/tables.h"

#include "absl/strings/str_cat.h"
#include "lib/report/describe.h"
#include "lib/report/plots.h"
#include "lib/report/sections.h"
#include "lib/report/sentences.h"

namespace lockstep {
namespace {

proto::Section WithPlots(proto::Section section, const std::vector<proto::Plot>& plots) {
  section.mutable_plot()->Add(plots.begin(), plots.end());
  return section;
}

}  // namespace

std::vector<proto::Section> BuildSections(const LabRecords& lab) {
  return {MachineSection(lab),
          AnswersSection(lab),
          WithPlots(WithPlots(SweepSection(lab), EpochTimePlots(lab)), LadderPlots(lab)),
          WithPlots(ScalingSection(lab), SpeedupPlots(lab)),
          WithPlots(CommunicationSection(lab), SplitPlots(lab)),
          DataParallelSection(lab),
          WithPlots(PredictionSection(lab), PredictionPlots(lab)),
          LargeBatchSection(lab),
          SamplerSection(lab),
          SentSection(lab),
          TrainingSection(lab),
          Int8Section(lab),
          AuditSection(lab),
          RecordsSection(lab)};
}

std::string ReportTitle(const LabRecords& lab) {
  if (!lab.scales.empty()) {
    return absl::StrCat("Lockstep: ", lab.scales[0].spec.training().model(), " on ",
                        DescribeDevices(lab.scales[0].header));
  }
  if (!lab.sweeps.empty()) {
    return absl::StrCat("Lockstep: ", lab.sweeps[0].spec.training().model(), " on ",
                        DescribeDevices(lab.sweeps[0].header));
  }
  return "Lockstep report";
}

}  // namespace lockstep
