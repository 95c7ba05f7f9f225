// Headers of the tests of such sources.
#ifndef LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_TESTS_H_
#define LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_TESTS_H_

#include <torch/nn/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

#endif  // LOCKSTEP_THIRD_PARTY_PRECOMPILED_TORCH_TESTS_H_
