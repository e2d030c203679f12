"""Pictures: each is drawn by one function, in one set of colours, for Python and for the page."""
