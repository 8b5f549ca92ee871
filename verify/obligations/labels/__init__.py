"""Obligations of data with labels: the draws of the labels, and the gradient from their counts."""
