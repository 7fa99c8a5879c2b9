// The sketch of the Arduino IDE. All of it is in the modules beside it; the plain Makefile builds the same two functions.
#include "machine.h"

void setup() {
    machine::setup();
}

void loop() {
    machine::loop();
}
