#pragma once
// What of libhoist others see.
#define HOIST_EXPORT __attribute__((visibility("default")))
