#include "lib/report/tables.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/plots.h"
#include "lib/report/sections.h"
#include "lib/report/sentences.h"

namespace lockstep {
namespace {

proto::Section WithPlots(proto::Section section, const std::vector<proto::Plot>& plots) {
  section.mutable_plot()->Add(plots.begin(), plots.end());
  return section;
}

proto::Section Int8WithHistograms(const LabRecords& lab) {
  std::vector<std::string> left_out;
  const std::vector<proto::Plot> plots = HistogramPlots(lab, left_out);
  proto::Section section = WithPlots(Int8Section(lab), plots);
  if (!left_out.empty()) {
    section.add_paragraph(absl::StrCat("The histograms of ", absl::StrJoin(left_out, ", "),
                                       " are not drawn: a page has at most ", kMaxHistograms,
                                       " of them. The records have all."));
  }
  return section;
}

}  // namespace

std::vector<proto::Section> BuildSections(const LabRecords& lab) {
  return {MachineSection(lab),
          AnswersSection(lab),
          WithPlots(WithPlots(SweepSection(lab), EpochTimePlots(lab)), LadderPlots(lab)),
          WithPlots(ScalingSection(lab), SpeedupPlots(lab)),
          WithPlots(WithPlots(CommunicationSection(lab), SplitPlots(lab)), AllReducePlots(lab)),
          DataParallelSection(lab),
          WithPlots(PredictionSection(lab), PredictionPlots(lab)),
          WithPlots(LargeBatchSection(lab), LargeBatchPlots(lab)),
          SamplerSection(lab),
          SentSection(lab),
          WithPlots(TrainingSection(lab), TrainingPlots(lab)),
          Int8WithHistograms(lab),
          AuditSection(lab),
          RecordsSection(lab)};
}

}  // namespace lockstep
