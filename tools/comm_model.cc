// comm_model: explains measured times, and predicts the times of runs that were not made.
#include "lib/comm_model/comm_model.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/init_main.h"
#include "lib/base/print_text.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/comm_model/audit_template.h"
#include "lib/comm_model/output_format.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/record/stdout_guard.h"

namespace lockstep {

// Upper ends of ranges, far above any existing machine. kMaxDevices also limits a batch per device.
inline constexpr uint32_t kMaxDevices = 1'000'000;
inline constexpr double kMaxGigabytes = 1e6;     // gigabytes per second
inline constexpr double kMaxMicroseconds = 1e9;  // latency

}  // namespace lockstep

ABSL_FLAG(std::vector<std::string>, input, {},
          "Scale records to explain, separated by commas: runs of one machine with the same settings are joined; '-': "
          "standard input.");
ABSL_FLAG(std::string, sweep, "", "Sweep record of the same settings, for more times of one device.");
ABSL_FLAG(std::vector<std::string>, times, {}, "Tables of epoch times to predict from (CSV or textproto).");
ABSL_FLAG(std::vector<std::string>, all_reduce, {},
          "All-reduce times to fit: JSON of nccl-tests (all_reduce_perf -J) or of Lockstep's benchmarks "
          "(--benchmark_out, or the record of --record).");
ABSL_FLAG(std::vector<std::string>, audit, {},
          "Published tables to recompute, separated by commas: CSV, Markdown or LaTeX as printed, or "
          "data/published/*.textproto.");
ABSL_FLAG(std::string, explain, "",
          "Print the derivation of one number of --audit, described by words such as 'SPEEDUP N=4 B=128', "
          "'theirs.csv:14', a table's name or its digits.");
ABSL_FLAG(std::string, audit_template, "",
          "Write an empty sheet for --audit to this CSV file, and do nothing else; '-': standard output.");
RANGED_FLAG(double, nominal_link_gigabytes_per_second, 0, 0, lockstep::kMaxGigabytes,
            "Nominal bandwidth of one device's link in one direction, GB = 1e9 bytes; 0: not given.");
ABSL_FLAG(std::string, model_spec, "",
          "File with the settings for judging fits and computing intervals (ModelSpec, textproto).");
RANGED_FLAG(
    uint32_t, fit_ranks, 0, 0, lockstep::kMaxDevices,
    "Largest number of devices in the fits. Runs on more devices are predicted and compared. 0: all runs are fitted.");
RANGED_FLAG(std::vector<std::string>, predict_ranks, {}, 1, lockstep::kMaxDevices,
            "Numbers of devices to predict, separated by commas.");
RANGED_FLAG(std::vector<std::string>, predict_batch, {}, 1, lockstep::kMaxDevices,
            "Batch sizes per device to predict; none: the input's.");
ABSL_FLAG(std::string, score, "", "Earlier comm_model record whose predictions are compared with the scale record.");
RANGED_FLAG(std::vector<std::string>, what_if, {}, 1, lockstep::kMaxDevices,
            "Numbers of devices of the cluster to predict, such as 8,64,1024.");
RANGED_FLAG(std::vector<std::string>, what_if_batch, {}, 1, lockstep::kMaxDevices,
            "Batch sizes per device of --what_if; none: those measured on one device.");
RANGED_FLAG(std::vector<std::string>, what_if_bucket_mib, {}, 0, 1e6,
            "Predict also with buckets of these sizes in MiB.");
RANGED_FLAG(std::vector<std::string>, what_if_gradient_bytes, {}, 0, 1024,
            "Predict also with gradients of this many bytes per element.");
RANGED_FLAG(std::vector<std::string>, what_if_link_factor, {}, 0, 1e6,
            "Predict also with links between hosts that are faster by these factors.");
ABSL_FLAG(std::string, exchange, "both",
          "Exchange of --what_if over several hosts: flat (each device sends the whole gradient over the network), "
          "hierarchical (each device sends its share of the host's sum) or both.");
FLAG_WORDS(exchange, "flat", "hierarchical", "both");
ABSL_FLAG(std::string, cluster, "",
          "File with the cluster of --what_if (Cluster, textproto); the other flags of this group override it.");
RANGED_FLAG(uint32_t, devices_per_host, 0, 0, lockstep::kMaxDevices, "Number of devices per host of the cluster.");
RANGED_FLAG(double, intra_host_gigabytes_per_second, 0, 0, lockstep::kMaxGigabytes,
            "Bandwidth of one link inside a host in one direction; 0: as measured.");
RANGED_FLAG(double, intra_host_latency_microseconds, 0, 0, lockstep::kMaxMicroseconds,
            "Latency of a message inside a host; 0: as measured.");
RANGED_FLAG(double, inter_host_gigabytes_per_second, 0, 0, lockstep::kMaxGigabytes,
            "Bandwidth between hosts for each device in one direction.");
RANGED_FLAG(double, inter_host_latency_microseconds, 0, 0, lockstep::kMaxMicroseconds,
            "Latency of a message between hosts.");
ABSL_FLAG(std::string, algorithm, "",
          "All-reduce algorithm of --what_if: ring, bidirectional_ring, tree, double_tree, recursive_doubling, "
          "halving_doubling or hierarchical (rings in the host and between hosts); none: ring or double_tree, the "
          "faster one for each size.");
FLAG_WORDS(algorithm, "ring", "bidirectional_ring", "tree", "double_tree", "recursive_doubling", "halving_doubling",
           "hierarchical");
ABSL_FLAG(
    std::string, inter_host_all_reduce, "",
    "All-reduce times over several hosts: a record of gpu_all_reduce_benchmark on all devices of the hosts, or a file "
    "of --all_reduce with one rank on each host. The link between hosts is computed from them instead of the two flags "
    "of its latency and bandwidth.");
ABSL_FLAG(std::string, output, "comm_model.rec", "Record file to write; '-': standard output.");
ABSL_FLAG(std::string, format, "record",
          "record: the record only; text, csv, json, extra_p, nccl_tuner: also print this on standard output.");
FLAG_WORDS(format, "record", "text", "csv", "json", "extra_p", "nccl_tuner");
ABSL_FLAG(bool, force, false, "Write the output again even if it already holds this result.");
ABSL_FLAG(bool, dry_run, false,
          "Read and compute everything, print the verdict and the time and memory used; write nothing.");

namespace lockstep {
namespace {

absl::StatusOr<WhatIfOptions> WhatIfFromFlags() {
  WhatIfOptions what_if;
  ASSIGN_OR_RETURN(what_if.devices, ParseNumberList("what_if", absl::GetFlag(FLAGS_what_if)));
  ASSIGN_OR_RETURN(what_if.batches, ParseNumberList("what_if_batch", absl::GetFlag(FLAGS_what_if_batch)));
  ASSIGN_OR_RETURN(what_if.bucket_mib, ParseDecimalList("what_if_bucket_mib", absl::GetFlag(FLAGS_what_if_bucket_mib)));
  ASSIGN_OR_RETURN(what_if.gradient_bytes,
                   ParseDecimalList("what_if_gradient_bytes", absl::GetFlag(FLAGS_what_if_gradient_bytes)));
  ASSIGN_OR_RETURN(what_if.link_factors,
                   ParseDecimalList("what_if_link_factor", absl::GetFlag(FLAGS_what_if_link_factor)));
  ASSIGN_OR_RETURN(what_if.exchanges, ParseExchanges(absl::GetFlag(FLAGS_exchange)));
  what_if.inter_host_all_reduce_path = absl::GetFlag(FLAGS_inter_host_all_reduce);
  what_if.cluster_path = absl::GetFlag(FLAGS_cluster);
  what_if.cluster = MakeCluster(
      absl::GetFlag(FLAGS_devices_per_host), absl::GetFlag(FLAGS_algorithm),
      {absl::GetFlag(FLAGS_intra_host_gigabytes_per_second), absl::GetFlag(FLAGS_intra_host_latency_microseconds)},
      {absl::GetFlag(FLAGS_inter_host_gigabytes_per_second), absl::GetFlag(FLAGS_inter_host_latency_microseconds)});
  return what_if;
}

absl::StatusOr<CommModelOptions> OptionsFromFlags() {
  CommModelOptions options;
  options.scale_paths = absl::GetFlag(FLAGS_input);
  options.sweep_path = absl::GetFlag(FLAGS_sweep);
  options.times_paths = absl::GetFlag(FLAGS_times);
  options.all_reduce_paths = absl::GetFlag(FLAGS_all_reduce);
  options.audit_paths = absl::GetFlag(FLAGS_audit);
  options.explain = absl::GetFlag(FLAGS_explain);
  options.score_path = absl::GetFlag(FLAGS_score);
  options.model_spec_path = absl::GetFlag(FLAGS_model_spec);
  options.nominal_link_gigabytes_per_second = absl::GetFlag(FLAGS_nominal_link_gigabytes_per_second);
  options.fit_ranks = absl::GetFlag(FLAGS_fit_ranks);
  ASSIGN_OR_RETURN(options.predict_ranks, ParseNumberList("predict_ranks", absl::GetFlag(FLAGS_predict_ranks)));
  ASSIGN_OR_RETURN(options.predict_batches, ParseNumberList("predict_batch", absl::GetFlag(FLAGS_predict_batch)));
  ASSIGN_OR_RETURN(options.what_if, WhatIfFromFlags());
  options.output_path = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  return options;
}

// Flags that have an effect only together with others.
std::vector<FlagUse> FlagUses(const CommModelOptions& options) {
  const std::string format = absl::GetFlag(FLAGS_format);
  const bool has_fits =
      !options.scale_paths.empty() || !options.times_paths.empty() || !options.all_reduce_paths.empty();
  return {{{"predict_batch"}, !options.predict_ranks.empty(), "without --predict_ranks", "add --predict_ranks=N"},
          {{"what_if_batch", "what_if_bucket_mib", "what_if_gradient_bytes", "what_if_link_factor", "exchange",
            "cluster", "inter_host_all_reduce", "devices_per_host", "intra_host_gigabytes_per_second",
            "intra_host_latency_microseconds", "inter_host_gigabytes_per_second", "inter_host_latency_microseconds",
            "algorithm"},
           !options.what_if.devices.empty(),
           "without --what_if",
           "add --what_if=N"},
          {{"model_spec"}, has_fits, "on an audit alone, which fits nothing", "give --input, --times or --all_reduce"},
          {{"explain"}, !options.audit_paths.empty(), "without --audit", "add --audit=TABLE"},
          {{"explain"},
           format == "record" || format == "text",
           absl::StrCat("with --format=", format, ", which other programs read"),
           "use --format=text"},
          {{"format", "explain"}, !options.dry_run, "with --dry_run, which prints what it took", ""}};
}

absl::Status Run() {
  if (IsGiven("audit_template")) {
    RETURN_IF_ERROR(CheckOnlyGiven({"audit_template", "force"}, "with --audit_template"));
    return WriteAuditTemplate(absl::GetFlag(FLAGS_audit_template), ToForce(absl::GetFlag(FLAGS_force)));
  }
  ASSIGN_OR_RETURN(const CommModelOptions options, OptionsFromFlags());
  RETURN_IF_ERROR(CheckGivenFlags(FlagUses(options)));
  ASSIGN_OR_RETURN(const OutputFormat format, ParseOutputFormat(absl::GetFlag(FLAGS_format)));
  if (options.output_path == "-" && !options.dry_run) {
    // From here on standard output is redirected to standard error, so that the text below cannot corrupt the record.
    RETURN_IF_ERROR(TakeStdout().status());
  }
  ASSIGN_OR_RETURN(const CommModelRun run, RunCommModel(options));
  ASSIGN_OR_RETURN(const std::string text, FormatRun(format, run));
  return options.dry_run ? absl::OkStatus() : PrintToStdout(absl::StrCat(text, run.derivation));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const lockstep::ToolInfo tool = {
      "comm_model",
      "Explains a scaling run (speed-up, compute against communication, bandwidth), predicts runs that were not made, "
      "and recomputes published tables.",
      {"comm_model --input=scale.rec --output=comm_model.rec --format=text",
       "comm_model --input=scale.rec --sweep=sweep.rec --predict_ranks=8 --output=prediction.rec --format=text",
       "comm_model --audit=data/published/hand_in_001.textproto --output=audit.rec --format=text",
       "comm_model --audit=theirs.csv --explain='SPEEDUP N=4 B=128' --output=audit.rec",
       "comm_model --audit_template=lab.csv"},
      {{"files",
        "inputs and outputs",
        {{"input"},
         {"sweep"},
         {"times"},
         {"all_reduce"},
         {"audit"},
         {"explain"},
         {"audit_template"},
         {"output"},
         {"format"},
         {"force"},
         {"dry_run"},
         {"quiet"}},
        lockstep::HelpPages::kAll},
       {"predict",
        "predictions of runs that were not made",
        {{"predict_ranks"}, {"predict_batch", "the input's"}, {"fit_ranks", "0: all runs are fitted"}, {"score"}},
        lockstep::HelpPages::kAll},
       {"what_if",
        "predictions for other clusters",
        {{"what_if"},
         {"what_if_batch", "those of one device"},
         {"what_if_bucket_mib"},
         {"what_if_gradient_bytes"},
         {"what_if_link_factor"},
         {"exchange"},
         {"algorithm", "ring or double_tree"}}},
       {"cluster",
        "the cluster of --what_if",
        {{"cluster"},
         {"devices_per_host"},
         {"intra_host_gigabytes_per_second", "0: as measured"},
         {"intra_host_latency_microseconds", "0: as measured"},
         {"inter_host_gigabytes_per_second"},
         {"inter_host_latency_microseconds"},
         {"inter_host_all_reduce"}}},
       {"model", "judgement of fits", {{"model_spec"}, {"nominal_link_gigabytes_per_second", "0: not given"}}}}};
  lockstep::InitMain(tool, argc, argv);
  return lockstep::RunTool(tool.name, [] { return lockstep::Run(); });
}
