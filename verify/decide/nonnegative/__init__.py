"""What sign an expression has, where it is defined at all, and the forms from which a checker reads that off."""
