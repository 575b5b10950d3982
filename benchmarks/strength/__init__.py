"""How strong our engines are: one command, a row for every claim in docs/explanation/engines.md."""
