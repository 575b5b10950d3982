from .formats import FORMATS as FORMATS
from .formats import FileFormat as FileFormat
from .formats import format_of as format_of
from .formats import format_of_file as format_of_file
from .formats import read_games as read_games
from .formats import write_games as write_games
from .kept_game import KeptGame as KeptGame
