"""What the database does at size: pages and polls, and what the rules of its rows cost."""
