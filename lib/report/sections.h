// The sections of a report, one function each: a lab's records to tables, and the sentences above them. A section whose
// record is missing says so.
#ifndef LOCKSTEP_LIB_REPORT_SECTIONS_H_
#define LOCKSTEP_LIB_REPORT_SECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"
#include "lib/report/scaling_view.h"

namespace lockstep {

// "machine": the warnings, then the machine and conditions of each measuring record, then the data set.
proto::Section MachineSection(const LabRecords& lab);

// "records": every input with tool, build, seed, time and digest, and the command that made it.
proto::Section RecordsSection(const LabRecords& lab);

// Why the ladder ended, as a sentence.
std::string DescribeEnd(const proto::SweepEnd& end);

// "sweep": per sweep record the Q1 table, the parts of an epoch, memory, and what sweep_detail.h has.
proto::Section SweepSection(const LabRecords& lab);

// "training": loss and accuracy per epoch of every sweep and scaling point.
proto::Section TrainingSection(const LabRecords& lab);

// "scaling". Times come from the scale record, speed-ups from comm_model's; each is blank where its record is missing.
proto::Section ScalingSection(const LabRecords& lab);

// The epoch time at one place of Table 1, or why it is not there.
proto::Cell EpochCell(const ScalingView& view, uint32_t ranks, uint32_t batch, proto::Reduction reduction);

// A speed-up, with a note where its base case is perhaps of another machine.
proto::Cell SpeedupCell(const proto::Quantity& speedup, double scale = 1);

// "communication": Table 2 (the lab's split) and the same times by events and by ablation; Table 3 (bandwidth) and its
// utilisation; the all-reduce alone; the buckets; the sum check and the shards.
proto::Section CommunicationSection(const LabRecords& lab);

// "data_parallel": DataParallel beside DDP of the same step on the same devices, the parts of its epoch, and the star's
// formula beside counted bytes and measured times.
proto::Section DataParallelSection(const LabRecords& lab);

// "large_batch": every row of the experiment, and what each remedy brings back.
proto::Section LargeBatchSection(const LabRecords& lab);

// "sampler": orders, repeated batches, images ever seen, loss and accuracy with and without the epoch number.
proto::Section SamplerSection(const LabRecords& lab);

// "sent": bytes by kind, and loss and accuracy by what is done about batch norm's buffers.
proto::Section SentSection(const LabRecords& lab);

// A table that is not there, and the command that makes its record.
proto::Table MissingExperiment(absl::string_view caption, proto::Experiment experiment);

// The step of this stage, or null.
const proto::AccuracyStep* FindStep(const proto::QuantizedNetwork& network, proto::QuantizeStage stage);

// Share of the test images, in [0, 1]. Only of a step without absent_reason and with images.
double AccuracyOf(const proto::AccuracyStep& step);

// "int8": per network its four accuracies beside each other (networks with and without biases are two networks, never
// one ladder), the images that changed sides, and per layer the ranges and scales.
proto::Section Int8Section(const LabRecords& lab);

// "audit": per document and table how many numbers were reproduced; every number that was not, with the nearest
// value; and per flag (a doubtful convention) how many numbers carry it, with the first one's finding.
proto::Section AuditSection(const LabRecords& lab);

// "prediction": runs predicted, beside what they took where they were run; --what_if; and the fits behind both with
// their errors on points that they had not seen. Every number in it is modelled but for those of runs.
proto::Section PredictionSection(const LabRecords& lab);

// "predicted": predicted against measured epoch seconds, with intervals, and the line on which both are equal.
// "what_if": epoch seconds against devices, a series per variant and batch. Empty: no such records.
std::vector<proto::Plot> PredictionPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SECTIONS_H_
