"""What is measured of the stencils of Garvey and Abdelrahman (A strategy for automatic performance tuning of stencil
computations on GPUs, Scientific Programming 2018), in parts: a list of jobs, each a search of one stencil at one size.

    plan_of(stencils, ...)   all of it, as JSON
    key_of(job)              its name: star_3d_r2@256x256x256/hybrid-local
    place_of(job)            what it is a search of: star_3d_r2@256x256x256

A job is {"stencil", "sizes", "search", "technique"}: a search that a specification file describes, with its loading technique
where it has one; or one that this file names: `own`, hoist tune by itself; `alone`, `combined` and `elsewhere`, which the
experiments of section 5 need. Those wait for what other jobs find. `transferred` times what was the fastest on another device.
"""
import random

TECHNIQUES = ["global", "vector", "local", "image"]
HEURISTICS = ["dimensions", "optimisations", "hybrid"]
RESTRICTED, VARIABLE = "hybrid-restricted", "hybrid-variable"
RANDOM, EXPERT = "rand", "expert"
OWN, OWN_FAMILY = "own", "own-family"
ALONE, COMBINED, ELSEWHERE = "alone", "combined", "elsewhere"
TRANSFERRED = "transferred"
FOLLOWED = "followed"  # a part: other stencils
SIZES = [32, 64, 128, 256, 512]  # Table 9
DEPTHS, SIDE = [8, 16, 32, 64, 128], 1024  # Table 10
EVERY_OF_INTENSITIES = 16  # of the 416 kernels of Table 11


def cube(size):
    return {"D": size, "H": size, "W": size}


def place_of(job):
    """A stencil at its sizes."""
    return f"{job['stencil']}@{'x'.join(str(value) for value in job['sizes'].values())}"


def key_of(job):
    technique = f"-{job['technique']}" if job.get("technique") else ""
    return f"{place_of(job)}/{job['search']}{technique}"


def jobs_of(stencils, sizes, searches):
    """Stencil by stencil, so that what one search has measured is known to the next."""
    jobs = []
    for stencil in stencils:
        for search in searches:
            techniques = TECHNIQUES if search in [*HEURISTICS, RESTRICTED, VARIABLE] else [None]
            for technique in techniques:
                jobs.append({"stencil": stencil, "sizes": sizes, "search": search} |
                            ({"technique": technique} if technique else {}))
    return jobs


def sampled(names, every, numbers):
    """Every so many-th, in an order that is drawn; in the order of the names."""
    drawn = list(names)
    numbers.shuffle(drawn)
    chosen = set(drawn[::every])
    return [name for name in names if name in chosen]


def seven_of(stencils):
    """The paper's seven: of dimensionality three and radius two."""
    return [each["name"] for each in stencils if each["dimensionality"] == 3 and each["radius"] == 2]


def plan_of(stencils, intensities, device, size, seed, every, own):
    """`stencils` and `intensities` are as hoist stencils --list --json has them."""
    numbers = random.Random(seed)
    names = [each["name"] for each in stencils]
    subset = sampled(names, every, numbers)
    seven = seven_of(stencils)
    intense = sampled([each["name"] for each in intensities], EVERY_OF_INTENSITIES, numbers)
    whole = cube(size)
    parts = [
        {"name": "labels", "why": "all stencils by the restricted hybrid with each technique: what classifiers learn from",
         "jobs": jobs_of(names, whole, [RESTRICTED])},
        {"name": "references", "why": "random sampling and expert search, of a part of the stencils",
         "jobs": jobs_of(subset, whole, [RANDOM, EXPERT])},
        {"name": "heuristics", "why": "the three heuristics without restrictions, of the same",
         "jobs": jobs_of(subset, whole, HEURISTICS)},
        own_part(names, whole, own),
        {"name": "space", "why": "each parameter alone, and the best of each stencil on the others (section 5)",
         "jobs": jobs_of(subset, whole, [ALONE, COMBINED, ELSEWHERE])},
        *parts_of_seven(seven),
        {"name": "intensities", "why": "a part of the 416 kernels with one or two additions and multiplications a point (Table 11)",
         "jobs": jobs_of(intense, whole, ["hybrid", RANDOM, EXPERT])},
        {"name": "variable", "why": "work-groups whose size is not compiled in (Table 8)", "jobs": jobs_of(subset, whole, [VARIABLE])}]
    return {"device": device, "size": size, "seed": seed, "every": every, "stencils": stencils, "intensities": intensities,
            "subset": subset, "seven": seven, "parts": parts}


def own_part(names, whole, own):
    return {"name": "own", "why": "hoist tune by itself, of all stencils", "jobs": jobs_of(names, whole, own)}


def parts_of_seven(seven):
    return [{"name": "sizes", "why": "the seven stencils of three dimensions and radius 2 at other sizes (Table 9)",
             "jobs": [job for each in SIZES for job in jobs_of(seven, cube(each), ["hybrid", RANDOM])]},
            {"name": "shapes", "why": "the same on arrays of other shapes (Table 10)",
             "jobs": [job for depth in DEPTHS
                      for job in jobs_of(seven, {"D": depth, "H": SIDE, "W": SIDE}, ["hybrid", RANDOM])]}]


def transferred_plan(plan, device, fastest, choices, own):
    """What is measured on a device for whose whole plan there is no time. Beside Hoist's own searches stands what the hybrid found on that of
    `plan`: `fastest` has, by stencil, the configurations that were the fastest there, which are timed first. `choices` are those of
    classifiers that learned there, with the stencil left out."""
    names, whole = [each["name"] for each in plan["stencils"]], cube(plan["size"])
    count = sum(map(len, fastest.values()))
    parts = [{"name": TRANSFERRED, "why": f"{count} configurations that the restricted hybrid found to be the fastest on another device",
              "jobs": jobs_of(list(fastest), whole, [TRANSFERRED])},
             own_part(names, whole, own),
             *parts_of_seven(plan["seven"])]
    return {**plan, "device": device, "fastest": fastest, "choices": choices, "parts": parts}


def followed_plan(device, stencils, sizes_of, bounds):
    """Hoist's own searches of stencils that are none of the 104, each at sizes of its own, for models of speed to learn from. Bounds of
    parameters have a kind of candidates searched that a model has hardly seen."""
    jobs = [job | ({"bounds": bounds} if bounds else {})
            for each in stencils for job in jobs_of([each["name"]], sizes_of[each["name"]], [OWN])]
    parts = [{"name": FOLLOWED, "why": "hoist tune by itself, of other stencils: what its model believes is measured, to learn from",
              "jobs": jobs}]
    return {"device": device, "stencils": stencils, "intensities": [], "subset": [], "seven": [], "parts": parts}


def all_jobs(plan, parts=()):
    """Each once: the same job may be of several parts."""
    seen = set()
    for part in plan["parts"]:
        if parts and part["name"] not in parts:
            continue
        for job in part["jobs"]:
            if key_of(job) not in seen:
                seen.add(key_of(job))
                yield part["name"], job


def plan_text(plan):
    lines = [f"# What is measured of {len(plan['stencils'])} stencils on {plan['device']}", ""]
    if "size" in plan:
        lines += [f"Sizes are {plan['size']} in each dimension where not told otherwise; stencils were drawn with the seed {plan['seed']}.", ""]
    lines += ["| part | searches | stencils | why |", "|---|--:|--:|---|"]
    for part in plan["parts"]:
        stencils = {job["stencil"] for job in part["jobs"]}
        lines.append(f"| {part['name']} | {len(part['jobs'])} | {len(stencils)} | {part['why']} |")
    if plan["subset"] and "fastest" not in plan:
        lines += ["", f"Every {plan['every']}th stencil: {', '.join(plan['subset'])}."]
    if plan["seven"]:
        lines += ["", f"The seven: {', '.join(plan['seven'])}."]
    return "\n".join([*lines, ""])
