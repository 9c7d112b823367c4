/* hoist_openmp.c: loops cut into tasks.
 *
 * A loop's task function says, for some of the outermost iterations, which parts of which arrays they use. hoist_run calls it
 * for all iterations first, so that there is memory for every array, then for each task: what the task reads and the device
 * has not is uploaded, the kernel launched, and what it writes downloaded, in one queue; tasks go round the queues. A task
 * waits for the uploads of others when it needs them. Where parts that several tasks write overlap, all is downloaded at the
 * end; and nothing where the results stay. */

enum { MOST_ARGUMENTS = 128, MOST_REDUCTIONS = 16 };

typedef struct upload {
  device_memory memory;
  size_t begin, end;
  int queue;
  device_event event;
} upload;

typedef struct written {
  char *begin, *end; /* on the host */
  int task;
} written;

struct hoist_task {
  enum { PLAN, LEARN, PREPARE, LAUNCH } step; /* memory; what is written; uploads; arguments */
  const hoist_loop *loop;
  int number, queue;
  int fails;       /* the host runs the loop */
  const char *why;
  unsigned position; /* of the next argument */
  device_kernel kernel;
  size_t groups, group;
  /* The array whose ranges are told. */
  char *data;
  size_t element, known;
  char *least, *most; /* what is used of it, when planning */
  unsigned array_position;
  int array_open;
  int variable_count, reduction_count;
};

static struct {
  upload *uploads;
  size_t upload_count, upload_room;
  written *parts;
  size_t part_count, part_room;
  struct {
    void *variable;
    size_t bytes;
    device_memory memory;
  } variables[MOST_ARGUMENTS];
  int variable_count;
  struct {
    device_memory memory;
    size_t bytes, offset, room; /* of a part; parts that tasks have taken; parts in all */
  } reductions[MOST_REDUCTIONS];
  int reduction_count;
  device_memory locks;
} run;

static void refuse(hoist_task *task, const char *why) {
  if (!task->fails) task->why = why;
  task->fails = 1;
}

static void close_array(hoist_task *task) {
  if (!task->array_open) return;
  task->array_open = 0;
  if (task->fails) return;
  if (task->step == PLAN) {
    if (task->least < task->most && !mapping_of(task->least, task->most)) refuse(task, "the device has no memory left");
    return;
  }
  if (task->step != LAUNCH) return;
  /* The memory, and the place of element 0 in it, in elements. */
  long first = 0;
  device_memory memory = run.locks;
  for (size_t i = 0; i < mappings.count; ++i) {
    const mapping *const map = mappings.items + i;
    if (task->least >= task->most || map->begin > task->least || map->begin + map->bytes < task->most) continue;
    memory = map->memory;
    first = (long)(task->data - map->begin);
  }
  device_set_memory(task->kernel, task->array_position, memory);
  device_set_value(task->kernel, task->array_position + 1, &first, sizeof first);
}

void hoist_array(hoist_task *task, const void *data, size_t element, size_t bytes) {
  close_array(task);
  task->array_open = 1;
  task->array_position = task->position;
  task->position += 2;
  task->data = (char *)data;
  task->element = element;
  task->known = bytes;
  task->least = task->most = NULL;
}

/* What is known of where the array lies, as an object: 0 when nothing is. */
static int known_range(const hoist_task *task, char **begin, char **end) {
  const object *const found = task->data ? object_of(task->data) : NULL;
  if (found) {
    *begin = found->begin;
    *end = found->begin + found->bytes;
    return 1;
  }
  *begin = task->data;
  *end = task->data + task->known;
  return task->known > 0;
}

enum use { READ, WRITE_ALL, WRITE_SOME };

static void use_bytes(hoist_task *task, char *begin, char *end, enum use use) {
  if (begin >= end || task->fails) return;
  if (!task->least || begin < task->least) task->least = begin;
  if (!task->most || end > task->most) task->most = end;
  if (task->step == PLAN) return;
  if (task->step == LEARN || task->step == LAUNCH) {
    if (use == READ) return;
    run.parts = more_room(run.parts, &run.part_room, run.part_count, sizeof *run.parts);
    run.parts[run.part_count++] = (written){begin, end, task->number};
    return;
  }
  if (use == WRITE_ALL) return;
  mapping *const map = mapping_of(begin, end);
  const size_t from = (size_t)(begin - map->begin), to = (size_t)(end - map->begin);
  for (size_t at = from;;) {
    const range gap = ranges_next_gap(&map->valid, at, to);
    if (gap.begin >= gap.end) break;
    run.uploads = more_room(run.uploads, &run.upload_room, run.upload_count, sizeof *run.uploads);
    upload *const made = run.uploads + run.upload_count++;
    *made = (upload){map->memory, gap.begin, gap.end, task->queue, NULL};
    device_write(task->queue, map->memory, gap.begin, map->begin + gap.begin, gap.end - gap.begin, &made->event);
    moved.uploaded += gap.end - gap.begin;
    ranges_add(&map->valid, gap.begin, gap.end);
    at = gap.end;
  }
  for (size_t i = 0; i < run.upload_count; ++i) {
    const upload *const other = run.uploads + i;
    if (other->queue == task->queue || other->memory != map->memory || other->end <= from || other->begin >= to) continue;
    device_wait(task->queue, other->event);
  }
}

static void use_elements(hoist_task *task, long low, long high, enum use use, int perhaps) {
  if (high < low || task->fails) return;
  char *begin = task->data + low * (long)task->element;
  char *end = task->data + (high + 1) * (long)task->element;
  char *first, *last;
  const int known = known_range(task, &first, &last);
  if (perhaps && !known) {
    refuse(task, "an array's size is not known, for what allocates it was not translated");
    return;
  }
  if (known && perhaps) {
    begin = HOIST_MOST(begin, first);
    end = HOIST_LEAST(end, last);
  }
  if (known && (begin < first || end > last) && object_of(task->data) && begin < end) {
    refuse(task, "a loop reaches beyond its array");
    return;
  }
  use_bytes(task, begin, end, use);
}

void hoist_reads(hoist_task *task, long low, long high) { use_elements(task, low, high, READ, 0); }
void hoist_may_read(hoist_task *task, long low, long high) { use_elements(task, low, high, READ, 1); }
void hoist_writes_all(hoist_task *task, long low, long high) { use_elements(task, low, high, WRITE_ALL, 0); }
void hoist_writes(hoist_task *task, long low, long high) {
  if (task->step == PREPARE) use_elements(task, low, high, READ, 0);
  else use_elements(task, low, high, WRITE_SOME, 0);
}
void hoist_may_write(hoist_task *task, long low, long high) {
  if (task->step == PREPARE) use_elements(task, low, high, READ, 1);
  else use_elements(task, low, high, WRITE_SOME, 1);
}

static void use_any(hoist_task *task, enum use use) {
  char *begin, *end;
  if (!task->data) return;
  if (!known_range(task, &begin, &end)) {
    refuse(task, "an array's size is not known, for what allocates it was not translated");
    return;
  }
  use_bytes(task, begin, end, task->step == PREPARE ? READ : use);
}
void hoist_reads_any(hoist_task *task) { use_any(task, READ); }
void hoist_writes_any(hoist_task *task) { use_any(task, WRITE_SOME); }

void hoist_value(hoist_task *task, const void *value, size_t bytes) {
  close_array(task);
  if (task->step == LAUNCH) device_set_value(task->kernel, task->position, value, bytes);
  ++task->position;
}

void hoist_variable(hoist_task *task, void *variable, size_t bytes) {
  close_array(task);
  const int at = task->variable_count++;
  if (at >= MOST_ARGUMENTS) refuse(task, "the loop changes too many variables");
  if (task->fails) return;
  if (task->step == PLAN) {
    run.variables[at].variable = variable;
    run.variables[at].bytes = bytes;
    run.variables[at].memory = device_allocate(bytes);
    run.variable_count = at + 1;
    if (!run.variables[at].memory) {
      refuse(task, "the device has no memory left");
      return;
    }
    device_write(0, run.variables[at].memory, 0, variable, bytes, NULL);
    device_finish(0);
  }
  if (task->step == LAUNCH) device_set_memory(task->kernel, task->position, run.variables[at].memory);
  ++task->position;
}

void hoist_reduction(hoist_task *task, size_t bytes) {
  close_array(task);
  const int at = task->reduction_count++;
  if (at >= MOST_REDUCTIONS) refuse(task, "the loop has too many reductions");
  if (task->fails) return;
  run.reductions[at].bytes = bytes;
  run.reduction_count = at + 1;
  if (task->step == LAUNCH) {
    const long first = (long)run.reductions[at].offset;
    device_set_memory(task->kernel, task->position, run.reductions[at].memory);
    device_set_value(task->kernel, task->position + 1, &first, sizeof first);
    device_set_local(task->kernel, task->position + 2, bytes * task->group);
    run.reductions[at].offset += task->groups;
  }
  task->position += 3;
}

void hoist_locks(hoist_task *task, int count) {
  close_array(task);
  (void)count; /* run.locks has room for all that the translator numbers. */
  if (task->step == LAUNCH) device_set_memory(task->kernel, task->position, run.locks);
  ++task->position;
}

void hoist_assume(hoist_task *task, int holds) {
  if (!holds) refuse(task, "a size or a step has a sign that is not the usual one");
}

/* ---- How many partitions and tasks ---- */

enum { QUEUES_OF_EACH = 2, MOST_LOCKS = 64 };

/* The row of the table whose number of iterations is nearest in proportion. The loop is named as its kernel is. */
static int streams_of_table(const hoist_loop *loop, long iterations, int *partitions, int *tasks) {
  const char *const path = getenv("HOIST_STREAMS_TABLE");
  FILE *const file = path ? fopen(path, "r") : NULL;
  if (!file) return 0;
  char line[512], name[256];
  long rows;
  int p, t, found = 0;
  double nearest = 0;
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#' || sscanf(line, "%255[^,],%ld,%d,%d", name, &rows, &p, &t) != 4) continue;
    if (strcmp(name, loop->kernel) != 0 || rows < 1 || p < 1 || t < 1) continue;
    const double ratio = rows > iterations ? (double)rows / (double)iterations : (double)iterations / (double)rows;
    if (found && ratio >= nearest) continue;
    found = 1;
    nearest = ratio;
    *partitions = p;
    *tasks = t;
  }
  fclose(file);
  return found;
}

static void choose_streams(const hoist_loop *loop, long iterations, int *partitions, int *tasks) {
  const char *const given = getenv("HOIST_STREAMS");
  *partitions = 1;
  *tasks = 4;
  if (given && strcmp(given, "auto") == 0) {
    if (!streams_of_table(loop, iterations, partitions, tasks)) tell("%s: no row of HOIST_STREAMS_TABLE: 1,4", loop->kernel);
  } else if (given && *given) {
    if (sscanf(given, "%d,%d", partitions, tasks) != 2 || *partitions < 1 || *tasks < 1)
      die("HOIST_STREAMS is not P,T with numbers from 1 on, nor \"auto\"");
  }
  if (*tasks > iterations) *tasks = (int)iterations;
}

static void report_moved(void) {
  tell("%zu launches, %zu bytes uploaded, %zu downloaded, %zu loops on the host", moved.launches, moved.uploaded,
       moved.downloaded, moved.host_loops);
}

static int is_open(int partitions) {
  if (!device.tried) {
    const char *const wanted = getenv("HOIST_DEVICE");
    device.tried = 1;
    device.works = !(wanted && strcmp(wanted, "host") == 0) && device_open(partitions, QUEUES_OF_EACH);
    if (device.works) run.locks = device_allocate(MOST_LOCKS * sizeof(int));
    if (!device.works || !run.locks) tell("no device: the host runs all loops");
    device.works = device.works && run.locks;
    atexit(report_moved);
  }
  return device.works;
}

/* Tasks go round the partitions, and round the queues of each. */
static int queue_of_task(int t) {
  const queues *const all = &device.queues;
  return t % all->partitions * all->each + t / all->partitions % all->each;
}

static hoist_task task_for(const hoist_loop *loop, int number, int queue) {
  hoist_task task = {0};
  task.loop = loop;
  task.number = number;
  task.queue = queue;
  return task;
}

/* ---- A loop ---- */

static void ask(hoist_task *task, const void *given, long first, long last) {
  task->position = 0;
  task->variable_count = task->reduction_count = 0;
  task->loop->task(given, first, last, task);
  close_array(task);
}

static void shape(hoist_task *task, long items) {
  size_t group = device.is_cpu ? 16 : 128;
  while (group > device_most_group(task->kernel)) group /= 2;
  /* A processor's cores get some groups each. */
  while (device.is_cpu && group > 1 && (size_t)items < group * device.units * 4) group /= 2;
  const size_t most = device.units * (device.is_cpu ? 16 : 64);
  task->group = group;
  task->groups = ((size_t)items + group - 1) / group;
  if (task->groups > most) task->groups = most;
}

static long first_of_task(long iterations, int tasks, int t) {
  return iterations / tasks * t + (iterations % tasks < t ? iterations % tasks : t);
}

/* Whether parts that several tasks write overlap. */
static int tasks_overlap(const hoist_loop *loop, const void *given, long iterations, int tasks) {
  int overlap = 0;
  for (int t = 0; t < tasks; ++t) {
    hoist_task task = task_for(loop, t, 0);
    task.step = LEARN;
    ask(&task, given, first_of_task(iterations, tasks, t), first_of_task(iterations, tasks, t + 1) - 1);
  }
  for (size_t i = 0; i < run.part_count; ++i) {
    for (size_t j = i + 1; j < run.part_count; ++j) {
      if (run.parts[i].task != run.parts[j].task && run.parts[i].begin < run.parts[j].end &&
          run.parts[j].begin < run.parts[i].end)
        overlap = 1;
    }
  }
  run.part_count = 0;
  return overlap;
}

/* Downloads what the task wrote, or where `task` is negative what all did. */
static void download(int task, int queue) {
  for (size_t i = 0; i < run.part_count; ++i) {
    const written *const part = run.parts + i;
    if (task >= 0 && part->task != task) continue;
    mapping *const map = mapping_of(part->begin, part->end);
    const size_t end = (size_t)(part->end - map->begin);
    for (size_t at = (size_t)(part->begin - map->begin);;) {
      const range newer = ranges_next(&map->newer, at, end);
      if (newer.begin >= newer.end) break;
      device_read(queue, map->memory, newer.begin, map->begin + newer.begin, newer.end - newer.begin);
      moved.downloaded += newer.end - newer.begin;
      ranges_remove(&map->newer, newer.begin, newer.end);
      at = newer.end;
    }
  }
}

static void mark_written(size_t from) {
  for (size_t i = from; i < run.part_count; ++i) {
    mapping *const map = mapping_of(run.parts[i].begin, run.parts[i].end);
    const size_t begin = (size_t)(run.parts[i].begin - map->begin), end = (size_t)(run.parts[i].end - map->begin);
    ranges_add(&map->valid, begin, end);
    ranges_add(&map->newer, begin, end);
  }
}

static void end_run(void) {
  for (size_t i = 0; i < run.upload_count; ++i) device_drop_event(run.uploads[i].event);
  for (int i = 0; i < run.variable_count; ++i) {
    if (run.variables[i].memory) device_free(run.variables[i].memory);
  }
  for (int i = 0; i < run.reduction_count; ++i) {
    if (run.reductions[i].memory) device_free(run.reductions[i].memory);
    run.reductions[i].memory = 0;
    run.reductions[i].offset = run.reductions[i].room = 0;
  }
  run.upload_count = run.part_count = 0;
  run.variable_count = run.reduction_count = 0;
}

static int on_host(const hoist_loop *loop, const char *why) {
  tell("%s: the host runs the loop: %s", loop->place, why);
  ++moved.host_loops;
  end_run();
  host_uses_all(1);
  return 0;
}

static int plan(const hoist_loop *loop, const void *given, long iterations, hoist_task *whole) {
  *whole = task_for(loop, 0, 0);
  whole->step = PLAN;
  ask(whole, given, 0, iterations - 1);
  if (whole->fails) return 0;
  whole->kernel = device_kernel_of(loop->source, loop->kernel);
  if (!whole->kernel.kernel) {
    whole->why = "its kernel was not built";
    return 0;
  }
  return 1;
}

static void combine_reductions(const hoist_loop *loop, const void *given) {
  for (int r = 0; r < run.reduction_count; ++r) {
    const size_t bytes = run.reductions[r].offset * run.reductions[r].bytes;
    void *const parts = malloc(bytes ? bytes : 1);
    if (!parts) die("there is not enough memory");
    device_read(0, run.reductions[r].memory, 0, parts, bytes);
    device_finish(0);
    loop->combine(given, r, parts, run.reductions[r].offset);
    free(parts);
  }
}

int hoist_run(const hoist_loop *loop, const void *given, long iterations, long inner) {
  int partitions, tasks;
  if (iterations <= 0 || inner <= 0) return 1;
  choose_streams(loop, iterations, &partitions, &tasks);
  if (!is_open(partitions)) return on_host(loop, "there is no device");
  hoist_task whole;
  if (!plan(loop, given, iterations, &whole)) return on_host(loop, whole.why);
  hoist_task first = whole;
  shape(&first, (iterations + tasks - 1) / tasks * inner);
  for (int r = 0; r < run.reduction_count; ++r) {
    run.reductions[r].room = first.groups * (size_t)tasks;
    run.reductions[r].memory = device_allocate(run.reductions[r].room * run.reductions[r].bytes);
    if (!run.reductions[r].memory) return on_host(loop, "the device has no memory left");
  }
  const int none = 0;
  for (int lock = 0; lock < MOST_LOCKS; ++lock) device_write(0, run.locks, (size_t)lock * sizeof none, &none, sizeof none, NULL);
  device_finish(0);
  const int downloads_each = !loop->stays && !tasks_overlap(loop, given, iterations, tasks);
  for (int t = 0; t < tasks; ++t) {
    const long begin = first_of_task(iterations, tasks, t), last = first_of_task(iterations, tasks, t + 1) - 1;
    if (begin > last) continue;
    hoist_task task = task_for(loop, t, queue_of_task(t));
    task.kernel = whole.kernel;
    task.group = first.group;
    task.groups = first.groups;
    task.step = PREPARE;
    ask(&task, given, begin, last);
    task.step = LAUNCH;
    const size_t written_before = run.part_count;
    ask(&task, given, begin, last);
    device_set_value(task.kernel, task.position, &begin, sizeof begin);
    device_set_value(task.kernel, task.position + 1, &last, sizeof last);
    device_launch(task.queue, task.kernel, task.groups, task.group);
    ++moved.launches;
    mark_written(written_before);
    if (downloads_each) download(t, task.queue);
    device_flush(task.queue);
  }
  for (int q = 0; q < device.queues.count; ++q) device_finish(q);
  if (!loop->stays) {
    download(-1, 0);
    device_finish(0);
  }
  for (int i = 0; i < run.variable_count; ++i) {
    device_read(0, run.variables[i].memory, 0, run.variables[i].variable, run.variables[i].bytes);
    device_finish(0);
  }
  combine_reductions(loop, given);
  device_kernel_drop(whole.kernel);
  end_run();
  return 1;
}
