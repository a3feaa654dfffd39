"""The admin of data sources. Django imports this package for what it registers."""

from tools.admin import sources as sources
from tools.admin import tables as tables
