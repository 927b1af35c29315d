"""Usage: readme_example.py COMMAND. The model in the README is one the command finds sound."""

import pathlib
import re
import subprocess
import sys
import tempfile

readme = pathlib.Path(__file__).resolve().parents[2] / "README.md"
models = re.findall(r"^```yaml\n(.*?)^```", readme.read_text(encoding="utf-8"), re.S | re.M)
if not models:
    sys.exit("README.md shows no model")
for text in models:
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        subprocess.run([sys.argv[1], "check", file.name], check=True)
