// Models of few nodes for the tests of the import: an image that is quantized, and the nodes that a test adds.
// Test-only.
#ifndef LOCKSTEP_LIB_ONNX_SMALL_MODEL_TESTING_H_
#define LOCKSTEP_LIB_ONNX_SMALL_MODEL_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/dataset/dataset.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/graph_writer.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep::testing {

using Names = std::vector<std::string>;

// Scale and zero point of a tensor: constants "NAME.scale" and "NAME.zero_point".
class SmallModel {
 public:
  SmallModel() : writer_(/*all_tensors=*/false) {
    writer_.Head("");
    writer_.Input("image", {kImageHeight, kImageWidth, kImageChannels});
    Params("image", 0.02f, 120);
    Node("QuantizeLinear", With("image", "image"), "quantized_image");
  }

  // Adds uint8 parameters of a tensor.
  void Params(const std::string& name, float scale, uint8_t zero_point) {
    Constant(FloatTensor(name + ".scale", {}, {scale}));
    Constant(Uint8Tensor(name + ".zero_point", zero_point));
  }
  void Constant(::onnx::TensorProto tensor) { writer_.Constant(std::move(tensor)); }

  // Returns the tensor and the parameters `name`, as inputs of a node.
  static Names With(const std::string& tensor, const std::string& name) {
    return {tensor, name + ".scale", name + ".zero_point"};
  }

  ::onnx::NodeProto& Node(const char* op, const Names& inputs, const std::string& output) {
    return writer_.Node(op, output, inputs, output);
  }

  // Adds "NAME.weight", int8 weights of scale 0.01, and returns it with its parameters as inputs. Weight i is
  // i * 37 % 255 - 127.
  Names Weights(const std::string& name, const std::vector<int64_t>& dims) {
    size_t count = 1;
    for (const int64_t dim : dims) {
      count *= static_cast<size_t>(dim);
    }
    std::vector<int8_t> values(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = static_cast<int8_t>(static_cast<int>(i * 37 % 255) - 127);
    }
    const std::string weight = name + ".weight";
    Constant(Int8Tensor(weight, dims, values));
    Constant(FloatTensor(weight + ".scale", {}, {0.01f}));
    Constant(Int8Tensor(weight + ".zero_point", {}, {0}));
    return With(weight, weight);
  }

  // Adds a QLinearConv over the image, 3x3 with stride 16, which writes `name`: (N, out, 2, 2). Adds its parameters.
  void Convolution(const std::string& name, uint32_t out, uint8_t zero_point = 100) {
    Params(name, 0.7f, zero_point);
    AddInts("strides", {16, 16},
            Node("QLinearConv", Join({With("quantized_image", "image"), Weights(name, {out, 3, 3, 3}), With("", name)}),
                 name));
  }

  static Names Join(const std::vector<Names>& parts) {
    Names all;
    for (const Names& part : parts) {
      for (const std::string& name : part) {
        if (!name.empty()) {
          all.push_back(name);
        }
      }
    }
    return all;
  }

  ::onnx::ModelProto Make(const std::string& output) {
    writer_.Output(output + "'", ::onnx::TensorProto::FLOAT, 10);
    ::onnx::ModelProto model = writer_.Take();
    model.mutable_graph()->mutable_output(0)->set_name(output);
    return model;
  }

 private:
  GraphWriter writer_;
};

// Returns what each layer of the network writes for an image of mixed values, and at the end the logits.
inline std::vector<std::vector<int>> Tensors(const IntegerNetwork& network) {
  std::vector<int8_t> image(kImageBytes);
  for (size_t i = 0; i < image.size(); ++i) {
    image[i] = static_cast<int8_t>(static_cast<int>(i * 29 % 256) - 128);
  }
  std::vector<std::vector<int>> tensors = {{image.begin(), image.end()}};
  const std::vector<int32_t> logits = RunInteger(
      network, image.data(), nullptr,
      [&](size_t, const std::vector<int8_t>& values) { tensors.emplace_back(values.begin(), values.end()); });
  tensors.emplace_back(logits.begin(), logits.end());
  return tensors;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_ONNX_SMALL_MODEL_TESTING_H_
