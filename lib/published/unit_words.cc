// Names of units.
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/published/label_words.h"

namespace lockstep {
namespace {

struct UnitName {
  absl::string_view words;
  proto::PublishedQuantity quantity;
  absl::string_view unit;  // unit that the words state; empty: none
};

constexpr proto::PublishedQuantity kNoQuantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;

// Units after RenameParts, in lower case.
constexpr UnitName kUnits[] = {
    {"s", kNoQuantity, "s"},
    {"ms", kNoQuantity, "ms"},
    {"us", kNoQuantity, "us"},
    {"min", kNoQuantity, "min"},
    {"h", kNoQuantity, "h"},
    {"m:ss", kNoQuantity, "mm:ss"},
    {"mm:ss", kNoQuantity, "mm:ss"},
    {"min:s", kNoQuantity, "mm:ss"},
    {"h:mm:ss", kNoQuantity, "mm:ss"},
    {"hh:mm:ss", kNoQuantity, "mm:ss"},
    {"s/epoch", proto::EPOCH_SECONDS, "s"},
    {"ms/epoch", proto::EPOCH_SECONDS, "ms"},
    {"min/epoch", proto::EPOCH_SECONDS, "min"},
    {"s/iteration", proto::ITERATION_SECONDS, "s"},
    {"ms/iteration", proto::ITERATION_SECONDS, "ms"},
    {"s/batch", proto::ITERATION_SECONDS, "s"},
    {"ms/batch", proto::ITERATION_SECONDS, "ms"},
    {"j", kNoQuantity, "J"},
    {"kj", kNoQuantity, "kJ"},
    {"wh", kNoQuantity, "Wh"},
    {"kwh", kNoQuantity, "kWh"},
    {"w", kNoQuantity, "W"},
    {"kw", kNoQuantity, "kW"},
    {"j/epoch", proto::EPOCH_JOULES, "J"},
    {"kj/epoch", proto::EPOCH_JOULES, "kJ"},
    {"wh/epoch", proto::EPOCH_JOULES, "Wh"},
    {"kwh/epoch", proto::EPOCH_JOULES, "kWh"},
    {"j/images", proto::ITEM_JOULES, "J"},
    {"j/samples", proto::ITEM_JOULES, "J"},
    {"%", kNoQuantity, "%"},
    {"1", kNoQuantity, "1"},
    {"gb", kNoQuantity, "GB"},
    {"gib", kNoQuantity, "GiB"},
    {"mb", kNoQuantity, "MB"},
    {"gb/s", kNoQuantity, "GB/s"},
    {"gib/s", kNoQuantity, "GiB/s"},
    {"mb/s", kNoQuantity, "MB/s"},
    {"gbit/s", kNoQuantity, "Gbit/s"},
    {"mbit/s", kNoQuantity, "Mbit/s"},
    {"images/s", proto::ITEMS_PER_SECOND, "images/s"},
    {"samples/s", proto::ITEMS_PER_SECOND, "samples/s"},
    {"sequences/s", proto::ITEMS_PER_SECOND, "sequences/s"},
    {"sentences/s", proto::ITEMS_PER_SECOND, "sentences/s"},
    {"tokens/s", proto::ITEMS_PER_SECOND, "tokens/s"},
    {"images/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "images/s"},
    {"samples/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "samples/s"},
    {"sequences/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "sequences/s"},
    {"sentences/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "sentences/s"},
    {"tokens/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
};

// Parts of a unit, in lower case, and the names that kUnits has for them.
struct UnitPart {
  absl::string_view printed, name;
};
constexpr UnitPart kParts[] = {
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"msec", "ms"},
    {"millisecond", "ms"},
    {"milliseconds", "ms"},
    {"usec", "us"},
    {"microseconds", "us"},
    {"\xC2\xB5s", "us"},
    {"\xCE\xBCs", "us"},
    {"mins", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"hr", "h"},
    {"hrs", "h"},
    {"hour", "h"},
    {"hours", "h"},
    {"joule", "j"},
    {"joules", "j"},
    {"watt", "w"},
    {"watts", "w"},
    {"percent", "%"},
    {"pct", "%"},
    {"x", "1"},
    {"times", "1"},
    {"\xC3\x97", "1"},
    {"fraction", "1"},
    {"ratio", "1"},
    {"gigabytes", "gb"},
    {"gbyte", "gb"},
    {"gbytes", "gb"},
    {"megabytes", "mb"},
    {"mbyte", "mb"},
    {"mbytes", "mb"},
    {"gigabit", "gbit"},
    {"gbits", "gbit"},
    {"img", "images"},
    {"imgs", "images"},
    {"image", "images"},
    {"sample", "samples"},
    {"example", "samples"},
    {"examples", "samples"},
    {"token", "tokens"},
    {"tok", "tokens"},
    {"toks", "tokens"},
    {"seq", "sequences"},
    {"seqs", "sequences"},
    {"sequence", "sequences"},
    {"sentence", "sentences"},
    {"gpus", "gpu"},
    {"device", "gpu"},
    {"devices", "gpu"},
    {"it", "iteration"},
    {"iter", "iteration"},
    {"step", "iteration"},
};

QuantityMeaning UnitNamed(absl::string_view words) {
  for (const UnitName& known : kUnits) {
    if (known.words == words) {
      return {known.quantity, std::string(known.unit)};
    }
  }
  return {};
}

// Returns "tokens/s/gpu" for "tokens/gpu/s"; other units unchanged.
std::string RateBeforeDevice(const std::string& unit) {
  constexpr absl::string_view kDeviceFirst = "/gpu/s";
  return absl::EndsWith(unit, kDeviceFirst) ? absl::StrCat(absl::StripSuffix(unit, kDeviceFirst), "/s/gpu") : unit;
}

// Returns a unit with the names that kUnits has for its parts.
std::string RenameParts(absl::string_view unit) {
  std::vector<std::string> parts = absl::StrSplit(unit, '/');
  for (std::string& part : parts) {
    for (const UnitPart& known : kParts) {
      if (part == known.printed) {
        part = std::string(known.name);
        break;
      }
    }
  }
  return absl::StrJoin(parts, "/");
}

}  // namespace

void AddUnitNames(std::vector<absl::string_view>& names) {
  for (const UnitName& known : kUnits) {
    names.push_back(known.words);
  }
  for (const UnitPart& part : kParts) {
    names.push_back(part.printed);
  }
}

QuantityMeaning UnitMeantBy(absl::string_view text) {
  constexpr size_t kMaxBytes = 40;  // longer than any unit
  text = absl::StripAsciiWhitespace(text);
  if (text.size() > kMaxBytes) {
    return {};
  }
  const std::string no_spaces = absl::StrReplaceAll(text, {{" per ", "/"}, {" ", ""}});
  if (no_spaces == "Gb/s" || no_spaces == "Gbps") {
    return {kNoQuantity, "Gbit/s"};
  }
  if (no_spaces == "Mb/s" || no_spaces == "Mbps") {
    return {kNoQuantity, "Mbit/s"};
  }
  return UnitNamed(RateBeforeDevice(RenameParts(absl::StripSuffix(absl::AsciiStrToLower(no_spaces), "."))));
}

}  // namespace lockstep
