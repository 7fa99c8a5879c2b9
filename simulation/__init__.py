"""One simulated table: seen by the simulated camera, moved by the simulated controller and the simulated hand."""
