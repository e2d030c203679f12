"""Anything that comes in blocks: rows of files that do not fit into memory, or rows on the workers of a cluster.

Whatever a linear fit needs of people is a sum over them, so blocks know two verbs: `Blocks.map` makes other blocks of
them, where they are, and `Blocks.total` adds up what a function makes of each. Trees are grown by all workers together:
`Blocks.at_once` has a function work on all blocks of each worker at the same time, as a member of a team.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, starmap
from typing import Any, ClassVar, Generic, TypeVar

from whether.arrays import Array

Block = TypeVar("Block")
Other = TypeVar("Other")
Sum = TypeVar("Sum")

# Bytes of blocks that stay in memory between passes where blocks are read from files.
KEPT_BYTES = 2**29
# Parts of the places that processes work through.
SHARES = 16


def add_parts(one: Any, other: Any) -> Any:
    """Add numbers, arrays, or tuples of them part by part."""
    if not isinstance(one, tuple):
        return one + other
    parts = [add_parts(*pair) for pair in zip(one, other, strict=True)]
    return type(one)(*parts) if hasattr(one, "_fields") else tuple(parts)


@dataclass(frozen=True)
class Team:
    """A member of a team of processes, each of which works on its own blocks at the same time.

    Attributes
    ----------
    rank : int
        Number of the member, from 0.
    hosts : tuple of str
        Where the members are, in the order of their ranks.
    ports : tuple of tuple of int
        Free ports of each member, by which they may connect: two.
    total : callable
        Adds up an array over the members, each of which has to call it and gets the sum.
    """

    rank: int
    hosts: tuple[str, ...]
    ports: tuple[tuple[int, ...], ...]
    total: Callable[[Array], Array]

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.hosts)


ALONE = Team(0, ("localhost",), ((),), lambda values: values)


class Blocks(ABC, Generic[Block]):
    """Blocks of one kind, always in the same order."""

    # Whether they are made anew each time, so that what is made of them may take their memory.
    are_fresh: ClassVar[bool] = False

    @abstractmethod
    def map(self, function: Callable[[Block], Other]) -> Blocks[Other]:
        """Return the blocks that a function makes of these; they are kept where these are kept."""

    def keep(self, size_of: Callable[[Block], int]) -> Blocks[Block]:
        """Return the same blocks, some of which may stay in memory; a function says how many bytes a block has."""
        return self

    @abstractmethod
    def each(self, function: Callable[..., Other], beside: Sequence[Any] | None = None) -> Iterator[Other]:
        """What a function makes of each block, one after the other, with an entry of ``beside`` for each if given."""

    @abstractmethod
    def at_once(self, function: Callable[[list[Block], Team], Other]) -> list[Other]:
        """What a function makes of all blocks of each place, everywhere at the same time; they are held in memory."""

    def total(
        self,
        function: Callable[..., Sum],
        beside: Sequence[Any] | None = None,
        add: Callable[[Sum, Sum], Sum] = add_parts,
    ) -> Sum:
        """Add up what a function makes of each block, in the order of the blocks."""
        parts = self.each(function, beside)
        result = next(parts)
        for part in parts:
            result = add(result, part)
        return result


class LocalBlocks(Blocks[Block]):
    """Blocks that are read one after the other, each time anew; the next one while this one is worked on.

    Parameters
    ----------
    places : sequence
        Where there are blocks, such as parts of files, in their order.
    read : callable
        Returns the blocks of a place, in memory of their own.
    in_processes : callable, optional
        Yields what a function makes of each of some items, in order; several processes work on them at the same time.
        Where given, sums are taken there, and no blocks are kept.
    sizes : sequence of int, optional
        Number of blocks of each place, where several processes work on them.
    """

    are_fresh: ClassVar[bool] = True

    def __init__(
        self,
        places: Sequence[Any],
        read: Callable[[Any], Iterable[Block]],
        in_processes: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]] | None = None,
        sizes: Sequence[int] = (),
    ) -> None:
        self._places, self._read, self._in_processes, self._sizes = places, read, in_processes, sizes

    def _blocks(self) -> Iterator[Block]:
        for place in self._places:
            yield from self._read(place)

    def map(self, function: Callable[[Block], Other]) -> LocalBlocks[Other]:
        """Return the blocks that a function makes of these, whenever they are read."""
        read = partial(_made_of, self._read, function)
        return LocalBlocks(self._places, read, self._in_processes, self._sizes)

    def keep(self, size_of: Callable[[Block], int]) -> LocalBlocks[Block]:
        """Return the same blocks, of which those that come first stay in memory once they have been read."""
        return self if self._in_processes else LocalBlocks(self._places, Kept(self._read, size_of))

    def total(
        self,
        function: Callable[..., Sum],
        beside: Sequence[Any] | None = None,
        add: Callable[[Sum, Sum], Sum] = add_parts,
    ) -> Sum:
        """Add up what a function makes of each block, in the order of the blocks."""
        if self._in_processes is None:
            return super().total(function, beside, add)
        size, before = -(-len(self._places) // SHARES), [0, *accumulate(self._sizes)]
        shares = []
        for start in range(0, len(self._places), size):
            places = self._places[start : start + size]
            some = None if beside is None else beside[before[start] : before[start + len(places)]]
            shares.append((places, some))
        parts: Iterator[Sum] = self._in_processes(partial(_add_up, self._read, function, add), shares)
        return reduce(add, parts)

    def each(self, function: Callable[..., Other], beside: Sequence[Any] | None = None) -> Iterator[Other]:
        """What a function makes of each block."""
        blocks, nothing = self._blocks(), object()
        with ThreadPoolExecutor(1) as reader:
            position, ahead = 0, reader.submit(next, blocks, nothing)
            while (block := ahead.result()) is not nothing:
                ahead = reader.submit(next, blocks, nothing)
                yield function(block) if beside is None else function(block, beside[position])
                position += 1

    def at_once(self, function: Callable[[list[Block], Team], Other]) -> list[Other]:
        """What a function makes of all blocks, which are read into memory."""
        return [function(list(self._blocks()), ALONE)]


def _add_up(
    read: Callable[[Any], Iterable[Block]],
    function: Callable[[Block], Sum],
    add: Callable[[Sum, Sum], Sum],
    share: tuple[Sequence[Any], Sequence[Any] | None],
) -> Sum:
    """Sum over the blocks of some places, with an entry beside each if given."""
    places, beside = share
    blocks = (block for place in places for block in read(place))
    parts = map(function, blocks) if beside is None else starmap(function, zip(blocks, beside, strict=True))
    return reduce(add, parts)


def _made_of(read: Callable[[Any], Iterable[Block]], function: Callable[[Block], Other], place: Any) -> Iterator[Other]:
    """What a function makes of the blocks of a place."""
    return map(function, read(place))


class Kept(Generic[Block]):
    """Reads the blocks of a place, and keeps those of the first places, as many as there is room for.

    What was read, checked and made of them need then not be done anew in every pass.
    """

    def __init__(self, read: Callable[[Any], Iterable[Block]], size_of: Callable[[Block], int]) -> None:
        self._read, self._size_of = read, size_of
        self._held: dict[Any, list[Block]] = {}
        self._room = KEPT_BYTES

    def __call__(self, place: Any) -> Iterator[Block]:
        """Yield the blocks of a place."""
        if place in self._held:
            yield from self._held[place]
            return
        read, room = list[Block](), self._room
        for block in self._read(place):
            room -= self._size_of(block)
            if room >= 0:
                read.append(block)
            else:  # the rest is read anew each time
                read, self._room = [], 0
            yield block
        if room >= 0:
            self._held[place], self._room = read, room
