"""chunk_scan_kernel on wormhole[2x2], planned and emitted by cpplan 0.1.0.

    from host import run
    results = run(ttnn.open_device(device_id=0), tensors)

takes the torch tensors x_ptr, b_ptr, c_ptr, dt_ptr, decay_ptr, state_ptr, d_ptr, y_ptr by name, in the memory layout of
the kernel's launch, and returns those that the kernel writes: y_ptr.
"""

from pathlib import Path

import torch
import ttnn

from cpplan.emit_ttmetal.pages import from_pages, to_pages
from cpplan.schedule.schedule import Axis, TensorLayout

KERNELS = Path(__file__).parent / "kernels"

# fmt: off
GRID = ((0, 0), (1, 1))  # first and last core
SEMAPHORES = 2
# 0: a shared block has come over NoC 1
# 1: room for d_ptr
BUFFERS = [
    # index, format, bytes of a page, pages
    (0, "bfloat16", 2048, 2),  # c_ptr: load of c_ptr once
    (1, "float32", 4096, 1),  # state_ptr: load of state_ptr once
    (2, "float32", 4096, 2),  # decay_ptr: load of decay_ptr once
    (3, "bfloat16", 2048, 2),  # b_ptr: load of b_ptr in loop k
    (4, "float32", 4096, 2),  # dt_ptr: load of dt_ptr in loop k
    (5, "float32", 4096, 2),  # decay_ptr_2: load of decay_ptr_2 in loop k
    (6, "bfloat16", 2048, 2),  # x_ptr: load of x_ptr in loop k
    (7, "bfloat16", 2048, 2),  # x_ptr_2: load of x_ptr_2 once
    (8, "float32", 4096, 1),  # d_ptr: load of d_ptr once
    (9, "bfloat16", 2048, 2),  # y_ptr: store of y_ptr once
    (10, "float32", 4096, 2),  # acc_10: carried by loop k
    (11, "bfloat16", 2048, 1),  # acc_2: cast (mamba_chunk_scan.py:65)
    (12, "bfloat16", 2048, 1),  # b: transpose (mamba_chunk_scan.py:71)
    (13, "bfloat16", 2048, 2),  # acc_8: cast (mamba_chunk_scan.py:80)
    (14, "float32", 4096, 1),  # index.rows: the row of every element of a page, for masks and indices
    (15, "float32", 4096, 1),  # index.columns: the column of every element of a page, for masks and indices
]
TENSORS = {
    # shape and strides, in elements
    "x_ptr": ((1, 128, 2, 32), (8192, 64, 32, 1)),
    "b_ptr": ((1, 128, 1, 32), (4096, 32, 32, 1)),
    "c_ptr": ((1, 128, 1, 32), (4096, 32, 32, 1)),
    "dt_ptr": ((1, 128, 2), (256, 2, 1)),
    "decay_ptr": ((1, 2, 128), (256, 128, 1)),
    "state_ptr": ((1, 1, 2, 32, 32), (2048, 2048, 1024, 32, 1)),
    "d_ptr": ((2,), (1,)),
    "y_ptr": ((1, 128, 2, 32), (8192, 64, 32, 1)),
}
STORED_AS = {}  # tensors in block formats
WRITTEN = ["y_ptr"]
LAYOUTS = [
    TensorLayout(
        "c_ptr", "c_ptr", "bf16",
        (Axis(1, 1, 1, 0), Axis(32, 32, 4, 0), Axis(1, 1, 1, 0), Axis(32, 32, 1, 0)),
        rows=1, columns=3, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "state_ptr", "state_ptr", "fp32",
        (Axis(1, 1, 1, 0), Axis(1, 1, 1, 0), Axis(1, 1, 2, 0), Axis(32, 32, 1, 0), Axis(32, 32, 1, 0)),
        rows=3, columns=4, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "decay_ptr", "decay_ptr", "fp32",
        (Axis(1, 1, 1, 0), Axis(1, 1, 2, 0), Axis(32, 32, 4, 0)),
        rows=2, columns=None, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "b_ptr", "b_ptr", "bf16",
        (Axis(1, 1, 1, 0), Axis(32, 32, 4, 0), Axis(1, 1, 1, 0), Axis(32, 32, 1, 0)),
        rows=1, columns=3, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "dt_ptr", "dt_ptr", "fp32",
        (Axis(1, 1, 1, 0), Axis(32, 32, 4, 0), Axis(1, 1, 2, 0)),
        rows=None, columns=1, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "decay_ptr.2", "decay_ptr", "fp32",
        (Axis(1, 1, 1, 0), Axis(1, 1, 2, 0), Axis(32, 32, 4, 0)),
        rows=None, columns=2, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "x_ptr", "x_ptr", "bf16",
        (Axis(1, 1, 1, 0), Axis(32, 32, 4, 0), Axis(1, 1, 2, 0), Axis(32, 32, 1, 0)),
        rows=1, columns=3, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "d_ptr", "d_ptr", "fp32",
        (Axis(1, 1, 2, 0),),
        rows=None, columns=None, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "y_ptr", "y_ptr", "bf16",
        (Axis(1, 1, 1, 0), Axis(32, 32, 4, 0), Axis(1, 1, 2, 0), Axis(32, 32, 1, 0)),
        rows=1, columns=3, in_runs=False, padding=0.0,
    ),
]
NOC_OF_KERNEL = {"move_noc0": 0, "move_noc1": 1, "compute": None}
ACCESSED = {
    "move_noc0": ["c_ptr", "state_ptr", "b_ptr", "dt_ptr", "x_ptr"],
    "move_noc1": ["decay_ptr", "decay_ptr.2", "x_ptr", "d_ptr", "y_ptr"],
    "compute": [],
}
COMPUTE = {
    "fidelity": "HiFi2",
    "approx": False,
    "fp32_dest_acc": True,
    "dst_full_sync": False,
    "unpack_to_dest_fp32": (1, 2, 4, 5, 8, 10, 14, 15),
}
ARGUMENTS = {
    "move_noc0": {
        # core_tile, core_head
        (0, 0): [0, 0],
        (1, 0): [1, 0],
        (0, 1): [0, 1],
        (1, 1): [1, 1],
    },
    "move_noc1": {
        # core_tile, core_head
        # d_ptr: reads, sends to itself, reader, first corner, last corner, receivers
        (0, 0): [0, 0, 0, 0, (1, 0), (0, 0), (0, 0), 1],
        (1, 0): [1, 0, 1, 0, (1, 0), (0, 0), (0, 0), 1],
        (0, 1): [0, 1, 0, 0, (1, 1), (0, 1), (0, 1), 1],
        (1, 1): [1, 1, 1, 0, (1, 1), (0, 1), (0, 1), 1],
    },
    "compute": {
        # core_tile, core_head
        (0, 0): [0, 0],
        (1, 0): [1, 0],
        (0, 1): [0, 1],
        (1, 1): [1, 1],
    },
}
# fmt: on


def core_range():
    """All cores in use."""
    first, last = (ttnn.CoreCoord(*corner) for corner in GRID)
    return ttnn.CoreRangeSet([ttnn.CoreRange(first, last)])


def words(device, arguments):
    """Run-time arguments of a core; (x, y) stands for the NoC coordinates of that logical core."""
    for argument in arguments:
        if isinstance(argument, tuple):
            place = device.worker_core_from_logical_core(ttnn.CoreCoord(*argument))
            yield from (place.x, place.y)
        else:
            yield argument


def data_movement(noc):
    """NCRISC drives NoC 0, BRISC NoC 1."""
    return ttnn.ReaderConfigDescriptor() if noc == 0 else ttnn.WriterConfigDescriptor()


def compute():
    """Configuration of the compute unit."""
    config = ttnn.ComputeConfigDescriptor(
        math_fidelity=getattr(ttnn.MathFidelity, COMPUTE["fidelity"]),
        math_approx_mode=COMPUTE["approx"],
        fp32_dest_acc_en=COMPUTE["fp32_dest_acc"],
        dst_full_sync_en=COMPUTE["dst_full_sync"],
    )
    if COMPUTE["unpack_to_dest_fp32"]:
        modes = [ttnn.UnpackToDestMode.Default] * 64
        for index in COMPUTE["unpack_to_dest_fp32"]:
            modes[index] = ttnn.UnpackToDestMode.UnpackToDestFp32
        config.unpack_to_dest_mode = modes
    return config


def kernel(device, name, noc, on_device):
    """One kernel with its arguments."""
    accessed, per_core = ACCESSED[name], ttnn.RuntimeArgs()
    for (x, y), arguments in ARGUMENTS[name].items():
        per_core[x][y] = list(words(device, arguments))
    accessors = [ttnn.TensorAccessorArgs(on_device[tensor]).get_compile_time_args() for tensor in accessed]
    return ttnn.KernelDescriptor(
        kernel_source=str(KERNELS / f"{name}.cpp"),
        core_ranges=core_range(),
        compile_time_args=[word for words_of_one in accessors for word in words_of_one],
        runtime_args=per_core,
        common_runtime_args=[on_device[tensor].buffer_address() for tensor in accessed],
        config=compute() if noc is None else data_movement(noc),
    )


def program(device, on_device):
    """The descriptor of the whole program; circular buffers are laid out in this order."""
    buffers = [
        ttnn.CBDescriptor(
            total_size=page_bytes * pages,
            core_ranges=core_range(),
            format_descriptors=[
                ttnn.CBFormatDescriptor(buffer_index=index, data_format=getattr(ttnn, kind), page_size=page_bytes)
            ],
        )
        for index, kind, page_bytes, pages in BUFFERS
    ]
    semaphores = [
        ttnn.SemaphoreDescriptor(id=number, core_ranges=core_range(), initial_value=0) for number in range(SEMAPHORES)
    ]
    kernels = [kernel(device, name, noc, on_device) for name, noc in NOC_OF_KERNEL.items()]
    return ttnn.ProgramDescriptor(kernels=kernels, semaphores=semaphores, cbs=buffers)


def to_device(device, tensor, layout):
    """A tensor as pages in DRAM: hardware tiles, or runs of 1,024 elements."""
    shape, strides = TENSORS[layout.tensor]
    array = torch.as_strided(tensor, shape, strides)
    array = array.float().numpy() if tensor.is_floating_point() else array.numpy()
    in_blocks = STORED_AS.get(layout.tensor)
    pages = torch.from_numpy(to_pages(array, layout)).to(torch.float32 if in_blocks else tensor.dtype)
    return ttnn.from_torch(
        pages if layout.in_runs else pages.reshape(-1, 32),
        dtype=getattr(ttnn, in_blocks) if in_blocks else None,
        layout=ttnn.ROW_MAJOR_LAYOUT if layout.in_runs else ttnn.TILE_LAYOUT,
        device=device,
        memory_config=ttnn.DRAM_MEMORY_CONFIG,
    )


def from_device(on_device, like, layout):
    """The tensor that the pages in DRAM hold."""
    pages = ttnn.to_torch(on_device).reshape(-1, 1024)
    shape, strides = TENSORS[layout.tensor]
    pages = pages.float().numpy() if like.is_floating_point() else pages.numpy()
    result = like.clone()
    torch.as_strided(result, shape, strides).copy_(torch.from_numpy(from_pages(pages, layout, shape)))
    return result


def run(device, tensors):
    """The tensors that the kernel writes, by name."""
    on_device = {layout.name: to_device(device, tensors[layout.tensor], layout) for layout in LAYOUTS}
    ttnn.generic_op(list(on_device.values()), program(device, on_device))
    written = [layout for layout in LAYOUTS if layout.tensor in WRITTEN]
    return {item.tensor: from_device(on_device[item.name], tensors[item.tensor], item) for item in written}
