// The `$` commands.
#pragma once
#include <stdint.h>

namespace dollar {

// `text` begins with '$'. Returns the number of its error.
uint8_t obey(const char* text);

}  // namespace dollar
