"""The table's screen: pages for the people at the table, served from what is committed and nothing else.

``view`` makes all that a page shows, pure; ``feed`` sends it; ``app`` serves pages, feed and acts.
"""
