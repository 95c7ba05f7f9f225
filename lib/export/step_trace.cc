#include "lib/export/step_trace.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/json_string.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"
#include "lib/scaling/point_name.h"
#include "lib/statistics/mean.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr char kTraceMark[] = "made by Lockstep: report, trace";

// Times in microseconds are multiples of 1/8, which are whole nanoseconds and exact in binary. However a reader
// converts them to nanoseconds, no event begins before the previous one ends. Perfetto's trace processor rounds;
// earlier ones truncated.
constexpr double kTicksPerMicrosecond = 8;

double Microseconds(double seconds) {
  return std::round(seconds * kMicroseconds.scale * kTicksPerMicrosecond) / kTicksPerMicrosecond;
}

struct Part {
  std::string name;
  double seconds = 0;
};

// Trace with a process for each point and a thread for each line. Both are numbered from 1, threads across all
// processes, like in an operating system.
class Trace {
 public:
  bool empty() const { return point_ == 0; }

  // Begins a point with its first line.
  void NewPoint(const std::string& name, const std::string& line) {
    ++point_;
    ++line_;
    Name("process_name", name);
    Name("thread_name", line);
  }

  void NewLine(const std::string& name) {
    ++line_;
    Name("thread_name", name);
  }

  void Add(const std::string& name, double begin_seconds, double seconds) {
    const double begin = Microseconds(begin_seconds);
    AddEvent("X", name,
             absl::StrFormat("\"ts\":%.17g,\"dur\":%.17g", begin, Microseconds(begin_seconds + seconds) - begin));
  }

  // Adds parts one after another. A part of zero or negative duration is not drawn.
  void AddInOrder(const std::vector<Part>& parts) {
    double begin = 0;
    for (const Part& part : parts) {
      if (part.seconds > 0) {
        Add(part.name, begin, part.seconds);
        begin += part.seconds;
      }
    }
  }

  std::string Json() const {
    return absl::StrCat("{\"otherData\":{\"generator\":", JsonString(kTraceMark), "},\"traceEvents\":[\n",
                        absl::StrJoin(events_, ",\n"), "\n]}\n");
  }

 private:
  // Appends an event. `fields` are those that not all events have. The order of fields is fixed, so that one record
  // always gives the same text.
  void AddEvent(const char* phase, const std::string& name, const std::string& fields) {
    events_.push_back(absl::StrCat("{\"ph\":\"", phase, "\",\"name\":", JsonString(name), ",\"pid\":", point_,
                                   ",\"tid\":", line_, ",", fields, "}"));
  }

  void Name(const char* what, const std::string& name) {
    AddEvent("M", what, absl::StrCat("\"args\":{\"name\":", JsonString(name), "}"));
  }

  std::vector<std::string> events_;
  int point_ = 0, line_ = 0;
};

// --- A scaling run ---

// Adds the buckets of rank 0, relative to the start of its backward pass.
void AddBuckets(const proto::ScalePoint& point, double backward_begins, Trace& trace) {
  int number = 0;
  for (const proto::Bucket& bucket : point.bucket()) {
    ++number;
    if (bucket.mean_done_seconds() > bucket.mean_ready_seconds()) {  // unset fields are 0
      const std::string size = NumberWithUnit(
          absl::StrFormat("%.4g", static_cast<double>(bucket.size_bytes()) / kMegabytes.size), kMegabytes);
      trace.NewLine(absl::StrCat("rank 0: bucket ", number, ", ", size));
      trace.Add(absl::StrCat("all-reduce of ", size), backward_begins + bucket.mean_ready_seconds(),
                bucket.mean_done_seconds() - bucket.mean_ready_seconds());
    }
  }
}

void AddPoint(const LabScale& scale, const proto::ScalePoint& point, Trace& trace) {
  if (point.rank().empty() || !point.rank(0).has_step_means()) {
    return;
  }
  for (int i = 0; i < point.rank_size(); ++i) {
    const proto::StepMeans& means = point.rank(i).step_means();
    const std::string name = absl::StrCat("rank ", point.rank(i).rank());
    if (i == 0) {
      trace.NewPoint(absl::StrCat(scale.name(), ", ", PointTitle(scale.spec, point), ", a mean step"), name);
    } else {
      trace.NewLine(name);
    }
    trace.AddInOrder({{"forward", means.forward_seconds()},
                      {"backward", means.backward_seconds()},
                      {"waiting for all-reduces", means.exposed_seconds()},
                      {"update", means.update_seconds()}});
  }
  AddBuckets(point, point.rank(0).step_means().forward_seconds(), trace);
}

// --- A sweep ---

// Returns the parts of an epoch: by timestamps if the steps have them, else as the epochs were timed.
std::vector<Part> EpochParts(const proto::SweepPoint& point) {
  std::vector<Part> parts;
  for (const proto::StepPart& part : point.step_parts().part()) {
    parts.push_back({part.name(), part.epoch_seconds()});
  }
  if (parts.empty() && !point.backward_seconds().value().empty()) {
    const auto add = [&](const char* name, const proto::Samples& epochs) {
      parts.push_back({name, Mean(epochs.value())});
    };
    add("waiting for data", point.data_wait_seconds());
    add("copy to the device", point.copy_seconds());
    add("forward", point.forward_seconds());
    add("backward", point.backward_seconds());
    add("update", point.optimizer_seconds());
  }
  return parts;
}

void AddPoint(const LabSweep& sweep, const proto::SweepPoint& point, Trace& trace) {
  std::vector<Part> parts = EpochParts(point);
  if (parts.empty() || point.steps_per_epoch() == 0) {
    return;
  }
  for (Part& part : parts) {
    part.seconds /= point.steps_per_epoch();
  }
  trace.NewPoint(absl::StrCat(sweep.name(), ", batch ", point.batch_size(), ", a mean step"), "device 0");
  trace.AddInOrder(parts);
}

}  // namespace

absl::StatusOr<std::string> RenderStepTrace(const LabRecords& lab) {
  Trace trace;
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      AddPoint(sweep, point, trace);
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      AddPoint(scale, point, trace);
    }
  }
  if (trace.empty()) {
    return absl::FailedPreconditionError(
        "--trace: no record of --input has the parts of a step; give a record of train_sweep or scale_run whose points "
        "ran");
  }
  return trace.Json();
}

absl::Status RunStepTrace(const std::vector<std::string>& inputs, const std::string& output, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {{"--trace", output, ""}}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  ASSIGN_OR_RETURN(const std::string text, RenderStepTrace(lab));
  RETURN_IF_ERROR(WriteWholeFile(output, text, ReplaceIfForced(force, ReplaceMarked(kTraceMark))));
  LogLine(absl::StrCat("report: wrote ", output, "; open it at ui.perfetto.dev"));
  return absl::OkStatus();
}

}  // namespace lockstep
