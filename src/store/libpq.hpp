#pragma once
// The part of libpq, PostgreSQL's client, that Hoist calls, found at run time, so that Hoist builds and
// starts on machines that have none. Names and numbers are those of libpq-fe.h; the library has kept them
// since PostgreSQL 8.
#include "base/error.hpp"

namespace hoist::store::libpq {

struct Connection;  // PGconn
struct Answer;      // PGresult
using Oid = unsigned int;
using NoticeProcessor = void (*)(void* argument, const char* message);

// ConnStatusType, ExecStatusType, the field of an error that holds its code, and types of columns.
inline constexpr int CONNECTION_OK = 0, PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2, diagnostic_sqlstate = 'C';
inline constexpr Oid BYTEAOID = 17, INT8OID = 20, INT4OID = 23, FLOAT8OID = 701;

// clang-format off
#define HOIST_LIBPQ_FUNCTIONS(X)                                                                           \
  X(Connection*, PQconnectdbParams, (const char* const* names, const char* const* values, int expand))     \
  X(int, PQlibVersion, ())                                                                                 \
  X(void, PQfinish, (Connection*))                                                                         \
  X(void, PQreset, (Connection*))                                                                          \
  X(int, PQstatus, (const Connection*))                                                                    \
  X(char*, PQerrorMessage, (const Connection*))                                                            \
  X(NoticeProcessor, PQsetNoticeProcessor, (Connection*, NoticeProcessor, void* argument))                 \
  X(Answer*, PQexecParams, (Connection*, const char* sql, int count, const Oid* types,                     \
                            const char* const* values, const int* lengths, const int* formats,             \
                            int format_of_result))                                                         \
  X(int, PQresultStatus, (const Answer*))                                                                  \
  X(char*, PQresultErrorField, (const Answer*, int field))                                                 \
  X(void, PQclear, (Answer*))                                                                              \
  X(int, PQntuples, (const Answer*))                                                                       \
  X(int, PQnfields, (const Answer*))                                                                       \
  X(Oid, PQftype, (const Answer*, int column))                                                             \
  X(char*, PQgetvalue, (const Answer*, int row, int column))                                               \
  X(int, PQgetlength, (const Answer*, int row, int column))                                                \
  X(int, PQgetisnull, (const Answer*, int row, int column))                                                \
  X(char*, PQcmdTuples, (Answer*))
// clang-format on

/// libpq's functions under their own names.
struct Functions {
#define HOIST_DECLARE_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
  HOIST_LIBPQ_FUNCTIONS(HOIST_DECLARE_FUNCTION)
#undef HOIST_DECLARE_FUNCTION
};

/// Opens the library that the environment variable HOIST_LIBPQ_LIBRARY names, else libpq.so.5. It stays open.
/// Throws a Device error when it is missing.
Functions load();

}  // namespace hoist::store::libpq
