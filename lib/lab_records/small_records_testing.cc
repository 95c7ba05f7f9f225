#include "lib/lab_records/small_records_testing.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/record/digest.h"
#include "lib/record/record_writer.h"

namespace lockstep::testing {
namespace {

template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

void FillSource(const std::string& name, const std::string& schema, const std::string& tool, RecordSource& source) {
  source.header = FromText<proto::Header>(absl::StrCat(
      "schema: 'lockstep.proto.", schema, "' schema_version: 1 build { tool: '", tool,
      R"(' version: '0.1.0' git_commit: '0123456789abcdef0123456789abcdef01234567' compilation_mode: 'opt' }
      seed: 7 start_time: '2026-11-21T10:00:00Z'
      host { cpu_model: 'Test CPU' cpu_cores: 4 memory_bytes: 17179869184 kernel: 'Linux 6.1.0 x86_64' name_sha256: 'a' }
      libraries { libtorch: '2.11.0' cuda: '13.0' })"));
  source.header.add_command_line(tool);
  source.header.add_command_line("--seed=7");
  source.trailer.set_record_count(3);
  source.input.set_path(absl::StrCat("/lab/", name));
  source.input.set_sha256(absl::StrCat("digest of ", name));
  source.input.set_size_bytes(12345);
}

void AddDevices(int count, RecordSource& source) {
  for (int i = 0; i < count; ++i) {
    *source.header.add_device() = FromText<proto::Device>(
        "name: 'GPU <A&B>' memory_bytes: 80000000000 driver_version: '580.1' compute_capability: '9.0'");
  }
}

constexpr char kTraining[] = R"(
  model: 'resnet18' device: CUDA precision: FP32 loader_workers: 2 augment: true learning_rate: 0.1 momentum: 0.9
  weight_decay: 0.0005 seed: 7 warmup_epochs: 1 repeats: 3 threads: 4)";
constexpr char kModel[] = R"(
  parameter_count: 11173962 gradient_bytes: 44695848 forward_macs_per_image: 5e8 training_images: 50000 test_images: 10000)";

proto::ScalePoint Point(int ranks, int batch, const std::string& reduction, const std::string& epoch_seconds,
                        const std::string& rest) {
  return FromText<proto::ScalePoint>(absl::StrCat(
      "ranks: ", ranks, " batch_per_device: ", batch, " global_batch: ", ranks * batch, " reduction: ", reduction,
      " outcome: COMPLETED steps_per_epoch: 100 images_per_epoch: 50000 epoch_seconds { ", epoch_seconds, " } ", rest));
}

template <typename Record>
void Write(const std::string& folder, RecordSource& source, const std::vector<Record>& records,
           std::vector<std::string>& paths) {
  const std::string path = JoinPath(folder, source.name());
  ASSERT_TRUE(WriteRecordFile(path, source.header, records).ok()) << path;
  source.input.set_sha256(*Sha256HexOfFile(path));
  paths.push_back(path);
}

// Adds a prediction that was confirmed and one that was refused, a what-if, and one fit of each kind.
void AddModels(LabCommModel& file) {
  *file.spec.mutable_cluster() = FromText<proto::Cluster>("name: 'two racks' devices_per_host: 8");
  file.spec.mutable_model_spec()->set_min_gain(1.1);
  file.predictions.push_back(FromText<proto::Prediction>(R"(
    source: 'scale.rec' ranks: 2 batch_per_device: 32
    epoch_seconds { value: 2.4 low: 2.2 high: 2.6 provenance: MODELLED method: 'by hand' }
    null_epoch_seconds { value: 2 provenance: DERIVED } measured_epoch_seconds { value: 2.5 provenance: MEASURED }
    exposed_seconds { value: 0.01 provenance: MODELLED } nccl_exposed_seconds { value: 0.02 provenance: MODELLED }
    relative_error: -0.04 null_relative_error: -0.2 inside_interval: true)"));
  const std::string refused = "{ absent_reason: 'not run: 2 devices at 512' }";
  file.predictions.push_back(FromText<proto::Prediction>(absl::StrCat(
      "source: 'scale.rec' ranks: 8 batch_per_device: 512 refused: 'not run' null_epoch_seconds { absent_reason: "
      "'not run' } epoch_seconds ",
      refused, " exposed_seconds ", refused, " nccl_exposed_seconds ", refused)));
  file.what_ifs.push_back(FromText<proto::WhatIfRow>(R"(
    variant: 'as given' devices: 16 hosts: 2 batch_per_device: 32 algorithm: 'hierarchical' pays: true stops_paying_at: 64
    all_reduce_seconds { value: 300e-6 provenance: MODELLED } exposed_seconds { value: 120e-6 provenance: MODELLED }
    step_seconds { value: 8e-3 provenance: MODELLED } epoch_seconds { value: 0.8 low: 0.7 high: 0.9 provenance: MODELLED }
    images_per_second { value: 64000 provenance: MODELLED } speedup { value: 5 provenance: MODELLED }
    efficiency { value: 0.3125 provenance: MODELLED } exchange: 'hierarchical' bend: 'last step: by hand'
    loss_bytes_per_second { value: 12.5e9 provenance: MODELLED })"));
  file.all_reduce_fits.push_back(FromText<proto::AllReduceFit>(R"(
    source: 'nccl.json' ranks: 2 accepted: true score { points: 5 median_error: 0.02 worst_error: 0.09 worst_point: '4096 bytes' }
    piece { from_bytes: 1024 to_bytes: 65536 points: 7 alpha_seconds { value: 10e-6 provenance: MODELLED }
            beta_seconds_per_byte { value: 4e-12 provenance: MODELLED } }
    point { size_bytes: 1000 seconds: 10e-6 fitted_seconds: 10.004e-6 } point { size_bytes: 1e6 seconds: 20e-6 fitted_seconds: 14e-6 })"));
  file.all_reduce_fits.push_back(
      FromText<proto::AllReduceFit>("source: 'other.json' ranks: 4 why_rejected: 'worst error 30 %'"));
  file.step_times.push_back(
      FromText<proto::StepTimeModel>("source: 'scale.rec' accepted: true point { batch: 32 step_seconds { value: 0.002 "
                                     "provenance: DERIVED } } point { batch: "
                                     "128 step_seconds { value: 0.004 provenance: DERIVED } }"));
  file.laws.push_back(FromText<proto::ScalingLawFit>(
      "law: 'amdahl' batch_per_device: 32 points: 3 degrees_of_freedom: 1 parameter { name: 'serial fraction a' "
      "quantity { "
      "value: 0.05 provenance: MODELLED } } peak_devices { absent_reason: 'the law has no peak' }"));
  file.laws.push_back(
      FromText<proto::ScalingLawFit>("law: 'universal' batch_per_device: 32 points: 3 refused: '0 degrees of freedom' "
                                     "peak_devices { absent_reason: 'b is 0' "
                                     "}"));
}

}  // namespace

LabDataset SmallDataset() {
  LabDataset file;
  FillSource("dataset.rec", "DatasetFile", "cifar_prep", file);
  for (const char* split : {"split: TRAIN image_count: 50000", "split: TEST image_count: 10000"}) {
    file.info.push_back(FromText<proto::DatasetInfo>(absl::StrCat(split, R"(
      input_format: BINARY official: true channels: 3 height: 32 width: 32
      statistics { mean: [0.4914, 0.4822, 0.4465] pixel_std: [0.2470, 0.2435, 0.2616] image_std: [0.2023, 0.1994, 0.2010] })")));
  }
  return file;
}

LabSweep SmallSweep() {
  LabSweep file;
  FillSource("sweep.rec", "SweepFile", "train_sweep", file);
  AddDevices(1, file);
  file.header.add_input()->set_sha256("digest of dataset.rec");
  file.spec = FromText<proto::SweepSpec>(
      absl::StrCat("preset: 'lab' training { ", kTraining, " } model { ", kModel, " } batch_size: [32, 128, 512]"));
  file.points.push_back(FromText<proto::SweepPoint>(R"(
    batch_size: 32 outcome: COMPLETED steps_per_epoch: 1563 images_per_epoch: 50000 tail_batch: 16
    epoch_seconds { value: [3.9, 4.0, 4.1] } step_seconds { value: [3.0, 3.0, 3.0] } data_wait_seconds { value: [0.9, 1, 1.1] }
    copy_seconds { value: [0.1, 0.1, 0.1] } forward_seconds { value: [1, 1, 1] } backward_seconds { value: [1.5, 1.5, 1.5] }
    optimizer_seconds { absent_reason: "fused into backward" } peak_memory_bytes: 1500000000 timing_method: "cuda events"
    device_state { sm_clock_mhz: 1980 memory_clock_mhz: 2600 power_watts: 500 power_limit_watts: 700 temperature_celsius: 50 }
    epoch { epoch: 0 warmup: true mean_loss: 2.1 train_accuracy: 0.2 learning_rate: 0.1 }
    epoch { epoch: 1 mean_loss: 1.5 train_accuracy: 0.45 test_accuracy: 0.5 learning_rate: 0.1 })"));
  file.points.push_back(FromText<proto::SweepPoint>(R"(
    batch_size: 128 outcome: COMPLETED steps_per_epoch: 391 images_per_epoch: 50000 tail_batch: 80
    epoch_seconds { value: [2.0, 2.0, 2.0] } step_seconds { value: [1.4, 1.5, 1.6] } data_wait_seconds { value: [0.5, 0.5, 0.5] }
    copy_seconds { value: [0.1, 0.1, 0.1] } forward_seconds { value: [0.5, 0.5, 0.5] } backward_seconds { value: [0.8, 0.8, 0.8] }
    optimizer_seconds { absent_reason: "fused into backward" } peak_memory_bytes: 3000000000 timing_method: "cuda events"
    epoch { epoch: 0 warmup: true mean_loss: 2.2 train_accuracy: 0.19 learning_rate: 0.1 }
    epoch { epoch: 1 mean_loss: 1.6 train_accuracy: 0.4 learning_rate: 0.1 })"));
  file.points.push_back(
      FromText<proto::SweepPoint>("batch_size: 512 outcome: OUT_OF_MEMORY detail: 'tried to allocate 9 GiB'"));
  file.end = FromText<proto::SweepEnd>("reason: END_OUT_OF_MEMORY largest_completed_batch: 128");
  return file;
}

LabScale SmallScale() {
  LabScale file;
  FillSource("scale.rec", "ScaleFile", "scale_run", file);
  AddDevices(2, file);
  file.header.add_input()->set_sha256("digest of dataset.rec");
  file.spec = FromText<proto::ScaleSpec>(
      absl::StrCat("mode: DDP batch_mode: PER_DEVICE backend: NCCL training { ", kTraining, " } model { ", kModel,
                   " } ranks: [1, 2] batch_size: [32, 128] overlap: true first_bucket_bytes: 1048576 bucket_bytes: "
                   "26214400 buffers: 'local'"));
  const std::string reduced = R"(
    bucket { size_bytes: 9460000 parameter_count: 8 mean_ready_seconds: 0.002 mean_done_seconds: 0.003 }
    bucket { size_bytes: 35235848 parameter_count: 54 mean_ready_seconds: 0.008 mean_done_seconds: 0.011 }
    sum_check { max_abs_error: 1e-7 tolerance: 1e-6 ranks_differ_before: true ranks_equal_after: true passed: true }
    rank { rank: 0 order_sha256: 'a' distinct_images: 25000 } rank { rank: 1 order_sha256: 'b' distinct_images: 25000 }
    probe { size_bytes: 44695848 seconds { value: [0.0002, 0.0002] } })";
  file.points.push_back(Point(1, 32, "PLAIN", "value: [4.0, 4.0, 4.0]", ""));
  file.points.push_back(Point(1, 128, "PLAIN", "value: [2.0, 2.0, 2.0]", ""));
  file.points.push_back(Point(1, 32, "ALL_REDUCE", "value: [4.1, 4.1, 4.1]", ""));
  file.points.push_back(Point(2, 32, "ALL_REDUCE", "value: [2.4, 2.5, 2.6]", reduced));
  file.points.push_back(Point(2, 128, "ALL_REDUCE", "value: [1.2, 1.2, 1.2]", reduced));
  file.points.push_back(Point(2, 32, "ABLATED", "value: [2.2, 2.2, 2.2]", ""));
  return file;
}

LabCommModel SmallCommModel() {
  LabCommModel file;
  FillSource("comm_model.rec", "CommModelFile", "comm_model", file);
  file.header.add_input()->set_sha256("digest of scale.rec");
  file.spec =
      FromText<proto::CommModelSpec>("gradient_bytes: 44695848 parameter_count: 11173962 training_images: 50000");
  const std::string absent = "{ absent_reason: '--nominal_link_gigabytes_per_second was not given' }";
  const std::string method = " provenance: DERIVED method: ";
  file.rows.push_back(FromText<proto::ScalingRow>(
      absl::StrCat(R"(
    ranks: 1 batch_per_device: 32 epoch_seconds { value: 4 provenance: MEASURED } step_seconds { value: 3 provenance: MEASURED }
    epoch_speedup { value: 1)",
                   method, R"('E_1(B) / E_N(B)' } reducer_seconds { value: 0.1)", method, R"('reduced - plain' })")));
  file.rows.push_back(FromText<proto::ScalingRow>(absl::StrCat(
      R"(
    ranks: 2 batch_per_device: 32 epoch_seconds { value: 2.5 provenance: MEASURED } step_seconds { value: 2.0 provenance: DERIVED }
    strong_speedup { absent_reason: 'no run of 1 x 64' }
    weak_speedup { value: 1.5 low: 1.4 high: 1.6)",
      method, R"('N * (s_1(B) / k_1) / (s_N(B) / k_N)' }
    epoch_speedup { value: 1.6 low: 1.5 high: 1.7)",
      method, R"('E_1(B) / E_N(B)' }
    compute_seconds { value: 1.5)",
      method, R"('s_1(B) / N' } communication_seconds { value: 0.5)", method, R"('s_N(B) - s_1(B) / N' }
    exposed_event_seconds { value: 0.2)",
      method, R"('by events' } exposed_ablation_seconds { value: 0.3)", method, R"('by ablation' }
    overlap_fraction { value: 0.6)",
      method,
      R"('1 - exposed / busy' } collective_busy_seconds { value: 0.5 provenance: MEASURED } collective_wait_seconds { absent_reason: 'no wait was measured' }
    other_seconds { value: 0.2)",
      method, R"('T_comm - exposed' }
    bytes_per_step { value: 44695848)",
      method, R"('ceil(2(N-1)/N * X) * 4' } steps_per_epoch { value: 782 provenance: MEASURED }
    bandwidth_bytes_per_second { value: 69.9e9)",
      method, R"('bytes * steps / T_comm' }
    measured_link_bytes_per_second { value: 223e9 provenance: MEASURED } utilization_of_measured { value: 0.313)",
      method, R"('b / l' }
    utilization_of_nominal )",
      absent, " karp_flatt { absent_reason: 'no strong speed-up' }")));
  file.rows.push_back(FromText<proto::ScalingRow>(
      absl::StrCat(R"(
    ranks: 2 batch_per_device: 128 epoch_seconds { value: 1.2 provenance: MEASURED } step_seconds { value: 0.7 provenance: DERIVED }
    strong_speedup { absent_reason: 'no run of 1 x 256' } weak_speedup { value: 2.1)",
                   method, R"('N * (s_1(B) / k_1) / (s_N(B) / k_N)' }
    epoch_speedup { value: 1.667)",
                   method, R"('E_1(B) / E_N(B)' }
    compute_seconds { value: 0.75)",
                   method, R"('s_1(B) / N' } communication_seconds { value: -0.05)", method, R"('s_N(B) - s_1(B) / N' }
    exposed_event_seconds { value: 0.01)",
                   method, R"('by events' } exposed_ablation_seconds { absent_reason: 'no ablated run' }
    overlap_fraction { value: 0.9)",
                   method, R"('1 - exposed / busy' } other_seconds { absent_reason: 'no ablated run' }
    bytes_per_step { value: 44695848)",
                   method, R"('ceil(2(N-1)/N * X) * 4' } steps_per_epoch { value: 196 provenance: MEASURED }
    bandwidth_bytes_per_second { absent_reason: 'T_comm is negative' }
    measured_link_bytes_per_second { value: 223e9 provenance: MEASURED }
    utilization_of_measured { absent_reason: 'T_comm is negative' } utilization_of_nominal )",
                   absent, " karp_flatt { absent_reason: 'no strong speed-up' }")));
  std::vector<proto::ScalingRow> rows;
  rows.swap(file.rows);
  for (proto::ScalingRow& row : rows) {
    AddScalingRow(std::move(row), file);  // processed as when rows are read
  }
  AddModels(file);
  return file;
}

LabCommModel SmallAudit() {
  LabCommModel file;
  FillSource("audit.rec", "CommModelFile", "comm_model", file);
  file.audits.push_back(FromText<proto::AuditTable>(R"(
    source: 'A hand-in' table: 'Table 1'
    value { published { quantity: EPOCH_SECONDS devices: 1 batch: 32 as_printed: '62.661095' } finding: GIVEN }
    value { published { quantity: SPEEDUP devices: 2 batch: 32 as_printed: '1.41695' } finding: REPRODUCED
            reproduced_by { convention: 'T_1/T_N' value: 1.416953 ratio: 1 } }
    value { published { quantity: SPEEDUP devices: 2 batch: 512 as_printed: '1.18592' } finding: NOT_REPRODUCIBLE
            nearest { convention: 'T_1/T_N' value: 1.231259 ratio: 0.963 }
            sentence: 'No convention gives 1.18592; the nearest is 1.23126 (T_1/T_N).' }
    value { published { quantity: BANDWIDTH_GIGABYTES_PER_SECOND devices: 2 batch: 32 as_printed: '2.0548' } finding: REPRODUCED
            reproduced_by { convention: 'GB = 1e9' value: 2.05476 ratio: 1 } flag: 'GiB_as_GB'
            sentence: 'The text says 2^30; the number needs 1e9.' }
    summary { given: 1 reproduced: 2 not_reproducible: 1
              convention { convention: 'T_1/T_N' numbers: 1 } convention { convention: 'GB = 1e9' numbers: 1 } })"));
  return file;
}

LabQuantized SmallQuantized() {
  LabQuantized file;
  FillSource("quantized.rec", "QuantizedFile", "quantize", file);
  file.header.add_input()->set_sha256("digest of dataset.rec");
  file.spec =
      FromText<proto::QuantizeSpec>("model: 'lenet5' weight_range: MAX_ABS calibration_images: 400 test_images: 1000");
  const std::string layer = R"(
    layer { name: 'conv1' kind: 'conv2d' weight_shape: [6, 3, 5, 5] weight_scale: 254 output_scale: 0.01 output_max_abs: 3.5
            weight_three_sigma: 0.4 max_abs_weight: 0.5 activation_saturated_fraction: 0 accumulator_max_abs: 131072 accumulator_bound: 1048576
            activation_three_sigma: 2.5 relu: true
            weight_histogram { low: -0.5 high: 0.5 count: [10, 300, 130, 10] }
            activation_before_relu { low: -4 high: 4 count: [100, 300, 300, 100] }
            activation_after_relu { low: 0 high: 4 count: [600, 100, 60, 40] } })";
  file.networks.push_back(FromText<proto::QuantizedNetwork>(absl::StrCat(R"(
    name: 'lenet5' checkpoint_sha256: 'abcdef0123456789' input_scale: 50
    step { stage: FP32_NETWORK correct: 600 images: 1000 }
    step { stage: INT8_WEIGHTS correct: 590 images: 1000 flips_to_wrong: 15 flips_to_right: 5
           difference_low: -0.0195 difference_high: -0.0012 mcnemar_p: 0.0414 }
    step { stage: INT8_WEIGHTS_ACTIVATIONS correct: 580 images: 1000 flips_to_wrong: 30 flips_to_right: 10 argmax_ties: 2 }
    step { stage: INT8_WEIGHTS_ACTIVATIONS_BIAS absent_reason: 'the network has no bias' })",
                                                                         layer)));
  file.networks.push_back(FromText<proto::QuantizedNetwork>(absl::StrCat(R"(
    name: 'lenet5_bias' checkpoint_sha256: '123456789abcdef0' has_bias: true input_scale: 50
    step { stage: FP32_NETWORK correct: 700 images: 1000 }
    step { stage: INT8_WEIGHTS correct: 700 images: 1000 }
    step { stage: INT8_WEIGHTS_ACTIVATIONS correct: 695 images: 1000 flips_to_wrong: 7 flips_to_right: 2 }
    step { stage: INT8_WEIGHTS_ACTIVATIONS_BIAS correct: 690 images: 1000 flips_to_wrong: 12 flips_to_right: 2 }
    layer { name: 'block.add' kind: 'add' output_max_abs: 3 activation_three_sigma: 2 }
    layer { name: 'fc' kind: 'linear' weight_shape: [10, 6] channel_weight_scale: [100, 300] writes_sums: true
            output_max_abs: 9 accumulator_max_abs: 4096 accumulator_bound: 1048576 }
    study { images: 200 correct_fp32: 150 correct_int8: 140
            layer { name: 'image' correct_alone: 150 correct_without: 140 cumulative_snr_db: 40 alone_snr_db: 40 }
            layer { name: 'conv1' weight_snr_db: 41.5 alone_snr_db: 30 cumulative_snr_db: 29 correct_alone: 141 correct_without: 149
                    divergence_alone: 0.0123 divergence_without: 0.00045 }
            fallback { layer: 'conv1' correct: 149 } fallback_test_correct: 698 fallback_test_images: 1000 })",
                                                                         layer)));
  return file;
}

LabRecords SmallLab() {
  LabRecords lab;
  lab.datasets.push_back(SmallDataset());
  lab.sweeps.push_back(SmallSweep());
  lab.scales.push_back(SmallScale());
  lab.comm_models.push_back(SmallCommModel());
  lab.comm_models.push_back(SmallAudit());
  lab.quantized.push_back(SmallQuantized());
  return lab;
}

std::vector<std::string> WriteSmallLab(const std::string& folder) {
  std::vector<std::string> paths;
  LabDataset dataset = SmallDataset();
  std::vector<proto::DatasetRecord> dataset_records(3);
  *dataset_records[0].mutable_info() = dataset.info[0];
  *dataset_records[1].mutable_info() = dataset.info[1];
  dataset_records[2].mutable_chunk()->set_pixels(std::string(3072, '\x80'));
  Write(folder, dataset, dataset_records, paths);

  LabSweep sweep = SmallSweep();
  sweep.header.mutable_input(0)->set_sha256(dataset.input.sha256());
  std::vector<proto::SweepRecord> sweep_records(1);
  *sweep_records[0].mutable_spec() = sweep.spec;
  for (const proto::SweepPoint& point : sweep.points) {
    *sweep_records.emplace_back().mutable_point() = point;
  }
  *sweep_records.emplace_back().mutable_end() = sweep.end;
  Write(folder, sweep, sweep_records, paths);

  LabScale scale = SmallScale();
  scale.header.mutable_input(0)->set_sha256(dataset.input.sha256());
  std::vector<proto::ScaleRecord> scale_records(1);
  *scale_records[0].mutable_spec() = scale.spec;
  for (const proto::ScalePoint& point : scale.points) {
    *scale_records.emplace_back().mutable_point() = point;
  }
  Write(folder, scale, scale_records, paths);

  LabCommModel comm_model = SmallCommModel();
  comm_model.header.mutable_input(0)->set_sha256(scale.input.sha256());
  std::vector<proto::CommModelRecord> comm_records(1);
  *comm_records[0].mutable_spec() = comm_model.spec;
  for (const proto::ScalingRow& row : comm_model.rows) {
    *comm_records.emplace_back().mutable_scaling() = row;
  }
  for (const proto::AllReduceFit& fit : comm_model.all_reduce_fits) {
    *comm_records.emplace_back().mutable_all_reduce_fit() = fit;
  }
  *comm_records.emplace_back().mutable_step_time() = comm_model.step_times[0];
  for (const proto::ScalingLawFit& law : comm_model.laws) {
    *comm_records.emplace_back().mutable_law() = law;
  }
  for (const proto::Prediction& prediction : comm_model.predictions) {
    *comm_records.emplace_back().mutable_prediction() = prediction;
  }
  *comm_records.emplace_back().mutable_what_if() = comm_model.what_ifs[0];
  Write(folder, comm_model, comm_records, paths);

  LabCommModel audit = SmallAudit();
  std::vector<proto::CommModelRecord> audit_records(1);
  *audit_records[0].mutable_audit() = audit.audits[0];
  Write(folder, audit, audit_records, paths);

  LabQuantized quantized = SmallQuantized();
  quantized.header.mutable_input(0)->set_sha256(dataset.input.sha256());
  std::vector<proto::QuantizedRecord> quantized_records(1);
  *quantized_records[0].mutable_spec() = quantized.spec;
  for (const proto::QuantizedNetwork& network : quantized.networks) {
    *quantized_records.emplace_back().mutable_network() = network;
  }
  Write(folder, quantized, quantized_records, paths);
  return paths;
}

}  // namespace lockstep::testing
