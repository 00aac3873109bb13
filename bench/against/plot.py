"""Draws the table as SVG: a row for each case, a mark for each implementation, on a logarithmic axis of nanoseconds.

Idea: colours are classes with a rule for a dark page, which a browser applies in an image too. Shapes differ as well, for
those who do not tell the colours apart.
"""
import math

ROW, LEFT, WIDTH, TOP, BOTTOM, RIGHT = 22, 130, 640, 64, 40, 20
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #333 } .axis { stroke: #ddd } .row { stroke: #eee }
.c0 { fill: #0b62d6 } .c1 { fill: #222 } .c2 { fill: #c4391d } .c3 { fill: #e08a00 } .c4 { fill: #7a3db8 } .c5 { fill: #1a7f37 }
.c6 { fill: #b8216f } .c7 { fill: #0a7f8c }
@media (prefers-color-scheme: dark) {
text { fill: #ccc } .axis { stroke: #444 } .row { stroke: #2c2c2c }
.c0 { fill: #5aa2ff } .c1 { fill: #eee } .c2 { fill: #ff7b5c } .c3 { fill: #ffc04d } .c4 { fill: #c296f5 } .c5 { fill: #5fce7b }
.c6 { fill: #ff7ab8 } .c7 { fill: #4fd0de } }
"""
SHAPES = ["M-5,-5h10v10h-10z", "M-1.5,-7h3v14h-3z", "M0,-6L6,5H-6z", "M0,6L6,-5H-6z", "M0,-6L6,0L0,6L-6,0z",
          "M-4,-4h8v8h-8z", "M-5,-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z", "M-6,-2h12v4h-12z"]


def mark(number, x, y):
    return f'<path class="c{number}" d="{SHAPES[number]}" transform="translate({x:.1f},{y})"/>'


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{words}</text>'


def legend(names):
    step = (LEFT + WIDTH) / len(names)
    for number, name in enumerate(names):
        yield mark(number, 12 + number * step, 18)
        yield text(24 + number * step, 22, name)


def axis(low, high, place, height):
    for power in range(low, high + 1):
        x, unit = place(10 ** power), f"{10 ** (power % 3)} {['ns', 'us', 'ms', 's'][power // 3]}" if power >= 0 else "0.1 ns"
        yield f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 12}" y2="{height - BOTTOM + 4}"/>'
        yield text(x, TOP - 18, unit, "middle")


def draw(cases, times):
    """`times[name][case]` in ns, or None."""
    values = [ns for of in times.values() for ns in of.values() if ns]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    height = TOP + ROW * len(cases) + BOTTOM

    def place(ns):
        return LEFT + WIDTH * (math.log10(ns) - low) / (high - low)

    lines = [*legend(list(times)), *axis(low, high, place, height)]
    for row, case in enumerate(cases):
        y = TOP + ROW * row + ROW // 2
        lines += [text(LEFT - 12, y + 4, case, "end"), f'<line class="row" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}"/>']
        # Ours last, so that it lies on top.
        lines += [mark(number, place(of[case]), y) for number, of in reversed(list(enumerate(times.values()))) if of.get(case)]
    lines.append(text(LEFT + WIDTH / 2, height - 12, "time of one evaluation; further left is faster", "middle"))
    size = f'width="{LEFT + WIDTH + RIGHT}" height="{height}" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>Times of evaluation</title>\n<style>{STYLE}</style>\n' + \
        "\n".join(lines) + "\n</svg>\n"
