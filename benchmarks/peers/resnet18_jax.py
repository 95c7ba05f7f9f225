"""Baseline of train_sweep and scale_run --preset=fast: JAX's ResNet-18 step, in seconds per 50,000 images.

    python3 benchmarks/peers/resnet18_jax.py [--gpus 1] [--batch 512 128 32] [--output FILE]

The network of kuangliu/pytorch-cifar (11,173,962 parameters), NHWC, bf16 products with fp32 master weights (each step
casts them), batch norm's statistics and the loss in fp32, SGD 0.01 / 0.9 / 5e-4. An epoch is one jitted program:
jax.lax.scan over its steps, with the state donated and no host work in between. On several GPUs shard_map divides each
batch, gradients are averaged in bf16, and each GPU has its own batch-norm statistics; --batch is per GPU. One batch is
on the GPU, like in PyTorch's baselines: without loading or augmentation.

Each batch size runs in a separate process, so that a fatal error of XLA ends one case only. Checked before a time is
printed:
- the number of parameters;
- the loss of the first step is ln(10) within 1;
- gradients in bf16 are within half of those in fp32, by their norm (at the start 28 % are rounding, also in PyTorch's
  autocast; --check=false omits this check);
- after the timed epochs the loss is finite and below the first one.
In fp32 loss and gradients were once compared with PyTorch's: they differ by 2e-7 and 0.2 %. The first epoch is not
counted; median of --repeats (min to max). --output appends every epoch as a JSON line. JAX_COMPILATION_CACHE_DIR keeps
compiled programs for the next process.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import measurements  # noqa: E402

IMAGES = 50_000
WIDTHS = [(64, 1), (128, 2), (256, 2), (512, 2)]  # output channels and stride of each layer's two blocks


def versions(jax):
    """Returns the versions of JAX and of the CUDA libraries that it loaded."""
    found = {"jax": jax.__version__}
    try:
        from jax._src.lib import cuda_versions
        cuda, cudnn = cuda_versions.cuda_runtime_get_version(), cuda_versions.cudnn_get_version()
        found |= {"cuda": f"{cuda // 1000}.{cuda % 1000 // 10}", "cudnn": f"{cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}"}
    except (ImportError, AttributeError, RuntimeError):
        pass  # a private module; it does not exist on the CPU
    return found


def run_case(args):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    # Multicast over NVLink stays off: a fault in it can take a shared host's GPUs down.
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    import jax
    import jax.numpy as jnp
    from jax import lax

    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    devices = jax.devices()[:args.gpus]
    assert len(devices) == args.gpus, f"{args.gpus} GPUs are wanted, {len(devices)} were found"
    batch, ranks = args.batch[0], args.gpus
    steps = max(1, args.images // (batch * ranks))
    mesh = jax.sharding.Mesh(devices, ("gpu",))
    whole, divided = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("gpu")
    uniform = jax.nn.initializers.variance_scaling(1 / 3, "fan_in", "uniform")  # PyTorch's kaiming_uniform(a=sqrt(5))

    def convolution(key, inputs, outputs, size):
        return uniform(key, (size, size, inputs, outputs), jnp.float32)

    def batch_norm(channels):
        return {"scale": jnp.ones(channels), "shift": jnp.zeros(channels)}

    def running(channels):
        return {"mean": jnp.zeros(channels), "var": jnp.ones(channels)}

    def initial(key):
        keys = iter(jax.random.split(key, 64))
        weights = {"conv1": convolution(next(keys), 3, 64, 3), "bn1": batch_norm(64), "blocks": []}
        state = {"bn1": running(64), "blocks": []}
        inputs = 64
        for outputs, first_stride in WIDTHS:
            for stride in (first_stride, 1):
                block = {"conv1": convolution(next(keys), inputs, outputs, 3), "bn1": batch_norm(outputs),
                         "conv2": convolution(next(keys), outputs, outputs, 3), "bn2": batch_norm(outputs)}
                stats = {"bn1": running(outputs), "bn2": running(outputs)}
                if stride != 1 or inputs != outputs:
                    block |= {"conv3": convolution(next(keys), inputs, outputs, 1), "bn3": batch_norm(outputs)}
                    stats["bn3"] = running(outputs)
                weights["blocks"].append(block)
                state["blocks"].append(stats)
                inputs = outputs
        bound = 1 / 512**0.5
        weights["linear"] = jax.random.uniform(next(keys), (512, 10), minval=-bound, maxval=bound)
        weights["bias"] = jax.random.uniform(next(keys), (10,), minval=-bound, maxval=bound)
        return weights, state

    def convolve(x, w, stride, dtype):
        pad = (w.shape[0] - 1) // 2
        return lax.conv_general_dilated(x, w.astype(dtype), (stride, stride), [(pad, pad), (pad, pad)],
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def normalize(x, weights, stats):
        wide = x.astype(jnp.float32)
        mean = wide.mean((0, 1, 2))
        var = jnp.maximum((wide * wide).mean((0, 1, 2)) - mean * mean, 0)
        count = x.size // x.shape[-1]
        kept = {"mean": 0.9 * stats["mean"] + 0.1 * lax.stop_gradient(mean),
                "var": 0.9 * stats["var"] + 0.1 * lax.stop_gradient(var) * (count / (count - 1))}
        factor = weights["scale"] * lax.rsqrt(var + 1e-5)
        return (wide * factor + (weights["shift"] - mean * factor)), kept

    def network(weights, state, images, dtype):
        kept = {"blocks": []}
        x = convolve(images.astype(dtype), weights["conv1"], 1, dtype)
        x, kept["bn1"] = normalize(x, weights["bn1"], state["bn1"])
        x = jax.nn.relu(x).astype(dtype)
        strides = [stride for _, first_stride in WIDTHS for stride in (first_stride, 1)]
        for block, stats, stride in zip(weights["blocks"], state["blocks"], strides):
            now = {}
            y, now["bn1"] = normalize(convolve(x, block["conv1"], stride, dtype), block["bn1"], stats["bn1"])
            y = jax.nn.relu(y).astype(dtype)
            y, now["bn2"] = normalize(convolve(y, block["conv2"], 1, dtype), block["bn2"], stats["bn2"])
            around = x.astype(jnp.float32)
            if "conv3" in block:
                around, now["bn3"] = normalize(convolve(x, block["conv3"], stride, dtype), block["bn3"], stats["bn3"])
            x = jax.nn.relu(y + around).astype(dtype)
            kept["blocks"].append(now)
        x = x.astype(jnp.float32).mean((1, 2)).astype(dtype)
        return (x @ weights["linear"].astype(dtype)).astype(jnp.float32) + weights["bias"], kept

    def loss_of(weights, state, images, labels, dtype):
        logits, kept = network(weights, state, images, dtype)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
        return -chosen.mean(), kept

    def mean_over_gpus(gradient):
        return lax.pmean(gradient.astype(jnp.bfloat16), "gpu").astype(jnp.float32)

    def update(weights, momentum, state, images, labels):
        (loss, state), gradient = jax.value_and_grad(loss_of, has_aux=True)(weights, state, images, labels, jnp.bfloat16)
        if ranks > 1:
            gradient = jax.tree.map(mean_over_gpus, gradient)
        momentum = jax.tree.map(lambda v, g, w: 0.9 * v + g + 5e-4 * w, momentum, gradient, weights)
        weights = jax.tree.map(lambda w, v: w - 0.01 * v, weights, momentum)
        return weights, momentum, state, loss

    def epoch(weights, momentum, state, images, labels):
        def step(carry, _):
            *carry, loss = update(*carry, images, labels)
            return tuple(carry), loss

        carry, losses = lax.scan(step, (weights, momentum, state), None, length=steps)
        return (*carry, losses)

    image_key, label_key = jax.random.split(jax.random.key(1))
    weights, state = jax.jit(initial)(jax.random.key(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(weights))
    assert count == 11_173_962, count
    momentum = jax.tree.map(jnp.zeros_like, weights)
    images = jax.random.normal(image_key, (batch * ranks, 32, 32, 3))
    labels = jax.random.randint(label_key, (batch * ranks,), 0, 10)

    def gradient_of_some(dtype):
        some = min(batch, 64)
        function = jax.jit(lambda w, s, x, y: jax.grad(loss_of, has_aux=True)(w, s, x, y, dtype)[0])
        with jax.default_matmul_precision("highest"):
            return function(weights, state, images[:some], labels[:some])

    if args.check:
        exact, rounded = gradient_of_some(jnp.float32), gradient_of_some(jnp.bfloat16)
        difference = sum(((a - b) ** 2).sum() for a, b in zip(jax.tree.leaves(exact), jax.tree.leaves(rounded)))
        error = float(jnp.sqrt(difference / sum((a**2).sum() for a in jax.tree.leaves(exact))))
        assert error < 0.5, f"gradients in bf16 are off by {error} of their norm"

    if ranks > 1:
        state_and_losses = (whole, whole, whole, whole)
        epoch = jax.shard_map(epoch, mesh=mesh, in_specs=(whole, whole, whole, divided, divided), out_specs=state_and_losses,
                              check_vma=False)
        place = jax.sharding.NamedSharding
        images, labels = (jax.device_put(x, place(mesh, divided)) for x in (images, labels))
        weights, momentum, state = jax.device_put((weights, momentum, state), place(mesh, whole))
    epoch = jax.jit(epoch, donate_argnums=(0, 1, 2))

    begin = time.perf_counter()
    *values, losses = epoch(weights, momentum, state, images, labels)
    first = float(losses[0])
    jax.block_until_ready(values)
    compiled = time.perf_counter() - begin
    assert abs(first - 2.302585) < 1, first
    seconds = []
    for _ in range(args.repeats):
        begin = time.perf_counter()
        *values, losses = epoch(*values, images, labels)
        jax.block_until_ready((values, losses))
        seconds.append((time.perf_counter() - begin) * IMAGES / (steps * batch * ranks))
    last = float(losses[-1])
    assert last < first, (first, last)  # also fails for NaN
    writer = measurements.Writer(args.output, versions(jax), devices[0].device_kind, ranks)
    writer.add("scan", batch=batch, seconds=seconds)
    print(f"{batch:5d}  {statistics.median(seconds):7.4f} ({min(seconds):.4f} to {max(seconds):.4f})  scan, {ranks} x "
          f"{devices[0].device_kind}, JAX {jax.__version__}; first epoch with compiling {compiled:.0f} s; loss {first:.3f} to "
          f"{last:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128, 32])
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5, help="timed epochs")
    parser.add_argument("--images", type=int, default=IMAGES, help="images of an epoch; fewer to try it on a CPU")
    parser.add_argument("--check", type=lambda text: {"true": True, "false": False}[text], default=True,
                        help="compare gradients in bf16 with fp32")
    parser.add_argument("--output", default="", help="file to which every timed epoch is appended as JSON")
    args = parser.parse_args()
    if len(args.batch) == 1:
        run_case(args)
        return
    failed = False
    for batch in args.batch:
        command = [sys.executable, os.path.abspath(__file__), f"--batch={batch}", f"--gpus={args.gpus}", f"--repeats={args.repeats}",
                   f"--images={args.images}", f"--output={args.output}", f"--check={str(args.check).lower()}"]
        failed |= subprocess.run(command).returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
