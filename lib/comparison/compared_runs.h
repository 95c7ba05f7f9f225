// Runs of the same work, compared point by point: records of one kind that trained the same model on as many images.
#ifndef LOCKSTEP_LIB_COMPARISON_COMPARED_RUNS_H_
#define LOCKSTEP_LIB_COMPARISON_COMPARED_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/comparison/time_comparison.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/quantity.pb.h"

namespace lockstep {

// Runs with the same settings at one point.
struct ComparedEntry {
  std::string records;           // "fast.rec", "a.rec and b.rec"
  std::string settings;          // settings that differ between the runs of this work: "bf16, fused step"; may be empty
  proto::Samples epoch_seconds;  // timed epochs of a single run; mean epochs of several runs
  uint32_t runs = 1;
  double mean_seconds = 0;    // arithmetic mean of `epoch_seconds`, which tables, plots and sentences show
  double seconds = 0;         // geometric mean of the runs' mean epochs, data loading included
  TimeComparison comparison;  // comparison with the fastest entry of the point; ratio 1 for itself
  uint32_t runs_needed = 0;   // runs of each that would confirm the difference from the fastest; see RunsNeeded()
};

// One batch size, or one number of ranks and batch size.
struct ComparedPlace {
  std::string name;                    // "batch 128", "2 ranks, batch 128 per device"
  std::vector<ComparedEntry> entries;  // at least one, the fastest first
};

// Runs that did the same work.
struct ComparedWork {
  std::string title;                  // "resnet18, 50,000 images, train_sweep"
  std::vector<std::string> settings;  // settings of all entries, each once, in the order of the records
  std::vector<ComparedPlace> places;  // ascending in ranks and batch
};

// Returns the works that at least two records share. Each point has the rule of lib/comparison: Welch's t-test with the
// spread between runs of the same settings, 95 % for all comparisons of a work together. Two single runs are never
// called different. Rows of experiments and points without times are left out.
std::vector<ComparedWork> CompareLabRuns(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_COMPARED_RUNS_H_
