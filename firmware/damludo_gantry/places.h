// Places and their frames: work and machine coordinates in ten thousandths of a mm, motors in steps; the units of settings.
#pragma once
#include <stdint.h>

#include "hal.h"

namespace places {

extern int32_t parsed_end[kAxisCount];  // where the last accepted move leads
extern int32_t shift[kAxisCount];       // G92
void steps_of(const int32_t place[kAxisCount], int32_t motors[kAxisCount]);
void place_of(const int32_t motors[kAxisCount], int32_t place[kAxisCount]);
void settle();  // forget the queue; parsed_end is where the motors stand
void work_offset(int32_t offset[kAxisCount]);
void load_system_offset();  // after modal().system or the stored offset changed; the next report has WCO
bool outside(const int32_t place[kAxisCount]);  // of the travel, which lies below 0
int32_t length_setting(uint8_t number);         // a setting in mm
uint32_t planner_speed(int32_t feed);           // from ten thousandths of a mm/min

}  // namespace places
