// Turns planned moves into step pulses. prepare() cuts pieces ahead in the main program; the timer's interrupt walks them off.
#pragma once
#include <stdint.h>

#include "hal.h"

namespace stepper {

void init();
// After a change of the settings: inversions, pulse.
void read_settings();

// Cut pieces until enough are ready, drop finished moves. Called often: pieces last some 8 ms.
void prepare();
// Let planned moves be driven; this ends by itself when all is done.
void go();
bool moving();  // the timer runs
// Brake to rest and stay there, until release().
void hold();
void release();
bool held();  // hold() was called and not released
// No further step, at once. What was queued is the caller's to forget (forget()).
void halt();
void forget();

void get_position(int32_t motors[kAxisCount]);
void set_position(const int32_t motors[kAxisCount]);
// Speed of the running piece along the path, mm/min.
uint32_t feed_now();

// Axes that are not stepped, whatever the moves say (homing: the switch is found; servo: no motor).
void lock(uint8_t axes);
void unlock_all();
uint8_t locked();
void set_unpulsed(uint8_t axes);  // counted, not pulsed

void on_timer();

}  // namespace stepper
