"""The colours of every figure: those of Okabe and Ito, which people with any colour vision tell apart.

Whatever has a colour of its own has a marker, a line or a hatch of its own too, so that a figure can be read in black
and white.
"""

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PINK = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"

# Dark enough for thin lines and for text on white: a contrast of at least 4.5. So is BLUE.
INK, GREY, DARK_RED, DARK_GREEN = "#1a1a1a", "#6b6b6b", "#B84A00", "#00775A"

# For what stands back: lines of a grid, areas, methods that are there for comparison only.
LIGHT_GREY, PALE_GREY, PALE_BLUE = "#999999", "#e3e3e3", "#cfe3f1"
