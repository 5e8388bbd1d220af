"""matmul_kernel on blackhole[2x2], planned and emitted by cpplan 0.1.0.

    from host import run
    results = run(ttnn.open_device(device_id=0), tensors)

takes the torch tensors a_ptr, b_ptr, c_ptr by name, in the memory layout of the kernel's launch, and returns those that
the kernel writes: c_ptr.
"""

from pathlib import Path

import torch
import ttnn

from cpplan.emit_ttmetal.pages import from_pages, to_pages
from cpplan.schedule.schedule import Axis, TensorLayout

KERNELS = Path(__file__).parent / "kernels"

# fmt: off
GRID = ((0, 0), (1, 1))  # first and last core
SEMAPHORES = 0
BUFFERS = [
    # index, format, bytes of a page, pages
    (0, "bfloat8_b", 1088, 8),  # a_ptr: load of a_ptr once
    (1, "bfloat8_b", 1088, 8),  # b_ptr: load of b_ptr once
    (2, "bfloat16", 2048, 4),  # c_ptr: store of c_ptr once
    (3, "float32", 4096, 4),  # acc_2: carried by loop k
]
TENSORS = {
    # shape and strides, in elements
    "a_ptr": ((70, 72), (72, 1)),
    "b_ptr": ((72, 100), (100, 1)),
    "c_ptr": ((70, 100), (100, 1)),
}
STORED_AS = {"a_ptr": "bfloat8_b", "b_ptr": "bfloat8_b"}  # tensors in block formats
WRITTEN = ["c_ptr"]
LAYOUTS = [
    TensorLayout(
        "a_ptr", "a_ptr", "bfp8_b",
        (Axis(32, 32, 3, 0), Axis(32, 32, 3, 0)),
        rows=0, columns=1, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "b_ptr", "b_ptr", "bfp8_b",
        (Axis(32, 32, 3, 0), Axis(32, 32, 4, 0)),
        rows=0, columns=1, in_runs=False, padding=0.0,
    ),
    TensorLayout(
        "c_ptr", "c_ptr", "bf16",
        (Axis(32, 32, 3, 0), Axis(32, 32, 4, 0)),
        rows=0, columns=1, in_runs=False, padding=0.0,
    ),
]
NOC_OF_KERNEL = {"move_noc0": 0, "move_noc1": 1, "compute": None}
ACCESSED = {
    "move_noc0": ["a_ptr"],
    "move_noc1": ["b_ptr", "c_ptr"],
    "compute": [],
}
COMPUTE = {
    "fidelity": "HiFi2",
    "approx": False,
    "fp32_dest_acc": True,
    "dst_full_sync": False,
    "unpack_to_dest_fp32": (3,),
}
ARGUMENTS = {
    "move_noc0": {
        # core_pid_m, core_pid_n
        (0, 0): [0, 0],
        (1, 0): [1, 0],
        (0, 1): [0, 1],
        (1, 1): [1, 1],
    },
    "move_noc1": {
        # core_pid_m, core_pid_n
        (0, 0): [0, 0],
        (1, 0): [1, 0],
        (0, 1): [0, 1],
        (1, 1): [1, 1],
    },
    "compute": {
        # core_pid_m, core_pid_n
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
