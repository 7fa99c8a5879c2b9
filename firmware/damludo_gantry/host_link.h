// Numbered lines with a check sum, for a host that wants each line obeyed exactly once. docs/protocol.md is the specification.
// Asleep until the first such line comes, so that other senders never notice.
#pragma once
#include <stdint.h>

#include "line_reader.h"

namespace host_link {

enum class Verdict : uint8_t {
    Plain,     // not a numbered line; obey it as GRBL does
    Obey,      // numbered and new: obey what admit() has left of it
    Answered,  // repeated or damaged: already answered
};

void init();
// Judge a line; of a good one the number and the check sum are taken off (`text` points behind the number).
Verdict admit(Line& line, const char*& text);
// Write the number behind an answer, and remember the answer for a repetition.
void sign_answer(uint8_t error);

bool active();
void note_life();  // the host lives; may be called from interrupts
// Milliseconds since the last sign of life, 0 while asleep.
uint16_t silence_ms();
void age_1ms();

}  // namespace host_link
