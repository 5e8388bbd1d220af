"""Replaces Triton's launch path: every ``kernel[grid](...)`` becomes a :class:`Launch`, nothing runs."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import itertools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cpplan.errors import CpplanError, KernelError
from cpplan.frontend import helion
from cpplan.frontend.arguments import describe, source_parts
from cpplan.frontend.binding import bind, by_name, three_extents
from cpplan.frontend.calls import call_text, tuned_call
from cpplan.frontend.configs import needed
from cpplan.frontend.launch import Config, Launch
from cpplan.frontend.reading import Refusal
from cpplan.frontend.stub_driver import StubDriver, patch_libraries, run_once, without_profiles


class CompiledStub:
    """What ``kernel[grid](...)`` and ``kernel.warmup(...)`` return: enough for occupancy arithmetic in host code."""

    n_regs, n_spills, n_max_threads, function, module = 32, 0, 1024, 0, 0

    def __init__(self, name: str, relaunch: Callable[..., Any] | None = None) -> None:
        self.metadata = types.SimpleNamespace(shared=16384, num_warps=4, num_stages=3, name=name)
        self.asm: dict[str, str] = {}
        self._relaunch = relaunch

    def _init_handles(self) -> None:
        """Host code calls this before reading register counts."""

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._relaunch(grid, args, kwargs) if self._relaunch else None


class Recorder:
    """Collects launches while its :meth:`active` context is open; identical launches are kept once. Launches that
    cannot even be recorded are ``refused``.

    ``overrides`` replaces constexpr values of every launch (autotuned kernels then use their first configuration only).
    """

    def __init__(self, mode: str = "fake", overrides: Mapping[str, Any] | None = None) -> None:
        self.mode = mode
        self.overrides = dict(overrides or {})
        self.launches: list[Launch] = []
        self.refused: list[Refusal] = []
        self.empty: list[str] = []  # launches of no program at all, in words
        self._pretence: Any = None  # torch's part of the pretence, which counts reads of values
        self._seen: set[str] = set()
        self._tunings = 0
        self._group: int | None = None
        self._config: Config = ()
        self._helion: _HelionCall | None = None
        self._root: Callable[[], Any] | None = None  # the user's own call, for replays

    @property
    def value_reads(self) -> int:
        """How often host code read a value that a tensor without memory does not have."""
        return self._pretence.value_reads if self._pretence is not None else 0

    def advice(self, error: Exception) -> str:
        """How to go on after a failure of the file, where tensors without memory may be the reason for it."""
        if self.value_reads or type(error).__module__.startswith("torch._subclasses"):
            return "; its tensors have no values (a read answers 0 or True), with --tensors cpu they are real ones"
        return ""

    # -- the three replaced entry points -----------------------------------------------------------------------------

    def run_kernel(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any, warmup: bool) -> Any:
        """Stands for ``JITFunction.run``: bind the arguments as Triton would and record them."""
        for hook in getattr(function, "pre_run_hooks", ()):
            hook(*args, **kwargs)
        overrides = {n: v for n, v in self.overrides.items() if self._helion is None or n in function.arg_names}
        given = by_name(function, args, kwargs, self.overrides) | overrides
        if warmup:
            return CompiledStub(function.__name__, lambda *launch: self._relaunch(function, given, *launch))
        backend, bound, specialization = bind(function, given)
        extents = grid(bound) if callable(grid) else grid
        self._record(function, backend, bound, specialization, three_extents(function, extents))
        return CompiledStub(function.__name__)

    def _relaunch(self, function: Any, given: dict[str, Any], grid: Any, args: Any, kwargs: Any) -> Any:
        """A launch through the handle that ``warmup`` returned; only non-constexpr arguments are passed again."""
        names = [p.name for p in function.params if not p.is_constexpr]
        names = names if len(args) <= len(names) else function.arg_names
        return function.run(**given | dict(zip(names, args, strict=False)) | kwargs, grid=grid, warmup=False)

    def run_tuned(self, tuner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Stands for ``Autotuner.run``: launch once per configuration that survives pruning."""
        tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
        if self._repeats(tuned_call(tuner, {**tuner.nargs, **kwargs})):
            return CompiledStub(getattr(tuner.base_fn, "__name__", ""))
        configs = list(tuner.prune_configs(kwargs)) if len(tuner.configs) > 1 else list(tuner.configs)
        configs = configs[:1] if self.overrides else configs
        self._tunings += 1
        outer, self._group = (self._group, self._config), self._tunings
        result: Any = None
        for config in configs:
            values = {**config.all_kwargs(), **self.overrides}
            if config.pre_hook is not None:
                config.pre_hook({**tuner.nargs, **kwargs, **values})
            self._config = tuple(config.kwargs.items())
            result = tuner.fn.run(*args, **{**kwargs, **values})
        self._group, self._config = outer
        tuner.best_config = configs[0] if configs else None
        tuner.nargs = None
        return result

    def _repeats(self, call: str) -> bool:
        """Whether a call was made before: benchmark loops repeat theirs thousands of times."""
        repeated = call in self._seen and not self.overrides
        self._seen.add(call)
        return repeated

    def run_mark(self, mark: Any) -> None:
        """Stands for a benchmark's sweep over sizes. That is not work to plan, unless a file launches nothing else:
        the first point of each plot is taken then."""
        if self.launches:
            return
        for plot in mark.benchmarks if isinstance(mark.benchmarks, list) else [mark.benchmarks]:
            first = plot.x_vals[0]
            sizes = first if isinstance(first, (list, tuple)) else [first] * len(plot.x_names)
            mark.fn(**dict(zip(plot.x_names, sizes, strict=True)), **{plot.line_arg: plot.line_vals[0]}, **plot.args)

    def run_heuristics(self, heuristics: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Stands for ``Heuristics.run``."""
        kwargs = {**kwargs, **self.overrides}
        for name, rule in heuristics.values.items():
            kwargs[name] = rule({**dict(zip(heuristics.arg_names, args, strict=False)), **kwargs})
        return heuristics.fn.run(*args, **kwargs)

    def run_helion(self, kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Stands for the call of a ``@helion.kernel``: run its host function once per configuration, when the call is
        repeated with the first only, for its result."""
        try:
            return self._run_helion(kernel, tuple(kernel.normalize_args(*args, **kwargs)))
        except KernelError as error:
            file, line = helion.author_of(kernel)
            self.refused.append(Refusal(kernel.name, f"{file}:{line}", f"{error}; the file was not run any further"))
            raise

    def _run_helion(self, kernel: Any, args: tuple[Any, ...]) -> Any:
        repeated = self._repeats(call_text(kernel, args))
        bound = helion.bound_kernel(kernel, args)
        configs = {helion.parameters(bound, c): c for c in helion.configurations(bound, self.overrides)}
        wanted = list(configs) if kernel.configs or self.overrides else needed(list(configs))
        call = _HelionCall(kernel, self._tunings, tuple(configs) if len(wanted) < len(configs) else ())
        outer = (self._group, self._config, self._helion)
        self._helion, result = call, None
        hosts = helion.compiled(bound, [configs[names] for names in wanted])
        for config, host in itertools.islice(hosts, 1 if repeated else None):
            call.launches, self._config = 0, helion.parameters(bound, config)
            result = host(*args)
            self._tunings = max(self._tunings, call.first + call.launches)
        self._group, self._config, self._helion = outer
        return result

    # -- records -------------------------------------------------------------------------------------------------------

    def _record(
        self, function: Any, backend: Any, bound: Mapping[str, Any], specialization: Any, grid: tuple[int, int, int]
    ) -> None:
        if min(grid) < 1:  # nothing runs
            self._explain_empty(function, grid)
            return
        signature, constants, attributes = source_parts(function, backend, bound, specialization)
        constexpr = {p.name for p in function.params if p.is_constexpr}
        constexprs = {n: v for n, v in bound.items() if n in constexpr}
        name, source, group = function.__name__, kernel_source(function), self._group
        lines: dict[int, int] = {}
        configs: tuple[Config, ...] = ()
        if self._helion is not None:  # its block sizes are constants of the generated module, not parameters
            constexprs |= dict(self._config)
            group, configs = self._helion.next_group(), self._helion.configs
            file, line = helion.author_of(self._helion.kernel)
            name, source, lines = self._helion.kernel.name, f"{file}:{line}", helion.author_lines(function, file)
        storages: dict[int, int] = {}  # numbered per launch, so that equal launches compare equal
        launch = Launch(
            kernel=name,
            function=function,
            arguments={n: describe(v, storages, self.mode == "cpu") for n, v in bound.items() if n not in constexpr},
            constexprs=constexprs,
            grid=grid,
            signature=signature,
            constants=constants,
            attributes=attributes,
            source=source,
            group=group,
            config=self._config,
            configs=configs,
            lines=lines,
            replay=self._replay(source, name),
        )
        if launch.key not in self._seen:
            self._seen.add(launch.key)
            self.launches.append(launch)

    def _explain_empty(self, function: Any, grid: tuple[int, int, int]) -> None:
        """An empty grid is no launch, unless it comes from a value that nobody knows."""
        name, source = function.__name__, kernel_source(function)
        self.empty.append(f"{source}: {name} is launched on the empty grid {grid}")
        if self.value_reads:
            why = "which comes from a value that the file reads from a tensor; values are known with --tensors cpu only"
            refusal = Refusal(name, source, f"{source}: {name} is launched on grid {grid}, {why}")
            self.refused += [refusal] if refusal not in self.refused else []

    def _replay(self, source: str, name: str) -> Callable[[Mapping[str, Any]], Launch]:
        """Repeats the user's call; of several launches that a call of a Helion kernel makes, it gives the same one."""
        root, mode = self._root, self.mode
        number = self._helion.launches if self._helion is not None else None
        assert root is not None

        def replay(overrides: Mapping[str, Any]) -> Launch:
            recorder = Recorder(mode, overrides)
            shown = ", ".join(f"{key}={value}" for key, value in overrides.items())
            try:
                with recorder.active():
                    root()
            except CpplanError:
                raise
            except Exception as error:  # host code of the user, such as an assertion in a grid function
                message = (str(error) or type(error).__name__).splitlines()[0]
                raise KernelError(f"{source}: {name} cannot be launched with {shown}: {message}") from error
            for launch in recorder.launches:
                if number in (None, launch.group):
                    return launch
            raise KernelError(f"{source}: {name} is not launched with {shown}")

        return replay

    # -- context -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Intercept launches; with torch installed, also pretend that a GPU is present."""
        import triton
        import triton.testing
        from triton.runtime import autotuner, driver, jit

        with contextlib.ExitStack() as stack:
            patch = _patcher(stack)
            previous = driver._active
            driver.set_active(StubDriver())
            stack.callback(lambda: setattr(driver, "_active", previous))
            patch(jit.JITFunction, "run", self._entry(_kernel_entry))
            patch(autotuner.Autotuner, "run", self._entry(Recorder.run_tuned))
            patch(autotuner.Heuristics, "run", self._entry(Recorder.run_heuristics))
            stack.enter_context(helion.when_imported(lambda module: self._patch_helion(module, patch)))
            for name in ("do_bench", "do_bench_cudagraph"):
                patch(triton.testing, name, run_once)
            patch(triton.testing.Mark, "run", lambda mark, *_, **__: self.run_mark(mark))
            patch_libraries(patch)
            stack.enter_context(without_profiles())
            if _has_torch():
                from cpplan.frontend.torch_stub import pretend_cuda

                self._pretence = stack.enter_context(pretend_cuda(patch, fake=self.mode == "fake"))
            yield

    def _patch_helion(self, module: types.ModuleType, patch: Callable[[Any, str, Any], None]) -> None:
        patch(module.Kernel, "__call__", self._entry(Recorder.run_helion, "__call__"))

    def _entry(self, method: Callable[..., Any], name: str = "run") -> Callable[..., Any]:
        """A replacement of method ``name`` that remembers the outermost call, so that it can be repeated."""

        def run(callee: Any, /, *args: Any, **kwargs: Any) -> Any:
            outermost = self._root is None
            if outermost:
                self._root = lambda: getattr(callee, name)(*args, **kwargs)
            try:
                return method(self, callee, args, kwargs)
            finally:
                if outermost:
                    self._root = None

        return run


class _HelionCall:
    """A call of a Helion kernel: its n-th launch belongs to the same problem in every configuration. ``configs`` are
    all configurations, if only some of them are launched."""

    def __init__(self, kernel: Any, first: int, configs: tuple[Config, ...]) -> None:
        self.kernel, self.first, self.launches, self.configs = kernel, first, 0, configs

    def next_group(self) -> int:
        """Group number of the next launch."""
        self.launches += 1
        return self.first + self.launches


def _kernel_entry(recorder: Recorder, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    options = dict(kwargs)
    return recorder.run_kernel(function, args, options, options.pop("grid"), options.pop("warmup", False))


def _patcher(stack: contextlib.ExitStack) -> Callable[[Any, str, Any], None]:
    """``patch(owner, name, value)``, undone when ``stack`` closes."""

    def patch(owner: Any, name: str, value: Any) -> None:
        if name in vars(owner):
            stack.callback(setattr, owner, name, vars(owner)[name])
        else:
            stack.callback(delattr, owner, name)
        setattr(owner, name, value)

    return patch


def _has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def kernel_source(function: Any) -> str:
    """``file.py:line`` of a kernel's definition."""
    code = inspect.unwrap(function.fn).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"
