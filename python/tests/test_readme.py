"""The examples that people copy run as they stand."""

import contextlib
import io
import pathlib
import re
import unittest

import emilia_othello

README = pathlib.Path(__file__).parent.parent / "README.md"


class Examples(unittest.TestCase):
    def run_example(self, code):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "example", "exec"), {"__name__": "example"})
        return out.getvalue()

    def test_readme(self):
        examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
        self.assertGreaterEqual(len(examples), 4)
        for code in examples:
            with self.subTest(code[:80]):
                self.assertTrue(self.run_example(code))

    def test_docstring(self):
        indented = [line[4:] for line in emilia_othello.__doc__.splitlines() if line.startswith("    ") or not line]
        self.assertIn("d3", self.run_example("\n".join(indented)))


if __name__ == "__main__":
    unittest.main()
