#!/usr/bin/env python3
"""The time of a step of the melt on several GPUs, as a model beside what was measured (docs/scaling.md, docs/ranks.svg).

    benches/scaling_model.py          fits the model to the first table of docs/scaling.md, prints both, draws the chart

A step of n atoms on each of P ranks takes as long as on one, and a + c log2(P) + b g(n, P). a is the time of what one rank does not do: more launches, packing, messages. c is
what ranks wait for one another. b is what each of the g border atoms costs of which a rank hears (bandwidth). Boxes are those of benches/scaling.sh up to four ranks,
stacked along z, and cubes of bricks beyond. Without packages beyond Python's own.
"""
import math
import pathlib
import re

DENSITY, REACH = 0.8442, 2.8  # of the melt: atoms per volume, cutoff and skin
ROOT = pathlib.Path(__file__).resolve().parent.parent


BOXES = {16: (4, 2, 2), 32: (4, 4, 2), 64: (4, 4, 4), 128: (8, 4, 4), 256: (8, 8, 4)}  # of 32,000 atoms, by their number


def edges(n, ranks):
    """Those of the box of all ranks."""
    if ranks > 4:
        return 3 * [(n * ranks / DENSITY) ** (1 / 3)]
    x, y, z = BOXES[n // 32000]
    return [boxes * (32000 / DENSITY) ** (1 / 3) for boxes in (x, y, z * ranks)]


def ghosts(n, ranks):
    """Atoms of others within reach of a brick of n atoms; of all grids of bricks that with the fewest."""
    box, least = edges(n, ranks), math.inf
    for a in (a for a in range(1, ranks + 1) if ranks % a == 0):
        for b in (b for b in range(1, ranks // a + 1) if ranks // a % b == 0):
            grid = (a, b, ranks // a // b)
            sides = [edge / k for edge, k in zip(box, grid)]
            halo = [side + (2 * REACH if k > 1 else 0) for side, k in zip(sides, grid)]
            least = min(least, DENSITY * (math.prod(halo) - math.prod(sides)))
    return least


def measured():
    """(atoms per rank, ranks, microseconds per step) of the table of weak scaling with every 20."""
    points = []
    for line in (ROOT / "docs/scaling.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("| \n").split("|")]
        if re.fullmatch(r"[\d,]+", cells[0]) and len(cells) == 4:
            n = int(cells[0].replace(",", ""))
            speeds = [float(cell.split()[0].replace(",", "").rstrip(",")) for cell in cells[1:]]
            points += [(n, ranks, n * ranks / speed) for ranks, speed in zip((1, 2, 4), speeds)]
        elif points:
            return points
    return points


def fitted(points):
    """a and c in microseconds, b in microseconds per ghost atom: least squares of relative errors."""
    one = {n: time for n, ranks, time in points if ranks == 1}
    rows = [[1 / t, math.log2(p) / t, ghosts(n, p) / t, (t - one[n]) / t] for n, p, t in points if p > 1]
    # Normal equations, by elimination.
    m = [[sum(row[i] * row[j] for row in rows) for j in range(4)] for i in range(3)]
    for i in range(3):
        m[i] = [v / m[i][i] for v in m[i]]
        for k in (k for k in range(3) if k != i):
            m[k] = [v - m[k][i] * w for v, w in zip(m[k], m[i])]
    return (one, *(row[3] for row in m))


def chart(points, one, model):
    """Efficiency over ranks up to 10,000, a line for each size."""
    width, height, left, right, top, bottom = 720, 420, 60, 150, 30, 50
    x = lambda p: left + (width - left - right) * math.log10(p) / 4
    y = lambda e: top + (height - top - bottom) * (1.05 - e) / 1.05
    colors = ["#c0392b", "#2471a3", "#1e8449", "#7d3c98", "#b7950b"]
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="13">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for e in (0, 0.2, 0.4, 0.6, 0.8, 1):
        svg.append(f'<path d="M{left} {y(e):.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(e) + 4:.1f}" text-anchor="end">{e:.1f}</text>')
    for p in (1, 10, 100, 1000, 10000):
        svg.append(f'<path d="M{x(p):.1f} {top}V{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(p):.1f}" y="{height - bottom + 18}" text-anchor="middle">{p:,}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">GPUs</text>'
               f'<text x="{left}" y="18">weak efficiency of the melt: measured (dots), model (lines; beyond one host dashed)</text>')
    for (n, time), color in zip(sorted(one.items()), colors):
        lines = [(1, 1.0)] + [(2**k, time / model(n, 2**k)) for k in range(1, 14)]
        for some, dash in (([l for l in lines if l[0] <= 8], ""), ([l for l in lines if l[0] >= 8], ' stroke-dasharray="5 4"')):
            path = "L".join(f"{x(p):.1f} {y(e):.1f}" for p, e in some)
            svg.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="1.8"{dash}/>')
        svg += [f'<circle cx="{x(p):.1f}" cy="{y(time / t):.1f}" r="4" fill="{color}"/>' for m, p, t in points if m == n]
        svg.append(f'<text x="{width - right + 8}" y="{y(lines[-1][1]) + 4:.1f}" fill="{color}">{n / 1e6:.1f} M per GPU</text>')
    (ROOT / "docs/ranks.svg").write_text("\n".join(svg + ["</svg>"]) + "\n")


def main():
    points = measured()
    one, a, c, b = fitted(points)
    model = lambda n, p: one[n] + a + c * math.log2(p) + b * ghosts(n, p)
    print(f"a = {a:.0f} us, c = {c:.0f} us, b = {1000 * b:.2f} ns")
    print("atoms per rank  ranks  ghosts  us per step  model  off")
    for n, p, t in points:
        if p > 1:
            print(f"{n:14,} {p:6} {ghosts(n, p):7.0f} {t:12.0f} {model(n, p):6.0f} {100 * (model(n, p) / t - 1):4.0f} %")
    chart(points, one, model)


main()
