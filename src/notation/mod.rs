//! Texts and files: move lists, diagrams, OBF, GGF, WTHOR. Every parser is total.
