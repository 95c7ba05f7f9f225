// Tests the stage as users see it: the tool, its child processes, and their record.
#include "lib/train/train_sweep.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/monotonic_time.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/dataset/validation_split.h"
#include "lib/networks/networks.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/nn/model.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"
#include "lib/train/evaluate.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::TempPath;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TrainSweepTest : public ::testing::Test {
 protected:
  // Writes a data set of `train_images` training images.
  void MakeInput(uint32_t train_images) {
    HeaderOptions header;
    header.schema = proto::DatasetFile::descriptor()->full_name();
    input_ = TempPath("dataset.rec");
    ASSERT_THAT(WriteRecordFile(input_, MakeHeader(header), ToRecords(SmallDataset(train_images, 20))), IsOk());
    output_ = TempPath("sweep.rec");
    unlink(output_.c_str());
  }

  // Starts the tool on the CPU, with its standard error in a file.
  void Start(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"tools/train_sweep", "--input=" + input_, "--output=" + output_, "--device=cpu",
                                 "--threads=1", "--loader_workers=0"});
    std::vector<char*> argv;
    for (std::string& flag : flags) {
      argv.push_back(flag.data());
    }
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      signal(SIGINT, SIG_DFL);  // ignored if a shell started this test with `&`
      const rlimit limit = {file_limit_bytes_, file_limit_bytes_};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || freopen(TempPath("stderr").c_str(), "w", stderr) == nullptr) {
        _exit(126);
      }
      execv(argv[0], argv.data());
      _exit(127);
    }
  }

  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  int Run(const std::vector<std::string>& flags) {
    Start(flags);
    return Wait();
  }

  std::string Stderr() const { return ReadFile(TempPath("stderr")); }

  std::vector<proto::SweepRecord> Records() const {
    const auto file = ReadRecordFile<proto::SweepFile>(output_);
    EXPECT_THAT(file, IsOk());
    return file.ok() ? file->records : std::vector<proto::SweepRecord>();
  }

  std::string input_;
  std::string output_;
  pid_t pid_ = -1;
  rlim_t file_limit_bytes_ = RLIM_INFINITY;  // largest file that the tool may write
};

// Calls `ready` until it returns true. Returns false after a minute.
bool Eventually(const std::function<bool()>& ready) {
  for (const MonotonicTime end = MonotonicTime::Now() + absl::Minutes(1); MonotonicTime::Now() < end;
       absl::SleepFor(absl::Milliseconds(10))) {
    if (ready()) {
      return true;
    }
  }
  return false;
}

// Returns the accuracy of a checkpoint's network on the images that HoldOutValidation takes from the input.
double AccuracyOn(uint32_t validation_images, uint32_t train_images, const std::string& checkpoint) {
  Dataset dataset = SmallDataset(train_images, 20);
  EXPECT_THAT(HoldOutValidation(validation_images, 1, dataset), IsOk());
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  EXPECT_THAT(LoadCheckpoint(*model, checkpoint), IsOk());
  LoaderOptions loader;
  EXPECT_THAT(NormalizeAsTrained(dataset.train.info, loader), IsOk());
  Evaluator evaluator(dataset.validation, loader.mean, loader.std, 8, c10::Device(c10::kCPU));
  return *evaluator.Accuracy(static_cast<double>(*evaluator.CountCorrect(*model)));
}

// Returns the parameter conv1.weight of a checkpoint of lenet5.
torch::Tensor FirstWeights(const std::string& checkpoint) {
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  EXPECT_THAT(LoadCheckpoint(*model, checkpoint), IsOk());
  return model->named_parameters()["conv1.weight"].detach();
}

TEST_F(TrainSweepTest, StartsFromTheWeightsOfAFile) {
  MakeInput(40);
  const std::string init = TempPath("init.pt"), trained = TempPath("trained.pt");
  const std::string digest = *SaveCheckpoint(**MakeModel("lenet5", 9), {}, init, ReplaceAnything());
  // Five steps at the smallest rate change nothing in fp32, or the last bit.
  const std::vector<std::string> flags = {"--model=lenet5",         "--batch_size=8", "--epochs=1",
                                          "--learning_rate=1e-9",   "--momentum=0",   "--init=" + init,
                                          "--checkpoint=" + trained};
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("train_sweep: initial weights of " + init + "\n"));
  EXPECT_LT((FirstWeights(trained) - FirstWeights(init)).abs().max().item<float>(), 1e-6f);
  const auto file = ReadRecordFile<proto::SweepFile>(output_);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(file->header.input_size(), 2);
  EXPECT_EQ(file->header.input(1).path(), init);
  EXPECT_EQ(file->header.input(1).sha256(), digest);
  EXPECT_EQ(file->records[0].spec().training().init_sha256(), digest);
  EXPECT_THAT(Stderr(), HasSubstr("warning: initial weights: " + init + " does not contain the normalization"));
  EXPECT_EQ(file->records[0].spec().training().normalization().source(), "assumed");
  // The cache key contains the digest.
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("cached"));
  ASSERT_THAT(SaveCheckpoint(**MakeModel("lenet5", 10), {}, init, ReplaceAnything()), IsOk());
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr(init + " has changed"));
  EXPECT_LT((FirstWeights(trained) - FirstWeights(init)).abs().max().item<float>(), 1e-6f);
}

TEST_F(TrainSweepTest, RefusesInitialWeightsInOneLine) {
  MakeInput(40);
  const std::string weights = TempPath("bias.pt");
  ASSERT_THAT(SaveCheckpoint(**MakeModel("lenet5_bias", 1), {}, weights, ReplaceAnything()), IsOk());
  const auto run = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"--model=lenet5", "--batch_size=8", "--epochs=1"});
    return Run(more);
  };
  EXPECT_EQ(run({"--init=" + weights}), 3);
  EXPECT_EQ(Stderr(), "train_sweep: error: --init: checkpoint " + weights +
                          ": it holds conv1.bias, which the model lacks; it fits --model=lenet5_bias\n");
  EXPECT_EQ(run({"--init=" + input_}), 3);
  EXPECT_THAT(Stderr(), HasSubstr("--init: " + input_ + ": expected weights, found a record of cifar_prep"));
  EXPECT_EQ(run({"--init=" + TempPath("none.pt")}), 3);
  EXPECT_EQ(run({"--init=" + weights, "--resume"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--init and --resume name two beginnings"));
  EXPECT_EQ(run({"--init=" + weights, "--checkpoint=" + weights}), 2);
  EXPECT_EQ(run({"--init=-"}), 2);
  EXPECT_FALSE(FileExists(output_));
}

TEST_F(TrainSweepTest, HeldOutImagesAreNotTrainedOnAndJudgeTheNetwork) {
  MakeInput(60);
  const std::string checkpoint = TempPath("held_out.pt");
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=8", "--epochs=3", "--learning_rate=0.05", "--validation_images=20",
                 "--checkpoint=" + checkpoint}),
            0)
      << Stderr();
  const auto records = Records();
  EXPECT_EQ(records[0].spec().model().training_images(), 40);
  EXPECT_EQ(records[0].spec().training().validation_images(), 20);
  const proto::SweepPoint& point = records[1].point();
  EXPECT_EQ(point.images_per_epoch(), 40);
  EXPECT_EQ(point.steps_per_epoch(), 5);
  ASSERT_EQ(point.epoch_size(), 3);
  EXPECT_FALSE(point.epoch(1).has_validation_accuracy());
  ASSERT_TRUE(point.epoch(2).has_validation_accuracy());
  EXPECT_EQ(point.epoch(2).validation_accuracy(), AccuracyOn(20, 60, checkpoint));
  EXPECT_THAT(Stderr(), HasSubstr(", validation accuracy "));
}

TEST_F(TrainSweepTest, TheAccuracyWithMirrorImagesIsRecordedNextToThePlainOne) {
  MakeInput(60);
  std::vector<std::string> flags = {"--model=lenet5", "--batch_size=8", "--epochs=2", "--learning_rate=0.05"};
  ASSERT_EQ(Run(flags), 0) << Stderr();
  const proto::EpochResult plain = Records()[1].point().epoch(1);
  EXPECT_FALSE(plain.has_mirrored_test_accuracy());
  flags.push_back("--evaluate_mirrored");
  EXPECT_EQ(Run(flags), 2);  // another result
  flags.push_back("--force");
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_TRUE(Records()[0].spec().training().evaluate_mirrored());
  const proto::EpochResult both = Records()[1].point().epoch(1);
  EXPECT_EQ(both.test_accuracy(), plain.test_accuracy());
  EXPECT_EQ(both.mean_loss(), plain.mean_loss());
  ASSERT_TRUE(both.has_mirrored_test_accuracy());
  EXPECT_NEAR(20 * both.mirrored_test_accuracy(), std::round(20 * both.mirrored_test_accuracy()), 1e-9);  // 20 images
  EXPECT_THAT(Stderr(), HasSubstr(", with mirror images "));
}

TEST_F(TrainSweepTest, ARunThatReachesItsTargetHasAValidationAccuracy) {
  MakeInput(60);
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=8", "--epochs=5", "--target_accuracy=0.01", "--validation_images=20"}),
            0)
      << Stderr();
  const proto::SweepPoint point = Records()[1].point();
  ASSERT_TRUE(point.target().reached());
  ASSERT_LT(point.epoch_size(), 5);
  EXPECT_TRUE(point.epoch(point.epoch_size() - 1).has_validation_accuracy());
}

TEST_F(TrainSweepTest, RefusesToHoldOutTooMany) {
  MakeInput(40);
  EXPECT_EQ(Run({"--model=lenet5", "--batch_size=8,16", "--validation_images=25"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--validation_images=25 leaves 15 of 40 training images, expected a batch of 16 or "
                                  "more; give at most 24"));
  EXPECT_EQ(Run({"--model=lenet5", "--batch_size=8", "--validation_images=5", "--noevaluate"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--noevaluate: --validation_images holds images out"));
}

TEST_F(TrainSweepTest, RunsUntilTheDataSetEnds) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--min_batch=8", "--factor=4", "--repeats=2"}), 0) << Stderr();
  const auto records = Records();
  ASSERT_EQ(records.size(), 5);  // spec, 8, 32, 128, end
  EXPECT_THAT(records[0].spec().batch_size(), ElementsAre(8, 32));
  EXPECT_EQ(records[0].spec().model().parameter_count(), 61770);
  EXPECT_EQ(records[0].spec().model().training_images(), 40);
  EXPECT_EQ(records[0].spec().training().learning_rate(), DefaultLearningRate("lenet5"));
  const proto::SweepPoint& first = records[1].point();
  EXPECT_EQ(first.outcome(), proto::COMPLETED);
  EXPECT_EQ(first.steps_per_epoch(), 5);
  EXPECT_EQ(first.images_per_epoch(), 40);
  EXPECT_EQ(first.tail_batch(), 8);
  EXPECT_EQ(first.epoch_size(), 3);
  EXPECT_TRUE(first.epoch(0).warmup());
  EXPECT_FALSE(first.epoch(1).warmup());
  EXPECT_FALSE(first.epoch(1).has_test_accuracy());
  EXPECT_TRUE(first.epoch(2).has_test_accuracy());
  EXPECT_EQ(first.epoch_seconds().value_size(), 2);
  EXPECT_GT(first.peak_memory_bytes(), 0);
  EXPECT_EQ(first.timing_method(), "steady clock");
  EXPECT_EQ(first.full_steps().count(), 10);  // two timed epochs
  EXPECT_FALSE(first.has_step_parts());       // the times of the epochs' phases are enough
  EXPECT_EQ(first.device_watch().absent_reason(), "device is a CPU");
  EXPECT_EQ(first.matmul_ceiling().size(), 1024);
  EXPECT_GE(first.matmul_ceiling().product_seconds().value_size(), 1);
  for (int i = 0; i < 2; ++i) {
    // Phases add up (epoch_runner.h), but a busy machine may stop the process between two clock readings.
    EXPECT_NEAR(first.epoch_seconds().value(i), first.step_seconds().value(i) + first.data_wait_seconds().value(i),
                0.05);
  }
  EXPECT_EQ(records[2].point().tail_batch(), 8);  // 32 + 8
  EXPECT_EQ(records[3].point().outcome(), proto::EXCEEDS_DATASET);
  EXPECT_EQ(records[4].end().reason(), proto::END_EXCEEDS_DATASET);
  EXPECT_EQ(records[4].end().largest_completed_batch(), 32);
}

// Measured with LibTorch 2.11 (CUDA build) on x86-64: lenet5 at batch 512 fits into 0.8 GB but not into 0.7, at batch
// 4096 into 1.1 but not into 1.0. Larger batches need more memory, so the search ends between these batches.
// The width of the classifier, the batches and the evaluation follow the data set.
TEST_F(TrainSweepTest, TrainsOnAnyNumberOfClassesAndAnySize) {
  Dataset dataset;
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    *set = SmallDataset(1, 1).train;
    set->info.set_split(set == &dataset.train ? proto::TRAIN : proto::TEST);
    set->info.set_image_count(300);
    set->info.set_height(20);
    set->info.set_width(24);
    set->info.clear_class_name();
    set->info.clear_class_count();
    set->labels.clear();
    for (int i = 0; i < 300; ++i) {
      set->info.add_class_name(absl::StrCat("class ", i));
      set->info.add_class_count(1);
      set->labels.push_back(static_cast<uint16_t>(i));
    }
    set->pixels = PixelBytes(300 * set->image_bytes(), 90);
  }
  HeaderOptions header;
  header.schema = proto::DatasetFile::descriptor()->full_name();
  input_ = TempPath("dataset.rec");
  ASSERT_THAT(WriteRecordFile(input_, MakeHeader(header), ToRecords(dataset)), IsOk());
  output_ = TempPath("sweep.rec");
  unlink(output_.c_str());
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=100", "--epochs=2", "--checkpoint=" + TempPath("hundreds.pt")}), 0);
  const std::vector<proto::SweepRecord> records = Records();
  const proto::ModelFacts& model = records[0].spec().model();
  EXPECT_EQ(model.classes(), 300u);
  EXPECT_EQ(model.height(), 20u);
  EXPECT_EQ(model.width(), 24u);
  // conv1 of 16x20, conv2 of 4x6, and 2x3 pixels of 16 channels for the first fully connected layer.
  EXPECT_EQ(model.forward_macs_per_image(),
            16 * 20 * 6 * 75 + 4 * 6 * 16 * 150 + 2 * 3 * 16 * 120 + 120 * 84 + 84 * 300);
  EXPECT_EQ(records[1].point().epoch_size(), 2);
  EXPECT_NEAR(records[1].point().epoch(0).mean_loss(), std::log(300), 1);
}

TEST_F(TrainSweepTest, OutOfMemoryEndsTheSweepAndTheLargestBatchThatFitsIsFound) {
  MakeInput(4096);
  ASSERT_EQ(Run({"--model=lenet5", "--min_batch=512", "--factor=8", "--epochs=1", "--noevaluate", "--drop_last",
                 "--memory_limit_bytes=900000000", "--find_max"}),
            0)
      << Stderr();
  const auto records = Records();
  ASSERT_GE(records.size(), 4u);  // spec, 512, 4096, probes, end
  EXPECT_EQ(records[1].point().outcome(), proto::COMPLETED) << records[1].point().detail();
  EXPECT_EQ(records[2].point().batch_size(), 4096);
  EXPECT_EQ(records[2].point().outcome(), proto::OUT_OF_MEMORY);
  EXPECT_THAT(records[2].point().detail(), HasSubstr("memory"));
  EXPECT_EQ(records[2].point().epoch_seconds().value_size(), 0);
  uint32_t fits = 512;
  uint32_t fails = 4096;
  for (size_t i = 3; i + 1 < records.size(); ++i) {
    const proto::BatchProbe& probe = records[i].probe();
    EXPECT_EQ(probe.batch_size(), fits + (fails - fits) / 2);
    (probe.outcome() == proto::COMPLETED ? fits : fails) = probe.batch_size();
    EXPECT_EQ(probe.peak_memory_bytes() > 0, probe.outcome() == proto::COMPLETED);
  }
  EXPECT_GE(records.size() - 4, 11u);  // probes: 3,583 sizes lie between 512 and 4096
  EXPECT_EQ(fails, fits + 1);
  const proto::SweepEnd& end = records.back().end();
  EXPECT_EQ(end.reason(), proto::END_OUT_OF_MEMORY);
  EXPECT_EQ(end.largest_completed_batch(), 512);
  EXPECT_EQ(end.largest_fitting_batch(), fits);
  EXPECT_EQ(end.smallest_failing_batch(), fails);
}

TEST_F(TrainSweepTest, TheDataSetBoundsTheLargestBatchToo) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--min_batch=8", "--epochs=3", "--schedule=multistep", "--lr_milestones=2",
                 "--lr_warmup_epochs=2", "--target_accuracy=1", "--find_max"}),
            0)
      << Stderr();
  const auto records = Records();
  ASSERT_EQ(records.size(), 6);  // spec, 8, 32, 128, probe 40, end
  EXPECT_EQ(records[4].probe().batch_size(), 40);
  EXPECT_EQ(records[4].probe().outcome(), proto::COMPLETED);
  EXPECT_EQ(records[5].end().reason(), proto::END_EXCEEDS_DATASET);
  EXPECT_EQ(records[5].end().largest_fitting_batch(), 40);
  EXPECT_EQ(records[5].end().smallest_failing_batch(), 0);
  EXPECT_THAT(Stderr(), HasSubstr("largest batch that fits: 40 (the limit of the search, not of memory)"));
}

TEST_F(TrainSweepTest, AccumulatesMicroBatches) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=20", "--epochs=2", "--accumulate=4"}), 0) << Stderr();
  const auto records = Records();
  EXPECT_EQ(records[0].spec().training().accumulate(), 4);
  EXPECT_EQ(records[1].point().batch_norm_images(), 5);
  EXPECT_EQ(records[1].point().steps_per_epoch(), 2);
  EXPECT_EQ(records[1].point().full_steps().count(), 2);
  EXPECT_LE(records[1].point().full_steps().p50_seconds(), records[1].point().full_steps().max_seconds());
}

// The signal does not come from the kernel for lack of memory. So the batch does not count as too large, and is not
// recorded.
TEST_F(TrainSweepTest, AKilledPointIsNotRecorded) {
  MakeInput(40);
  Start({"--model=lenet5", "--min_batch=8", "--repeats=1000000"});
  int child = 0;
  ASSERT_TRUE(Eventually([&] {
    return static_cast<bool>(std::ifstream(absl::StrCat("/proc/", pid_, "/task/", pid_, "/children")) >> child);
  }));
  kill(child, SIGKILL);
  ASSERT_EQ(Wait(), 5) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("error: batch 8: its process was ended by signal 9"));
  EXPECT_FALSE(FileExists(output_));
}

TEST_F(TrainSweepTest, AStopSignalKeepsWhatIsComplete) {
  MakeInput(40);
  Start({"--model=lenet5", "--batch_size=40,20", "--repeats=60"});
  const auto points = [this] {
    const auto file = ReadRecordFile<proto::SweepFile>(output_ + ".part", ReadMode::kSalvage);
    int count = 0;
    for (size_t i = 0; file.ok() && i < file->records.size(); ++i) {
      count += file->records[i].has_point() ? 1 : 0;
    }
    return count;
  };
  ASSERT_TRUE(Eventually([&] { return points() == 1; })) << Stderr();
  kill(pid_, SIGINT);
  EXPECT_EQ(Wait(), 130);
  EXPECT_FALSE(FileExists(output_));
  EXPECT_EQ(points(), 1);
  EXPECT_THAT(Stderr(), HasSubstr("error: stopped by SIGINT; 1 of 2 points is finished, and the same command, without "
                                  "--force, resumes from there (" +
                                  output_ + ".part)"));
  EXPECT_THAT(Stderr(), Not(HasSubstr("stopped by SIGTERM")));  // the child got this signal, but one line is enough
}

// kill -9 after the first point and its checkpoint: the second run keeps the bytes of both, and measures the rest.
TEST_F(TrainSweepTest, AKilledSweepGoesOn) {
  MakeInput(40);
  const std::string checkpoint = TempPath("lenet5.pt");
  // The second point's process takes longer to start than this test takes to find the first point.
  const std::vector<std::string> flags = {"--model=lenet5", "--batch_size=40,20", "--repeats=3",
                                          "--checkpoint=" + checkpoint};
  const auto kept = [this] {
    const auto file = ReadRecordFile<proto::SweepFile>(output_ + ".part", ReadMode::kSalvage);
    return file.ok() ? file->records : std::vector<proto::SweepRecord>();
  };
  Start(flags);
  ASSERT_TRUE(Eventually([&] { return kept().size() == 3; })) << Stderr();  // spec, 40, checkpoint
  kill(pid_, SIGKILL);
  EXPECT_EQ(Wait(), -SIGKILL);
  EXPECT_FALSE(FileExists(output_));
  const std::vector<proto::SweepRecord> before = kept();
  ASSERT_EQ(before.size(), 3u);

  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("resumes after 3 records of a stopped run"));
  EXPECT_THAT(Stderr(), HasSubstr("(from the previous run)"));
  const auto records = Records();
  ASSERT_EQ(records.size(), 5u);  // spec, 40, checkpoint, 20, end
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(records[i].SerializeAsString(), before[i].SerializeAsString()) << i;
  }
  EXPECT_EQ(records[3].point().batch_size(), 20);
  EXPECT_EQ(records[3].point().outcome(), proto::COMPLETED);
  EXPECT_FALSE(FileExists(output_ + ".part"));
}

// The training is stopped twice, by a signal that it can handle and by one that it cannot. The weights must equal those
// of an uninterrupted run byte by byte.
TEST_F(TrainSweepTest, InterruptedTrainingGoesOnToTheSameWeights) {
  MakeInput(40);
  const std::string checkpoint = TempPath("lenet5.pt");
  const std::string state = output_ + ".batch20.state";
  const std::vector<std::string> flags = {
      "--model=lenet5", "--batch_size=20", "--epochs=100",    "--schedule=cosine",
      "--resume",       "--state_every=5", "--deterministic", "--checkpoint=" + checkpoint};
  const auto epochs_kept = [&] {
    const auto file = ReadRecordFile<proto::TrainingStateFile>(state);
    return file.ok() ? file->records[0].progress().point().epoch_size() : 0;
  };
  int kept = 0;
  for (const int signal : {SIGINT, SIGKILL}) {
    Start(flags);
    ASSERT_TRUE(Eventually([&] { return epochs_kept() >= kept + 10; })) << Stderr();
    kill(pid_, signal);
    EXPECT_EQ(Wait(), signal == SIGINT ? 130 : -SIGKILL);
    if (signal == SIGINT) {
      EXPECT_THAT(Stderr(), HasSubstr("resumes from there (batch 20 after its last complete epoch)"));
    }
    kept = epochs_kept();
    ASSERT_LT(kept, 99);
  }
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("batch 20 resumes after epoch ", kept, " of 100")));
  EXPECT_FALSE(FileExists(state));
  const std::string resumed = ReadFile(checkpoint);
  const proto::SweepPoint point = Records()[1].point();
  EXPECT_EQ(point.epoch_size(), 100);
  EXPECT_EQ(point.epoch_seconds().value_size(), 99);
  EXPECT_EQ(point.resumed_epoch_size(), 2);
  EXPECT_EQ(point.resumed_epoch(1), kept);

  std::vector<std::string> uninterrupted = flags;
  uninterrupted.push_back("--force");
  ASSERT_EQ(Run(uninterrupted), 0) << Stderr();
  EXPECT_EQ(Records()[1].point().resumed_epoch_size(), 0);
  EXPECT_EQ(ReadFile(checkpoint), resumed);
  EXPECT_EQ(Records()[1].point().epoch(99).mean_loss(), point.epoch(99).mean_loss());
}

// The point's process is killed. The tool reports that the point is not finished, and the next run continues it.
TEST_F(TrainSweepTest, AKilledPointIsGoneOnWith) {
  MakeInput(40);
  const std::vector<std::string> flags = {"--model=lenet5", "--batch_size=20", "--epochs=100", "--resume",
                                          "--state_every=10"};
  Start(flags);
  int child = 0;
  ASSERT_TRUE(Eventually([&] {
    return FileExists(output_ + ".batch20.state") &&
           static_cast<bool>(std::ifstream(absl::StrCat("/proc/", pid_, "/task/", pid_, "/children")) >> child);
  }));
  kill(child, SIGKILL);
  EXPECT_EQ(Wait(), 5) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("the same command resumes with it"));
  EXPECT_FALSE(FileExists(output_));
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_EQ(Records()[1].point().outcome(), proto::COMPLETED);
  EXPECT_EQ(Records()[1].point().resumed_epoch_size(), 1);
}

// A step takes longer than the limit. The training process detects this during the step, and exits.
TEST_F(TrainSweepTest, APointThatGetsNothingDoneIsEndedAndMeasuredAgain) {
  MakeInput(100);
  const std::vector<std::string> flags = {"--model=resnet18", "--batch_size=100", "--epochs=1", "--noevaluate"};
  std::vector<std::string> hurried = flags;
  hurried.push_back("--timeout=250ms");
  ASSERT_EQ(Run(hurried), 5) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("no progress for 250ms (--timeout)"));
  EXPECT_EQ(Records()[1].point().outcome(), proto::FAILED);
  EXPECT_EQ(Records()[1].point().exit_status(), 5);

  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_EQ(Records()[1].point().outcome(), proto::COMPLETED);
}

// A limit on file sizes replaces a full disk. The weights and the state of lenet5 exceed it, but the record does not.
// The record must be complete, and the exit status must be the one for an output that cannot be written.
TEST_F(TrainSweepTest, AFullDiskIsTheMachinesFault) {
  MakeInput(40);
  file_limit_bytes_ = 100'000;
  for (const std::string& flag : {std::string("--resume"), "--checkpoint=" + TempPath("lenet5.pt")}) {
    EXPECT_EQ(Run({"--model=lenet5", "--batch_size=20", "--epochs=2", "--force", flag}), 5) << flag;
    EXPECT_THAT(Stderr(), HasSubstr("free some space")) << flag;
    const auto records = Records();
    ASSERT_EQ(records.size(), 3) << flag;  // spec, 20, end
    EXPECT_EQ(records[1].point().outcome(), proto::FAILED);
    EXPECT_EQ(records[1].point().exit_status(), 5);
  }
}

TEST_F(TrainSweepTest, WritesACheckpointOfTheBatchAskedFor) {
  MakeInput(40);
  const std::string checkpoint = TempPath("lenet5.pt");
  const std::vector<std::string> flags = {"--model=lenet5", "--batch_size=8,20", "--epochs=1",
                                          "--checkpoint=" + checkpoint, "--checkpoint_batch=20"};
  ASSERT_EQ(Run(flags), 0) << Stderr();
  const auto records = Records();
  ASSERT_EQ(records.size(), 5);  // spec, 8, 20, checkpoint, end
  const proto::Checkpoint& written = records[3].checkpoint();
  EXPECT_EQ(written.path(), checkpoint);
  EXPECT_EQ(written.sha256(), *Sha256HexOfFile(checkpoint));
  EXPECT_EQ(written.model(), "lenet5");
  EXPECT_EQ(written.batch_size(), 20);
  EXPECT_EQ(written.epochs(), 1);
  EXPECT_EQ(written.test_accuracy(), records[2].point().epoch(0).test_accuracy());
  EXPECT_THAT(records[2].point().epoch_seconds().absent_reason(), HasSubstr("warm-up"));
  EXPECT_FALSE(records[2].point().has_matmul_ceiling() || records[2].point().has_device_watch());
  EXPECT_THAT(LoadCheckpoint(**MakeModel("lenet5", 9), checkpoint), IsOk());

  ASSERT_EQ(Run(flags), 0);
  EXPECT_THAT(Stderr(), HasSubstr("cached"));
  unlink(checkpoint.c_str());
  ASSERT_EQ(Run(flags), 0);
  EXPECT_THAT(Stderr(), Not(HasSubstr("cached")));
  EXPECT_TRUE(FileExists(checkpoint));
}

TEST_F(TrainSweepTest, AScheduleIsFollowedAndRecorded) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=20", "--epochs=4", "--learning_rate=0.5", "--schedule=cosine",
                 "--lr_warmup_epochs=1"}),
            0)
      << Stderr();
  const auto records = Records();
  EXPECT_EQ(records[0].spec().training().schedule(), proto::COSINE);
  const proto::SweepPoint& point = records[1].point();
  ASSERT_EQ(point.epoch_size(), 4);
  EXPECT_DOUBLE_EQ(point.epoch(0).learning_rate(), 0.25);
  EXPECT_DOUBLE_EQ(point.epoch(0).last_learning_rate(), 0.5);
  EXPECT_DOUBLE_EQ(point.epoch(1).learning_rate(), 0.5);
  EXPECT_DOUBLE_EQ(point.epoch(2).learning_rate(), 0.375);  // cos 60 degrees
  EXPECT_DOUBLE_EQ(point.epoch(3).last_learning_rate(), 0.125);
  EXPECT_EQ(point.epoch(1).train_seconds(), point.epoch_seconds().value(0));
  EXPECT_THAT(Stderr(), HasSubstr("batch 20  epoch   3/4  rate 0.375  loss "));
}

TEST_F(TrainSweepTest, EvaluatesOnTheWayAndStopsAtTheTarget) {
  MakeInput(40);
  std::vector<std::string> flags = {"--model=lenet5", "--batch_size=20", "--epochs=5", "--evaluate_every=2"};
  ASSERT_EQ(Run(flags), 0) << Stderr();
  proto::SweepPoint every_second = Records()[1].point();
  for (const auto& [epoch, evaluated] : std::map<int, bool>{{0, false}, {1, true}, {2, false}, {3, true}, {4, true}}) {
    EXPECT_EQ(every_second.epoch(epoch).has_test_accuracy(), evaluated) << epoch;
    EXPECT_EQ(every_second.epoch(epoch).evaluate_seconds() > 0, evaluated) << epoch;
  }
  EXPECT_FALSE(every_second.has_target());

  flags.back() = "--evaluate_every=1";
  flags.insert(flags.begin(), "--force");  // replaces the result above
  ASSERT_EQ(Run(flags), 0) << Stderr();
  const proto::SweepPoint whole = Records()[1].point();
  EXPECT_EQ(whole.epoch(4).mean_loss(), every_second.epoch(4).mean_loss());  // evaluation does not change training
  int best = 0;  // the first of the best epochs, so that no earlier epoch reaches its accuracy
  for (int epoch = 1; epoch < whole.epoch_size(); ++epoch) {
    best = whole.epoch(epoch).test_accuracy() > whole.epoch(best).test_accuracy() ? epoch : best;
  }
  ASSERT_GT(whole.epoch(best).test_accuracy(), 0);

  flags.back() = absl::StrCat("--target_accuracy=", whole.epoch(best).test_accuracy());
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_EQ(Records()[0].spec().evaluate_every(), 1);
  const proto::SweepPoint reached = Records()[1].point();
  ASSERT_EQ(reached.epoch_size(), best + 1);
  EXPECT_TRUE(reached.target().reached());
  EXPECT_EQ(reached.target().epoch(), best);
  double training = 0;
  double evaluating = 0;
  for (const proto::EpochResult& epoch : reached.epoch()) {
    training += epoch.train_seconds();
    evaluating += epoch.evaluate_seconds();
  }
  EXPECT_DOUBLE_EQ(reached.target().training_seconds(), training);
  EXPECT_DOUBLE_EQ(reached.target().total_seconds(), training + evaluating);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("reached after epoch ", best + 1, ", ")));

  flags.back() = "--target_accuracy=1";
  ASSERT_EQ(Run(flags), 0) << Stderr();
  EXPECT_EQ(Records()[1].point().epoch_size(), 5);
  EXPECT_FALSE(Records()[1].point().target().reached());
  EXPECT_THAT(Stderr(), HasSubstr("target accuracy 100.00 %: not reached"));
}

TEST_F(TrainSweepTest, ADryRunPrintsThePlanAndWritesNothing) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--min_batch=8", "--repeats=2", "--dry_run"}), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("batch 32: 2 steps per epoch, 6 in total"));
  EXPECT_THAT(Stderr(), HasSubstr("batch 128: exceeds the training set"));
  EXPECT_FALSE(FileExists(output_));
  EXPECT_FALSE(FileExists(output_ + ".part"));
}

TEST_F(TrainSweepTest, TrainsInBf16AndChannelsLastOnTheCpu) {
  MakeInput(40);
  ASSERT_EQ(Run({"--model=lenet5", "--batch_size=8", "--repeats=1", "--precision=bf16", "--channels_last"}), 0)
      << Stderr();
  const auto records = Records();
  ASSERT_EQ(records.size(), 3);  // spec, 8, end
  EXPECT_EQ(records[0].spec().training().precision(), proto::BF16);
  EXPECT_TRUE(records[0].spec().training().channels_last());
  EXPECT_EQ(records[1].point().outcome(), proto::COMPLETED);
}

// Five full steps per epoch. The instrumented epoch comes after the last epoch and is not one of the point's epochs.
TEST_F(TrainSweepTest, TheFastPathRecordsWhereItsTimeGoes) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no GPU";
  }
  MakeInput(40);
  ASSERT_EQ(Run({"--device=cuda", "--preset=fast", "--batch_size=8", "--repeats=2"}), 0) << Stderr();
  const proto::SweepPoint point = Records()[1].point();
  ASSERT_EQ(point.outcome(), proto::COMPLETED) << point.detail();
  EXPECT_EQ(point.epoch_size(), 3);
  const proto::StepParts& parts = point.step_parts();
  ASSERT_EQ(parts.part_size(), 6) << parts.absent_reason();
  double sum = 0;
  for (const proto::StepPart& part : parts.part()) {
    sum += part.epoch_seconds();
  }
  EXPECT_EQ(parts.part(2).name(), "backward");
  EXPECT_EQ(parts.part(2).full_steps().count(), 5);
  EXPECT_EQ(parts.part(5).full_steps().count(), 4);  // between five steps
  EXPECT_LE(sum, parts.step_seconds() + 1e-6);
  EXPECT_LE(parts.step_seconds(), parts.epoch_seconds());
  EXPECT_GT(parts.resolution_seconds(), 0);
  EXPECT_GT(parts.perturbation(), 0);
  EXPECT_EQ(point.full_steps().count(), 5);
  EXPECT_GE(point.full_steps().min_seconds(), parts.part(2).full_steps().min_seconds());
  EXPECT_TRUE(point.has_device_watch());
  EXPECT_EQ(point.matmul_ceiling().size(), 8192) << point.matmul_ceiling().product_seconds().absent_reason();
  EXPECT_EQ(point.matmul_ceiling().precision(), proto::BF16);
  ASSERT_EQ(parts.kernels_size(), 20);
  EXPECT_EQ(parts.kernels(0).convolution(), "conv1");
  EXPECT_EQ(parts.kernels(0).data_gradient(), "");
  for (const proto::UnitKernels& unit : parts.kernels()) {
    EXPECT_NE(unit.forward(), "") << unit.convolution();
    EXPECT_NE(unit.weight_gradient(), "") << unit.convolution();
  }

  ASSERT_EQ(
      Run({"--device=cuda", "--preset=fast", "--batch_size=8", "--repeats=2", "--accumulate=2", "--fused_sums=false"}),
      0)
      << Stderr();
  const proto::SweepPoint divided = Records()[1].point();
  EXPECT_EQ(divided.outcome(), proto::COMPLETED) << divided.detail();
  EXPECT_EQ(divided.batch_norm_images(), 4);
  EXPECT_THAT(divided.step_parts().absent_reason(), HasSubstr("micro-batches"));
}

// --schedule=cosine with the default settings is the recipe of kuangliu/pytorch-cifar's main.py.
TEST_F(TrainSweepTest, TheDefaultsAreKuanglius) {
  MakeInput(400);
  ASSERT_EQ(Run({"--batch_size=128", "--epochs=200", "--schedule=cosine", "--dry_run"}), 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("plan: resnet18 on CPU, 200 epochs"));
  EXPECT_THAT(Stderr(),
              HasSubstr("learning rate 0.1, cosine; momentum 0.9, weight decay 0.0005, random crop and flip, images "
                        "normalized by mean 0.5, std 0.125 0.25 0.375 (of the training images), seed 0"));
  EXPECT_THAT(Stderr(), HasSubstr("batch 128: 4 steps per epoch, 800 in total"));  // includes the last, shorter batch
}

// Invalid flags give exit status 2 and an error message, and no file is written. sweep_plan_test covers all of them.
// Here are those that only the tool checks, and one per exit status.
TEST_F(TrainSweepTest, RefusesImpossibleFlags) {
  MakeInput(40);
  for (const auto& [flag, says] : std::vector<std::pair<std::string, std::string>>{
           {"--batch_size=a", "'a' is not a number"},
           {"--lr_milestones=3,x", "--lr_milestones: 'x' is not a number"},
           {"--accumulate=7", "--accumulate=7: batch 32 cannot be divided"}}) {
    EXPECT_EQ(Run({flag}), 2) << flag;
    EXPECT_THAT(Stderr(), HasSubstr(says));
    EXPECT_FALSE(FileExists(output_ + ".part"));
  }
  EXPECT_EQ(Run({"--checkpoint=/no/such/folder/x.pt"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("/no/such/folder/"));
}

}  // namespace
}  // namespace lockstep
