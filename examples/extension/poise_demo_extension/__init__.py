"""An example of a package that extends Poise: one module a thing, see docs/extending.md."""
