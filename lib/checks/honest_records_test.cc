// No false alarms on the records that the project kept, and on perturbed copies of them.
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/check.h"
#include "lib/checks/kept_records_testing.h"
#include "lib/checks/record_rules.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool HasSingleEpoch(const LabRecords& lab) {
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      if (point.epoch_seconds().value_size() == 1) {
        return true;
      }
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (point.row().empty() && point.epoch_seconds().value_size() == 1) {
        return true;
      }
    }
  }
  return false;
}

// Returns true for a file of an older comm_model, which wrote bytes / T_comm even above the link's bandwidth.
bool IsAboveTheLink(const LabRecords& lab) {
  return !lab.comm_models.empty() && !lab.comm_models[0].above_link.empty();
}

// Some files hold one timed epoch per point, or bandwidths above the link. The rules report these, which is no false
// alarm.
TEST(HonestRecordsTest, OursBreakNoRuleButOneRunAndOldBandwidths) {
  int single = 0, above = 0;
  const std::vector<std::string> paths = KeptRecordPaths();
  EXPECT_THAT(paths, SizeIs(Ge(15)));
  for (const std::string& path : paths) {
    const LabRecords lab = ReadKeptRecord(path);
    const std::vector<CheckFinding> findings = CheckRecords(lab);
    single += HasSingleEpoch(lab) ? 1 : 0;
    above += IsAboveTheLink(lab) ? 1 : 0;
    if (HasSingleEpoch(lab)) {
      EXPECT_THAT(FailedRules(findings), ElementsAre("one_run_only")) << path << "\n" << CheckText(findings);
    } else if (IsAboveTheLink(lab)) {
      EXPECT_THAT(FailedRules(findings), ElementsAre("link_peak_assumed")) << path << "\n" << CheckText(findings);
    } else {
      EXPECT_THAT(FailedRules(findings), IsEmpty()) << path << "\n" << CheckText(findings);
    }
  }
  EXPECT_GE(single, 3);
  EXPECT_GE(above, 1);
}

// A run on another day: scales all times of a point by one factor, those of each epoch by another, and all parts of an
// epoch alike.
class Perturbation {
 public:
  explicit Perturbation(uint32_t seed) : engine_(seed) {}

  void NewPoint(int epochs) {
    factors_.clear();
    const double run = 1 + 0.0045 * Normal();  // factor of a run: the deviation between two machines (comm_model.proto)
    for (int i = 0; i < epochs; ++i) {
      factors_.push_back(run * (1 + 0.01 * Normal()));
    }
  }

  void Scale(proto::Samples& samples) const {
    for (int i = 0; i < samples.value_size() && i < static_cast<int>(factors_.size()); ++i) {
      samples.set_value(i, samples.value(i) * factors_[i]);
    }
  }

 private:
  // Returns the sum of twelve uniform numbers, minus six: the normal distributions of standard libraries differ.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += engine_() / 4294967296.0;
    }
    return sum;
  }

  std::mt19937 engine_;
  std::vector<double> factors_;
};

void Perturb(proto::SweepPoint& point, Perturbation& perturbation) {
  perturbation.NewPoint(point.epoch_seconds().value_size());
  for (proto::Samples* samples :
       {point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds(),
        point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
        point.mutable_optimizer_seconds()}) {
    perturbation.Scale(*samples);
  }
}

void Perturb(proto::ScalePoint& point, Perturbation& perturbation) {
  perturbation.NewPoint(point.epoch_seconds().value_size());
  for (proto::Samples* samples : {point.mutable_epoch_seconds(), point.mutable_step_seconds(),
                                  point.mutable_data_wait_seconds(), point.mutable_exposed_seconds(),
                                  point.mutable_collective_busy_seconds(), point.mutable_collective_wait_seconds()}) {
    perturbation.Scale(*samples);
  }
}

TEST(HonestRecordsTest, APerturbedRunRaisesNoAlarm) {
  std::vector<LabRecords> runs;
  for (const std::string& path : KeptRecordPaths()) {
    LabRecords lab = ReadKeptRecord(path);
    if (!HasSingleEpoch(lab) && lab.comm_models.empty()) {
      runs.push_back(std::move(lab));
    }
  }
  ASSERT_FALSE(runs.empty());
  for (uint32_t seed = 0; seed < 100; ++seed) {
    LabRecords lab = runs[seed % runs.size()];
    Perturbation perturbation(seed);
    for (LabSweep& sweep : lab.sweeps) {
      for (proto::SweepPoint& point : sweep.points) {
        Perturb(point, perturbation);
      }
    }
    for (LabScale& scale : lab.scales) {
      for (proto::ScalePoint& point : scale.points) {
        Perturb(point, perturbation);
      }
    }
    const std::vector<CheckFinding> findings = CheckRecords(lab);
    EXPECT_THAT(FailedRules(findings), IsEmpty()) << "seed " << seed << "\n" << CheckText(findings);
  }
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
