// What comm_model is asked for: its flags, and the files that they name.
#ifndef LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_
#define LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

// A link in the units of its flags; 0: nothing is said, and the file's or the measured one is there for it.
struct LinkOptions {
  double gigabytes_per_second = 0;  // one direction, GB = 1e9 bytes
  double latency_microseconds = 0;  // of a message
};

// What flags say of a cluster: what they leave out stays unset.
proto::Cluster MakeCluster(uint32_t devices_per_host, const std::string& algorithm, const LinkOptions& intra_host,
                           const LinkOptions& inter_host);

struct WhatIfOptions {
  std::vector<uint32_t> devices;       // empty: nothing is asked
  std::vector<uint32_t> batches;       // per device; empty: those of one device in the input
  std::string cluster_path;            // Cluster, textproto; empty: none
  proto::Cluster cluster;              // what flags say; goes before what the file says
  std::vector<double> bucket_mib;      // one variant each
  std::vector<double> gradient_bytes;  // of one element; one variant each
  std::vector<double> link_factors;    // bandwidth between hosts; one variant each
};

struct CommModelOptions {
  std::string scale_path;                     // scale record, "-": standard input; empty: none
  std::string sweep_path;                     // sweep record with more base cases; empty: none. Needs a scale record
  std::vector<std::string> times_paths;       // published tables with epoch times to predict from (CSV, textproto)
  std::vector<std::string> all_reduce_paths;  // of nccl-tests (JSON) or our benchmarks (JSON, record)
  std::vector<std::string> audit_paths;       // published tables to recompute (CSV, textproto)
  std::string score_path;                     // a comm_model record whose predictions the scale record now answers
  std::string model_spec_path;                // ModelSpec, textproto; empty: defaults
  double link_gigabytes_per_second = 0;       // nominal, one direction of one device's link, GB = 1e9; 0: not given
  uint32_t fit_ranks = 0;  // runs of more devices are hidden from the models, predicted, and compared; 0: none is
  std::vector<uint32_t> predict_ranks;    // devices to predict
  std::vector<uint32_t> predict_batches;  // per device; empty: those of the input
  WhatIfOptions what_if;
  std::string output_path = "comm_model.rec";
  bool force = false;
  bool dry_run = false;  // compute everything, write nothing
};

// InvalidArgument, in words of flags: nothing to do, or an option without what it belongs to.
absl::Status CheckCommModelOptions(const CommModelOptions& options);

// Every file that is read.
std::vector<std::string> InputPaths(const CommModelOptions& options);

// Every option that changes the result and is no file, by the name of its flag.
std::map<std::string, std::string> ResultFlags(const CommModelOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_OPTIONS_H_
