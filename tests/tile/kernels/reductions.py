"""Loops of every kind of state; ``launch("sum_of_squares")`` launches the kernel of that name on rows of a matrix."""

import torch
import triton
import triton.language as tl

ROWS, COLUMNS, BLOCK = 8, 64, 16


@triton.jit
def columns_of(x, start, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    return tl.load(x + tl.arange(0, R)[:, None] * N + start + tl.arange(0, B)[None, :])


@triton.jit
def elementwise_sum_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.full((R, B), 0.5, tl.float32)
    for start in range(0, N, B):
        total += columns_of(x, start, N, R, B) * (start + 1)
    tl.store(y + tl.arange(0, R), tl.sum(total, 1))


@triton.jit
def sum_of_squares_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        total += tl.sum(tile * tile, 1)
    tl.store(y + tl.arange(0, R), tl.rsqrt(total / N + 1e-6))


@triton.jit
def largest_and_smallest_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    high = tl.full((R,), -float("inf"), tl.float32)
    low = tl.full((R, B), 1.0, tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        high = tl.maximum(high, tl.max(tile, 1))
        low = tl.where(tile < low, tile, low)
    tl.store(y + tl.arange(0, R), high - tl.min(low, 1))


@triton.jit
def some_blocks_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Adds only where a block's largest element is positive."""
    total = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        counts = tl.max(tile, 1) > 1.0
        total = tl.where(counts[:, None], total + tile, total)
    tl.store(y + tl.arange(0, R), tl.sum(total, 1))


@triton.jit
def log_sum_exp_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    peak = tl.full((R,), -float("inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        new_peak = tl.maximum(peak, tl.max(tile, 1))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(tile - new_peak[:, None]), 1)
        peak = new_peak
    tl.store(y + tl.arange(0, R), peak + tl.log(total))


@triton.jit
def block_weights_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Each block is taken to its own peak first, then both sides to the common one."""
    peak = tl.full((R,), -float("inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        own_peak = tl.max(tile, 1)
        own_total = tl.sum(tl.exp(tile - own_peak[:, None]), 1)
        new_peak = tl.maximum(peak, own_peak)
        total = tl.exp(peak - new_peak) * total + tl.exp(own_peak - new_peak) * own_total
        peak = new_peak
    tl.store(y + tl.arange(0, R), peak + tl.log(total))


@triton.jit
def ragged_log_sum_exp_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Over the first 40 columns: a block is cut, and others are left out."""
    peak = tl.full((R,), -float("inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)[None, :]
        tile = tl.load(x + tl.arange(0, R)[:, None] * N + columns, mask=columns < 40, other=-float("inf"))
        new_peak = tl.maximum(peak, tl.max(tile, 1))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(tile - new_peak[:, None]), 1)
        peak = new_peak
    tl.store(y + tl.arange(0, R), peak + tl.log(total))


@triton.jit
def one_peak_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """All rows together: peak and total are scalars, the weighted sum has an axis."""
    peak = -float("inf")
    total = 0.0
    weighted = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B) / 0.75
        new_peak = tl.maximum(peak, tl.max(tile))
        rescale = tl.exp(peak - new_peak)
        weight = tl.exp(tile - new_peak)
        total = total * rescale + tl.sum(weight)
        weighted = weighted * rescale + tl.sum(weight * tile, 1)
        peak = new_peak
    tl.store(y + tl.arange(0, R), weighted / total)


@triton.jit
def two_levels_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """The sum and the softmax run through an inner loop."""
    total = tl.zeros((R,), tl.float32)
    peak = tl.full((R,), -1.0e30, tl.float32)
    weight = tl.zeros((R,), tl.float32)
    for start in range(0, N, 2 * B):
        for half in range(2):
            tile = columns_of(x, start + half * B, N, R, B)
            total += tl.sum(tile, 1)
            new_peak = tl.maximum(peak, tl.max(tile, 1))
            weight = weight * tl.exp(peak - new_peak) + tl.sum(tl.exp(tile - new_peak[:, None]), 1)
            peak = new_peak
    tl.store(y + tl.arange(0, R), total + peak + tl.log(weight))


@triton.jit
def decayed_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    state = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        state = state * tl.exp(-tile * tile) + tile
    tl.store(y + tl.arange(0, R), tl.sum(state, 1))


@triton.jit
def fading_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    state = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        state = state * 0.9 + columns_of(x, start, N, R, B)
    tl.store(y + tl.arange(0, R), tl.sum(state, 1))


@triton.jit
def running_mean_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    mean = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        mean += (columns_of(x, start, N, R, B) - mean) / (start // B + 1)
    tl.store(y + tl.arange(0, R), tl.sum(mean, 1))


@triton.jit
def previous_block_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((R, B), tl.float32)
    before = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        total += tile * before
        before = tile
    tl.store(y + tl.arange(0, R), tl.sum(total, 1))


@triton.jit
def running_total_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((R,), tl.float32)
    largest = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        total += tl.sum(columns_of(x, start, N, R, B), 1)
        largest = tl.maximum(largest, total)
    tl.store(y + tl.arange(0, R), largest)


@triton.jit
def where_the_peak_is_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    peak = tl.full((R,), -float("inf"), tl.float32)
    place = tl.full((R,), 0.0, tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        own = tl.max(tile, 1)
        place = tl.where(own > peak, start + 0.0, place)
        peak = tl.maximum(peak, own)
    tl.store(y + tl.arange(0, R), place)


@triton.jit
def normalised_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """A softmax-weighted mean that is a mean after every trip."""
    peak = tl.full((R,), -float("inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    mean = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        new_peak = tl.maximum(peak, tl.max(tile, 1))
        weight = tl.exp(tile - new_peak[:, None])
        old = total * tl.exp(peak - new_peak)
        total = old + tl.sum(weight, 1)
        mean = (mean * old + tl.sum(weight * tile, 1)) / total
        peak = new_peak
    tl.store(y + tl.arange(0, R), mean)


@triton.jit
def weights_at_the_old_peak_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    peak = tl.full((R,), 0.0, tl.float32)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        new_peak = tl.maximum(peak, tl.max(tile, 1))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(tile - peak[:, None]), 1)
        peak = new_peak
    tl.store(y + tl.arange(0, R), total)


@triton.jit
def peak_of_something_else_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Terms that the peak does not bound: they may be anything where it is minus infinity."""
    peak = tl.full((R,), -float("inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        new_peak = tl.maximum(peak, tl.max(tl.log(tile), 1))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(tile - new_peak[:, None]), 1)
        peak = new_peak
    tl.store(y + tl.arange(0, R), total)


@triton.jit
def weights_across_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Rescales columns by the peaks of rows: the axes of a square block are mixed up."""
    peak = tl.full((R,), -1.0e30, tl.float32)
    acc = tl.zeros((R, R), tl.float32)
    for start in range(0, N, B):
        tile = columns_of(x, start, N, R, B)
        new_peak = tl.maximum(peak, tl.max(tile, 1))
        weight = tl.exp(tile - new_peak[:, None])
        acc = acc * tl.exp(peak - new_peak)[None, :] + tl.sum(weight, 1)[:, None]
        peak = new_peak
    tl.store(y + tl.arange(0, R), tl.sum(acc, 1))


@triton.jit
def written_in_place_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((R, B), tl.float32)
    for start in range(0, N, B):
        total += columns_of(x, start, N, R, B)
    tl.store(x + tl.arange(0, R), tl.sum(total, 1))


@triton.jit
def prefix_sums_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    total = tl.zeros((R,), tl.float32)
    for start in range(0, N, B):
        total += tl.sum(columns_of(x, start, N, R, B), 1)
        tl.store(y + tl.arange(0, R), total)


@triton.jit
def chain_of_rows_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """Each trip reads where the one before said."""
    total = tl.zeros((R,), tl.float32)
    at = 0
    for _ in range(N // B):
        total += tl.load(x + at + tl.arange(0, R))
        at = tl.load(x + at).to(tl.int32)
    tl.store(y + tl.arange(0, R), total)


@triton.jit
def until_negative_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """The mask of a load depends on what was loaded before."""
    total = tl.zeros((R,), tl.float32)
    alive = tl.full((R,), 1.0, tl.float32)
    for start in range(0, N, B):
        tile = tl.load(x + tl.arange(0, R) * N + start, mask=alive > 0, other=0.0)
        total += tile
        alive = tile
    tl.store(y + tl.arange(0, R), total)


@triton.jit
def halved_while_large_kernel(x, y, N: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    """What the inner loop adds depends on the total so far, which enters its body only."""
    total = 0.0
    for start in range(0, N, B):
        step = tl.load(x + start)
        while step > 1.0:
            step = step * 0.5 - tl.abs(total)
        total += step
    tl.store(y, total)


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, sink_ptr, o_ptr, scale,
    N: tl.constexpr, R: tl.constexpr, B: tl.constexpr, D: tl.constexpr, STYLE: tl.constexpr,
):  # fmt: skip
    """Keys are seen up to the row's own column (R rows stand beside N keys, so that most blocks are fully masked)."""
    rows, dims = tl.arange(0, R), tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + dims[None, :])
    if STYLE == "sink":
        peak = tl.load(sink_ptr + rows)
        total = tl.full((R,), 1.0, tl.float32)
    else:
        peak = tl.full((R,), -float("inf"), tl.float32)
        total = tl.zeros((R,), tl.float32)
    acc = tl.zeros((R, D), tl.float32)
    for start in range(0, N, B):
        columns = start + tl.arange(0, B)
        k = tl.load(k_ptr + columns[None, :] * D + dims[:, None])
        v = tl.load(v_ptr + columns[:, None] * D + dims[None, :])
        score = tl.dot(q, k, input_precision="ieee")
        score = tl.where(columns[None, :] <= rows[:, None], score, -float("inf"))
        if STYLE == "scale after the peak":
            new_peak = tl.maximum(peak, tl.max(score, 1))
            rescale = tl.exp2((peak - new_peak) * scale)
            weight = tl.exp2(score * scale - (new_peak * scale)[:, None])
        elif STYLE == "scale inside the peak":
            new_peak = tl.maximum(peak, tl.max(score, 1) * scale)
            rescale = tl.exp2(peak - new_peak)
            weight = tl.exp2(score * scale - new_peak[:, None])
        elif STYLE == "guard":
            new_peak = tl.maximum(peak, tl.max(score, 1))
            safe = tl.where(new_peak == -float("inf"), 0.0, new_peak)
            rescale = tl.exp(peak - safe)
            weight = tl.exp(score - safe[:, None])
        else:
            new_peak = tl.maximum(peak, tl.max(score, 1))
            rescale = tl.exp(peak - new_peak)
            weight = tl.exp(score - new_peak[:, None])
        total = total * rescale + tl.sum(weight, 1)
        acc = tl.dot(weight, v, acc * rescale[:, None], input_precision="ieee")
        peak = new_peak
    tl.store(o_ptr + rows[:, None] * D + dims[None, :], acc / total[:, None])


def launch(name):
    x, y = torch.empty(ROWS, COLUMNS, device="cuda"), torch.empty(ROWS, device="cuda")
    globals()[f"{name}_kernel"][(1,)](x, y, N=COLUMNS, R=ROWS, B=BLOCK)


def attend(style):
    q, k, v, o = (torch.empty(n, 16, device="cuda") for n in (32, 64, 64, 32))
    attention_kernel[(1,)](q, k, v, torch.empty(32, device="cuda"), o, 0.3, N=64, R=32, B=16, D=16, STYLE=style)


def matrices(m=32, n=32, k=64):
    a, b, c = torch.empty(m, k), torch.empty(k, n), torch.empty(m, n)
    product_kernel[(1,)](*(t.cuda() for t in (a, b, c)), M=m, N=n, K=k, B=16)


@triton.jit
def product_kernel(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, B: tl.constexpr):
    """A sum of products beside the plain sums of both operands, which a second loop inside adds up."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    beside = tl.zeros((M,), tl.float32)
    for start in range(0, K, B):
        k = start + tl.arange(0, B)
        left = tl.load(a + m[:, None] * K + k[None, :])
        acc += tl.dot(left, tl.load(b + k[:, None] * N + n[None, :]), input_precision="ieee")
        beside += tl.sum(left, 1)
    tl.store(c + m[:, None] * N + n[None, :], acc - beside[:, None])
