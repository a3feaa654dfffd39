"""What is asked of an organization's provider, and what is believed of its answers."""
