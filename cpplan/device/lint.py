"""Check hardware specs: ``lint("my_device.mlir")`` lists what is inconsistent, with lines and hints."""

from __future__ import annotations

from cpplan.device.rules import Finding, all_findings, finding_of
from cpplan.device.source import LocatedSpecError, load

__all__ = ["Finding", "lint"]


def lint(name_or_path: str) -> list[Finding]:
    """Findings of a spec, by name or path; empty when it is consistent and fully cited.

    A file that cannot be parsed gives one finding (rule 'syntax' or 'structure'). Raises SpecError when there is no
    such spec.
    """
    try:
        return all_findings(load(name_or_path))
    except LocatedSpecError as error:
        return [finding_of(error)]
