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

    def test_boards_are_keys(self):
        boards = {Board(): 1, Board(START, {"f5": "+1"}): 2}
        self.assertEqual((boards[Board()], boards[Board(START, {"f5": "+1"})]), (1, 2))

    def test_a_pass_is_told_below(self):
        self.assertIn("Black to move, 2 black, 2 white, pass -4", texts(Board(START, {"pa": "-4"})))

    def test_a_finished_game_has_nobody_to_move(self):
        board = Board(64 * "X" + " O", is_over=True)
        self.assertIn("Game over, 64 black, 0 white", texts(board))
        circles = list(xml.etree.ElementTree.fromstring(board.svg()).iter(SVG + "circle"))
        self.assertEqual(len(circles), 64 + 4, "discs and marks of the board alone")

    def test_width(self):
        self.assertEqual(xml.etree.ElementTree.fromstring(Board().svg(width=198)).get("width"), "198")

    def test_what_is_no_position(self):
        for text in ("", START[:64], START + " ", "f5d6", START.lower()):
            with self.assertRaisesRegex(ValueError, "^position: expected 64 squares"):
                Board(text)


if __name__ == "__main__":
    unittest.main()
