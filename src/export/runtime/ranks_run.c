/* Asks for the messages of a step. Those of a step and of the one behind it have different tags. */
static int ask(streams *s, const list *l, int half) {
  char *to = s->received[half];
  MPI_Request *request = s->receives[half];
  int error = MPI_SUCCESS;
  for (size_t i = 0; i < l->count && error == MPI_SUCCESS; ++i) {
    const node *n = l->nodes + i;
    char *memory = n->kind == RECEIVE ? to : is_receive(n) ? (char *)s->outputs[n->cell] + n->host : NULL;
    if (!is_receive(n)) continue;
    error = MPI_Irecv(memory, (int)n->bytes, MPI_BYTE, n->what, 2 * n->tag + half, s->communicator, request++);
    if (n->kind == RECEIVE) to += n->bytes;
  }
  return error == MPI_SUCCESS ? STREAMS_OK : RANKS_MESSAGE_FAILED;
}

static int wait_for_sends(streams *s) {
  const int error = MPI_Waitall(s->send_count, s->sends, MPI_STATUSES_IGNORE);
  s->send_count = 0;
  return error == MPI_SUCCESS ? STREAMS_OK : RANKS_MESSAGE_FAILED;
}

static int run_list(streams *s, const list *l, int half) {
  int status = wait_for_sends(s);
  char *sent = s->sent, *received = s->received[half];
  MPI_Request *receive = s->receives[half];
  for (size_t i = 0; !status && i < l->count; ++i) {
    const node *n = l->nodes + i;
    int error = MPI_SUCCESS;
    char *memory = n->kind == SEND_INPUT || n->kind == RECEIVE_OUTPUT ? NULL : (char *)s->place[n->cell] + n->device;
    switch (n->kind) {
      case UPLOAD: memcpy(memory, (const char *)s->inputs[n->what] + n->host, n->bytes); break;
      case DOWNLOAD: memcpy((char *)s->outputs[n->what] + n->host, memory, n->bytes); break;
      case LAUNCH: status = kernels[n->what](s, n, n->items); break;
      case COPY: status = device_copy(s, n, n->cell, n->what, n->bytes); break;
      case LOOP: status = loops[n->what](s, n); break;
      case SEND:
        memcpy(sent, memory, n->bytes);
        error = MPI_Isend(sent, (int)n->bytes, MPI_BYTE, n->what, 2 * n->tag + (half + n->ahead) % 2, s->communicator, s->sends + s->send_count++);
        sent += n->bytes;
        break;
      case SEND_INPUT:
        error = MPI_Isend((const char *)s->inputs[n->cell] + n->host, (int)n->bytes, MPI_BYTE, n->what, 2 * n->tag + half, s->communicator,
                          s->sends + s->send_count++);
        break;
      case RECEIVE:
        error = MPI_Wait(receive++, MPI_STATUS_IGNORE);
        memcpy(memory, received, n->bytes);
        received += n->bytes;
        break;
      case RECEIVE_OUTPUT: error = MPI_Wait(receive++, MPI_STATUS_IGNORE); break;
    }
    if (error != MPI_SUCCESS) status = RANKS_MESSAGE_FAILED;
  }
  return status;
}

/* The largest status of all ranks, so that all have the same. */
static int agreed(streams *s, int status) {
  int all = status;
  if (MPI_Allreduce(&status, &all, 1, MPI_INT, MPI_MAX, s->communicator) != MPI_SUCCESS) return RANKS_MESSAGE_FAILED;
  return all;
}

/* All ranks call it together, with the same number of steps; where one has a status, or a fault, all end with the largest. */
static int run_steps(streams *s, long long steps, int status, int *fault) {
  const long long mine[2] = {steps, -steps};
  long long all[2] = {0, 0};
  status = agreed(s, steps < 1 ? STREAMS_INVALID_ARGUMENT : status);
  if (status) return status;
  if (MPI_Allreduce(mine, all, 2, MPI_LONG_LONG, MPI_MAX, s->communicator) != MPI_SUCCESS) return RANKS_MESSAGE_FAILED;
  if (all[0] != steps || all[1] != -steps) return STREAMS_INVALID_ARGUMENT;
  memcpy(s->place, s->memory, sizeof s->place);
  if (s->plan->faults >= 0) memset(s->place[s->plan->faults], 0, sizeof *fault);
  status = ask(s, list_of(s, 0, steps), 0);
  for (long long step = 0; !status && step < steps; ++step) {
    const int half = (int)(step % 2);
    if (step + 1 < steps) status = ask(s, list_of(s, step + 1, steps), 1 - half);
    if (!status) status = run_list(s, list_of(s, step, steps), half);
    if (step + 1 < steps) exchange(s);
  }
  if (!status) status = wait_for_sends(s);
  if (status || s->plan->faults < 0) return status;
  status = device_read(s, s->plan->only.nodes, s->plan->faults, fault, sizeof *fault);
  *fault = agreed(s, *fault);
  return status;
}

