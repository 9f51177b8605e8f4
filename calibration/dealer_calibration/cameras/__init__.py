"""What the bench tells of a table's camera, whatever lies before it: picture by picture, and against an earlier day."""
