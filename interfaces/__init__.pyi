from .command_line.main import main as main
from .terminal.live.progress import progress as progress
from .text.summary_tables import rating_table as rating_table
from .text.summary_tables import summaries_text as summaries_text
