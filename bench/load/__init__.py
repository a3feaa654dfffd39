"""`make load`: real processes under the load of an organization of thousands, and an index of a million chunks."""
