#include "lib/comm/explain.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/comm/collective_cost.h"
#include "lib/comm/quantity.h"
#include "lib/comm/scaling.h"

namespace lockstep {
namespace {

const char kOneDevice[] = "the base case: one device sends nothing";

// All that the row of one (ranks, batch) is made from.
struct RowInputs {
  const proto::ScaleSpec& run;
  const proto::CommModelSpec& spec;
  const BaseCases& bases;
  const proto::ScalePoint& point;       // PLAIN of one rank, else ALL_REDUCE
  const proto::ScalePoint* ablated;     // null: not run
  const proto::ScalePoint* reduced;     // ALL_REDUCE of one rank; null: not run, or ranks > 1
  const proto::AllReduceProbe* probe;   // of these ranks; null: not run
};

const proto::ScalePoint* FindPoint(const ScaleRecords& scale, uint32_t ranks, uint32_t batch,
                                   proto::Reduction reduction) {
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    if (record.has_point() && point.ranks() == ranks && point.batch_per_device() == batch &&
        point.reduction() == reduction) {
      return &point;
    }
  }
  return nullptr;
}

// The probe belongs to the ranks, whatever the batch: any completed point of as many ranks may hold it.
const proto::AllReduceProbe* FindProbe(const ScaleRecords& scale, uint32_t ranks) {
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    if (record.has_point() && point.ranks() == ranks && point.probe().seconds().value_size() > 0) {
      return &point.probe();
    }
  }
  return nullptr;
}

std::string NotThere(absl::string_view symbol, uint32_t batch, const absl::Status& why) {
  return absl::StrCat(symbol, "(", batch, ") is not there: ", why.message());
}

// "E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (sweep record)"
std::string WithBase(absl::string_view formula, uint32_t batch, const BaseCase& base) {
  return absl::StrCat(formula, ", base case: plain training on 1 device at batch ", batch, " (", base.origin, ")");
}

void FillSpeedups(const RowInputs& in, const Spread& epoch, const Spread& step, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device();
  const std::string no_quotient = "a time is not positive";
  if (const absl::StatusOr<BaseCase> base = in.bases.At(n * b); base.ok()) {
    const std::optional<Spread> speedup = StrongSpeedup(base->epoch_seconds, epoch);
    const std::string formula = absl::StrCat("E_1(", n * b, ")/E_", n, "(", b, ")");
    *row.mutable_strong_speedup() = DerivedOr(speedup, WithBase(formula, n * b, *base), no_quotient);
    *row.mutable_karp_flatt() =
        n == 1 || !speedup.has_value()
            ? Absent(n == 1 ? "the base case: one device has no serial fraction" : no_quotient)
            : Derived(KarpFlatt(n, *speedup), absl::StrCat("(1/S - 1/N)/(1 - 1/N), S = ", formula, ", N = ", n));
  } else {
    *row.mutable_strong_speedup() = Absent(NotThere("E_1", n * b, base.status()));
    *row.mutable_karp_flatt() = Absent("needs the strong speed-up");
  }
  const absl::StatusOr<BaseCase> base = in.bases.At(b);
  if (!base.ok()) {
    *row.mutable_weak_speedup() = Absent(NotThere("s_1", b, base.status()));
    *row.mutable_epoch_speedup() = Absent(NotThere("E_1", b, base.status()));
    *row.mutable_gustafson_serial_fraction() = Absent("needs the weak speed-up");
    return;
  }
  const std::optional<Spread> weak =
      WeakSpeedup(n, base->step_seconds, base->steps_per_epoch, step, in.point.steps_per_epoch());
  const std::string formula = absl::StrCat("N*(s_1(", b, ")/k_1)/(s_", n, "(", b, ")/k_", n, "), k_1 = ",
                                           base->steps_per_epoch, ", k_", n, " = ", in.point.steps_per_epoch());
  *row.mutable_weak_speedup() = DerivedOr(weak, WithBase(formula, b, *base), "a time or a number of steps is not positive");
  *row.mutable_gustafson_serial_fraction() =
      n == 1 || !weak.has_value()
          ? Absent(n == 1 ? "the base case: one device has no serial fraction" : "needs the weak speed-up")
          : Derived(GustafsonSerialFraction(n, *weak), absl::StrCat("(N - S)/(N - 1), S the weak speed-up, N = ", n));
  *row.mutable_epoch_speedup() =
      DerivedOr(EpochSpeedup(base->epoch_seconds, epoch),
                WithBase(absl::StrCat("E_1(", b, ")/E_", n, "(", b, ")"), b, *base), no_quotient);
}

// 1 - exposed/busy, epoch by epoch: both were taken in the same ones.
std::optional<Spread> OverlapFraction(const proto::ScalePoint& point) {
  proto::Samples fractions;
  const int epochs = std::min(point.exposed_seconds().value_size(), point.collective_busy_seconds().value_size());
  for (int i = 0; i < epochs; ++i) {
    if (point.collective_busy_seconds().value(i) <= 0) {
      return std::nullopt;
    }
    fractions.add_value(1 - point.exposed_seconds().value(i) / point.collective_busy_seconds().value(i));
  }
  return SpreadOf(fractions);
}

std::string ReasonOf(const proto::Samples& samples) {
  return samples.absent_reason().empty() ? "not measured" : samples.absent_reason();
}

void FillExposed(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  const proto::ScalePoint& point = in.point;
  const std::optional<Spread> exposed = SpreadOf(point.exposed_seconds());
  *row.mutable_exposed_event_seconds() =
      exposed.has_value()
          ? Measured(*exposed, absl::StrCat("last all-reduce's end minus backward's end, summed over the steps of an epoch (",
                                            point.timing_method(), "), mean over timed epochs"))
          : Absent(ReasonOf(point.exposed_seconds()));
  *row.mutable_overlap_fraction() =
      DerivedOr(OverlapFraction(point), "1 - exposed/busy, by events, epoch by epoch",
                exposed.has_value() ? "the collectives' busy time is absent or zero" : "needs the exposed time by events");
  const std::optional<Spread> ablated =
      in.ablated != nullptr ? SpreadOf(in.ablated->step_seconds()) : std::optional<Spread>();
  *row.mutable_exposed_ablation_seconds() = DerivedOr(
      ablated.has_value() ? std::optional<Spread>(step - *ablated) : std::nullopt,
      absl::StrCat("s_", point.ranks(), " - s_", point.ranks(), " without all-reduce"),
      in.ablated == nullptr ? "the run without all-reduce is not in the record" : ReasonOf(in.ablated->step_seconds()));
}

// T_comp, T_comm and what is left of T_comm. Returns T_comm.
std::optional<Spread> FillSplit(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device();
  const absl::StatusOr<BaseCase> base = in.bases.At(b);
  if (!base.ok()) {
    const std::string reason = NotThere("s_1", b, base.status());
    *row.mutable_compute_seconds() = Absent(reason);
    *row.mutable_communication_seconds() = Absent(reason);
    *row.mutable_other_seconds() = Absent(reason);
    return std::nullopt;
  }
  const Spread compute = (1.0 / n) * base->step_seconds;
  const Spread communication = step - compute;
  *row.mutable_compute_seconds() =
      Derived(compute, WithBase(absl::StrCat("T_comp = s_1(", b, ")/", n), b, *base));
  *row.mutable_communication_seconds() =
      Derived(communication, absl::StrCat("T_comm = s_", n, "(", b, ") - s_1(", b, ")/", n));
  const proto::Quantity& ablation = row.exposed_ablation_seconds();
  if (!ablation.has_value()) {
    *row.mutable_other_seconds() = Absent("needs the exposed time by ablation");
    return communication;
  }
  // s_N cancels: T_comm - (s_N - s_N without) = s_N without - T_comp.
  const Spread without = *SpreadOf(in.ablated->step_seconds());
  *row.mutable_other_seconds() =
      Derived(without - compute, absl::StrCat("T_comm - exposed by ablation = s_", n, " without all-reduce - s_1/", n));
  return communication;
}

void FillBandwidth(const RowInputs& in, const std::optional<Spread>& communication, proto::ScalingRow& row) {
  const uint32_t n = row.ranks();
  const uint64_t parameters = in.spec.parameter_count();
  if (in.run.mode() == proto::DP) {
    const char reason[] = "DataParallel is a star (replicate, scatter, gather, reduce), not an all-reduce";
    *row.mutable_bytes_per_step() = Absent(reason);
    *row.mutable_bandwidth_bytes_per_second() = Absent(reason);
    return;
  }
  if (parameters == 0) {
    *row.mutable_bytes_per_step() = Absent("the record does not say how many parameters the model has");
    *row.mutable_bandwidth_bytes_per_second() = Absent("needs the bytes of a step");
    return;
  }
  const uint64_t item_bytes = in.spec.gradient_bytes() / parameters;
  const uint64_t bytes = AllReduceLowerBoundBytes(n, parameters, item_bytes);
  *row.mutable_bytes_per_step() = Derived(
      Exactly(static_cast<double>(bytes)), absl::StrCat("ceil(2(N-1)/N * X) * ", item_bytes, ", N = ", n, ", X = ",
                                                        parameters, " (lower bound, Patarasuk and Yuan 2009)"));
  if (!communication.has_value()) {
    *row.mutable_bandwidth_bytes_per_second() = Absent("needs T_comm");
    return;
  }
  const Spread moved = Exactly(static_cast<double>(bytes) * row.steps_per_epoch().value());
  if (communication->mean <= 0) {
    *row.mutable_bandwidth_bytes_per_second() =
        Absent(absl::StrCat("T_comm is ", communication->mean, " s: the subtraction leaves no time to divide by"));
    return;
  }
  const std::string method = absl::StrCat("bytes per step * ", in.point.steps_per_epoch(), " steps / T_comm");
  const std::optional<Spread> bandwidth = Quotient(moved, *communication);
  *row.mutable_bandwidth_bytes_per_second() =
      bandwidth.has_value() ? Derived(*bandwidth, method)
                            : Derived(Exactly(moved.mean / communication->mean),
                                      absl::StrCat(method, "; no interval: T_comm reaches down to ", communication->low, " s"));
}

void FillLink(const RowInputs& in, proto::ScalingRow& row) {
  const uint32_t n = row.ranks();
  const std::optional<Spread> seconds =
      in.probe != nullptr ? SpreadOf(in.probe->seconds()) : std::optional<Spread>();
  const double size = in.probe != nullptr ? static_cast<double>(in.probe->size_bytes()) : 0;
  const std::optional<Spread> link =
      seconds.has_value() ? Quotient(Exactly(AllReduceBusBandwidth(n, size, 1)), *seconds) : std::nullopt;
  *row.mutable_measured_link_bytes_per_second() = DerivedOr(
      link, absl::StrCat("busbw = S/t * 2(N-1)/N of the all-reduce of ", static_cast<uint64_t>(size), " bytes alone, ", n, " ranks"),
      "no all-reduce of these ranks was timed alone");
  const proto::Quantity& bandwidth = row.bandwidth_bytes_per_second();
  const auto utilization = [&](const proto::Quantity& of, absl::string_view name) {
    if (!bandwidth.has_value() || !of.has_value()) {
      return Absent(!bandwidth.has_value() ? "needs the bandwidth" : absl::StrCat("the ", name, " link is not known"));
    }
    const auto spread = [](const proto::Quantity& q) {
      return q.has_low() ? Spread{q.value(), q.low(), q.high(), true} : Exactly(q.value());
    };
    return DerivedOr(Quotient(spread(bandwidth), spread(of)), absl::StrCat("bandwidth / ", name, " link"),
                     absl::StrCat("the ", name, " link is not positive"));
  };
  *row.mutable_utilization_of_measured() = utilization(row.measured_link_bytes_per_second(), "measured");
  *row.mutable_utilization_of_nominal() = utilization(in.spec.nominal_link_bytes_per_second(), "nominal");
}

// One device has no link: what only several devices have is absent for one reason.
void FillBaseRow(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  for (proto::Quantity* quantity :
       {row.mutable_communication_seconds(), row.mutable_exposed_event_seconds(), row.mutable_exposed_ablation_seconds(),
        row.mutable_overlap_fraction(), row.mutable_other_seconds(), row.mutable_bytes_per_step(),
        row.mutable_bandwidth_bytes_per_second(), row.mutable_measured_link_bytes_per_second(),
        row.mutable_utilization_of_measured(), row.mutable_utilization_of_nominal()}) {
    *quantity = Absent(kOneDevice);
  }
  *row.mutable_compute_seconds() = Derived(step, absl::StrCat("T_comp = s_1(", row.batch_per_device(), ")/1"));
  const std::optional<Spread> reduced =
      in.reduced != nullptr ? SpreadOf(in.reduced->step_seconds()) : std::optional<Spread>();
  *row.mutable_reducer_seconds() =
      DerivedOr(reduced.has_value() ? std::optional<Spread>(*reduced - step) : std::nullopt,
                "s_1 through the reducer - s_1 plain", "one device through the reducer is not in the record");
}

// A point without times: every field says why.
proto::ScalingRow FailedRow(proto::ScalingRow row, const std::string& reason) {
  const google::protobuf::Reflection* reflection = row.GetReflection();
  for (int i = 0; i < row.GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = row.GetDescriptor()->field(i);
    if (field->message_type() != nullptr) {
      reflection->MutableMessage(&row, field)->CopyFrom(Absent(reason));
    }
  }
  return row;
}

proto::ScalingRow MakeRow(const RowInputs& in) {
  proto::ScalingRow row;
  row.set_ranks(in.point.ranks());
  row.set_batch_per_device(in.point.batch_per_device());
  const std::optional<Spread> epoch = SpreadOf(in.point.epoch_seconds());
  const std::optional<Spread> step = SpreadOf(in.point.step_seconds());
  if (in.point.outcome() != proto::COMPLETED || !epoch.has_value() || !step.has_value()) {
    return FailedRow(row, absl::StrCat("the run ended as ", proto::Outcome_Name(in.point.outcome()),
                                       in.point.detail().empty() ? "" : ": ", in.point.detail()));
  }
  *row.mutable_epoch_seconds() = Measured(*epoch, "mean over timed epochs, data loading included, slowest rank");
  *row.mutable_step_seconds() = Measured(*step, "mean over timed epochs, without waiting for data, slowest rank");
  *row.mutable_steps_per_epoch() = Measured(Exactly(in.point.steps_per_epoch()), "counted, of each rank");
  FillSpeedups(in, *epoch, *step, row);
  if (row.ranks() == 1) {
    FillBaseRow(in, *step, row);
    return row;
  }
  *row.mutable_reducer_seconds() = Absent("of the base case only");
  FillExposed(in, *step, row);
  FillBandwidth(in, FillSplit(in, *step, row), row);
  FillLink(in, row);
  return row;
}

}  // namespace

absl::StatusOr<proto::CommModelSpec> MakeCommModelSpec(const ScaleRecords& scale, double nominal_link_bytes_per_second) {
  const proto::ScaleSpec* run = FindSpec(scale);
  if (run == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(scale.input.path(), ": a scale record with a ScaleSpec was expected, found none; make it again"));
  }
  proto::CommModelSpec spec;
  spec.set_gradient_bytes(run->model().gradient_bytes());
  spec.set_parameter_count(run->model().parameter_count());
  spec.set_training_images(run->model().training_images());
  if (nominal_link_bytes_per_second > 0) {
    spec.mutable_nominal_link_bytes_per_second()->set_value(nominal_link_bytes_per_second);
    spec.mutable_nominal_link_bytes_per_second()->set_provenance(proto::PUBLISHED);
    spec.mutable_nominal_link_bytes_per_second()->set_method("as given by --link_gigabytes_per_second, GB = 1e9");
  } else {
    *spec.mutable_nominal_link_bytes_per_second() = Absent("--link_gigabytes_per_second was not given");
  }
  return spec;
}

absl::StatusOr<std::vector<proto::ScalingRow>> ExplainScaling(const ScaleRecords& scale, const SweepRecords* sweep,
                                                              const proto::CommModelSpec& spec) {
  const proto::ScaleSpec* run = FindSpec(scale);
  if (run == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(scale.input.path(), ": no ScaleSpec"));
  }
  const BaseCases bases(scale, sweep);
  std::vector<proto::ScalingRow> rows;
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    if (!record.has_point() || point.reduction() != (point.ranks() == 1 ? proto::PLAIN : proto::ALL_REDUCE)) {
      continue;
    }
    const uint32_t n = point.ranks(), b = point.batch_per_device();
    rows.push_back(MakeRow({*run, spec, bases, point, FindPoint(scale, n, b, proto::ABLATED),
                            n == 1 ? FindPoint(scale, n, b, proto::ALL_REDUCE) : nullptr, FindProbe(scale, n)}));
  }
  if (rows.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(scale.input.path(), ": a scale record with points was expected, found none"));
  }
  return rows;
}

}  // namespace lockstep
