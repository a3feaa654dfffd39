"""What pages ask of a corpus at every turn, kept beside it and changed by the database with each document."""
