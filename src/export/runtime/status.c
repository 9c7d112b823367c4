/* What functions give: the numbers of the statuses of exported programs. */
enum {
  STREAMS_OK = 0,
  STREAMS_INVALID_ARGUMENT = 1,
  STREAMS_NO_DEVICE = 2,
  STREAMS_NO_MEMORY = 3,
  STREAMS_BUILD_FAILED = 4,
  STREAMS_TRANSFER_FAILED = 5,
  STREAMS_LAUNCH_FAILED = 6,
  STREAMS_TOO_FEW_UNITS = 9
};

