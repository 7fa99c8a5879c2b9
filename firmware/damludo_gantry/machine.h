// State of the whole controller: what a report's first word says, real-time commands, alarms, resets. And setup() and loop().
#pragma once
#include <stdint.h>

#include "gcode.h"
#include "hal.h"

namespace machine {

enum class State : uint8_t { Idle, Run, Hold, Jog, Alarm, Door, Check, Home, Sleep };

enum AlarmNumber : uint8_t {
    kHardLimit = 1,
    kSoftLimit = 2,
    kResetInMotion = 3,
    kHomingReset = 6,
    kHomingDoor = 7,
    kHomingPullOff = 8,
    kHomingNoSwitch = 9
};

void setup();
void loop();

// State

State state();
void set_state(State state);
bool door_restoring();  // Door:3
bool waiting();         // a dwell or a door's delay runs: something will happen without new bytes
bool aborted();         // a reset is under way: unwind, loop() answers and greets
void abort();
// Lock; 1 and 2 let nothing through but a reset.
void alarm(uint8_t number);
void sleep();
gcode::Modal& modal();
void restore_magnet();  // as the modes want it
void put_answer(uint8_t error);

// Waiting: real-time commands are obeyed, motion is fed, reports are given. False: aborted.

void pass();  // once, to the next interrupt
bool wait_for_rest();
bool wait_ms(uint32_t milliseconds);
bool wait_while_suspended();

// Motion

// Queue a move as soon as there is room; an idle machine takes the state `moving`. False: aborted.
bool queue_move(const int32_t target[kAxisCount], uint32_t speed, State moving);

// ... of motor steps.
bool queue_steps(const int32_t motors[kAxisCount], uint32_t speed, State moving, uint8_t flags);

void reset_motion_overrides();
void read_settings();  // after a change
void servo_to_place();
uint8_t spindle_percent();
uint16_t reset_count();

}  // namespace machine
