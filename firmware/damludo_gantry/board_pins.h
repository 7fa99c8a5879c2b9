// Pins of an Arduino Uno or Nano under a CNC shield V3. Only hal_avr.cpp includes this.
//
//   D2 D3 D4     step x, y, z              PD2 PD3 PD4
//   D5 D6 D7     direction x, y, z         PD5 PD6 PD7     low = +
//   D8           steppers off              PB0             low = on
//   D9 D10 D12   limit switch x, y, z      PB1 PB2 PB4     pulled up, pressed = low
//   D11          magnet (MOSFET)           PB3             high = on
//   A0 A1 A2     e-stop, hold, resume      PC0 PC1 PC2     pulled up, pressed = low
//   A3           servo of the z axis       PC3             "coolant enable" on the shield
//
// D13 stays free: the boot loader blinks it, and a magnet there would click at each reset.
#pragma once
#include <stdint.h>

namespace pins {

constexpr uint8_t kStepShift = 2;        // port D
constexpr uint8_t kDirectionShift = 5;   // port D
constexpr uint8_t kAxes = 0x07;
constexpr uint8_t kSteppersOff = 1 << 0; // port B
constexpr uint8_t kLimitX = 1 << 1;      // port B
constexpr uint8_t kLimitY = 1 << 2;      // port B
constexpr uint8_t kMagnet = 1 << 3;      // port B
constexpr uint8_t kLimitZ = 1 << 4;      // port B
constexpr uint8_t kControls = 0x07;      // port C
constexpr uint8_t kServo = 1 << 3;       // port C

}  // namespace pins
