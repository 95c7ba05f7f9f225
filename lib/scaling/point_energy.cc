#include "lib/scaling/point_energy.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

proto::Quantity Add(const proto::Quantity& a, const proto::Quantity& b) {
  proto::Quantity sum = a;
  sum.set_value(a.value() + b.value());
  sum.set_low(a.low() + b.low());
  sum.set_high(a.high() + b.high());
  return sum;
}

// Returns the counters that do not count the same energy: one per rank, or one per host of CPUs.
std::map<std::string, proto::Quantity> Counters(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  std::map<std::string, proto::Quantity> counters;
  for (const proto::RankFacts& rank : point.rank()) {
    const bool is_cpu = spec.training().device() == proto::CPU;
    proto::Quantity& counter = counters[is_cpu ? rank.host() : absl::StrCat(rank.rank())];
    if (!counter.has_value() || rank.epoch_joules().value() > counter.value()) {
      counter = rank.epoch_joules();  // the longest of the windows of a host
    }
  }
  return counters;
}

proto::Quantity PerImage(const proto::Quantity& joules, double value, double low, double high, const char* method) {
  proto::Quantity quantity = joules;
  quantity.set_value(value);
  quantity.set_low(low);
  quantity.set_high(high);
  quantity.set_provenance(proto::DERIVED);
  quantity.set_method(absl::StrCat(method, "; interval of the joules"));
  return quantity;
}

}  // namespace

proto::Quantity PointEpochJoules(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  const std::map<std::string, proto::Quantity> counters = Counters(spec, point);
  if (counters.empty()) {
    return Absent("the record has no facts of the ranks");
  }
  proto::Quantity sum;
  for (const auto& [name, joules] : counters) {
    if (!joules.has_value()) {
      return Absent(joules.absent_reason().empty() ? "the record is older than this measurement"
                                                   : joules.absent_reason());
    }
    sum = sum.has_value() ? Add(sum, joules) : joules;
  }
  if (counters.size() > 1) {
    sum.set_method(absl::StrCat("sum over ", counters.size(), " counters: ", sum.method()));
  }
  return sum;
}

proto::Quantity JoulesPerImage(const proto::Quantity& joules, uint64_t images) {
  if (!joules.has_value() || images == 0) {
    return Absent(joules.has_value() ? "no images in the epoch" : joules.absent_reason());
  }
  const auto count = static_cast<double>(images);
  return PerImage(joules, joules.value() / count, joules.low() / count, joules.high() / count,
                  "joules / images of an epoch");
}

proto::Quantity ImagesPerJoule(const proto::Quantity& joules, uint64_t images) {
  if (!joules.has_value() || joules.value() <= 0 || images == 0) {
    return Absent(joules.has_value() ? "no images or no energy in the epoch" : joules.absent_reason());
  }
  const auto count = static_cast<double>(images);
  proto::Quantity quantity = PerImage(joules, count / joules.value(), count / joules.high(),
                                      count / std::max(joules.low(), 1e-300), "images of an epoch / joules");
  if (joules.low() <= 0) {
    quantity.clear_high();
  }
  return quantity;
}

}  // namespace lockstep
