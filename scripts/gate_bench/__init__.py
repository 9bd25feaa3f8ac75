"""The benchmark of the gates: a labelled set made at run time, and tables of what the gates make of it."""
