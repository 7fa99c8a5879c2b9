// G-code of one line: words, modal groups, refusals. Pure: text and modes in, a block or an error number out.
// Behaviour and numbers are those of GRBL 1.1; arcs, probing, G28, G30 and inverse time are refused as unsupported.
#pragma once
#include <stdint.h>

#include "hal.h"

namespace gcode {

enum Error : uint8_t {
    kOk = 0,
    kNoLetter = 1,
    kBadNumber = 2,
    kBadStatement = 3,
    kNegative = 4,
    kHomingOff = 5,
    kNotIdle = 8,
    kLocked = 9,
    kLineTooLong = 11,
    kSafetyInput = 13,
    kJogOutside = 15,
    kBadJog = 16,
    kUnsupported = 20,
    kConflict = 21,
    kNoFeed = 22,
    kNotWhole = 23,
    kTwoWantAxes = 24,
    kRepeated = 25,
    kNoAxis = 26,
    kLineNumber = 27,
    kValueMissing = 28,
    kNoSuchSystem = 29,
    kBadG53 = 30,
    kAxisUnused = 31,
    kUnusedWords = 36,
    kToolNumber = 38
};

enum class Action : uint8_t { None, Move, SetOffset, Shift, Unshift };

// 50 m either way, in ten thousandths of a mm: whatever is typed, lengths and steps stay within 32 bits.
constexpr int32_t kFarthest = 500000000;
constexpr int8_t kNoFlow = -1;
constexpr uint8_t kSpindleOff = 5;

// Modes that last from line to line. Lengths, feeds and powers are in ten thousandths.
struct Modal {
    uint8_t motion;  // 0, 1, 2, 3, 80
    uint8_t system;  // 0 = G54
    uint8_t plane;   // 17, 18, 19
    bool inches;
    bool relative;
    uint8_t spindle;  // 3, 4, 5
    uint8_t cool;     // 8, 9
    uint8_t tool;
    int8_t flow;      // M0, M1, M2, M30 of this line, kNoFlow
    int32_t feed;     // mm/min, 0 until the first F
    int32_t power;    // S
};

struct Block {
    Modal modal;  // after the line
    Action action;
    uint8_t axes;               // which axis words there are
    int32_t value[kAxisCount];  // mm
    bool machine;               // G53
    bool dwells;
    int32_t dwell;              // s
    uint8_t offset_system;      // of G10
    bool offset_is_position;    // L20, not L2
};

Modal first_modal();
// Understand a clean line (LineReader); at a refusal `block` is void.
uint8_t parse(const char* text, const Modal& modal, Block& block);
// ... and what follows $J=.
uint8_t parse_jog(const char* text, const Modal& modal, Block& block);
// Where a move leads, machine position in ten thousandths of a mm; `from` is where the one before it leads.
void move_target(const Block& block, const int32_t from[kAxisCount], const int32_t work_offset[kAxisCount],
                 int32_t target[kAxisCount]);

}  // namespace gcode
