/* ---- A run ---- */

static int give(streams *s, const node *n) {
  int status;
  switch (n->kind) {
    case UPLOAD: return device_upload(s, n, (const char *)s->inputs[n->what] + n->host);
    case DOWNLOAD: return device_download(s, n, (char *)s->outputs[n->what] + n->host);
    case LAUNCH: return s->plan->kernels[n->what].launch(s, n);
    default:
      status = device_begin_loop(s, n);
      if (!status) status = n->kind == COPY ? device_copy(s, n, n->cell, n->what, n->bytes) : s->plan->loops[n->what](s, n);
      return status ? status : device_end_loop(s, n);
  }
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

