// Bytes to lines: blanks and comments dropped, letters made capitals, the check sum of an N line counted on the way.
#pragma once
#include <stdint.h>

struct Line {
    static constexpr uint8_t kMost = 79;  // characters that reach the parser
    char text[kMost + 1];                 // ends with 0
    uint8_t length;
    bool too_long;
    uint16_t checksum;  // of the raw bytes before the '*'
};

class LineReader {
public:
    void clear();
    // Take one byte; true: `line` is complete. The next byte begins a new one.
    bool take(uint8_t byte);
    Line line;

private:
    void begin();
    bool fresh_;      // the last line was complete
    bool summing_;    // no '*' yet
    bool bracket_;    // inside ( )
    bool semicolon_;  // behind ;
};
