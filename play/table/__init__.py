"""The parts that fill the match's ports: real, simulated and modelled ones."""
