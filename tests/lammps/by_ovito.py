#!/usr/bin/env python3
"""What is expected of grains.in: LAMMPS runs it without templates of crystals, and OVITO (3.17, `pip install ovito`) finds which ones match where
LAMMPS has the atoms.   tests/lammps/by_ovito.py LMP"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ovito.io import import_file
from ovito.modifiers import PolyhedralTemplateMatchingModifier as Templates

KIND = Templates.Type
# The dumps, and what LAMMPS calls the structures that are looked for.
DUMPS = {
    "grains.txt": {KIND.FCC: 1, KIND.HCP: 2, KIND.BCC: 3, KIND.ICO: 4},
    "silicon.txt": {KIND.CUBIC_DIAMOND: 6, KIND.HEX_DIAMOND: 7},
}
COLUMNS = "c_crystal[1] c_crystal[2] c_crystal[3]"


def with_templates(dump: Path, numbers: dict) -> str:
    """The rows of the atoms that match, with the number of the structure, the deviation and the distance of neighbors."""
    pipeline = import_file(str(dump), sort_particles=True)
    templates = Templates(rmsd_cutoff=0.12, output_rmsd=True, output_interatomic_distance=True)
    for structure in templates.structures:
        structure.enabled = structure.id in map(int, numbers)
    pipeline.modifiers.append(templates)
    atoms = pipeline.compute().particles
    of = {int(kind): number for kind, number in numbers.items()}
    rows = zip(atoms["Particle Identifier"], atoms["Position"], atoms["Structure Type"], atoms["RMSD"], atoms["Interatomic Distance"])
    rows = [(id, *place, of[int(kind)], rmsd, away) for id, place, kind, rmsd, away in rows if int(kind) in of]
    head = dump.read_text().splitlines()[:9]
    head[3], head[8] = str(len(rows)), f"{head[8].rstrip()} {COLUMNS}"
    return "\n".join([*head, *(" ".join([str(id), *(f"{x:.7g}" for x in row)]) for id, *row in rows)]) + "\n"


here = Path(__file__).resolve().parent
with tempfile.TemporaryDirectory() as work:
    work = Path(work)
    for file in [here / "generate.sh", *here.glob("*.part")]:
        shutil.copy(file, work)
    script = re.sub(r"compute +crystal.*\n", "", (here / "grains.in").read_text())
    script = script.replace(COLUMNS, "").replace("thresh c_crystal[1] > 0", "").replace("%.7g", "%.17g")
    (work / "grains.in").write_text(script)
    subprocess.run(["bash", work / "generate.sh", sys.argv[1], "grains"], check=True)
    found = work / "expected/grains"
    for name, numbers in DUMPS.items():
        (found / name).write_text(with_templates(found / name, numbers))
    shutil.copytree(found, here / "expected/grains", dirs_exist_ok=True)
