#include "lib/fused/chain_units.h"

namespace lockstep {
namespace {

bool CanFollow(const ConvolutionUnit& before, const ConvolutionUnit& unit) {
  return unit.in_size == before.in_size && unit.matrix_channels == before.matrix_channels &&
         unit.out_channels == before.out_channels;
}

bool CanBeInChain(const ConvolutionUnit& unit) {
  return unit.stride == 1 && unit.matrix_filter == 3 && unit.matrix_channels == unit.out_channels;
}

// Returns the convolutions in the order in which the forward pass runs them, without stem and shortcuts.
std::vector<size_t> Convolutions(const ResNetUnits& net) {
  std::vector<size_t> units;
  for (const ResidualBlock& block : net.blocks) {
    units.push_back(block.conv1);
    units.push_back(block.conv2);
  }
  return units;
}

// Appends `run`, divided into as few chains as possible.
void AppendDivided(const std::vector<size_t>& run, size_t max_units, std::vector<std::vector<size_t>>& chains) {
  const size_t count = (run.size() + max_units - 1) / max_units;
  for (size_t i = 0; i < count; ++i) {
    const auto begin = run.begin() + run.size() * i / count, end = run.begin() + run.size() * (i + 1) / count;
    if (end - begin > 1) {
      chains.emplace_back(begin, end);
    }
  }
}

}  // namespace

std::vector<std::vector<size_t>> ChainsOfUnits(const ResNetUnits& net, size_t max_units) {
  std::vector<std::vector<size_t>> chains;
  std::vector<size_t> run;
  for (const size_t u : Convolutions(net)) {
    const ConvolutionUnit& unit = net.units[u];
    if (!run.empty() && (!CanBeInChain(unit) || !CanFollow(net.units[run.back()], unit))) {
      AppendDivided(run, max_units, chains);
      run.clear();
    }
    if (CanBeInChain(unit)) {
      run.push_back(u);
    }
  }
  AppendDivided(run, max_units, chains);
  return chains;
}

}  // namespace lockstep
