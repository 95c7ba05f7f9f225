// Tests --resume and --checkpoint of scale_run: after a stop in the middle of a point, the ranks continue with this
// point.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/nn/model.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/scale_run/scale_run.h"
#include "lib/scale_run/small_scale_run_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::ScalePoints;
using ::lockstep::testing::SmallScaleRun;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DieAt {
 public:
  explicit DieAt(const std::string& where) { setenv("LOCKSTEP_TEST_DIE_AT", where.c_str(), 1); }
  ~DieAt() { unsetenv("LOCKSTEP_TEST_DIE_AT"); }
};

// The learning rate falls, so that a repeated epoch would change the result.
ScaleRunOptions FiveEpochs(uint32_t ranks, uint32_t batch, bool resume = true) {
  ScaleRunOptions options = SmallScaleRun({ranks}, batch);
  options.resume = resume;
  options.spec.mutable_training()->set_deterministic(true);
  options.spec.mutable_training()->set_repeats(4);
  options.spec.mutable_training()->set_schedule(proto::COSINE);
  return options;
}

std::string StateOf(const ScaleRunOptions& options, int point = 1) {
  return absl::StrCat(options.output, ".point", point, ".state");
}

uint64_t BytesOf(const proto::ScalePoint& point, const std::string& kind) {
  for (const proto::Traffic& traffic : point.traffic()) {
    if (traffic.kind() == kind) {
      return traffic.size_bytes();
    }
  }
  return 0;
}

proto::ScalePoint Undisturbed(ScaleRunOptions options) {
  options.output = TempPath("undisturbed.rec");
  options.resume = false;
  EXPECT_THAT(RunScaleRun(options), IsOk());
  return ScalePoints(options.output)[0];
}

// Kills the last rank before the backward pass of step `step`, counted from 1. Checks that the state of the earlier
// epochs exists.
void Kill(const ScaleRunOptions& options, int step) {
  const DieAt die(absl::StrCat(options.spec.ranks(0) - 1, ":", step));
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("was killed by signal 9")));
  ASSERT_TRUE(FileExists(StateOf(options)));
}

// 21 images per rank: three steps per epoch. The eighth step is in the third epoch. The resumed point trains nine more
// steps.
TEST(ScaleResumeTest, RanksResumeInTheMiddleOfAPointToTheSameWeights) {
  const ScaleRunOptions options = FiveEpochs(2, 8);
  Kill(options, 8);
  EXPECT_FALSE(FileExists(options.output + ".part"));  // no point is complete
  {
    const DieAt die("1:10");  // step of the next point: the first point trains nine more steps
    EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("all-reduce left out")));
  }
  EXPECT_FALSE(FileExists(StateOf(options)));
  EXPECT_FALSE(FileExists(StateOf(options, 2)));  // an ABLATED point is not a valid training
  ASSERT_THAT(RunScaleRun(options), IsOk());

  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 2u);
  const proto::ScalePoint expected = Undisturbed(options);
  EXPECT_THAT(points[0].resumed_epoch(), ElementsAre(2));
  EXPECT_EQ(points[0].resumed_run(), "");  // the header is that of the run that finished this point
  EXPECT_NE(points[1].resumed_run(), "");
  EXPECT_EQ(points[0].weights_sha256(), expected.weights_sha256());
  ASSERT_EQ(points[0].epoch_size(), 5);
  for (int epoch = 0; epoch < 5; ++epoch) {
    EXPECT_EQ(points[0].epoch(epoch).mean_loss(), expected.epoch(epoch).mean_loss()) << epoch;
  }
  EXPECT_EQ(points[0].epoch_seconds().value_size(), 4);
  EXPECT_EQ(points[0].exposed_seconds().value_size(), 4);
  EXPECT_EQ(points[0].collective_busy_seconds().value_size(), 4);
  EXPECT_EQ(points[0].bucket_size(), expected.bucket_size());
  EXPECT_EQ(BytesOf(points[0], "gradients"), BytesOf(expected, "gradients"));
  EXPECT_GT(BytesOf(points[0], "training state"), 0);
  EXPECT_EQ(expected.resumed_epoch_size(), 0);
}

// A network with branches and one step per epoch: one state is from before the second plan of the buckets, one from
// after it. Batch norm's running statistics differ between ranks; those of rank 0 are kept with the weights.
TEST(ScaleResumeTest, ThreeRanksResumeWithTheirRunningStatistics) {
  ScaleRunOptions options = FiveEpochs(3, 3);
  options.input = SmallScaleRun({3}, 3, /*images=*/9).input;
  options.spec.mutable_training()->set_model("resnet18");
  options.spec.mutable_training()->set_repeats(2);
  options.spec.set_first_bucket_bytes(1'000'000);
  options.spec.set_bucket_bytes(4'000'000);
  options.checkpoint = TempPath("resnet18.pt");
  const proto::ScalePoint expected = Undisturbed(options);
  const std::string weights = ReadFile(options.checkpoint);
  for (const uint32_t epochs : {1, 2}) {
    options.output = TempPath(absl::StrCat("after", epochs, ".rec"));
    options.checkpoint = TempPath(absl::StrCat("after", epochs, ".pt"));
    Kill(options, static_cast<int>(epochs) + 1);
    ASSERT_THAT(RunScaleRun(options), IsOk());
    const proto::ScalePoint resumed = ScalePoints(options.output)[0];
    EXPECT_THAT(resumed.resumed_epoch(), ElementsAre(epochs));
    EXPECT_EQ(resumed.weights_sha256(), expected.weights_sha256());
    EXPECT_EQ(ReadFile(options.checkpoint), weights);
  }
}

TEST(ScaleResumeTest, ADamagedStateIsAnErrorUntilItIsRemovedOrForced) {
  ScaleRunOptions options = FiveEpochs(2, 8);
  Kill(options, 8);
  std::string bytes = ReadFile(StateOf(options));
  bytes[bytes.size() / 2] ^= 1;
  WriteFile(StateOf(options), bytes);
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr("rank 0 of 2"), HasSubstr(absl::StrCat("remove ", StateOf(options))))));
  options.force = true;
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(ScalePoints(options.output)[0].resumed_epoch_size(), 0);
}

TEST(ScaleResumeTest, AStateOfAnotherNumberOfRanksOrFlagIsNotUsedAndThatIsReported) {
  ScaleRunOptions options = FiveEpochs(2, 8);
  for (const bool other_ranks : {true, false}) {
    options.output = TempPath(other_ranks ? "ranks.rec" : "flag.rec");
    Kill(options, 8);
    ScaleRunOptions other = options;
    if (other_ranks) {
      other.spec.set_ranks(0, 3);
    } else {
      other.spec.mutable_training()->set_learning_rate(0.5);
    }
    ::testing::internal::CaptureStderr();
    const absl::Status status = RunScaleRun(other);
    const std::string log = ::testing::internal::GetCapturedStderr();
    ASSERT_THAT(status, IsOk()) << log;
    EXPECT_THAT(log, HasSubstr("is from another run (program, flags, data set or machine): training starts again"));
    EXPECT_EQ(ScalePoints(other.output)[0].resumed_epoch_size(), 0);
  }
}

// The checkpoint has the weights of the point with the most ranks, and their accuracy. The record names the file, and a
// run without the file is not cached.
TEST(ScaleCheckpointTest, WeightsOfThePointThatWasAskedFor) {
  ScaleRunOptions options = FiveEpochs(2, 8, /*resume=*/false);
  options.spec.add_ranks(1);
  options.spec.set_evaluate(false);
  options.checkpoint = TempPath("lenet5.pt");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  const proto::Checkpoint& written = points[0].checkpoint();
  EXPECT_EQ(written.path(), options.checkpoint);
  EXPECT_EQ(written.sha256(), *Sha256HexOfFile(options.checkpoint));
  EXPECT_EQ(written.batch_size(), 16u);
  EXPECT_EQ(written.epochs(), 5u);
  EXPECT_TRUE(points[0].epoch(4).has_test_accuracy());
  EXPECT_EQ(written.test_accuracy(), points[0].epoch(4).test_accuracy());
  for (size_t other = 1; other < points.size(); ++other) {
    EXPECT_FALSE(points[other].has_checkpoint());
    EXPECT_FALSE(points[other].epoch(4).has_test_accuracy());
  }
  EXPECT_THAT(LoadCheckpoint(**MakeModel("lenet5", 9), options.checkpoint), IsOk());

  const std::string before = ReadFile(options.output);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(ReadFile(options.output), before);  // cached
  unlink(options.checkpoint.c_str());
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_NE(ReadFile(options.output), before);
  EXPECT_TRUE(FileExists(options.checkpoint));
}

TEST(ScaleCheckpointTest, WhatCannotBeKeptIsRefused) {
  ScaleRunOptions options = FiveEpochs(2, 8);
  options.output = "-";
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--resume keeps its state next to the output")));
  options = FiveEpochs(2, 8);
  options.checkpoint = "-";
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--checkpoint=-")));
  options.checkpoint = options.output;
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--checkpoint")));
  options.checkpoint = TempPath("weights.pt");
  options.spec.set_experiment(proto::SAMPLER_EPOCH);
  options.spec.set_seeds(1);
  options.spec.set_batch_size(0, 16);
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2 points could write it")));
}

// Runs the tool itself; its standard error goes to a file.
class Tool {
 public:
  explicit Tool(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "tools/scale_run");
    std::vector<char*> argv;
    for (std::string& flag : flags) {
      argv.push_back(flag.data());
    }
    argv.push_back(nullptr);
    const std::string path = TempPath("stderr");
    pid_ = fork();
    if (pid_ == 0) {
      if (freopen(path.c_str(), "w", stderr) == nullptr) {
        _exit(126);
      }
      execv(argv[0], argv.data());
      _exit(127);
    }
  }

  void Stop() const { kill(pid_, SIGTERM); }
  int Wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  static std::string Stderr() { return ReadFile(TempPath("stderr")); }

 private:
  pid_t pid_ = -1;
};

int EpochsKept(const std::string& path) {
  const auto file = ReadRecordFile<proto::TrainingStateFile>(path);
  return file.ok() && !file->records.empty() ? file->records[0].progress().point().epoch_size() : 0;
}

// Stops the run by SIGTERM in the middle of its epochs, like a batch system before its time limit, in either mode.
void ExpectAStoppedRunGoesOn(const std::string& mode) {
  constexpr int kEpochs = 200;
  const ScaleRunOptions options = SmallScaleRun({2}, 8);
  const std::string checkpoint = TempPath("lenet5.pt");
  const std::vector<std::string> flags = {"--input=" + options.input,
                                          "--output=" + options.output,
                                          "--device=cpu",
                                          "--threads=1",
                                          "--loader_workers=0",
                                          "--model=lenet5",
                                          "--mode=" + mode,
                                          "--ranks=2",
                                          "--batch_size=8",
                                          absl::StrCat("--epochs=", kEpochs),
                                          "--resume",
                                          "--state_every=5",
                                          "--deterministic",
                                          "--noevaluate",
                                          "--checkpoint=" + checkpoint};
  const Tool stopped(flags);
  for (const MonotonicTime end = MonotonicTime::Now() + absl::Minutes(2);
       EpochsKept(StateOf(options)) < 10 && MonotonicTime::Now() < end;) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  stopped.Stop();
  ASSERT_EQ(stopped.Wait(), 143) << Tool::Stderr();
  EXPECT_THAT(Tool::Stderr(), AllOf(HasSubstr(absl::StrCat("stopped by SIGTERM; no point of ", mode == "dp" ? 1 : 2,
                                                           " is finished, and the same command")),
                                    HasSubstr("resumes from there (point 1 after its last complete epoch)")));
  const int kept = EpochsKept(StateOf(options));
  ASSERT_GE(kept, 10);
  ASSERT_LT(kept, kEpochs);

  ASSERT_EQ(Tool(flags).Wait(), 0) << Tool::Stderr();
  EXPECT_THAT(Tool::Stderr(), HasSubstr(absl::StrCat(" resumes after epoch ", kept, " of ", kEpochs)));
  EXPECT_FALSE(FileExists(StateOf(options)));
  const std::string resumed = ReadFile(checkpoint);
  const proto::ScalePoint point = ScalePoints(options.output)[0];
  EXPECT_THAT(point.resumed_epoch(), ElementsAre(kept));

  std::vector<std::string> afresh = flags;
  afresh.push_back("--force");
  ASSERT_EQ(Tool(afresh).Wait(), 0) << Tool::Stderr();
  EXPECT_THAT(Tool::Stderr(), Not(HasSubstr("resumes")));
  EXPECT_EQ(ReadFile(checkpoint), resumed);
  const proto::ScalePoint undisturbed = ScalePoints(options.output)[0];
  EXPECT_EQ(undisturbed.weights_sha256(), point.weights_sha256());
  EXPECT_EQ(BytesOf(undisturbed, "gradients"), BytesOf(point, "gradients"));
  EXPECT_EQ(undisturbed.star().forward_seconds().value_size(), point.star().forward_seconds().value_size());

  ASSERT_EQ(Tool(flags).Wait(), 0);
  EXPECT_THAT(Tool::Stderr(), HasSubstr("cached"));
}

TEST(ScaleResumeToolTest, AStoppedRunOfTwoRanksGoesOn) { ExpectAStoppedRunGoesOn("ddp"); }

TEST(ScaleResumeToolTest, AStoppedRunOfDataParallelGoesOn) { ExpectAStoppedRunGoesOn("dp"); }

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::ScaleRunTasks()); }
