// What `?`, `$$`, `$G`, `$#`, `$I` print, byte for byte as GRBL 1.1 does.
#pragma once
#include <stdint.h>

namespace report {

void init();  // counters of the rare fields, after a reset
void offset_soon();
void overrides_soon();

void status();
void modes();
void offsets();
void identity();
void greeting(bool locked);
void abnormal_reset();  // says so if there was one

}  // namespace report
