"""What an operator sees of the processes: lines that belong together, traces, checks of what stands around them."""
