// Fuzz target without time: lines to G-code to the planner to the pieces of the ramp, many thousand lines a second.
#include <cstdlib>

#include "bench.h"
#include "fixed.h"
#include "gcode.h"
#include "line_reader.h"
#include "machine.h"
#include "places.h"
#include "planner.h"
#include "ramp.h"
#include "settings.h"

namespace {

class Nobody : public bench::Driver {
public:
    void reached_limit() override { bench::board.limit = bench::kNever - 1; }
};

Nobody nobody;

void require(bool good) {
    if (!good) __builtin_trap();
}

// Drive the oldest move with an override and a hold in it; every step must be made, whatever the numbers.
void drive_oldest(uint8_t whim) {
    const planner::Move move = *planner::at(0);
    const uint32_t lead = move.lead;
    const uint32_t cruise_path = planner::cruise_speed(move);
    const uint32_t cruise = planner::lead_from_path(move, planner::squared(cruise_path));
    Ramp ramp;
    ramp.begin(lead, planner::lead_from_path(move, move.entry_v2), move.lead_gain);
    uint32_t made = 0;
    for (int i = 0; i < 3000 && ramp.steps_left(); ++i) {
        const uint32_t cruise_v2 = cruise > 1 ? (i / 50 % 2 ? cruise / 2 : cruise) : 1;
        ramp.aim(cruise_path, cruise_v2 > 1000000000 ? 1000000000 : cruise_v2, 0);
        const bool braking = (i & 64) && (whim & 1) && !ramp.resting();
        const Piece piece = ramp.next(braking);
        require(piece.steps > 0 && piece.ticks > 0 && piece.cycles >= 200);
        made += piece.steps;
    }
    require(made + ramp.steps_left() == lead);
    planner::drop_oldest();
}

void obey(const LineReader& reader, gcode::Modal& modal) {
    gcode::Block block;
    const char* text = reader.line.text;
    const bool jog = text[0] == '$';
    if (jog ? gcode::parse_jog(text + 1, modal, block) : gcode::parse(text, modal, block)) return;
    require(block.axes <= kAllAxes);
    if (!jog) modal = block.modal;
    if (block.action != gcode::Action::Move) return;
    int32_t offset[kAxisCount];
    int32_t target[kAxisCount];
    int32_t motors[kAxisCount];
    places::work_offset(offset);
    gcode::move_target(block, places::parsed_end, offset, target);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        require(std::abs(target[i]) <= gcode::kFarthest);
        places::parsed_end[i] = target[i];
    }
    places::steps_of(target, motors);
    if (planner::full()) drive_oldest(reader.line.length);
    for (uint8_t i = 0; i < kAxisCount; ++i) {
        const int32_t most = planner::kMostSteps;
        const int32_t way = motors[i] - planner::end()[i];
        motors[i] = planner::end()[i] + (way > most ? most : way < -most ? -most : way);
    }
    planner::add(motors, block.modal.motion == 0 ? 0 : places::planner_speed(block.modal.feed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static bool started;
    if (!started) {
        started = true;
        bench::make_board(&nobody);
        bench::board.tick_at = 16000;  // time passes while the memory is written
        settings::load();
    }
    const int32_t origin[kAxisCount] = {0, 0, 0};
    planner::init();
    planner::place_at(origin);
    for (int32_t& place : places::parsed_end) place = 0;
    gcode::Modal modal = gcode::first_modal();
    LineReader reader;
    reader.clear();
    for (size_t i = 0; i < size; ++i) {
        if (reader.take(data[i])) obey(reader, modal);
    }
    while (!planner::empty()) drive_oldest(static_cast<uint8_t>(size));
    return 0;
}
