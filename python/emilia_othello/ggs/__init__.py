"""A bridge between the engine and the Generic Game Server (GGS): `python -m emilia_othello.ggs --help`.

`lines` and `events` read the server's text, `games` keeps boards and records, `session` decides, and none of them does input
or output. `thinker` asks the engine, `bridge` connects all of it. The page `src/guide/GGS.md` explains the use.
"""
