"""Zero testing: canonical form proves, an exact point refutes."""
