#include "lib/audit/random_document_testing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

namespace lockstep::testing {
namespace {

constexpr double kGibibyte = 1073741824;  // 2^30
constexpr int kTimeDecimals = 3;

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint64_t batch,
         const std::string& digits) {
  proto::PublishedValue& value = *table.add_value();
  value.set_quantity(quantity);
  value.set_devices(devices);
  value.set_batch(batch);
  value.set_as_printed(digits);
}

// Returns the number of decimals that give the smallest number of a table `significant` significant digits.
int DecimalsFor(double smallest, int significant) {
  return std::max(0, significant - 1 - static_cast<int>(std::floor(std::log10(smallest))));
}

}  // namespace

RandomDocument::RandomDocument(uint32_t seed, MadeOf made_of) {
  Random random(seed);
  const bool binary = seed % 2 == 1;
  tables_.set_source("made up");
  proto::Claims& claims = *tables_.mutable_claims();
  claims.set_parameter_count(100'000 + random.Below(50'000'000));
  claims.set_images_per_epoch(10'000 + random.Below(50'000));
  claims.set_bytes_per_gigabyte(binary ? kGibibyte : 1e9);
  claims.set_batch("per_device");
  claims.set_mode("DDP");
  claims.set_peak_bytes_per_second(random.Between(5e9, 400e9));
  proto::PublishedTable& times = *tables_.add_table();
  times.set_name("times");
  decimals_["times"] = kTimeDecimals;
  // One device at every global batch (32 to 4 * 512), so that each global batch has a base case of strong scaling.
  double one_device = random.Between(20, 90);
  for (uint64_t batch = 32; batch <= 2048; batch *= 2) {
    AddTime(1, batch, one_device, made_of);
    for (const uint32_t devices : kRandomRanks) {
      if (batch == 32 || batch == 128 || batch == 512) {
        // 10 to 90 % more than 1/N of the one-device time.
        AddTime(devices, batch, one_device / devices * random.Between(1.1, 1.9), made_of);
      }
    }
    one_device *= random.Between(0.7, 0.98);
  }
  const int fewer = made_of == MadeOf::kClockTimes ? 1 : 0;
  AddDerived("weak", proto::SPEEDUP, 2 + static_cast<int>(random.Below(fewer == 1 ? 2 : 3)));
  AddDerived("strong", proto::SPEEDUP, 3 - fewer);
  AddDerived("compute", proto::COMPUTE_SECONDS, 3 - fewer);
  AddDerived("communication", proto::COMMUNICATION_SECONDS, 3 - fewer);
  AddDerived("bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, -1 - fewer);
  AddDerived("utilisation", proto::UTILIZATION_PERCENT, -1 - fewer);
}

void RandomDocument::AddTime(uint32_t devices, uint64_t batch, double seconds, MadeOf made_of) {
  const std::string digits = Print("times", seconds);
  Add(*tables_.mutable_table(0), proto::EPOCH_SECONDS, devices, batch, digits);
  clock_[{devices, batch}] = made_of == MadeOf::kClockTimes ? seconds : std::atof(digits.c_str());
}

double RandomDocument::Derived(const std::string& name, uint32_t devices, uint64_t batch) const {
  return Formula(name, devices, batch, clock_.at({1, name == "strong" ? batch * devices : batch}),
                 clock_.at({devices, batch}));
}

proto::PublishedTable& RandomDocument::table(const std::string& name) {
  for (proto::PublishedTable& table : *tables_.mutable_table()) {
    if (table.name() == name) {
      return table;
    }
  }
  ADD_FAILURE() << "no table " << name;
  return *tables_.mutable_table(0);
}

void RandomDocument::AddDerived(const std::string& name, proto::PublishedQuantity quantity, int decimals) {
  proto::PublishedTable& table = *tables_.add_table();
  table.set_name(name);
  double smallest = INFINITY;
  for (const uint32_t devices : kRandomRanks) {
    for (const uint64_t batch : kRandomBatches) {
      Add(table, quantity, devices, batch, "");
      smallest = std::min(smallest, Derived(name, devices, batch));
    }
  }
  decimals_[name] = decimals >= 0 ? decimals : DecimalsFor(smallest, 5 + decimals);
  for (proto::PublishedValue& value : *table.mutable_value()) {
    value.set_as_printed(Print(name, Derived(name, value.devices(), value.batch())));
  }
}

std::string RandomDocument::Print(const std::string& table, double value) const {
  return absl::StrFormat("%.*f", decimals_.at(table), value);
}

void RandomDocument::Fill(const std::string& name, const std::function<double(uint32_t, uint64_t)>& value) {
  for (proto::PublishedValue& printed : *table(name).mutable_value()) {
    printed.set_as_printed(Print(name, value(printed.devices(), printed.batch())));
  }
}

double RandomDocument::Iterations(uint32_t devices, uint64_t batch) const {
  const double quotient =
      static_cast<double>(tables_.claims().images_per_epoch()) / static_cast<double>(batch * devices);
  return BytesPerGigabyte() == 1e9 ? std::ceil(quotient) : quotient;
}

Range RandomDocument::Time(uint32_t devices, uint64_t batch) const {
  for (const proto::PublishedValue& value : tables_.table(0).value()) {
    if (value.devices() == devices && value.batch() == batch) {
      const double seconds = std::atof(value.as_printed().c_str()), half = 0.5 * std::pow(10, -kTimeDecimals);
      return {seconds - half, seconds, seconds + half};
    }
  }
  ADD_FAILURE() << "no time of " << devices << " devices at " << batch;
  return {1, 1, 1};
}

double RandomDocument::Formula(const std::string& table, uint32_t devices, uint64_t batch, double t_one,
                               double t_n) const {
  if (table == "weak" || table == "strong") {
    return t_one / t_n;
  }
  if (table == "compute") {
    return t_one / devices;
  }
  const double communication = t_n - t_one / devices;
  if (table == "communication") {
    return communication;
  }
  const double bytes = 2.0 * (devices - 1) / devices * static_cast<double>(tables_.claims().parameter_count()) * 4;
  const double unit = table == "bandwidth" ? BytesPerGigabyte() : tables_.claims().peak_bytes_per_second() / 100;
  return bytes * Iterations(devices, batch) / communication / unit;
}

Range RandomDocument::Right(const std::string& table, const proto::PublishedValue& value) const {
  const uint32_t devices = value.devices();
  const uint64_t batch = value.batch();
  const Range one = Time(1, table == "strong" ? batch * devices : batch), n = Time(devices, batch);
  Range range = {INFINITY, Formula(table, devices, batch, one.exact, n.exact), -INFINITY};
  // Every formula is monotonic in each time, so its extremes are at the corners.
  for (const double t_one : {one.low, one.high}) {
    for (const double t_n : {n.low, n.high}) {
      const double corner = Formula(table, devices, batch, t_one, t_n);
      range = {std::min(range.low, corner), range.exact, std::max(range.high, corner)};
    }
  }
  return range;
}

}  // namespace lockstep::testing
