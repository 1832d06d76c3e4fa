"""Checks certificates of exact Othello scores, by their page src/certificate/README.md and the rules alone.

Usage: python verify.py FILE...   (Python 3.8 or later, nothing else)
Prints one line for each proven score; the first place that does not follow ends it with exit code 1.
"""
import sys
import zlib

ALL = (1 << 64) - 1
MIDDLE = 0x7E7E7E7E7E7E7E7E  # All squares but those of the files a and h.


def ray(square, df, dr):
    """The squares that a direction leads to, as single bits from near to far."""
    file, rank = square % 8 + df, square // 8 + dr
    while 0 <= file < 8 and 0 <= rank < 8:
        yield 1 << 8 * rank + file
        file, rank = file + df, rank + dr


STEPS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
RAYS = [[list(ray(square, df, dr)) for df, dr in STEPS] for square in range(64)]
REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class Refused(Exception):
    """The certificate does not follow."""


def moves_of(player, opponent):
    """The squares on which `player` may move, as bits."""
    found = 0
    for step in (1, 7, 8, 9):
        inner = opponent if step == 8 else opponent & MIDDLE
        up, down = player << step & inner, player >> step & inner
        for _ in range(5):
            up, down = up | up << step & inner, down | down >> step & inner
        found |= up << step | down >> step
    return found & ~(player | opponent) & ALL


def after(player, opponent, square):
    """The board after the legal move on `square`, seen by the side that moves next."""
    flipped = 0
    for ray in RAYS[square]:
        line = 0
        for bit in ray:
            if opponent & bit:
                line |= bit
                continue
            if player & bit:
                flipped |= line
            break
    return opponent ^ flipped, player ^ flipped | 1 << square


def squares(bits):
    """The numbers of the squares in `bits`, the lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def final_score(player, opponent):
    """The score of a finished game: the empty squares count for the winner."""
    ours, theirs = bin(player).count("1"), bin(opponent).count("1")
    return 64 - 2 * theirs if ours > theirs else 2 * ours - 64 if ours < theirs else 0


def transposed(bits):
    """Files and ranks swapped."""
    for mask, shift in [(0x00AA00AA00AA00AA, 7), (0x0000CCCC0000CCCC, 14), (0x00000000F0F0F0F0, 28)]:
        change = (bits ^ bits >> shift) & mask
        bits ^= change ^ change << shift
    return bits


def canonical(player, opponent):
    """The least of the eight images of a board."""
    images = []
    for pair in [(player, opponent), (transposed(player), transposed(opponent))]:
        rows = [bits.to_bytes(8, "little") for bits in pair]
        for p, o in [rows, [row.translate(REVERSED) for row in rows]]:
            images += [(int.from_bytes(p, order), int.from_bytes(o, order)) for order in ("little", "big")]
    return min(images)


def reaches(player, opponent, target):
    """Whether the side to move ends with at least `target` discs."""
    moves = moves_of(player, opponent)
    if not moves:
        if not moves_of(opponent, player):
            return final_score(player, opponent) >= target
        return not reaches(opponent, player, 1 - target)
    children = [after(player, opponent, square) for square in squares(moves)]
    if len(children) > 1 and bin(player | opponent).count("1") < 60:
        children.sort(key=lambda child: bin(moves_of(*child)).count("1"))
    return any(not reaches(*child, 1 - target) for child in children)


class Input:
    """A file, read byte by byte and bit by bit."""

    def __init__(self, file):
        self.file, self.checksum, self.read, self.bits, self.left = file, 0, 0, 0, 0

    def bytes(self, count):
        data = self.file.read(count)
        self.read += len(data)
        if len(data) < count:
            raise Refused("the file ends here, and more was expected")
        self.checksum = zlib.crc32(data, self.checksum)
        return data

    def number(self, count):
        number = 0
        for at in range(count):
            if not self.left:
                self.bits, self.left = self.bytes(1)[0], 8
            number |= (self.bits & 1) << at
            self.bits, self.left = self.bits >> 1, self.left - 1
        return number


class Walk:
    """One half of a proof: one side ends with at least `target` discs."""

    def __init__(self, data, target, leaf_empties, table_bits):
        self.data, self.target, self.leaf_empties = data, target, leaf_empties
        self.shift, self.table = 64 - table_bits, {}

    def follow(self, player, opponent, ours):
        """Follows the proof at a board where the side that proves is to move (`ours`), or the other one."""
        if 64 - bin(player | opponent).count("1") <= self.leaf_empties:
            if ours != reaches(player, opponent, self.target if ours else 1 - self.target):
                raise Refused(f"solved: the side that claims at least {self.target:+} cannot reach it")
            return
        moves = moves_of(player, opponent)
        if not moves:
            if moves_of(opponent, player):
                return self.follow(opponent, player, not ours)
            score = final_score(player, opponent) * (1 if ours else -1)
            if score >= self.target:
                return
            raise Refused(f"the game is over, {score:+} for the side that claims at least {self.target:+}")
        if not ours:
            for square in squares(moves):
                self.follow(*after(player, opponent, square), True)
            return
        board = canonical(player, opponent)
        slot = (board[0] * 0x9E3779B97F4A7C15 + board[1] * 0xC2B2AE3D27D4EB4F & ALL) >> self.shift
        if self.table.get(slot) == board:
            return
        legal = list(squares(moves))
        number = self.data.number((len(legal) - 1).bit_length())
        if number >= len(legal):
            raise Refused(f"move number {number}, where the {len(legal)} legal moves count from 0")
        self.follow(*after(player, opponent, legal[number]), False)
        self.table[slot] = board


def check(data):
    """Follows all proofs of `data`; yields position, side to move and score of each."""
    if data.bytes(9) != b"othproof\1":
        raise Refused("no certificate of version 1")
    while kind := data.bytes(1)[0]:
        if kind > 2:
            raise Refused(f"{kind}, where 1 or 2 begins a proof and 0 ends the file")
        player, opponent = (int.from_bytes(data.bytes(8), "little") for _ in range(2))
        score = int.from_bytes(data.bytes(1), "little", signed=True)
        leaf_empties, table_bits = data.bytes(2)
        if player & opponent or score % 2 or abs(score) > 64 or leaf_empties > 12 or not 1 <= table_bits <= 24:
            raise Refused("a board, a score, a number of empties or a table that cannot be")
        if score > -64:
            Walk(data, score, leaf_empties, table_bits).follow(player, opponent, True)
        if score < 64:
            Walk(data, -score, leaf_empties, table_bits).follow(player, opponent, False)
        if data.bits:
            raise Refused("bits behind a proof that are not 0")
        data.left = 0
        mine, other = "XO" if kind == 1 else "OX"
        discs = (mine if player >> at & 1 else other if opponent >> at & 1 else "-" for at in range(64))
        yield "".join(discs), mine, score
    expected = data.checksum
    if int.from_bytes(data.bytes(4), "little") != expected:
        raise Refused("the checksum is another one")
    if data.file.read(1):
        raise Refused("bytes behind the end")


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    for name in sys.argv[1:]:
        certificate = Input(open(name, "rb"))
        try:
            for board, side, score in check(certificate):
                print(board, side, f"{score:+}", flush=True)
        except Refused as reason:
            sys.exit(f"{name}: byte {certificate.read - 1}: {reason}")
