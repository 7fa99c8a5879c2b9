// The sketch without the Arduino IDE.
#include "machine.h"

int main() {
    machine::setup();
    for (;;) machine::loop();
}
