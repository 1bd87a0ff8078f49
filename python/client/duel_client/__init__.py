"""A client of a Duel server in pure Python: what ``duel.Client`` is, without the native module.

    import duel_client
    c = duel_client.Client("http://127.0.0.1:7557", token_file="token.txt")
    d = c.next("logo")
    c.report("logo", d, winner=d.first)
"""

from .client import (AccessRefused, AsyncClient, Client, ConflictOnServer, NotOnServer, OutOfReach,
                     RemoteDuel, RequestRefused, ServerError, StreamEvent, new_id)
from .errors import (Conflict, Error, InvalidArgument, InvalidData, NotFound, StorageError,
                     Unsupported)

__all__ = ["AccessRefused", "AsyncClient", "Client", "Conflict", "ConflictOnServer", "Error",
           "InvalidArgument", "InvalidData", "NotFound", "NotOnServer", "OutOfReach", "RemoteDuel",
           "RequestRefused", "ServerError", "StorageError", "StreamEvent", "Unsupported", "new_id"]
