// The sections of a report, one function each, which turn a lab's records into tables and the sentences above them. A
// section whose record is missing states that.
#ifndef LOCKSTEP_LIB_REPORT_SECTIONS_H_
#define LOCKSTEP_LIB_REPORT_SECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns "methods": how each quantity of the page was obtained, and the rule of mean, median and range.
proto::Section MethodsSection(const LabRecords& lab);

// Returns "machine": the warnings, then the machine and conditions of each measuring record, then the data set.
proto::Section MachineSection(const LabRecords& lab);

// Returns "records": every input with its tool, build, seed, time and digest, and the command that made it.
proto::Section RecordsSection(const LabRecords& lab);

// Returns the reason why the sweep ended, as a sentence.
std::string DescribeEnd(const proto::SweepEnd& end);

// Returns "runs": if several records of one kind did the same work, a sentence per point, a table and a bar plot of
// their epochs (compared_runs.h). Otherwise the section has no table.
proto::Section RunsSection(const LabRecords& lab);

// Returns "sweep": for each sweep record the Q1 table, the parts of an epoch, memory, and the tables of sweep_detail.h.
proto::Section SweepSection(const LabRecords& lab);

// Returns "training": loss and accuracy per epoch of every sweep and scaling point.
proto::Section TrainingSection(const LabRecords& lab);

// Returns "scaling". Times come from the scale record, or from the comm_model record if it pools several; speed-ups
// come from the comm_model record. A number is blank if its record is missing.
proto::Section ScalingSection(const LabRecords& lab);

// Returns one epoch time of Table 1, of the same epochs as the speed-up next to it (ScalingView::PooledRow), or a blank
// cell with the reason.
proto::Cell EpochCell(const ScalingView& view, uint32_t ranks, uint32_t batch, proto::Reduction reduction);

// Returns a speed-up, with a note if its base case may be from another machine.
proto::Cell SpeedupCell(const proto::Quantity& speedup, double scale = 1);

// Returns "communication": Table 2 (the lab's split) and the same times by events and by ablation; Table 3 (bandwidth)
// and its utilisation; the all-reduce alone; the buckets; the sum check and the shards.
proto::Section CommunicationSection(const LabRecords& lab);

// Returns "data_parallel": DataParallel compared with DDP of the same step on the same devices, the parts of its epoch,
// and the star's formula compared with counted bytes and measured times.
proto::Section DataParallelSection(const LabRecords& lab);

// Returns "large_batch": every row of the experiment, and the accuracy that each remedy restores.
proto::Section LargeBatchSection(const LabRecords& lab);

// Returns "sampler": orders, repeated batches, images ever seen, loss and accuracy with and without the epoch number.
proto::Section SamplerSection(const LabRecords& lab);

// Returns "sent": bytes by kind, and loss and accuracy for each way to treat batch norm's buffers.
proto::Section SentSection(const LabRecords& lab);

// Returns "optimizers": seconds, loss and accuracy of each optimizer. Without tables if no record has that experiment.
proto::Section OptimizersSection(const LabRecords& lab);

// Returns a blank table, with the command that makes the missing record for the data set of `lab`.
proto::Table MissingExperiment(const LabRecords& lab, absl::string_view caption, proto::Experiment experiment);

// Returns "int8": for each network its four accuracies side by side, the images whose classification changed, and for
// each layer the ranges and scales. Networks with and without biases are two networks, never stages of one.
proto::Section Int8Section(const LabRecords& lab);

// Returns "audit": for each document and table the number of reproduced values; every value that was not reproduced,
// with the nearest value; and for each flag (a doubtful convention) the number of values that carry it, with the first
// one's finding.
proto::Section AuditSection(const LabRecords& lab);

// Returns "prediction": predicted runs, together with the measured time of those that were run; --what_if; and the fits
// that both use, with their errors on held-out points. All numbers are modelled except those of runs.
proto::Section PredictionSection(const LabRecords& lab);

// Returns "predicted" plots: predicted against measured epoch seconds, with intervals, and the line on which both are
// equal; and "what_if" plots: epoch seconds against devices, one series for each variant and batch. Empty if there are
// no such records.
std::vector<proto::Plot> PredictionPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SECTIONS_H_
