#!/usr/bin/env python3
"""The packages of the report's page: exact versions, and no address that only one machine can reach."""

import json
import pathlib
import re
import sys

PAGE = pathlib.Path("report")


def findings():
    package = json.loads((PAGE / "package.json").read_text())
    lock = (PAGE / "package-lock.json").read_text()
    for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
        if not re.fullmatch(r"\d+\.\d+\.\d+", version):
            yield f"report/package.json: {name} has no exact version: {version}"
        if json.loads(lock)["packages"][f"node_modules/{name}"]["version"] != version:
            yield f"report/package-lock.json: {name} is not {version}"
    if '"resolved"' in lock or "://" in lock:
        yield "report/package-lock.json: names an address; see omit-lockfile-registry-resolved in .npmrc"
    if re.search(r"registry\s*=|://", (PAGE / ".npmrc").read_text().replace("lockfile-registry", "")):
        yield "report/.npmrc: names a registry"


def main():
    found = list(findings())
    print("\n".join(found) or "page packages: no finding")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
