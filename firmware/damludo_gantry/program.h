// What a line does: G-code and start-up lines here, `$` commands in dollar.h.
#pragma once
#include <stdint.h>

namespace program {

// Obey a clean line; returns the number of its error. If machine::aborted() comes up meanwhile, the reset answers for it.
uint8_t obey(const char* text, bool too_long);
void run_startup_lines();

}  // namespace program
