#!/usr/bin/env python3
"""Draws where the time of searches went, as Figure 2 of the GPGPU 2020 paper on predicting speed, from the runs of
`hoist tune` in a store (a file). Needs gnuplot.

    bench/plot_search_time.py STORE FOLDER      search_time.json, search_time.md and search_time.svg in it

Runs that came to their end count. Two things are told of each:

- What the command waited for, by the clock, from the moment when the default mapping was known to be right: deriving
  the candidates and ranking them by a model's prediction (until the first candidate is begun), searching, measuring the
  fastest again, side by side, and ending.
- The work on candidates, added up over the processes that did it at the same time: the device's compiler
  (`build_seconds`), the timed runs (`times`), and all else of `wall_seconds`: making the source, starting processes,
  inputs, the first run, comparing every element of the result. A candidate that is built with others has its share.
"""
import argparse
import datetime
import json
import pathlib
import sqlite3
import subprocess

CLOCK = ["deriving and ranking", "searching", "measuring again", "ending"]
WORK = ["compiling", "checking and the rest", "timing"]
COLOURS = ["#d94801", "#6baed6", "#2171b5", "#bbbbbb"]
SCRIPT = """set terminal svg size 1200,{height} font 'sans,10' background 'white' noenhanced
set output '{output}'
set style fill solid 0.9 noborder
set xrange [0:100]
set yrange [{count}:-1]
set format x '%g %%'
set grid x lc rgb '#dddddd'
set xtics 0,20,80
set ytics scale 0
set multiplot
set tmargin at screen 0.96
set bmargin at screen 0.11
set lmargin at screen 0.27
set rmargin at screen 0.62
set key at screen 0.98,0.055 right vertical maxrows 1
set title 'what the command waited for'
plot {clock}
set lmargin at screen 0.64
set rmargin at screen 0.98
set format y ''
set key at screen 0.98,0.025 right vertical maxrows 1
set title 'work on candidates, in all processes'
plot {work}
"""
HEIGHT_OF_ROW = 17  # pixels


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def row_of(run, evaluations):
    """A run's seconds by what they went to; None where it measured no candidate."""
    explored = [each for each in evaluations if each["origin"] == "explored"]
    if not explored:
        return None
    seen, again = set(), []
    for each in evaluations:
        if each["candidate"] in seen:
            again.append(each)
        seen.add(each["candidate"])
    begun = lambda some: min(moment(each["recorded"]) - each["wall_seconds"] for each in some)
    started, ended = moment(run["started"]), moment(run["ended"])
    last = max(moment(each["recorded"]) for each in evaluations)
    searched = begun(again) if again else last
    clock = [max(begun(explored) - started, 0), max(searched - begun(explored), 0), last - searched, ended - last]
    building = sum(each["build_seconds"] or 0 for each in evaluations)
    timing = sum(sum(json.loads(each["times"])) for each in evaluations)
    work = [building, sum(each["wall_seconds"] for each in evaluations) - building - timing, timing]
    return {"program": run["name"], "sizes": json.loads(run["sizes"]), "device": run["device"],
            "budget": json.loads(run["budget"]), "cores": json.loads(run["environment"]).get("cores"),
            "evaluations": len(evaluations), "seconds": ended - started,
            "clock": dict(zip(CLOCK, clock)), "work": dict(zip(WORK, work))}


def rows_of(store):
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    runs = database.execute(
        "SELECT r.*, p.name, t.sizes, d.name AS device FROM runs r JOIN tasks t ON t.id = r.task "
        "JOIN programs p ON p.id = t.program JOIN devices d ON d.id = t.device WHERE r.ended != '' ORDER BY r.id")
    evaluations = "SELECT * FROM evaluations WHERE run = ? ORDER BY id"
    rows = (row_of(run, database.execute(evaluations, (run["id"],)).fetchall()) for run in runs)
    return [row for row in rows if row]


def sums(rows, part):
    return {key: sum(row[part][key] for row in rows) for key in rows[0][part]}


def share_text(parts):
    return ", ".join(f"{key} {100 * seconds / sum(parts.values()):.0f}%" for key, seconds in parts.items())


def sizes_text(row):
    return " ".join(f"{name}={value}" for name, value in row["sizes"].items())


def table(rows):
    devices, cores = ({row[key] for row in rows} for key in ("device", "cores"))
    clock, work = sums(rows, "clock"), sums(rows, "work")
    text = (f"# Where the time of {len(rows)} searches went\n\n{', '.join(sorted(devices))}; candidates are built by "
            f"{', '.join(sorted(map(str, cores)))} cores. By the clock: {share_text(clock)}. Work on "
            f"{sum(row['evaluations'] for row in rows):,} evaluations: {share_text(work)}; the timed runs are "
            f"{100 * work['timing'] / sum(clock.values()):.0f}% of all searches' time by the clock.\n\n"
            "Seconds; the first four are the clock's, the last three are added up over processes.\n\n")
    columns = [*CLOCK, "evaluations", *WORK]
    text += "| program | sizes | " + " | ".join(columns) + " |\n|---|---|" + "--:|" * len(columns) + "\n"
    for row in rows:
        cells = [*(f"{row['clock'][key]:.2f}" for key in CLOCK), str(row["evaluations"]),
                 *(f"{row['work'][key]:.2f}" for key in WORK)]
        text += f"| {row['program']} | {sizes_text(row)} | " + " | ".join(cells) + " |\n"
    return text


def bars(rows, part, is_named):
    """The data of a picture's half, a line a run, and how gnuplot draws it: stacked bars from left to right."""
    lines = []
    for row in rows:
        whole, ends = sum(row[part].values()), [0.0]
        for seconds in row[part].values():
            ends.append(ends[-1] + 100 * seconds / whole)
        name = f'"{row["program"]} {"x".join(map(str, row["sizes"].values()))}"'
        lines.append(" ".join([name, *(f"{end:.2f}" for end in ends)]))
    drawn = [f"${part} using ((${at + 2}+${at + 3})/2):0:((${at + 3}-${at + 2})/2):(0.38){':ytic(1)' * is_named} "
             f"with boxxyerror title '{key}' lc rgb '{COLOURS[at]}'" for at, key in enumerate(rows[0][part])]
    return f"${part} << EOD\n" + "\n".join(lines) + "\nEOD\n", ", ".join(drawn)


def picture(rows, output):
    (clock_data, clock), (work_data, work) = bars(rows, "clock", True), bars(rows, "work", False)
    height = 110 + HEIGHT_OF_ROW * len(rows)
    script = SCRIPT.format(output=output, height=height, count=len(rows), clock=clock, work=work)
    subprocess.run(["gnuplot"], input=clock_data + work_data + script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    rows = rows_of(options.store.resolve(strict=True))
    if not rows:
        parser.error(f"{options.store} has no run that ended and measured a candidate")
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "search_time.json").write_text(json.dumps(rows, indent=1) + "\n")
    (options.folder / "search_time.md").write_text(table(rows))
    picture(rows, options.folder / "search_time.svg")


if __name__ == "__main__":
    main()
