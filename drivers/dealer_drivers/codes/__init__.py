"""From a picture to the text of the bar code in it. Knows no camera, no card and no deck.

The libraries that read pictures are imported when a picture is to be read: a station without cameras loads none.
"""
