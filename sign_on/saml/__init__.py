"""SAML 2.0: what a browser takes to an organization's provider, and what is believed of what it posts back.

What reads XML (`assertions`, `entities`, `markup`, `signing`) loads lxml and signxml: it is imported where it is used,
and no sooner.
"""
