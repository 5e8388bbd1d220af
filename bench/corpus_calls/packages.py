"""Parts of packages whose import needs a compiled extension or a large framework: only kernel files are loaded."""

import importlib.util
import sys
import types


class _Anything(type):
    """A class, so that it can be derived from, that has any attribute and can be called."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})

    def __call__(cls, *_, **__):
        return None


def _anything(attribute):
    if attribute.startswith("__"):
        raise AttributeError(attribute)
    return _Anything(attribute, (), {})


def bare_package(name):
    """Make submodules of ``name`` importable without running the package's own ``__init__``."""
    if name not in sys.modules:
        module = types.ModuleType(name)
        module.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)
        sys.modules[name] = module
    return sys.modules[name]


def stand_in(name, **attributes):
    """A module that has any name one imports from it: those given, and empty classes otherwise."""
    if name not in sys.modules:
        module = types.ModuleType(name)
        module.__path__ = []
        module.__dict__.update(attributes)
        module.__getattr__ = _anything
        sys.modules[name] = module
    return sys.modules[name]
