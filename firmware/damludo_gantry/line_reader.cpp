#include "line_reader.h"

#include "checksum.h"

void LineReader::clear() {
    begin();
}

void LineReader::begin() {
    line.length = 0;
    line.text[0] = 0;
    line.too_long = false;
    line.checksum = checksum::kStart;
    fresh_ = false;
    summing_ = true;
    bracket_ = semicolon_ = false;
}

bool LineReader::take(uint8_t byte) {
    if (fresh_) begin();
    if (byte == '\n' || byte == '\r') {
        fresh_ = true;
        return true;
    }
    summing_ = summing_ && byte != '*';
    if (summing_) line.checksum = checksum::add(line.checksum, byte);
    if (bracket_) {
        bracket_ = byte != ')';
    } else if (semicolon_) {
        return false;
    } else if (byte == '(') {
        bracket_ = true;
    } else if (byte == ';') {
        semicolon_ = true;
    } else if (byte > ' ' && byte != '/') {
        if (line.length == Line::kMost) {
            line.too_long = true;
            return false;
        }
        line.text[line.length++] = static_cast<char>(byte >= 'a' && byte <= 'z' ? byte - 32 : byte);
        line.text[line.length] = 0;
    }
    return false;
}
