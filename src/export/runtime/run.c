/* ---- A run ---- */

static int give(streams *s, const node *n) {
  const int is_nothing = n->kind == LAUNCH && (n->items[0] == 0 || n->items[1] == 0 || n->items[2] == 0);
  int status;
  if (n->kind == UPLOAD) return device_upload(s, n, (const char *)s->inputs[n->what] + n->host);
  if (n->kind == DOWNLOAD) return device_download(s, n, (char *)s->outputs[n->what] + n->host);
  if (n->kind == LAUNCH && !is_nothing) return s->plan->kernels[n->what].launch(s, n, n->items);
  /* What is several commands, or none, waits before them and is marked behind them. */
  status = device_begin_loop(s, n);
  if (!status && n->kind == COPY) status = device_copy(s, n, n->cell, n->what, n->bytes);
  if (!status && n->kind == LOOP) status = s->plan->loops[n->what](s, n);
  return status ? status : device_end_loop(s, n);
}

/* What was given is waited for whatever failed, so that nothing touches the caller's arrays afterwards. */
static int run_plan(streams *s, const void *const *inputs, void *const *outputs, int *fault) {
  int status = STREAMS_OK, finished;
  s->where[0] = '\0';
  s->inputs = inputs;
  s->outputs = outputs;
  memcpy(s->place, s->memory, s->plan->memory_count * sizeof *s->place);
  if (s->plan->faults >= 0) status = clear_faults(s);
  device_run(s, &status);
  finished = device_finish(s);
  if (!status) status = finished;
  if (!status && s->plan->faults >= 0) status = device_read(s, s->plan->nodes, s->plan->faults, fault, sizeof *fault);
  return status;
}

