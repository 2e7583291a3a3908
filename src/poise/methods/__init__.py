"""The methods, one folder each; they share the core and do not import each other."""

from poise.methods.edit import Edit as Edit
from poise.methods.parcel import Parcel as Parcel
from poise.methods.result import Result as Result
from poise.methods.result import Status as Status
from poise.methods.table import METHODS as METHODS
