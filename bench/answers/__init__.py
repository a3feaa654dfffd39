"""`python -m bench.answers`: right answers, exactly cited, honestly rated: measured from a folder of documents."""
