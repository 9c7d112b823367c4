#!/usr/bin/env python3
"""run.py BUILD [NAME ...]: puts faults into Hoist, one at a time, and sees that the tests find each.

Each mutant is a place in a source file and what it becomes. The file is changed, the test programs named are built in
BUILD (a build directory of this tree), the tests are run until one fails, and the file is put back. Survivors are told;
exit status 1 where there are any. Three are wrong results that there once were (shared-by-groups, odd-exchange,
signed-overflow): 300 random pipelines alone must find them. A name stands for all that begin with it: `paper committee
learner` are the mutants of models, `estimate` those of the analytic times, `control-flow` those of one pass.

It takes minutes for each, so it is run by hand, when these files or their tests have changed:

    tests/mutants/run.py build/dev
"""
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LOWERING = ("test_lower", "test_equivalence", "test_pipelines"), ("lower", "pipelines_ByLoops", "equivalence")
LAUNCHES = ("test_execute", "test_pipelines"), ("execute", "pipelines_Host")
MODELS = ("test_model",), ("model",)
ESTIMATES = ("test_features",), ("features",)
PASSES = ("test_lower",), ("lower",)
STARTED = ("test_api",), ("api",)

# Name: file, text that is there once, what becomes of it, (programs to build, tests to run).
MUTANTS = {
    # Two arrays share memory though the one is read while the other is written.
    "memory-too-early": (
        "src/execute/task_order.cpp", "return first < second && before_[second][first];", "return first <= second;", LAUNCHES),
    # What a repeated body reads need not outlive its first round.
    "lives-end-in-loops": (
        "src/execute/launch_plan.cpp", "{&repeat.test, &repeat.body}", "{&repeat.test}", LAUNCHES),
    # A task does not wait for those that read what it writes.
    "order-after-readers": ("src/execute/task_order.cpp", "wait_for(arrays[array].readers);", "", LAUNCHES),
    # After an odd number of rounds the result lies in the other array's memory.
    "odd-exchange": (
        "src/execute/launch_plan.cpp", "for (bool has_grown = true; has_grown;) {",
        "for (bool has_grown = false; has_grown;) {", (("test_pipelines",), ("pipelines_Host",))),
    # Every group writes an array that all of them read.
    "shared-by-groups": (
        "src/lower/memory.cpp", "if (is_shared_out(by_groups)) return AddressSpace::Global;",
        "if (is_shared_out(by_groups) || wanted == AddressSpace::Global) return AddressSpace::Global;",
        (("test_pipelines",), ("pipelines_ByLoops",))),
    # Signed integers overflow as the device's compiler likes.
    "signed-overflow": (
        "src/codegen/value_text.cpp", "if (!is_integer(scalar) || (!is_signed(scalar) && !is_narrow(scalar))) return false;",
        "return false;", (("test_pipelines",), ("pipelines_OpenCL",))),
    # A write after a read by others waits for nobody.
    "barrier-after-reads": (
        "src/lower/barriers.cpp", "if ((!a.is_write && !b.is_write) ||", "if ((!a.is_write || !b.is_write) ||", LOWERING),
    # A loop's next iteration does not wait for the last.
    "barrier-between-iterations": (
        "src/lower/barriers.cpp", "if (repeats) {", "if (repeats && inner.parallelism != Parallelism::Sequential) {",
        LOWERING),
    # What one work-item does alone is taken for what each does for itself.
    "barrier-for-one-work-item": (
        "src/lower/barriers.cpp", "if (!la || !lb) return false;", "if (!la || !lb) continue;", LOWERING),
    # Exchanged pointers keep their names.
    "barrier-after-exchange": (
        "src/lower/barriers.cpp", "access.buffer = swap->first;", "access.buffer = swap->second;", LOWERING),
    # The wrong neighbour beyond the right end.
    "mirror": (
        "src/lower/reading.cpp", "length * 2 - i - 1)", "length * 2 - i - 2)", LOWERING),
    # Paddings longer than the array.
    "wrap-once": (
        "src/lower/reading.cpp", "return arith::is_less_equal(left, most) && arith::is_less_equal(right, most);",
        "return arith::is_less_equal(right, most);", LOWERING),
    # `a > b` read as `b <= a`.
    "greater": (
        "src/lower/integers.cpp", "return loop::test({arith::Relation::Less, *b, *a});",
        "return loop::test({arith::Relation::LessEqual, *b, *a});", LOWERING),
    # Rows of inputs and results lie one element apart.
    "strides": (
        "src/lower/to_loops.cpp", "memory.dimensions[d].stride = stride;", "memory.dimensions[d].stride = 1;", LOWERING),
    # Rows that are replaced where they lie, though others read what was there.
    "overwritten-by-host": (
        "src/lower/late_reads.cpp", "if (written_.contains(buffer)) found.insert(buffer);", "(void)buffer;", LOWERING),
    "overwritten-in-kernel": (
        "src/lower/late_reads.cpp",
        "if (!contains(written->second, index) || is_overwritten) found.insert(buffer);",
        "if (!contains(written->second, index) || (is_overwritten && false)) found.insert(buffer);", LOWERING),
    # What the sizes must satisfy is not checked at the call.
    "assumptions": (
        "src/lower/to_loops.cpp", "plan_.assumptions.push_back({assumption.predicate, assumption.message});",
        "(void)assumption;", (("test_lower", "test_execute", "test_measure"), ("lower", "execute", "measure"))),
    # The array that indices outside are told by is not allocated.
    "fault-flag": (
        "src/lower/to_loops.cpp", "if (faults_) plan_.temporaries.push_back(faults_);", "",
        (("test_lower", "test_execute", "test_measure"), ("lower", "execute", "measure"))),

    # The papers ask five neighbours.
    "paper-neighbours": ("src/model/paper.cpp", "neighbours = 5;", "neighbours = 4;", MODELS),
    # What grows with the input is not divided by its size.
    "paper-size": ("src/model/paper.cpp", "rows.numbers[row * rows.width + i] /= size;",
                   "rows.numbers[row * rows.width + i] /= 1;", MODELS),
    # Fewer components than hold 95% of the variance.
    "paper-variance": ("src/model/paper.cpp", "variance_kept = 0.95;", "variance_kept = 0.90;", MODELS),
    # The deviation of throughputs is taken for that of their logarithm.
    "paper-deviation": ("src/model/paper.cpp", "each.deviation / throughput", "each.deviation", MODELS),
    # A member learns from its own fold, too.
    "committee-own-fold": ("src/model/committee.cpp", "lesson = whole.select(fold.seen),", "lesson = whole,", MODELS),
    # Programs are torn apart: a member has seen other sizes of what it is asked about.
    "committee-programs": ("src/model/committee.cpp", "groups.push_back(examples.programs[task]);", "groups.push_back(task);",
                           MODELS),
    # What members differ in is left out of the deviation.
    "committee-spread": ("src/model/committee.cpp", "std::sqrt(variance + residual_ * residual_)",
                         "std::sqrt(0 * variance + residual_ * residual_)", MODELS),
    # What members were wrong by is left out of it.
    "committee-residual": ("src/model/committee.cpp", "std::sqrt(variance + residual_ * residual_)", "std::sqrt(variance)",
                           MODELS),
    # All kinds of an ensemble count the same.
    "committee-voices": ("src/model/committee.cpp", "votes[i] += stack_.weights[k] * voice[i];", "votes[i] += voice[i];", MODELS),
    # The slow count as much as the fast.
    "learner-fast-rows": ("src/model/learner.cpp", "least + std::exp(static_cast<float>(speeds[i]))",
                          "least + 0 * std::exp(static_cast<float>(speeds[i]))", MODELS),
    # A task with many candidates counts more.
    "learner-large-tasks": ("src/model/learner.cpp", ") / counts[tasks[i]]);", "));", MODELS),
    # Local memory takes no time.
    "estimate-local-memory": ("src/features/estimate.cpp", "result.l1 + result.local,", "result.l1,", ESTIMATES),
    # A last wave that is not full is none.
    "estimate-waves": ("src/features/estimate.cpp", "std::ceil(residency.waves), of_groups",
                       "std::floor(residency.waves), of_groups", ESTIMATES),
    # A unit that is too small for a group runs none.
    "estimate-least-group": ("src/features/estimate.cpp", "std::max(groups, 1.0)", "groups", ESTIMATES),
    # Divisions and roots take twice what additions do, whatever the target.
    "estimate-rare-operations": ("src/features/estimate.cpp", "rare * (1 / machine.special_share - 1)", "rare", ESTIMATES),
    # A multiplication that is one operation with an addition counts again.
    "estimate-contracted": ("src/features/estimate.cpp", "return all - profile.contracted +", "return all +", ESTIMATES),
    # How many iterations there are at the most is not asked.
    "control-flow-upper-bound": ("src/lower/control_flow.cpp",
                                 "arith::is_less_equal(arith::upper_bound(loop_statement.stop), count)", "false", PASSES),
    # One work-item runs an iteration that there is not.
    "control-flow-guard": ("src/lower/control_flow.cpp", "loop::test({arith::Relation::Less, 0, loop_statement.stop});",
                           "loop::test({arith::Relation::LessEqual, 0, loop_statement.stop});", PASSES),
    # A run that nobody waits for begins before what the other streams were given, or these go on before its end.
    "started-before-beside": ("src/api/compiled.cpp", "after.push_back(need(beside.back()->barrier({})));", "", STARTED),
    "started-beside-after": ("src/api/compiled.cpp", "for (const auto& each : beside) need(each->barrier({&end, 1}));", "", STARTED),
    # It does not wait for the runs that make its inputs, or that use its results' memory.
    "started-after-writes": ("src/api/compiled.cpp", "if (array) array->append_writes_to(after);", "", STARTED),
    "started-after-uses": ("src/api/compiled.cpp", "array->append_uses_to(after);", "", STARTED),
    # Those that come after it are not told of it.
    "started-read-is-kept": ("src/api/compiled.cpp", "if (array) array->add_read(end, name);", "if (array) array->changed();", STARTED),
    "started-write-is-kept": ("src/api/compiled.cpp", "    array->add_write(end, name);\n", "", STARTED),
}


def named(name):
    """The mutants that a name on the command line stands for."""
    names = [each for each in MUTANTS if each == name or each.startswith(f"{name}-")]
    if not names:
        sys.exit(f"there is no mutant '{name}'")
    return names


def is_killed(build, programs, tests):
    """Whether a test fails, and by what; a mutant that does not compile is no mutant."""
    subprocess.run(["cmake", "--build", build, "--target", *programs], check=True, stdout=subprocess.DEVNULL)
    for test in tests:
        run = subprocess.run(["ctest", "--test-dir", build, "-C", "slow", "-R", f"^{test}$", "--timeout", "900"],
                             stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            return test
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that files are put back
    build, names = sys.argv[1], [each for name in sys.argv[2:] for each in named(name)] or list(MUTANTS)
    survivors = []
    for name in names:
        path, old, new, (programs, tests) = MUTANTS[name]
        file = ROOT / path
        original = file.read_text()
        if original.count(old) != 1:
            sys.exit(f"{name}: {path} has {original.count(old)} places of: {old}")
        try:
            file.write_text(original.replace(old, new))
            found = is_killed(build, programs, tests)
        finally:
            file.write_text(original)
        print(f"{name}: {'found by ' + found if found else 'SURVIVES'}", flush=True)
        if not found:
            survivors.append(name)
    print(f"{len(names)} mutants, {len(survivors)} survive: {survivors}")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
