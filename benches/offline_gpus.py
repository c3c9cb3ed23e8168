#!/usr/bin/env python3
"""Compiles the programs of scripts for GPUs that are not here, by the compilers of their drivers, and says what kernels take.

    benches/offline_gpus.py [--few] [--shapes amd64,amd32] [--jobs 2] [--json FILE] [--clamps target/release/clamps] [SCRIPT...]

The texts come from runs on the CPU (PoCL) with a GPU's shapes: CLAMPS_REHEARSE and CLAMPS_TEXTS of src/gpu/rehearsal.rs. AMD's come
to clang's amdgcn backend with libclc (Debian: clang-16 libclc-16; LIBCLC names its .bc file where it is elsewhere), Intel's to ocloc
(Debian: intel-opencl-icd). A compiler that is not there is skipped, aloud. The exit status is 1 where a program does not compile.
Scripts are those of tests/lammps, without SCRIPT twenty of them and a melt of 104,400 atoms, whose lists are in tiles; with --few two."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = ("melt bonded charges covalent covalent_other deformed friction gjf many_body metals micelle motions nose_hoover pairs_lj pairs_other "
           "pairs_table rigid stresses thermostats tilted").split()
LARGE = """units lj
lattice fcc 0.8442
region box block 0 30 0 30 0 29
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
fix 1 all nve
run 0
"""
# Shapes (CLAMPS_REHEARSE), precision, kernels, and for whom that is.
SHAPES = {
    "amd64": ("amd64", "mixed", "tuned", ["gfx900", "gfx90a"]),
    "amd64-double": ("amd64", "double", "tuned", ["gfx90a"]),
    "amd64-plain": ("amd64", "mixed", "plain", ["gfx90a"]),
    "amd32": ("amd32", "mixed", "tuned", ["gfx1100"]),
    "amd32-single": ("amd32,fp32", "single", "tuned", ["gfx1100"]),
    "intel16": ("intel16", "mixed", "tuned", ["skl", "pvc"]),
    "intel16-single": ("intel16,fp32", "single", "tuned", ["dg2"]),
    "intel16-plain": ("intel16,fp32", "single", "plain", ["dg2"]),
}
FEW = ["amd64", "intel16-single"]


def libclc():
    named = [os.environ["LIBCLC"]] if "LIBCLC" in os.environ else []
    found = [path for path in named + sorted(glob.glob("/usr/lib/clc*/tahiti-amdgcn-mesa-mesa3d.bc")) if os.path.exists(path)]
    return found[0] if found else None


def options_of(text):
    """The build options in a text's first line, but for what only the CPU's compiler is told."""
    with open(text) as file:
        return [word for word in file.readline()[2:].split() if word not in ("-w", "-cl-opt-disable")]


def amd(text, chip, out):
    """Rows of (kernel, figures), or None, and what the compiler said."""
    made = os.path.join(out, "out.s")
    done = subprocess.run(["clang-16", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-target", "amdgcn-mesa-mesa3d",
                           f"-mcpu={chip}", "-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc(), "-O3", "-S",
                           *options_of(text), text, "-o", made], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    rows = []
    for part in open(made).read().split("\n\t.globl\t")[1:]:
        figure = {name: re.search(rf"; {name}: *(\d+)", part) for name in ("NumVgprs", "ScratchSize", "LDSByteSize", "Occupancy")}
        if all(figure.values()):
            registers, scratch, local, waves = (int(found[1]) for found in figure.values())
            rows.append((part.split()[0], {"registers": registers, "scratch": scratch, "local": local, "waves": waves}))
    return rows, done.stderr


def intel(text, chip, out):
    done = subprocess.run(["ocloc", "compile", "-file", text, "-device", chip, "-out_dir", out, "-options", " ".join(options_of(text))],
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode or "Build succeeded" not in said:
        return None, said
    spilled = {name: (int(width), int(size)) for name, width, size in
               re.findall(r"kernel (\w+) +compiled SIMD(\d+) allocated \d+ regs and spilled around (\d+)", said)}
    whole = open(text).read()
    named = dict(re.findall(r"#define (\w+) (\w+)\n", whole))
    names = {named.get(name, name) for name in re.findall(r"__kernel[^;{]*?\bvoid\s+(\w+)\s*\(", whole)}
    rows = [(name, {"scratch": 0}) for name in sorted(names) if name not in spilled]
    return rows + [(name, {"scratch": size, "simd": width}) for name, (width, size) in spilled.items()], said


def leave_texts(clamps, shape, script, folder):
    """Runs a script's set-up with a GPU's shapes; returns the texts of its programs, or what went wrong."""
    rehearsed, precision, kernels, _ = SHAPES[shape]
    texts, work = os.path.join(folder, shape, script), os.path.join(folder, "run", shape, script)
    os.makedirs(texts)
    shutil.copytree(os.path.join(ROOT, "tests/lammps"), work, ignore=shutil.ignore_patterns("expected"))
    with open(os.path.join(work, "large_melt.in"), "w") as file:
        file.write(LARGE)
    settings = {"CLAMPS_REHEARSE": rehearsed, "CLAMPS_TEXTS": texts, "CLAMPS_TUNE": "off", "CLAMPS_CHECK": "never"}
    if script != "large_melt":
        settings["CLAMPS_BUILD"] = "cheap"
    done = subprocess.run([clamps, "-in", f"{script}.in", "-precision", precision, "-kernels", kernels, "-skiprun", "-log", "none", "-screen",
                           "none", "-device", "Portable"], cwd=work, env={**os.environ, **settings}, capture_output=True, text=True)
    found = sorted(glob.glob(os.path.join(texts, "*.cl")))
    return found, done.stderr.strip() if done.returncode else ""


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("scripts", nargs="*")
    words.add_argument("--few", action="store_true")
    words.add_argument("--shapes", help=f"of {', '.join(SHAPES)}")
    words.add_argument("--jobs", type=int, default=os.cpu_count())
    words.add_argument("--json")
    words.add_argument("--clamps", default=os.path.join(ROOT, "target/release/clamps"))
    asked = words.parse_args()
    shapes = asked.shapes.split(",") if asked.shapes else FEW if asked.few else list(SHAPES)
    scripts = asked.scripts or (["melt", "bonded"] if asked.few else SCRIPTS + ["large_melt"])
    clamps = os.path.abspath(asked.clamps)

    has_amd, has_intel = shutil.which("clang-16") and libclc(), shutil.which("ocloc")
    if not has_amd:
        print("skipped: AMD, as there is no clang-16 with libclc-16 (LIBCLC)")
    if not has_intel:
        print("skipped: Intel, as there is no ocloc")
    failed, kernels, seen = 0, [], {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        wanted = [shape for shape in shapes if (has_intel if shape.startswith("intel") else has_amd)]
        runs = {(shape, script): pool.submit(leave_texts, clamps, shape, script, folder) for shape in wanted for script in scripts}
        builds = []
        for (shape, script), run in runs.items():
            texts, wrong = run.result()
            # Runs that are skipped end a script that counts on their steps, and so does what single precision has not.
            if wrong and texts:
                print(f"{shape} {script}: {len(texts)} texts, up to {wrong.splitlines()[0]}")
            elif not texts:
                failed += 1
                print(f"{shape} {script}: FAILS to run: {wrong[:600]}")
            for text in texts:
                for chip in SHAPES[shape][3]:
                    place = (shape, chip, os.path.basename(text))
                    if place in seen:
                        continue
                    seen[place] = script
                    out = os.path.join(folder, "made", *place)
                    os.makedirs(out)
                    builds.append((place, script, pool.submit(amd if chip.startswith("gfx") else intel, text, chip, out)))
        for (shape, chip, text), script, build in builds:
            rows, said = build.result()
            if rows is None:
                failed += 1
                lines = [line for line in said.splitlines() if "error" in line.lower() or "llvm." in line]
                print(f"{shape} {chip} {script} {text}: FAILS {' | '.join(lines[:3]) or said[-300:]}")
            for name, figures in rows or []:
                kernels.append({"shape": shape, "chip": chip, "script": script, "text": text, "kernel": name, **figures})
    for shape in wanted:
        for chip in SHAPES[shape][3]:
            mine = [row for row in kernels if (row["shape"], row["chip"]) == (shape, chip)]
            spilled = [row for row in mine if row["scratch"]]
            programs = len({row["text"] for row in mine})
            print(f"{shape} for {chip}: {programs} programs, {len(mine)} kernels, {len(spilled)} with scratch")
            for row in sorted(spilled, key=lambda row: -row["scratch"]):
                print(f"    {row['script']} {row['text']} {row['kernel']}: {row['scratch']} bytes")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump(kernels, file, indent=1)
    sys.exit(1 if failed else 0)


main()
