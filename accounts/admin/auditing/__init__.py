"""The audit log as an admin reads it: sentences, with the rows behind them folded away."""
