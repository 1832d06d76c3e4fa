//! The searches whose nodes are the fingerprint of the tree, `Bench: N`.

use super::Limits;

/// Positions across the game: six random plies, then our own play at depth 4.
pub const POSITIONS: [&str; 26] = [
    "------------------OXO-----OOXX----OXO------X-O------------------ X",
    "-------------X-----OXX----XOX-----XOO-----OOO----O-------------- X",
    "-------------------O------XOX----XOXXXO--O-OXXX-------X--------- X",
    "--------------------O-O---XXOOX----XOXXX---XOXX-----OX---------- X",
    "----O-------OO-----XOO----XXOOO---XOXX----OOO-X---X------------- X",
    "-----------O-------O---X--OOOO-X-XXOXXOX--X-OOX-----OO-------O-- X",
    "-XXX------OO----OOOOO----OOXOO----OXXX----XXXX-----X------------ X",
    "-------------------XO-----XOXXXO--OOOXOO--OOOOOO---XOO------XXX- X",
    "-------------------OOOO---OOXO---OOXOX--OOXOOX---XOOOO----XXXX-- X",
    "-----X------XX---O-XO-----OXXOO--XXOOOX---XOOXX---OOOO---O--OOO- X",
    "-------------X---XOOOOOO-OXOXXO--OOXXOOOOOXXXXXX---XX-------X--- X",
    "--X-------X-O---XXXXX---XXXXOOO-XXXXOOXXXXOXOX----OOOX------O--- X",
    "-----------------OXO-O-X--XXOOXX-XXOXOOXX-XXOOXX--XXXX-X-OOOOOO- X",
    "--X-X-----X-XX----XOXO-O--XXXOO---XOXOX-XXXOXOO---OXOO---OOOOOO- O",
    "--XXXX----XXXO---XXXXOOO-XXXXOOOXXXXXOOO--XXXOOO--XX---O-------- O",
    "XXX-----OXOO----XXXOOO--XXOOOO--XXXOOO--XXOOOO--XXOOO---XXXXX--- X",
    "---X----O--XXX--OXXXXX-XOOOOOXOXOXXXXOXX--OOOOOX--OOXO----OOOOO- O",
    "--OXXXXX--XXXXOX-XOXXXOX--OXXOOX-OOXOXOX--OOOOXX--OOOX-X--OO---- O",
    "--------X---X-XOXXOXXXXOXXOOXOXOXXOXOXXO-XOOOOXO--OOOOOO--OOOOOO O",
    "--XXXXXXXXXOXX--XXOOXX--XOXXOXO-XOXOXOOOXXOXOX--X-XOXX---XXXXX-- O",
    "-OOOOX----XXXX-XXXXXXXXXXXXOOXOXXXXOXXXXXOOXOXXX-OOOOX-X--XOO--- O",
    "-XXX------XXXX-O-OOXOOOOXOOXOOOOXOOOXOOOXOXXXXOOOOOXXXX-XXXXXXX- O",
    "OXXXXXX--OXOOXOO-OOXXOOOXOOXXOOOXOXOOXOOXOOXOOOOXOOOOO---OOOO--- O",
    "XXXXXXOXOOOOOOOXOOXXXXOXOOOXXOXXO-OXOXOXOOXOXXXXOOXX-X-XOOXX---- O",
    "-OOO-X-OXOOOX--OXXOXOOOOXOXOOOOOXXOXOOXOXXOOOOXOXXOOXXXOXXXXXXXO O",
    "XXXXXXXXXXXOOOOOXXXXXOXOXOXXXXOOOOOXXOXOOOOOXXXXO-OXXXX-OOOOOOX- O",
];

/// The limits of each search: 10 plies, and the exact score from 18 empties on.
pub fn limits() -> Limits {
    Limits {
        exact_empties: 18,
        ..Limits::depth(10)
    }
}
