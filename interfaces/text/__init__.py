"""Results as text: tables through tabulate, and single lines."""
