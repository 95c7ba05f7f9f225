// Compares NCCL's and our own collectives (lib/peer/device_all_reduce.h) over the GPUs of one or several hosts, way by
// way, in the same run.
//
//   gpu_all_reduce_benchmark [--ranks=N] [--types=bf16,float] [--max_bytes=1073741824]
//                            [--collectives=all_reduce,reduce_scatter,all_gather,broadcast,peer_to_peer]
//                            [--record=FILE] [--crossovers=FILE] [--launcher=auto] [--master_addr=ADDRESS]
//                            [--master_port=PORT] [--interface=DEVICE] [GOOGLE BENCHMARK'S FLAGS]
//
// Each rank is a process with a GPU. By default there is a rank on each GPU of this machine, or one for each process
// that torchrun, mpirun or srun started. These launchers and virtual hosts (LOCKSTEP_HOST_OF_RANK) are used like for
// scale_run (docs/launchers.md). Only the flags of rank 0 count, except --launcher, --master_addr, --master_port and
// --interface; only rank 0 prints and writes.
//
// Everything is done in place. Before a way's first call, the elements that it must only write are NaN, as are the
// bytes after its data; the others are terms whose sums are exact (collective_terms.h). Every element of the result is
// compared exactly on every rank, and the bytes after it must not have changed; if one is wrong, the program exits 1
// after it has printed and written everything. Then several calls, one after the other, are timed twice: as one CUDA
// graph that is replayed, and launched one by one. A sum of one element precedes each timing, so that the ranks begin
// together. Times are measured by events and are per call: rank 0's, or the sender's for a copy between two ranks. A
// broadcast is from the last rank. --max_bytes is in bytes; each GPU needs three times as many, plus some hundred MiB.
//
// Rows:
//   all_reduce/ranks:N/type:TYPE/bytes:BYTES/method:WAY  (all_reduce_benchmark has the same form on CPUs)
//       nccl; nccl_window: NCCL on memory that is registered as a symmetric window (NCCL 2.27.3 and newer);
//       one_shot, two_shots, copies; auto: one of our three, chosen by the record of this program that --crossovers
//       names; default: the crossovers of two H100
//   reduce_scatter, all_gather, broadcast  the same form; methods: nccl, copies
//   peer_to_peer/from:RANK/to:RANK/bytes:BYTES  one copy alone
//   peer_to_peer/from:all/bytes:BYTES  each rank to all others, one after the other; copies do not depend on the type
// On several hosts the names end with /hosts:H, and the methods are nccl (flat: one ring or tree over all ranks), and
// for sums, with equally many ranks on each host, at least two:
//   hierarchical_nccl, hierarchical_copies: reduce-scatter within the host, NCCL's all-reduce of each share among
//   the ranks of the same index, all-gather within the host; within the host by NCCL or by copies
//   counterparts: the second of these steps alone, with all data: each rank and its counterparts, all at once. `ranks`
//   and busbw are those of one group: a rank of each host
// A way that cannot be measured is printed with the reason.
//
// The record (lib/proto/collective_times.proto) has these rows, and on one host for each type the crossovers that
// follow from them. Exit codes are those of the tools (tools/README.md).
//
// Columns: us, us_p95: median and 95th percentile of the replays; eager_us: median of calls launched one by one; algbw
// and busbw in GB/s as in nccl-tests: bytes over the median, and algbw times a factor. The factor is 2(N - 1)/N for an
// all-reduce; (N - 1)/N for its halves, whose bytes are those of all shares; 1 for a broadcast and for copies, whose
// bytes are those of one rank. On one host also link: GB/s of copies between neighbours, all at once, in both
// directions, in this run; share: busbw over link. wrong: number of wrong elements on all ranks.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "benchmarks/collective_records.h"
#include "benchmarks/collective_rows.h"
#include "benchmarks/gpu_all_reduce_flags.h"
#include "benchmarks/gpu_collective_rank.h"
#include "benchmarks/quantile.h"
#include "benchmarks/taken_flag.h"
#include "lib/base/callers_folder.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/collectives/collective_times.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/launch/launched_run.h"
#include "lib/launch/quiet_unless_leader.h"
#include "lib/launch/torchrun_store.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/peer/all_reduce_crossovers.h"
#include "lib/record/other_result.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"

namespace lockstep {
namespace {

constexpr char kTool[] = "gpu_all_reduce_benchmark";

// `world`: processes that start the ranks; null: this process starts them.
absl::StatusOr<CollectiveRows> RunAll(int ranks, const CollectiveTask& task, World* world) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "measure";
  options.payload = PayloadOf(task);
  options.world = world;
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, LaunchRanks(options));
  return JoinRows(texts);
}

std::string NameOf(const CollectiveRow& row, uint32_t ranks, uint32_t hosts, const std::string& type) {
  if (row.collective == kPeerToPeer) {
    const std::vector<std::string> pair = absl::StrSplit(row.way, '/');  // "FROM/TO" or "all"
    return absl::StrCat(row.collective, "/from:", absl::StrJoin(pair, "/to:"), "/bytes:", row.size_bytes);
  }
  return absl::StrCat(row.collective, "/ranks:", RanksOfACall(row, ranks, hosts), "/type:", type,
                      "/bytes:", row.size_bytes, "/method:", row.way, hosts > 1 ? absl::StrCat("/hosts:", hosts) : "");
}

// `link`: bytes per second between neighbours; 0: not measured.
void Report(benchmark::State& state, const CollectiveRow& row, double link) {
  for (auto _ : state) {
    const double median = Quantile(row.replays, 0.5);
    const double algbw = static_cast<double>(row.moved_bytes) / median;
    state.SetIterationTime(median);
    state.counters["us"] = median * 1e6;
    state.counters["us_p95"] = Quantile(row.replays, 0.95) * 1e6;
    state.counters["eager_us"] = row.eager_seconds * 1e6;
    state.counters["algbw"] = algbw / 1e9;
    state.counters["busbw"] = algbw * row.bus_factor / 1e9;
    if (link > 0) {
      state.counters["link"] = link / 1e9;
      state.counters["share"] = algbw * row.bus_factor / link;
    }
    state.counters["wrong"] = static_cast<double>(row.wrong);
  }
}

// Registers the measurements of one type of numbers.
void Register(const CollectiveRows& all, int ranks, const std::string& type) {
  for (const CollectiveRow& row : all.rows) {
    benchmark::RegisterBenchmark(
        NameOf(row, static_cast<uint32_t>(ranks), all.hosts, type).c_str(),
        [row, link = all.link_bytes_per_second](benchmark::State& state) { Report(state, row, link); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }
}

// Describes the GPUs of this host, and names the other hosts.
absl::StatusOr<proto::Header> HeaderOf(const GpuAllReduceOptions& options, const World* world,
                                       const std::vector<proto::Input>& inputs,
                                       const std::vector<std::string>& command_line) {
  HeaderOptions header;
  header.schema = proto::CollectiveTimesFile::descriptor()->full_name();
  header.inputs = inputs;
  const auto ranks = static_cast<uint32_t>(options.ranks);
  const uint32_t here = world != nullptr ? world->RanksHere(ranks) : ranks;
  for (uint32_t rank = 0; rank < here; ++rank) {
    ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", static_cast<int>(rank)));
    ASSIGN_OR_RETURN(header.devices.emplace_back(), DescribeDevice(device));
    header.libraries = LoadedLibraries(device);
  }
  header.result_flags = {{"ranks", absl::StrCat(options.ranks)},
                         {"max_bytes", absl::StrCat(options.max_bytes)},
                         {"types", absl::StrJoin(options.types, ",")},
                         {"collectives", absl::StrJoin(options.collectives, ",")}};
  if (world != nullptr && !world->OtherHosts().empty()) {
    header.result_flags["other_hosts"] = world->OtherHosts();
  }
  proto::Header made = MakeHeader(header);
  made.mutable_command_line()->Add(command_line.begin(), command_line.end());
  return made;
}

// Returns the crossovers of each type: from the file that --crossovers names, or the default.
absl::StatusOr<std::vector<AllReduceCrossovers>> ReadCrossovers(const GpuAllReduceOptions& options,
                                                                std::vector<proto::Input>& inputs) {
  std::vector<AllReduceCrossovers> all(options.types.size());
  if (options.crossovers.empty()) {
    return all;
  }
  ASSIGN_OR_RETURN(const CollectiveTimesFile file, ReadCollectiveTimes(options.crossovers));
  inputs.push_back(file.input);
  for (size_t i = 0; i < all.size(); ++i) {
    ASSIGN_OR_RETURN(const proto::AllReduceCrossovers found,
                     CrossoversOf(file, static_cast<uint32_t>(options.ranks), options.types[i]));
    all[i] = {found.max_one_shot_bytes(), found.max_two_shots_bytes()};
  }
  return all;
}

// Prints the ways without rows, and the reasons.
void LogLeftOut(const CollectiveRows& rows) {
  for (const std::string& why : rows.left_out) {
    std::fprintf(stderr, "%s: no rows of %s\n", kTool, why.c_str());
  }
}

// Measures the rows of all types, as benchmarks and as records.
absl::Status Measure(const GpuAllReduceOptions& options, const std::vector<AllReduceCrossovers>& crossovers,
                     World* world, std::vector<proto::CollectiveTimesRecord>& records) {
  CollectiveTask task;
  task.max_bytes = options.max_bytes;
  task.collectives = options.collectives;
  for (size_t i = 0; i < options.types.size() && !task.collectives.empty(); ++i) {
    task.type = options.types[i];
    task.crossovers = crossovers[i];
    ASSIGN_OR_RETURN(const CollectiveRows rows, RunAll(options.ranks, task, world));
    if (i == 0) {
      LogLeftOut(rows);
    }
    Register(rows, options.ranks, task.type);
    const absl::Status added = AddRecords(rows, static_cast<uint32_t>(options.ranks), task.type, records);
    if (!added.ok()) {
      std::fprintf(stderr, "%s: no crossovers in %s: %s\n", kTool, task.type.c_str(),
                   std::string(added.message()).c_str());
    }
    // Copies are the same in each type.
    task.collectives.erase(std::remove(task.collectives.begin(), task.collectives.end(), kPeerToPeer),
                           task.collectives.end());
  }
  return absl::OkStatus();
}

// Returns the number of ranks. Returns InvalidArgumentError if the launcher started fewer, or if LOCKSTEP_HOST_OF_RANK
// has another number of ranks, and UnavailableError if a host lacks GPUs.
absl::StatusOr<int> CheckRanks(int asked, const World* world) {
  const int all = world != nullptr ? static_cast<int>(world->size()) : static_cast<int>(CountRankGpus());
  const int ranks = asked != 0 ? asked : all;
  if (ranks < 2) {
    return absl::UnavailableError(absl::StrCat("expected 2 or more ranks with a GPU each, found ", ranks,
                                               "; doctor --for=scale --device=cuda examines the GPUs"));
  }
  ASSIGN_OR_RETURN(const std::vector<int> hosts, ReadHostOfRank([](const char* name) { return std::getenv(name); }));
  RETURN_IF_ERROR(CheckHostOfRank(hosts, static_cast<size_t>(ranks)));
  if (world != nullptr) {
    RETURN_IF_ERROR(world->CheckRanksOnGpus(static_cast<uint32_t>(ranks)));
  }
  return ranks;
}

// Returns InternalError if a first call had wrong elements.
absl::Status CheckNoneWrong(const std::vector<proto::CollectiveTimesRecord>& records) {
  for (const proto::CollectiveTimesRecord& record : records) {
    const proto::CollectiveTimes& times = record.times();
    if (times.wrong_elements() != 0) {
      return absl::InternalError(absl::StrCat(times.wrong_elements(), " wrong elements in ", times.collective(), " of ",
                                              times.size_bytes(), " bytes by ", times.way(),
                                              "; the column 'wrong' has all rows"));
    }
  }
  return absl::OkStatus();
}

// Opens the records before anything is measured, so that a file that cannot be read or written is found early. Prints
// the rows before it writes the record, also if elements are wrong.
absl::Status MeasureAndWrite(GpuAllReduceOptions options, const std::vector<std::string>& command_line, World* world) {
  std::vector<proto::Input> inputs;
  SetNcclEnvironment();  // also in this process, because the record's header contains it
  ASSIGN_OR_RETURN(options.ranks, CheckRanks(options.ranks, world));
  ASSIGN_OR_RETURN(const std::vector<AllReduceCrossovers> crossovers, ReadCrossovers(options, inputs));
  std::unique_ptr<RecordWriter> writer;
  if (!options.record.empty()) {
    ASSIGN_OR_RETURN(
        writer,
        RecordWriter::Reserve(options.record, ReplaceRecordOf(proto::CollectiveTimesFile::descriptor()->full_name())));
  }
  std::vector<proto::CollectiveTimesRecord> records;
  RETURN_IF_ERROR(Measure(options, crossovers, world, records));
  benchmark::RunSpecifiedBenchmarks();
  if (writer != nullptr) {
    ASSIGN_OR_RETURN(const proto::Header header, HeaderOf(options, world, inputs, command_line));
    RETURN_IF_ERROR(writer->Begin(header));
    RETURN_IF_ERROR(AppendAndFinish(records, *writer));
  }
  return CheckNoneWrong(records);
}

// Reads all flags, or ends the process with exit code 2. Only rank 0 prints errors, because every process of a launcher
// has the same.
GpuAllReduceOptions ReadFlagsOrExit(int argc, char** argv) {
  int count = argc;
  std::vector<char*> copy(argv, argv + argc + 1);  // TakeFlag removes the flag
  const QuietUnlessLeader quiet(TakeFlag("launcher", "auto", count, copy.data()));
  absl::StatusOr<GpuAllReduceOptions> options = TakeGpuAllReduceOptions(kTool, argc, argv);
  if (!options.ok()) {
    std::exit(ExitStatus(kTool, options.status()));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    std::exit(static_cast<int>(ExitCode::kUsage));
  }
  return *std::move(options);
}

int Run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  InstallStopSignals();  // a world ends its ranks after a stop signal
  std::vector<std::string> command_line(argv, argv + argc);
  command_line[0] = kTool;
  if (const absl::Status entered = EnterCallersFolder(); !entered.ok()) {
    return ExitStatus(kTool, entered);
  }
  const GpuAllReduceOptions options = ReadFlagsOrExit(argc, argv);
  return RunLaunched(options.launch, [&](World* world) { return MeasureAndWrite(options, command_line, world); });
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsTorchrunStoreClient()) {
    return lockstep::RunTorchrunStoreClient();
  }
  if (lockstep::IsRank()) {
    return lockstep::RunRank({{"measure", lockstep::MeasureCollectives}});
  }
  return lockstep::Run(argc, argv);
}
