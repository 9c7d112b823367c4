/* Tells which node failed first, and how; gives the status. */
static int failed(streams *s, const node *n, int status, int code) {
  static const char *const kinds[] = {"the upload of ", "the download of ", "the launch of ", "a copy", "a loop of kernels"};
  const plan *p = s->plan;
  const char *what = "";
  if (s->where[0]) return status;
  if (!n) {
    snprintf(s->where, sizeof s->where, "what the device was given (its error %d)", code);
    return status;
  }
  if (n->kind == UPLOAD) what = p->inputs[n->what];
  if (n->kind == DOWNLOAD) what = p->outputs[n->what];
  if (n->kind == LAUNCH) what = p->kernels[n->what].name;
  snprintf(s->where, sizeof s->where, "%s%s, task %d of %d (the device's error %d)", kinds[n->kind], what, n->task, p->tasks, code);
  return status;
}

