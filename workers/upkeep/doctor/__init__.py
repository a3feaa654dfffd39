"""`manage.py doctor`: an installation examined from outside its processes. Nothing is changed, but for a probe in the
file store that is removed again; each examination is a small function, and none waits for another."""
