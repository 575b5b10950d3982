from .sqlite_file import BoundedConnection as BoundedConnection
from .whole_files import new_file as new_file
from .whole_files import new_folder as new_folder
