// Options of comm_model: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_
#define LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// Link in the units of its flags; 0: not given, the file's or the measured value is used.
struct LinkOptions {
  double gigabytes_per_second = 0;  // one direction, GB = 1e9 bytes
  double latency_microseconds = 0;  // latency of a message
};

// Returns the cluster that the flags describe; flags that are not given stay unset.
proto::Cluster MakeCluster(uint32_t devices_per_host, const std::string& algorithm, const LinkOptions& intra_host,
                           const LinkOptions& inter_host);

struct WhatIfOptions {
  std::vector<uint32_t> devices;  // numbers of devices; empty: no question
  std::vector<uint32_t> batches;  // batches per device; empty: the batches of one device in the input
  std::string cluster_path;       // Cluster, textproto; empty: no file
  proto::Cluster cluster;         // cluster of the flags; overrides the file
  // Exchanges over several hosts, one row each. A host with one device has the flat one only.
  std::vector<Exchange> exchanges = {Exchange::kFlat, Exchange::kHierarchical};
  std::string
      inter_host_all_reduce_path;      // all-reduce times of one rank per host (as all_reduce_paths); empty: no file
  std::vector<double> bucket_mib;      // one variant each
  std::vector<double> gradient_bytes;  // bytes of one element; one variant each
  std::vector<double> link_factors;    // factors of the bandwidth between hosts; one variant each
};

struct CommModelOptions {
  std::vector<std::string> scale_paths;       // scale records to join, "-": standard input; empty: no file
  std::string sweep_path;                     // sweep record with more base cases; needs scale_paths; empty: no file
  std::vector<std::string> times_paths;       // published tables with epoch times to predict from (CSV, textproto)
  std::vector<std::string> all_reduce_paths;  // files of nccl-tests (JSON) or our benchmarks (JSON, record)
  std::vector<std::string> audit_paths;       // published tables to recompute (CSV, textproto)
  std::string explain;                        // words that describe a number of audit_paths; empty: no derivation
  std::string score_path;                     // comm_model record whose predictions are compared with the scale record
  std::string model_spec_path;                // ModelSpec, textproto; empty: defaults
  double nominal_link_gigabytes_per_second = 0;  // nominal, one direction of one device's link, GB = 1e9; 0: not given
  uint32_t fit_ranks = 0;  // runs of more devices are hidden from the models, predicted, and compared; 0: no run is
                           // hidden
  std::vector<uint32_t> predict_ranks;    // devices to predict
  std::vector<uint32_t> predict_batches;  // batches per device; empty: the batches of the input
  WhatIfOptions what_if;
  std::string output_path = "comm_model.rec";
  bool force = false;
  bool dry_run = false;  // compute everything, write nothing
};

// InvalidArgument, naming flags: nothing to do, or an option without the option that it needs.
absl::Status CheckCommModelOptions(const CommModelOptions& options);

// Returns the path of every input file.
std::vector<std::string> InputPaths(const CommModelOptions& options);

// Returns every option that changes the result and is not a file, keyed by the name of its flag.
std::map<std::string, std::string> ResultFlags(const CommModelOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_
