#include "gcode.h"

#include "fixed.h"
#include "number.h"

namespace gcode {

namespace {

// Letters whose value is kept, in the order of Words::value.
const char kLetters[] PROGMEM = "XYZFIJKLNPRST";
constexpr uint8_t kLetterCount = sizeof kLetters - 1;
enum Letter : uint8_t { kF = 3, kL = 7, kN = 8, kP = 9, kR = 10, kS = 11, kT = 12 };
constexpr uint16_t bit(uint8_t letter) {
    return static_cast<uint16_t>(1u << letter);
}
constexpr uint16_t kNeverNegative = bit(kF) | bit(kN) | bit(kP) | bit(kT) | bit(kS);
constexpr uint32_t kMostLineNumber = 10000000;
constexpr int32_t kOne = 10000;
constexpr int32_t kSystemCount = 6;  // G54 to G59

enum Group : uint8_t {
    kMotion,
    kOnce,
    kPlane,
    kDistance,
    kFeedMode,
    kUnits,
    kCutter,
    kToolLength,
    kSystem,
    kControl,
    kFlow,
    kSpindle,
    kCool,
    kArcMode,
    kGroupCount,
    kNoGroup = 255
};

struct Words {
    uint16_t present;  // values that nobody has used yet
    int32_t value[kLetterCount];
    bool line_number_too_large;
    uint16_t claimed;  // groups
    uint8_t code[kGroupCount];
    uint8_t axis_command;  // kNoCommand: none
    bool unshift;          // G92.1

    bool has(uint8_t group) const { return claimed & bit(group); }
    bool take(uint8_t letter) {
        const bool there = present & bit(letter);
        present &= static_cast<uint16_t>(~bit(letter));
        return there;
    }
};
constexpr uint8_t kNoCommand = 255;

uint8_t group_of_g(uint8_t code) {
    switch (code) {
        case 0: case 1: case 2: case 3: case 80: return kMotion;
        case 4: case 10: case 53: case 92: return kOnce;
        case 17: case 18: case 19: return kPlane;
        case 90: case 91: return kDistance;
        case 94: return kFeedMode;
        case 20: case 21: return kUnits;
        case 40: return kCutter;
        case 49: return kToolLength;
        case 54: case 55: case 56: case 57: case 58: case 59: return kSystem;
        case 61: return kControl;
        default: return kNoGroup;
    }
}

uint8_t group_of_m(uint8_t code) {
    switch (code) {
        case 0: case 1: case 2: case 30: return kFlow;
        case 3: case 4: case 5: return kSpindle;
        case 8: case 9: return kCool;
        default: return kNoGroup;
    }
}

bool takes_axes(uint8_t code) {
    return code <= 3 || code == 10 || code == 80 || code == 92;
}

uint8_t claim(Words& words, uint8_t group, uint8_t code) {
    if (group == kNoGroup) return kUnsupported;
    if (words.has(group)) return kConflict;
    words.claimed |= bit(group);
    words.code[group] = code;
    return kOk;
}

uint8_t add_g(Words& words, const Number& number) {
    const uint8_t code = number.command();
    const bool tenth = number.command_rest_is(10);
    if (code == 91 && tenth) return claim(words, kArcMode, code);
    if (code == 92 && tenth) words.unshift = true;
    const uint8_t group = group_of_g(code);
    if (takes_axes(code) && !words.unshift) {
        if (words.axis_command != kNoCommand) {
            return group_of_g(words.axis_command) != group ? kTwoWantAxes : kConflict;
        }
        words.axis_command = code;
    }
    const uint8_t error = claim(words, group, code);
    if (error) return error;
    if (number.command_rest_is(0) || words.unshift) return kOk;
    return code == 92 ? kUnsupported : kNotWhole;
}

uint8_t add_m(Words& words, const Number& number) {
    if (!number.command_rest_is(0)) return kNotWhole;
    const uint8_t code = number.command();
    return claim(words, group_of_m(code), code);
}

uint8_t add_value(Words& words, char name, const Number& number) {
    uint8_t letter = 0;
    while (letter < kLetterCount && static_cast<char>(pgm_read_byte(kLetters + letter)) != name) ++letter;
    if (letter == kLetterCount) return kUnsupported;
    if (words.present & bit(letter)) return kRepeated;
    if (number.negative && !number.zero() && (kNeverNegative & bit(letter))) return kNegative;
    words.present |= bit(letter);
    words.value[letter] = number.ten_thousandths();
    if (letter == kN) words.line_number_too_large = number.whole > kMostLineNumber;
    return kOk;
}

uint8_t read_words(const char* text, Words& words) {
    words = Words();
    words.axis_command = kNoCommand;
    uint8_t at = 0;
    while (const char letter = text[at]) {
        if (letter < 'A' || letter > 'Z') return kNoLetter;
        Number number;
        if (!read_number(text, ++at, number)) return kBadNumber;
        const uint8_t error = letter == 'G'   ? add_g(words, number)
                              : letter == 'M' ? add_m(words, number)
                                              : add_value(words, letter, number);
        if (error) return error;
    }
    return kOk;
}

int32_t in_mm(int32_t value, bool inches) {
    return inches ? fixed::scale(value, 254, 10, 0x7FFFFFFF) : value;
}

uint8_t take_modes(Words& words, const Modal& before, Modal& after) {
    if (words.line_number_too_large) return kLineNumber;
    after = before;
    if (words.take(kT)) {
        if (words.value[kT] > 255 * kOne) return kToolNumber;
        after.tool = static_cast<uint8_t>(words.value[kT] / kOne);
    }
    if (words.has(kUnits)) after.inches = words.code[kUnits] == 20;
    if (words.take(kF)) after.feed = in_mm(words.value[kF], after.inches);
    if (words.take(kS)) after.power = words.value[kS];
    if (words.has(kMotion)) after.motion = words.code[kMotion];
    if (words.has(kSystem)) after.system = static_cast<uint8_t>(words.code[kSystem] - 54);
    if (words.has(kPlane)) after.plane = words.code[kPlane];
    if (words.has(kDistance)) after.relative = words.code[kDistance] == 91;
    if (words.has(kSpindle)) after.spindle = words.code[kSpindle];
    if (words.has(kCool)) after.cool = words.code[kCool];
    after.flow = words.has(kFlow) ? static_cast<int8_t>(words.code[kFlow]) : kNoFlow;
    return kOk;
}

void take_axes(Words& words, Block& block) {
    block.axes = 0;
    for (uint8_t axis = 0; axis < kAxisCount; ++axis) {
        block.value[axis] = in_mm(words.value[axis], block.modal.inches);
        if (words.take(axis)) block.axes |= static_cast<uint8_t>(1 << axis);
    }
}

uint8_t choose_action(const Words& words, Block& block) {
    if (words.unshift) {
        block.action = Action::Unshift;
    } else if (words.axis_command == 10) {
        block.action = Action::SetOffset;
    } else if (words.axis_command == 92) {
        block.action = Action::Shift;
        if (!block.axes) return kNoAxis;
    } else {
        block.action = words.axis_command != kNoCommand || block.axes ? Action::Move : Action::None;
    }
    return kOk;
}

uint8_t take_offset_words(Words& words, Block& block) {
    if (!block.axes) return kNoAxis;
    if (!words.take(kP) || !words.take(kL)) return kValueMissing;
    const int32_t number = words.value[kP] / kOne;
    const int32_t kind = words.value[kL] / kOne;
    if (number > kSystemCount) return kNoSuchSystem;
    if ((kind != 2 && kind != 20) || (words.present & bit(kR))) return kUnsupported;
    block.offset_system = number ? static_cast<uint8_t>(number - 1) : block.modal.system;
    block.offset_is_position = kind == 20;
    return kOk;
}

uint8_t check_move(Block& block) {
    const uint8_t motion = block.modal.motion;
    if (motion == 80) {
        if (block.axes) return kAxisUnused;
        block.action = Action::None;
        return kOk;
    }
    if (motion != 0 && block.modal.feed == 0) return kNoFeed;
    if (motion > 1) return block.axes ? kUnsupported : kNoAxis;
    if (!block.axes) block.action = Action::None;
    return kOk;
}

uint8_t take_once(Words& words, Block& block) {
    const uint8_t once = words.has(kOnce) ? words.code[kOnce] : 0;
    block.dwells = once == 4;
    block.machine = once == 53;
    block.dwell = 0;
    if (block.dwells) {
        if (!words.take(kP)) return kValueMissing;
        block.dwell = words.value[kP];
    } else if (once == 10) {
        return take_offset_words(words, block);
    } else if (block.machine && block.axes && (block.action != Action::Move || block.modal.motion > 1)) {
        return kBadG53;
    }
    return kOk;
}

}  // namespace

Modal first_modal() {
    Modal modal = Modal();
    modal.plane = 17;
    modal.spindle = kSpindleOff;
    modal.cool = 9;
    modal.flow = kNoFlow;
    return modal;
}

uint8_t parse(const char* text, const Modal& modal, Block& block) {
    Words words;
    uint8_t error = read_words(text, words);
    if (!error) error = take_modes(words, modal, block.modal);
    if (error) return error;
    take_axes(words, block);
    error = choose_action(words, block);
    if (!error) error = take_once(words, block);
    if (!error && block.action == Action::Move) error = check_move(block);
    if (error) return error;
    words.take(kN);
    return words.present ? kUnusedWords : kOk;
}

uint8_t parse_jog(const char* text, const Modal& modal, Block& block) {
    Words words;
    uint8_t error = read_words(text, words);
    if (error) return error;
    const uint16_t allowed = bit(kUnits) | bit(kDistance) | bit(kOnce);
    if ((words.claimed & ~allowed) || (words.has(kOnce) && words.code[kOnce] != 53)) return kBadJog;
    if (!(words.present & bit(kF)) || !words.value[kF]) return kNoFeed;
    error = take_modes(words, modal, block.modal);
    if (error) return error;
    block.modal.motion = 1;
    take_axes(words, block);
    words.take(kN);
    if (words.present) return kUnusedWords;
    if (!block.axes) return kNoAxis;
    block.action = Action::Move;
    block.machine = words.has(kOnce);
    block.dwells = false;
    return kOk;
}

void move_target(const Block& block, const int32_t from[kAxisCount], const int32_t work_offset[kAxisCount],
                 int32_t target[kAxisCount]) {
    for (uint8_t axis = 0; axis < kAxisCount; ++axis) {
        target[axis] = from[axis];
        if (!(block.axes & 1 << axis)) continue;
        // Work offsets are at most twice as far as the farthest place: the sum fits.
        int32_t place = fixed::held(block.value[axis], 2 * kFarthest);
        if (!block.machine) place += block.modal.relative ? from[axis] : work_offset[axis];
        target[axis] = fixed::held(place, kFarthest);
    }
}

}  // namespace gcode
