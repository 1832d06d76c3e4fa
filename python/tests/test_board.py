"""The board as text and as a picture."""

import unittest
import xml.etree.ElementTree

from emilia_othello import START, Board

SVG = "{http://www.w3.org/2000/svg}"


def texts(board):
    """All that is written in the picture."""
    return [element.text for element in xml.etree.ElementTree.fromstring(board.svg()).iter(SVG + "text")]


class Drawing(unittest.TestCase):
    def test_text(self):
        lines = str(Board()).splitlines()
        self.assertEqual(lines[0], "  a b c d e f g h")
        self.assertEqual(lines[4], "4 - - - O X - - -")
        self.assertEqual(lines[9], "Black to move, 2 black, 2 white")

    def test_squares(self):
        board = Board(START)
        self.assertEqual((board["d4"], board["e4"], board["a1"]), ("O", "X", "-"))
        self.assertEqual((board.side, board.black, board.white, board.empties), ("X", 2, 2, 60))
        for square in ("i1", "a9", "", "pa"):
            with self.assertRaises(KeyError):
                board[square]

    def test_picture_has_discs_values_and_caption(self):
        board = Board(START, {"f5": "+1.2", "c4": "≤<3", "d3": "", "e4": "hidden", "pa": ""}, best="f5", played="c4")
        found = texts(board)
        self.assertIn("+1.2", found)
        self.assertIn("≤<3", found)
        self.assertNotIn("hidden", found)
        self.assertIn("Black to move, 2 black, 2 white", found)
        circles = [circle.get("fill") for circle in xml.etree.ElementTree.fromstring(board.svg()).iter(SVG + "circle")]
        self.assertEqual((circles.count("#1b1b1b"), circles.count("#f6f6f2")), (3, 2))
        data, metadata = board._repr_mimebundle_()
        self.assertEqual(data, {"image/svg+xml": board.svg(), "text/plain": str(board)})
        self.assertEqual(metadata["image/svg+xml"]["alt"], board.alt())

    def test_words_for_those_who_do_not_see_the_picture(self):
        board = Board(START, {"f5": "+1.2", "c4": "≤<3", "d3": ""}, best="f5", played="c4")
        words = (
            "Black to move, 2 black, 2 white. Black on e4 d5. White on d4 e5. Values: f5 +1.2, c4 ≤<3. Marked: d3. "
            "Best move: f5. Move of the game: c4"
        )
        self.assertEqual(board.alt(), words)
        self.assertEqual(xml.etree.ElementTree.fromstring(board.svg()).get("aria-label"), words)

    def test_boards_are_keys_by_their_position(self):
        boards = {Board(): 1, Board().play("f5"): 2}
        self.assertEqual(boards[Board(START, {"f5": "+1"}, best="f5")], 1)
        self.assertNotEqual(Board(), Board(START[:65] + "O"))

    def test_a_pass_is_told_below(self):
        self.assertIn("Black to move, 2 black, 2 white, pass -4", texts(Board(START, {"pa": "-4"})))

    def test_a_finished_game_has_nobody_to_move(self):
        board = Board(64 * "X" + " O")
        self.assertIn("Game over, 64 black, 0 white", texts(board))
        circles = list(xml.etree.ElementTree.fromstring(board.svg()).iter(SVG + "circle"))
        self.assertEqual(len(circles), 64 + 4, "discs and marks of the board alone")

    def test_width(self):
        self.assertEqual(xml.etree.ElementTree.fromstring(Board().svg(width=198)).get("width"), "198")

    def test_what_is_no_position(self):
        for text in ("", START[:64], START + " ", "f5d6", START.lower()):
            with self.assertRaisesRegex(ValueError, "^position: expected 64 squares"):
                Board(text)


def positions(board, depth):
    """The number of lines of `depth` moves; a pass is a move."""
    if depth == 0 or board.is_over:
        return 1
    return sum(positions(board.play(move), depth - 1) for move in board.legal_moves or ("pa",))


class Rules(unittest.TestCase):
    def test_lines_of_moves_are_as_many_as_they_are_known_to_be(self):
        self.assertEqual([positions(Board(), depth) for depth in range(1, 6)], [4, 12, 56, 244, 1396])

    def test_a_move_turns_discs(self):
        board = Board().play("f5")
        self.assertEqual(board.position, "---------------------------OX------XXX-------------------------- O")
        self.assertEqual((Board().legal_moves, Board().flips("f5")), (("d3", "c4", "f5", "e6"), ("e5",)))
        self.assertEqual((board.legal_moves, board.flips("f5"), board.flips("a1")), (("f4", "d6", "f6"), (), ()))

    def test_a_pass(self):
        board = Board(64 * "-" + " X")
        self.assertTrue(board.is_over and not board.must_pass)
        board = Board("-OXXXXXX" + 56 * "-" + " O")
        self.assertTrue(board.must_pass)
        self.assertEqual((board.legal_moves, board.play("pa").legal_moves, board.score), ((), ("a1",), None))

    def test_illegal_moves_are_errors(self):
        over = Board(64 * "X" + " O")
        for board, move, words in (
            (Board(), "pa", "there are legal moves"),
            (over, "pa", "the game is over"),
            (Board(), "d4", "occupied"),
            (Board(), "a1", "turns no disc"),
            (Board(), "F5", "expected a square"),
            (Board(), "i9", "expected a square"),
        ):
            with self.subTest(move), self.assertRaisesRegex(ValueError, words):
                board.play(move)

    def test_the_score_is_of_the_side_to_move_with_empty_squares_for_the_winner(self):
        self.assertEqual(Board(63 * "X" + "- X").score, 64)
        self.assertEqual(Board(63 * "X" + "- O").score, -64)
        self.assertEqual(Board(32 * "X" + 32 * "O" + " O").score, 0)
        self.assertEqual(Board(40 * "X" + 24 * "O" + " O").score, -16)
        self.assertIsNone(Board().score)

    def test_symmetric_boards_have_one_key(self):
        keys = {Board().play(move).key for move in Board().legal_moves}
        self.assertEqual(len(keys), 1)
        self.assertEqual(len({Board().play("f5").play(move).key for move in ("f4", "d6", "f6")}), 3)
        self.assertNotEqual(Board().key, Board(START[:65] + "O").key)


if __name__ == "__main__":
    unittest.main()
