from .engines.catalogue import create_engine as create_engine
from .engines.engine import Engine as Engine
from .games.catalogue import create_game as create_game
from .games.diagram import draw as draw
from .games.game import Position as Position
