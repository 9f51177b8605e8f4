"""A whole table before it opens: is each device there, is it the calibrated one, and was it proved?"""
