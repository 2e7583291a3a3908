"""The physically based motion filter of Tak and Ko, 2005."""
