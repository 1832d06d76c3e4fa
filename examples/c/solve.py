#!/usr/bin/env python3
"""Solves a position by the C interface, from Python's standard library: solve.py LIBRARY POSITION."""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p


class Board(Structure):
    _fields_ = [("player", c_uint64), ("opponent", c_uint64)]


class Report(Structure):
    _fields_ = [
        ("best", c_uint8),
        ("depth", c_uint8),
        ("selectivity", c_uint8),
        ("proof", ctypes.c_int),
        ("score", c_double),
        ("nodes", c_uint64),
        ("seconds", c_double),
        ("line_length", c_uint8),
        ("line", c_uint8 * 64),
    ]


class Task(Structure):
    _fields_ = [
        ("goal", c_uint8),
        ("depth", c_uint8),
        ("selectivity", c_uint8),
        ("nodes", c_uint64),
        ("seconds", c_double),
        ("stop", c_void_p),
        ("observer", c_void_p),
        ("data", c_void_p),
    ]


ABI, EXACT = 1, 1


def load(path):
    """The library, its functions' types declared."""
    library = ctypes.CDLL(path)
    library.emilia_error.restype = c_char_p
    library.emilia_parse.argtypes = [c_char_p, POINTER(Board), POINTER(c_bool)]
    library.emilia_parse.restype = c_bool
    library.emilia_engine_new.argtypes = [c_uint32, c_uint32, c_char_p]
    library.emilia_engine_new.restype = c_void_p
    library.emilia_engine_free.argtypes = [c_void_p]
    library.emilia_search.argtypes = [c_void_p, Board, POINTER(Task), POINTER(Report), c_size_t]
    return library


def name(square):
    return "pass" if square == 64 else "abcdefgh"[square % 8] + str(square // 8 + 1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    emilia = load(sys.argv[1])
    if emilia.emilia_abi() != ABI:
        sys.exit(f"{sys.argv[1]}: expected a library with the binary interface {ABI}")
    board, black, report = Board(), c_bool(), Report()
    if not emilia.emilia_parse(sys.argv[2].encode(), byref(board), byref(black)):
        sys.exit(emilia.emilia_error().decode())
    engine = emilia.emilia_engine_new(1, 64, None)
    found = emilia.emilia_search(engine, board, byref(Task(goal=EXACT)), byref(report), 1)
    if found < 0:
        sys.exit(emilia.emilia_error().decode())
    line = " ".join(name(square) for square in report.line[: report.line_length])
    side = "Black" if black.value else "White"
    print(f"{side} {report.score:+.0f} discs, {report.nodes} nodes: {line}")
    emilia.emilia_engine_free(engine)


if __name__ == "__main__":
    main()
