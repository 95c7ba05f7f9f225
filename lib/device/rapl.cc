#include "lib/device/rapl.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/kernel_file.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"

namespace lockstep {

// A zone has the files name, energy_uj and max_energy_range_uj. Zones within a package have other names (core, dram).
RaplCounter::RaplCounter(std::string folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string zone = entry.path().string();
    Package package = {zone};
    if (absl::StartsWith(KernelFileLine(JoinPath(zone, "name")), "package") &&
        absl::SimpleAtoi(KernelFileLine(JoinPath(zone, "max_energy_range_uj")), &package.range)) {
      packages_.push_back(std::move(package));
    }
  }
  std::sort(packages_.begin(), packages_.end(), [](const Package& a, const Package& b) { return a.folder < b.folder; });
}

absl::StatusOr<uint64_t> RaplCounter::Advance(Package& package) const {
  const std::string path = JoinPath(package.folder, "energy_uj");
  uint64_t now = 0;
  if (!absl::SimpleAtoi(KernelFileLine(path), &now)) {
    return absl::UnavailableError(absl::StrCat("RAPL's counter ", path, " cannot be read; only root may"));
  }
  const uint64_t used = now >= package.last ? now - package.last : package.range - package.last + now;
  const bool first = !package.read;
  package.last = now;
  package.read = true;
  return first ? 0 : used;
}

absl::StatusOr<double> RaplCounter::ReadJoules() {
  if (packages_.empty()) {
    return absl::UnavailableError(absl::StrCat("this CPU shows no energy counter (RAPL) in ", folder_));
  }
  for (Package& package : packages_) {
    ASSIGN_OR_RETURN(const uint64_t used, Advance(package));
    microjoules_ += used;
  }
  return static_cast<double>(microjoules_) * 1e-6;
}

EnergySensor RaplSensor() {
  const auto counter = std::make_shared<RaplCounter>();
  return {[counter] { return counter->ReadJoules(); }, "RAPL's counters of the CPU packages", 0, 0.001};
}

}  // namespace lockstep
