"""Baseline of train_sweep and scale_run --preset=fast: JAX's ResNet-18 step, in seconds per 50,000 images.

    python3 benchmarks/peers/resnet18_jax.py [--gpus 1] [--batch 512 128 32] [--dataset dataset.rec] [--output FILE]

The network of kuangliu/pytorch-cifar (11,173,962 parameters), NHWC, bf16 products with fp32 master weights (each step
casts them), batch norm's statistics and the loss in fp32, SGD 0.01 / 0.9 / 5e-4. An epoch is one jitted program:
jax.lax.scan over its steps, with the state donated and no host work in between. On several GPUs shard_map divides each
batch, gradients are averaged in bf16, and each GPU has its own batch-norm statistics; --batch is per GPU. Without
--dataset one batch is on the GPU, like in PyTorch's baselines: no loading or augmentation. With --dataset the images of
the record are in the memory of each GPU, and the program also draws the epoch's order, and in each step crops, flips
and normalizes the images of the batch.

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
import dataset_record  # noqa: E402
import measurements  # noqa: E402

IMAGES = 50_000


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


def resident_images(path):
    """Returns (pixels, labels) of the record's training images, uint8 (n, 32, 32, 3) and (n), on the first GPU."""
    import jax.numpy as jnp
    import numpy as np

    pixels, labels = (np.frombuffer(data, np.uint8) for data in dataset_record.read(path)[dataset_record.TRAINING])
    return jnp.asarray(pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)), jnp.asarray(labels.astype(np.int32))


def run_case(args):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    # Multicast over NVLink stays off: a fault in it can take a shared host's GPUs down.
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    import jax
    import jax.numpy as jnp
    import resnet18_jax_network as network
    from jax import lax

    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    devices = jax.devices()[:args.gpus]
    assert len(devices) == args.gpus, f"{args.gpus} GPUs are wanted, {len(devices)} were found"
    batch, ranks = args.batch[0], args.gpus
    mesh = jax.sharding.Mesh(devices, ("gpu",))
    whole, divided = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("gpu")

    def mean_over_gpus(gradient):
        return lax.pmean(gradient.astype(jnp.bfloat16), "gpu").astype(jnp.float32)

    def update(weights, momentum, state, images, labels):
        (loss, state), gradient = jax.value_and_grad(network.loss_of, has_aux=True)(
            weights, state, images, labels, jnp.bfloat16)
        if ranks > 1:
            gradient = jax.tree.map(mean_over_gpus, gradient)
        momentum = jax.tree.map(lambda v, g, w: 0.9 * v + g + 5e-4 * w, momentum, gradient, weights)
        weights = jax.tree.map(lambda w, v: w - 0.01 * v, weights, momentum)
        return weights, momentum, state, loss

    def epoch(weights, momentum, state, images, labels, key):
        rank = lax.axis_index("gpu") if ranks > 1 else 0
        drawn = network.places_and_keys(key, len(labels), steps, batch, rank, ranks) if args.dataset else None

        def step(carry, drawn):
            images_and_labels = network.augmented(images, labels, *drawn) if args.dataset else (images, labels)
            *carry, loss = update(*carry, *images_and_labels)
            return tuple(carry), loss

        carry, losses = lax.scan(step, (weights, momentum, state), drawn, length=steps)
        return (*carry, losses)

    image_key, label_key = jax.random.split(jax.random.key(1))
    weights, state = jax.jit(network.initial)(jax.random.key(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(weights))
    assert count == 11_173_962, count
    momentum = jax.tree.map(jnp.zeros_like, weights)
    images = jax.random.normal(image_key, (batch * ranks, 32, 32, 3))
    labels = jax.random.randint(label_key, (batch * ranks,), 0, 10)

    def gradient_of_some(dtype):
        some = min(batch, 64)
        function = jax.jit(lambda w, s, x, y: jax.grad(network.loss_of, has_aux=True)(w, s, x, y, dtype)[0])
        with jax.default_matmul_precision("highest"):
            return function(weights, state, images[:some], labels[:some])

    if args.check:
        exact, rounded = gradient_of_some(jnp.float32), gradient_of_some(jnp.bfloat16)
        difference = sum(((a - b) ** 2).sum() for a, b in zip(jax.tree.leaves(exact), jax.tree.leaves(rounded)))
        error = float(jnp.sqrt(difference / sum((a**2).sum() for a in jax.tree.leaves(exact))))
        assert error < 0.5, f"gradients in bf16 are off by {error} of their norm"

    if args.dataset:
        images, labels = resident_images(args.dataset)
        args.images = min(args.images, len(labels))
    steps = max(1, args.images // (batch * ranks))
    if ranks > 1:
        state_and_losses = (whole, whole, whole, whole)
        of_data = whole if args.dataset else divided
        epoch = jax.shard_map(epoch, mesh=mesh, in_specs=(whole, whole, whole, of_data, of_data, whole),
                              out_specs=state_and_losses, check_vma=False)
        place = jax.sharding.NamedSharding
        images, labels = (jax.device_put(x, place(mesh, of_data)) for x in (images, labels))
        weights, momentum, state = jax.device_put((weights, momentum, state), place(mesh, whole))
    epoch = jax.jit(epoch, donate_argnums=(0, 1, 2))

    begin = time.perf_counter()
    *values, losses = epoch(weights, momentum, state, images, labels, jax.random.key(2))
    first = float(losses[0])
    jax.block_until_ready(values)
    compiled = time.perf_counter() - begin
    assert abs(first - 2.302585) < 1, first
    seconds = []
    for repeat in range(args.repeats):
        key = jax.random.key(3 + repeat)
        begin = time.perf_counter()
        *values, losses = epoch(*values, images, labels, key)
        jax.block_until_ready((values, losses))
        seconds.append((time.perf_counter() - begin) * IMAGES / (steps * batch * ranks))
    last = float(losses[-1])
    assert last < first, (first, last)  # also fails for NaN
    writer = measurements.Writer(args.output, versions(jax), devices[0].device_kind, ranks)
    case = "scan" + (", augmented" if args.dataset else "")
    writer.add(case, batch=batch, seconds=seconds, prepare_seconds=compiled)
    print(f"{batch:5d}  {statistics.median(seconds):7.4f} ({min(seconds):.4f} to {max(seconds):.4f})  {case}, "
          f"{ranks} x {devices[0].device_kind}, JAX {jax.__version__}; first epoch with compiling {compiled:.0f} s; "
          f"loss {first:.3f} to {last:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128, 32])
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--dataset", default="", help="dataset record whose augmented images are the batches")
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
        command = [sys.executable, os.path.abspath(__file__), f"--batch={batch}", f"--gpus={args.gpus}",
                   f"--dataset={args.dataset}", f"--repeats={args.repeats}", f"--images={args.images}",
                   f"--output={args.output}", f"--check={str(args.check).lower()}"]
        failed |= subprocess.run(command).returncode != 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
