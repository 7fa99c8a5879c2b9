// The version of the firmware; the image's name and manifest are made from it.
#pragma once

#define DAMLUDO_VERSION "1.0.0"
