"""Captures the kernels that `torch.compile` has Halide compile: `kernels.py FOLDER [NAME…]`.

PyTorch's CPU backend is set to Halide. Each function or model below runs once. Every kernel that
PyTorch has compiled on the way is kept, and not compiled, in a folder of its own, `FOLDER/NAME-N`:

* `kernel.py`, the Python generator that PyTorch writes;
* `callers.json`, what PyTorch's own calls of the kernel bring: the sides of every buffer, as
  conditions for `--assume`;
* `script.py`, a script for `halidom validate --halide-script`: it builds the generator's pipeline
  and lets the autoscheduler of PyTorch's choice schedule it. (A Python generator writes no pipeline
  files.)

PyTorch writes no assertions, so that its callers keep to the shapes and strides that the generator
sets. `judge.py` judges the kernels.
"""

import json
import sys
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
    from torch._inductor import codecache, config
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(0)

sys.path.append(str(Path(__file__).resolve().parents[3] / "python"))
import halidom.torch

A, B, C = (16, 24), (24,), (4, 6, 8)


def data(*shape, seed=[0]):
    seed[0] += 1
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed[0]))


def whole(*shape, most=100):
    return torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.int64).reshape(shape) % most


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.norm = nn.Linear(24, 32), nn.Linear(32, 24), nn.LayerNorm(24)

    def forward(self, x):
        return self.norm(x + self.two(F.gelu(self.one(x))))


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2)

    def forward(self, x):
        return self.pool(F.relu(self.norm(self.conv(x))))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(24, 24)

    def forward(self, x):
        return self.cell(x, torch.zeros_like(x))


class Attention(nn.Module):
    def forward(self, q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v


def gradient(function):
    """The kernels of a forward and a backward pass."""

    def both(*inputs):
        leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
        function(*leaves).sum().backward()

    both.compiles_within = True
    return both


def compiled(function):
    return torch.compile(function, dynamic=False)


# Names, functions or models, and inputs.
SUBJECTS = {
    "add": (lambda a, b: a + b, lambda: (data(*A), data(*A))),
    "broadcast": (lambda a, b: a * b + 1.0, lambda: (data(*A), data(*B))),
    "axpy": (lambda a, b: 2.5 * a + b, lambda: (data(*A), data(*A))),
    "relu": (lambda a: F.relu(a), lambda: (data(*A),)),
    "leaky_relu": (lambda a: F.leaky_relu(a, 0.1), lambda: (data(*A),)),
    "hardswish": (lambda a: F.hardswish(a), lambda: (data(*A),)),
    "sigmoid": (torch.sigmoid, lambda: (data(*A),)),
    "tanh": (torch.tanh, lambda: (data(*A),)),
    "gelu": (lambda a: F.gelu(a, approximate="tanh"), lambda: (data(*A),)),
    "silu": (lambda a: F.silu(a), lambda: (data(*A),)),
    "softplus": (lambda a: F.softplus(a), lambda: (data(*A),)),
    "elu": (lambda a: F.elu(a), lambda: (data(*A),)),
    "mish": (lambda a: F.mish(a), lambda: (data(*A),)),
    "sqrt": (lambda a: torch.sqrt(a.abs()) + torch.rsqrt(a.abs() + 1), lambda: (data(*A),)),
    "trigonometry": (lambda a: torch.sin(a) * torch.cos(a) + torch.atan(a), lambda: (data(*A),)),
    "rounding": (lambda a: a.floor() + a.ceil() - a.round() + a.trunc(), lambda: (data(*A),)),
    "clamp": (lambda a: a.clamp(-0.5, 0.5), lambda: (data(*A),)),
    "where": (lambda a, b: torch.where(a > b, a, -b), lambda: (data(*A), data(*A))),
    "min_max": (
        lambda a, b: torch.minimum(a, b) * torch.maximum(a, b),
        lambda: (data(*A), data(*A)),
    ),
    "comparison": (lambda a, b: (a < b) & (a != 0), lambda: (data(*A), data(*A))),
    "integers": (lambda a: (a * 3 + 7) // 2, lambda: (whole(*A),)),
    "remainder": (lambda a: a % 7, lambda: (whole(*A),)),
    "bits": (lambda a: (a & 15) | (a ^ 3), lambda: (whole(*A),)),
    "bytes": (
        lambda a: (a.to(torch.int32) * 2).clamp(0, 255).to(torch.uint8),
        lambda: (whole(*A).to(torch.uint8),),
    ),
    "halves": (lambda a: a.to(torch.float16) + 1, lambda: (data(*A),)),
    "to_integer": (lambda a: a.to(torch.int32), lambda: (data(*A) * 100,)),
    "sum": (lambda a: a.sum(), lambda: (data(*A),)),
    "sum_rows": (lambda a: a.sum(-1), lambda: (data(*A),)),
    "sum_columns": (lambda a: a.sum(0), lambda: (data(*A),)),
    "mean": (lambda a: a.mean(-1), lambda: (data(*A),)),
    "variance": (lambda a: a.var(-1), lambda: (data(*A),)),
    "amax": (lambda a: a.amax(-1), lambda: (data(*A),)),
    "amin": (lambda a: a.amin(0), lambda: (data(*A),)),
    "product": (lambda a: a.prod(-1), lambda: (data(*A),)),
    "argmax": (lambda a: a.argmax(-1), lambda: (data(*A),)),
    "any": (lambda a: (a > 2).any(-1), lambda: (data(*A),)),
    "softmax": (lambda a: torch.softmax(a, -1), lambda: (data(*A),)),
    "log_softmax": (lambda a: torch.log_softmax(a, -1), lambda: (data(*A),)),
    "logsumexp": (lambda a: torch.logsumexp(a, -1), lambda: (data(*A),)),
    "layer_norm": (lambda a: F.layer_norm(a, (24,)), lambda: (data(*A),)),
    "rms_norm": (
        lambda a: a * torch.rsqrt((a * a).mean(-1, keepdim=True) + 1e-5),
        lambda: (data(*A),),
    ),
    "norm": (lambda a: a / a.norm(dim=-1, keepdim=True), lambda: (data(*A),)),
    "cosine": (lambda a, b: F.cosine_similarity(a, b), lambda: (data(*A), data(*A))),
    "mse": (lambda a, b: F.mse_loss(a, b), lambda: (data(*A), data(*A))),
    "huber": (lambda a, b: F.smooth_l1_loss(a, b), lambda: (data(*A), data(*A))),
    "cross_entropy": (lambda a, b: F.cross_entropy(a, b), lambda: (data(*A), whole(16, most=24))),
    "transpose": (lambda a: (a.transpose(0, 1) + 1).contiguous(), lambda: (data(*A),)),
    "permute": (lambda a: (a.permute(2, 0, 1) * 2).contiguous(), lambda: (data(*C),)),
    "flip": (lambda a: a.flip(-1), lambda: (data(*A),)),
    "roll": (lambda a: a.roll(3, -1), lambda: (data(*A),)),
    "slice": (lambda a: a[:, 2:20:3] + 1, lambda: (data(*A),)),
    "cat": (lambda a, b: torch.cat([a, b], -1) * 2, lambda: (data(*A), data(*A))),
    "stack": (lambda a, b: torch.stack([a, b]) + 1, lambda: (data(*A), data(*A))),
    "pad": (lambda a: F.pad(a, (2, 3)), lambda: (data(*A),)),
    "reflect": (lambda a: F.pad(a, (2, 3), mode="reflect"), lambda: (data(*A),)),
    "repeat": (lambda a: a.repeat(2, 3) + 1, lambda: (data(*A),)),
    "gather": (lambda a, b: a.gather(1, b), lambda: (data(*A), whole(16, 5, most=24))),
    "index": (lambda a, b: a[b], lambda: (data(*A), whole(7, most=16))),
    "embedding": (lambda a, b: F.embedding(b, a), lambda: (data(*A), whole(5, 3, most=16))),
    "scatter_add": (
        lambda a, b: torch.zeros(24).index_add(0, b, a),
        lambda: (data(9), whole(9, most=24)),
    ),
    "one_hot": (lambda b: F.one_hot(b, 10).to(torch.float32), lambda: (whole(12, most=10),)),
    "cumsum": (lambda a: a.cumsum(-1), lambda: (data(*A),)),
    "arange": (lambda a: a + torch.arange(24), lambda: (data(*A),)),
    "tril": (lambda a: torch.tril(a), lambda: (data(*A),)),
    "outer": (lambda a, b: a[:, None] * b[None, :], lambda: (data(16), data(24))),
    "max_pool": (lambda a: F.max_pool2d(a, 2), lambda: (data(1, 3, 8, 12),)),
    "avg_pool": (lambda a: F.avg_pool2d(a, 3, 2), lambda: (data(1, 3, 9, 13),)),
    "adaptive_pool": (lambda a: F.adaptive_avg_pool2d(a, 1), lambda: (data(1, 3, 8, 12),)),
    "nearest": (lambda a: F.interpolate(a, scale_factor=2), lambda: (data(1, 3, 8, 12),)),
    "bilinear": (
        lambda a: F.interpolate(a, size=(11, 17), mode="bilinear"),
        lambda: (data(1, 3, 8, 12),),
    ),
    "group_norm": (lambda a: F.group_norm(a, 3), lambda: (data(2, 6, 5, 7),)),
    "instance_norm": (lambda a: F.instance_norm(a), lambda: (data(2, 3, 5, 7),)),
    "glu": (lambda a: F.glu(a), lambda: (data(*A),)),
    "dropout_eval": (lambda a: F.dropout(a, training=False) + 1, lambda: (data(*A),)),
    "lerp": (lambda a, b: torch.lerp(a, b, 0.3), lambda: (data(*A), data(*A))),
    "hypot": (lambda a, b: torch.hypot(a, b), lambda: (data(*A), data(*A))),
    "pow": (lambda a: a.abs() ** 1.5 + a**2, lambda: (data(*A),)),
    "log": (lambda a: torch.log1p(a.abs()) + torch.log2(a.abs() + 1), lambda: (data(*A),)),
    "exp": (lambda a: torch.exp(a) + torch.expm1(a), lambda: (data(*A),)),
    "erf": (torch.erf, lambda: (data(*A),)),
    "sign": (lambda a: torch.sign(a) * a.abs(), lambda: (data(*A),)),
    "isnan": (lambda a: torch.nan_to_num(a), lambda: (data(*A),)),
    "yuv": (lambda a: (a * torch.tensor([0.299, 0.587, 0.114])).sum(-1), lambda: (data(6, 8, 3),)),
    "blur": (lambda a: (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) / 3, lambda: (data(*A),)),
    "sobel": (
        lambda a: a[:-2, 2:] - a[:-2, :-2] + 2 * (a[1:-1, 2:] - a[1:-1, :-2]),
        lambda: (data(*A),),
    ),
    "rope": (
        lambda a: torch.cat([-a[..., 12:], a[..., :12]], -1) * torch.cos(a) + a,
        lambda: (data(*A),),
    ),
    "attention": (Attention(), lambda: (data(2, 6, 8), data(2, 6, 8), data(2, 6, 8))),
    "residual": (Residual(), lambda: (data(*A),)),
    "convolutional": (Convolutional().eval(), lambda: (data(1, 3, 10, 14),)),
    "recurrent": (Recurrent(), lambda: (data(*A),)),
    "softmax_gradient": (
        gradient(compiled(lambda a: torch.softmax(a, -1) * a)),
        lambda: (data(*A),),
    ),
    "gelu_gradient": (gradient(compiled(F.gelu)), lambda: (data(*A),)),
    "layer_norm_gradient": (
        gradient(compiled(lambda a: F.layer_norm(a, (24,)) * a)),
        lambda: (data(*A),),
    ),
    "residual_gradient": (gradient(compiled(Residual())), lambda: (data(*A),)),
    "max_pool_gradient": (
        gradient(compiled(lambda a: F.max_pool2d(a, 2))),
        lambda: (data(1, 3, 8, 12),),
    ),
}


def main():
    folder = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or list(SUBJECTS)
    folder.mkdir(parents=True, exist_ok=True)
    config.cpu_backend = "halide"
    # Every kernel is made anew, by this process.
    config.force_disable_caches = True
    config.compile_threads = 1
    state = {"name": "", "count": 0}

    def kept(cls, meta, source_code, submit_fn=None):
        place = folder / f"{state['name']}-{state['count']}"
        state["count"] += 1
        place.mkdir(exist_ok=True)
        halidom.torch.write(cls, meta, source_code, place)
        (place / "callers.json").write_text(json.dumps(halidom.torch.promises(meta), indent=1))
        # No later kernel depends on the values that this one writes.
        return lambda: lambda *arguments, **named: None

    codecache.HalideCodeCache.generate_halide_async = classmethod(kept)
    for name in wanted:
        state.update(name=name, count=0)
        function, inputs = SUBJECTS[name]
        torch._dynamo.reset()
        try:
            run = function if hasattr(function, "compiles_within") else compiled(function)
            with torch.enable_grad() if hasattr(function, "compiles_within") else torch.no_grad():
                run(*inputs())
            said = f"{state['count']} kernels"
        except Exception as error:  # PyTorch cannot compile every function by Halide.
            words = f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"
            said = f"{state['count']} kernels, then {words}"
        print(f"{name}: {said}", flush=True)


main()
