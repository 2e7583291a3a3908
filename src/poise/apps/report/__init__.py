"""One page that says how physical a clip is: figures in plain words, pictures, charts."""
