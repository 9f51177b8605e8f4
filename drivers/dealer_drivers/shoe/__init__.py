"""Everything that reads cards: shoes that read them as they are drawn, and scanners that they are drawn over."""
