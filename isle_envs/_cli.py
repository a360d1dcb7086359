"""The console script ``isle``: the command line of the package ``agents`` that came with this one.

``agents`` is a common name, and its libraries are an extra; what stands in the way is said in one line.
"""

import sys
from importlib import import_module
from importlib.metadata import packages_distributions

_INSTALL = 'pip install "isle-envs[agents]"'


def main() -> int:
    """Run the command line; return its exit code, 2 if it cannot start."""
    obstacle = _obstacle()
    if obstacle is None:
        try:
            return int(import_module("agents.cli").main())
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in ("agents", "isle_envs"):
                raise
            obstacle = f"{error.name} is not installed; {_INSTALL}"
    print(f"isle: {obstacle}", file=sys.stderr)
    return 2


def _obstacle() -> str | None:
    """Why the package that ``import agents`` finds cannot be used, or None."""
    try:
        found = import_module("agents")
    except ModuleNotFoundError as error:
        if error.name == "agents":
            return f"the package agents is missing; {_INSTALL}"
        found = None
    except Exception:  # whatever another distribution's package does at import
        found = None
    if getattr(found, "DISTRIBUTION", None) == "isle-envs":
        return None
    owners = sorted(set(packages_distributions().get("agents", ())) - {"isle-envs"})
    whose = f"of {' and '.join(owners)} " if owners else ""
    file = getattr(found, "__file__", None)
    where = f"in {file} " if file else ""
    return f"the package agents {whose}{where}hides that of isle-envs; use an environment without it"
