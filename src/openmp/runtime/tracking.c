/* hoist_openmp.c: which copy of which part of an array is valid.
 *
 * An *object* is memory of known size: from the allocator, or a local array. A *mapping* is memory on the device for a range of
 * the host's addresses, an object where one is known. Two sets of ranges belong to it: what is valid on the device, and what is
 * newer there than on the host. So ranges are moved once, pointers that alias lead to the same memory, and the host fetches
 * only what it asks for. */

enum { LEAST_PINNED = 1 << 20 };

typedef struct range {
  size_t begin, end; /* bytes */
} range;
typedef struct ranges { /* sorted, apart from each other */
  range *items;
  size_t count, room;
} ranges;

static void *more_room(void *items, size_t *room, size_t count, size_t bytes) {
  if (count < *room) return items;
  *room = *room ? 2 * *room : 8;
  items = realloc(items, *room * bytes);
  if (!items) die("there is not enough memory");
  return items;
}

static void ranges_insert_at(ranges *set, size_t at, range added) {
  set->items = more_room(set->items, &set->room, set->count, sizeof *set->items);
  memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof *set->items);
  set->items[at] = added;
  ++set->count;
}

/* The first range that ends at or behind `begin`. */
static size_t ranges_find(const ranges *set, size_t begin) {
  size_t low = 0, high = set->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (set->items[middle].end < begin) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void ranges_add(ranges *set, size_t begin, size_t end) {
  if (begin >= end) return;
  const size_t first = ranges_find(set, begin);
  size_t last = first;
  while (last < set->count && set->items[last].begin <= end) {
    if (set->items[last].begin < begin) begin = set->items[last].begin;
    if (set->items[last].end > end) end = set->items[last].end;
    ++last;
  }
  if (last == first) {
    ranges_insert_at(set, first, (range){begin, end});
    return;
  }
  set->items[first] = (range){begin, end};
  memmove(set->items + first + 1, set->items + last, (set->count - last) * sizeof *set->items);
  set->count -= last - first - 1;
}

static void ranges_remove(ranges *set, size_t begin, size_t end) {
  if (begin >= end) return;
  for (size_t i = ranges_find(set, begin); i < set->count && set->items[i].begin < end;) {
    const range old = set->items[i];
    if (old.end <= begin) {
      ++i;
    } else if (old.begin < begin && old.end > end) {
      set->items[i].end = begin;
      ranges_insert_at(set, i + 1, (range){end, old.end});
      return;
    } else if (old.begin < begin) {
      set->items[i++].end = begin;
    } else if (old.end > end) {
      set->items[i++].begin = end;
    } else {
      memmove(set->items + i, set->items + i + 1, (set->count - i - 1) * sizeof *set->items);
      --set->count;
    }
  }
}

/* The part of the set from `from` on that lies before `end`, or an empty range. */
static range ranges_next(const ranges *set, size_t from, size_t end) {
  for (size_t i = ranges_find(set, from); i < set->count && set->items[i].begin < end; ++i) {
    const range found = {HOIST_MOST(set->items[i].begin, from), HOIST_LEAST(set->items[i].end, end)};
    if (found.begin < found.end) return found;
  }
  return (range){end, end};
}

/* The next part of from..end that is not in the set, or an empty range. */
static range ranges_next_gap(const ranges *set, size_t from, size_t end) {
  while (from < end) {
    const range in = ranges_next(set, from, end);
    if (in.begin >= in.end) return (range){from, end};
    if (in.begin > from) return (range){from, in.begin};
    from = in.end;
  }
  return (range){end, end};
}

typedef struct object {
  char *begin;
  size_t bytes;
} object;
static struct {
  object *items; /* sorted by address */
  size_t count, room;
} objects;

typedef struct mapping {
  char *begin;
  size_t bytes;
  device_memory memory;
  ranges valid; /* on the device */
  ranges newer; /* there than on the host: a part of what is valid */
  int is_pinned;
} mapping;
static struct {
  mapping *items;
  size_t count, room;
} mappings;

static struct {
  size_t uploaded, downloaded, launches, host_loops;
} moved;

static size_t object_position(const void *data) { /* of the first that begins behind `data` */
  size_t low = 0, high = objects.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (objects.items[middle].begin <= (const char *)data) low = middle + 1;
    else high = middle;
  }
  return low;
}

static const object *object_of(const void *data) {
  const size_t behind = object_position(data);
  if (behind == 0) return NULL;
  const object *const found = objects.items + behind - 1;
  return (const char *)data < found->begin + found->bytes ? found : NULL;
}

static void add_object(void *data, size_t bytes) {
  if (!data || !bytes) return;
  size_t at = object_position(data);
  /* Objects that ended without a word: their memory is this one's now. */
  while (at < objects.count && objects.items[at].begin < (char *)data + bytes) {
    memmove(objects.items + at, objects.items + at + 1, (objects.count - at - 1) * sizeof *objects.items);
    --objects.count;
  }
  while (at > 0 && objects.items[at - 1].begin + objects.items[at - 1].bytes > (char *)data) {
    memmove(objects.items + at - 1, objects.items + at, (objects.count - at) * sizeof *objects.items);
    --objects.count;
    --at;
  }
  objects.items = more_room(objects.items, &objects.room, objects.count, sizeof *objects.items);
  memmove(objects.items + at + 1, objects.items + at, (objects.count - at) * sizeof *objects.items);
  objects.items[at] = (object){data, bytes};
  ++objects.count;
}

static void remove_object(const void *data) {
  const size_t behind = object_position(data);
  if (behind == 0 || objects.items[behind - 1].begin != (const char *)data) return;
  memmove(objects.items + behind - 1, objects.items + behind, (objects.count - behind) * sizeof *objects.items);
  --objects.count;
}

static void fetch(mapping *map, size_t begin, size_t end) {
  for (;;) {
    const range part = ranges_next(&map->newer, begin, end);
    if (part.begin >= part.end) return;
    device_read(0, map->memory, part.begin, map->begin + part.begin, part.end - part.begin);
    device_finish(0);
    moved.downloaded += part.end - part.begin;
    ranges_remove(&map->newer, part.begin, part.end);
  }
}

static void drop_mapping(size_t i) {
  mapping *const map = mappings.items + i;
  if (map->is_pinned) device_unpin(map->begin);
  device_free(map->memory);
  free(map->valid.items);
  free(map->newer.items);
  *map = mappings.items[--mappings.count];
}

/* Before the host uses begin..end, and changes it where `writes`. */
static void host_uses(const char *begin, const char *end, int writes) {
  for (size_t i = 0; i < mappings.count; ++i) {
    mapping *const map = mappings.items + i;
    if (map->begin >= end || map->begin + map->bytes <= begin) continue;
    const size_t from = begin > map->begin ? (size_t)(begin - map->begin) : 0;
    const size_t to = (size_t)(end - map->begin) < map->bytes ? (size_t)(end - map->begin) : map->bytes;
    fetch(map, from, to);
    if (writes) ranges_remove(&map->valid, from, to);
  }
}

static void host_uses_all(int writes) {
  for (size_t i = 0; i < mappings.count; ++i) {
    mapping *const map = mappings.items + i;
    fetch(map, 0, map->bytes);
    if (writes) map->valid.count = 0;
  }
}

static void host_uses_object(const void *data, int writes) {
  if (mappings.count == 0) return;
  const object *const found = data ? object_of(data) : NULL;
  if (found) host_uses(found->begin, found->begin + found->bytes, writes);
  else host_uses_all(writes);
}

void hoist_host_reads(const void *data) { host_uses_object(data, 0); }
void hoist_host_writes(const void *data) { host_uses_object(data, 1); }
void hoist_host_reads_bytes(const void *data, size_t bytes) { host_uses(data, (const char *)data + bytes, 0); }
void hoist_host_writes_bytes(const void *data, size_t bytes) { host_uses(data, (const char *)data + bytes, 1); }

void hoist_leave_function(const int *unused) {
  (void)unused;
  host_uses_all(1);
}

void hoist_forget(const void *data, size_t bytes) {
  const char *const begin = data, *const end = begin + bytes;
  for (size_t i = mappings.count; i-- > 0;) {
    mapping *const map = mappings.items + i;
    if (map->begin >= begin && map->begin + map->bytes <= end) {
      drop_mapping(i);
    } else if (map->begin < end && map->begin + map->bytes > begin) {
      const size_t from = begin > map->begin ? (size_t)(begin - map->begin) : 0;
      const size_t to = (size_t)(end - map->begin) < map->bytes ? (size_t)(end - map->begin) : map->bytes;
      ranges_remove(&map->newer, from, to);
      ranges_remove(&map->valid, from, to);
    }
  }
  remove_object(data);
}

hoist_scope hoist_enter_scope(const void *data, size_t bytes) {
  add_object((void *)data, bytes);
  return (hoist_scope){data, bytes};
}
void hoist_leave_scope(const hoist_scope *scope) { hoist_forget(scope->data, scope->bytes); }

void *hoist_malloc(size_t bytes) {
  void *const data = malloc(bytes);
  add_object(data, bytes);
  return data;
}
void *hoist_calloc(size_t count, size_t bytes) {
  void *const data = calloc(count, bytes);
  add_object(data, count * bytes);
  return data;
}
void *hoist_aligned_alloc(size_t alignment, size_t bytes) {
  void *const data = aligned_alloc(alignment, bytes);
  add_object(data, bytes);
  return data;
}
int hoist_posix_memalign(void **data, size_t alignment, size_t bytes) {
  const int status = posix_memalign(data, alignment, bytes);
  if (status == 0) add_object(*data, bytes);
  return status;
}
/* Whatever lies in the object; what is newer on the device is lost with it. */
static void end_object(void *data) {
  const object *const found = data ? object_of(data) : NULL;
  if (found && found->begin == (char *)data) hoist_forget(data, found->bytes);
  else if (data) host_uses_all(1);
}
void *hoist_realloc(void *data, size_t bytes) {
  if (data) host_uses_object(data, 1);
  if (data) end_object(data);
  void *const moved_to = realloc(data, bytes);
  add_object(moved_to, bytes);
  return moved_to;
}
void hoist_free(void *data) {
  end_object(data);
  free(data);
}

/* The mapping of begin..end, made or made larger where there is none. NULL: no memory on the device. */
static mapping *mapping_of(char *begin, char *end) {
  const object *const known = object_of(begin);
  if (known && end <= known->begin + known->bytes) {
    begin = known->begin;
    end = known->begin + known->bytes;
  }
  for (size_t i = mappings.count; i-- > 0;) {
    mapping *const map = mappings.items + i;
    if (map->begin <= begin && map->begin + map->bytes >= end) return map;
  }
  /* What overlaps it is replaced by one that holds all. */
  for (size_t i = mappings.count; i-- > 0;) {
    mapping *const map = mappings.items + i;
    if (map->begin >= end || map->begin + map->bytes <= begin) continue;
    fetch(map, 0, map->bytes);
    begin = HOIST_LEAST(begin, map->begin);
    end = HOIST_MOST(end, map->begin + map->bytes);
    drop_mapping(i);
    i = mappings.count; /* The larger range may meet others. */
  }
  const device_memory memory = device_allocate((size_t)(end - begin));
  if (!memory) return NULL;
  mappings.items = more_room(mappings.items, &mappings.room, mappings.count, sizeof *mappings.items);
  mapping *const made = mappings.items + mappings.count++;
  *made = (mapping){begin, (size_t)(end - begin), memory, {0}, {0}, 0};
  /* Memory that ends without a word must not stay pinned. */
  if (known && made->bytes >= LEAST_PINNED) made->is_pinned = device_pin(begin, made->bytes);
  return made;
}
