"""``whether serve``: the program as a page in a browser on the same computer, and on that one only.

The server keeps no data in its own memory and computes nothing. Each table lies in a private folder, and whatever is
done to it is done by the program `whether` in a process of its own, with the command line that the page shows.
"""
