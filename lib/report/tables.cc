#include "lib/report/tables.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/plots.h"
#include "lib/report/sections.h"
#include "lib/report/sentences.h"

namespace lockstep {
namespace {

proto::Section WithPlots(proto::Section section, std::vector<proto::Plot> plots) {
  for (proto::Plot& plot : plots) {
    *section.add_plot() = std::move(plot);
  }
  return section;
}

proto::Section Int8WithHistograms(const LabRecords& lab) {
  std::vector<std::string> left_out;
  std::vector<proto::Plot> plots = HistogramPlots(lab, left_out);
  proto::Section section = WithPlots(Int8Section(lab), std::move(plots));
  if (!left_out.empty()) {
    section.add_paragraph(absl::StrCat("The histograms of ", absl::StrJoin(left_out, ", "),
                                       " are not drawn: a page has at most ", kMaxHistograms,
                                       " of them. The records have all histograms."));
  }
  return section;
}

}  // namespace

std::vector<proto::Section> BuildSections(const LabRecords& lab) {
  std::vector<proto::Section> sections;  // filled one by one, because an initializer list would copy the sections
  sections.push_back(MethodsSection(lab));
  sections.push_back(MachineSection(lab));
  sections.push_back(AnswersSection(lab));
  if (proto::Section runs = RunsSection(lab); runs.table_size() > 0) {
    sections.push_back(std::move(runs));
  }
  sections.push_back(WithPlots(WithPlots(SweepSection(lab), EpochTimePlots(lab)), BatchSweepPlots(lab)));
  sections.push_back(WithPlots(ScalingSection(lab), SpeedupPlots(lab)));
  sections.push_back(WithPlots(WithPlots(CommunicationSection(lab), SplitPlots(lab)), AllReducePlots(lab)));
  sections.push_back(DataParallelSection(lab));
  sections.push_back(WithPlots(PredictionSection(lab), PredictionPlots(lab)));
  sections.push_back(WithPlots(LargeBatchSection(lab), LargeBatchPlots(lab)));
  sections.push_back(SamplerSection(lab));
  sections.push_back(SentSection(lab));
  if (proto::Section optimizers = OptimizersSection(lab); optimizers.table_size() > 0) {
    sections.push_back(std::move(optimizers));
  }
  sections.push_back(WithPlots(TrainingSection(lab), TrainingPlots(lab)));
  sections.push_back(Int8WithHistograms(lab));
  sections.push_back(AuditSection(lab));
  sections.push_back(RecordsSection(lab));
  return sections;
}

}  // namespace lockstep
