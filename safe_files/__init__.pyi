from .sqlite_file import BoundedConnection as BoundedConnection
from .sqlite_file import is_ledger as is_ledger
from .untrusted_json import json_object as json_object
from .untrusted_json import json_value as json_value
from .whole_files import new_file as new_file
from .whole_files import new_folder as new_folder
