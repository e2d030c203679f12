"""Other packages as entries of the field study, each called as its own documentation has it."""

from whether.study.peers.rows import PEERS, Peer, is_installed

__all__ = ["PEERS", "Peer", "is_installed"]
