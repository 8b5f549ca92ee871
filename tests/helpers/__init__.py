"""What several rooms of tests do in the same way: run the command, look a line of a report up."""
