"""The pages of signing in: the form, and the way to an organization's provider and back."""
