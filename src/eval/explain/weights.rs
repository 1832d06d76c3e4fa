//! Fitted by `emilia train explain` to 279303 positions of 14000 games, and to their moves.

use super::{KNOTS, Share, TermWeights};

/// In discs for one of difference; one row per knot, from few empties to many.
#[rustfmt::skip]
pub const WEIGHTS: TermWeights = TermWeights {
    positions: [
    //   mobility potentia frontier stable-d  corners open-cor X-square C-square    discs last-mov odd-regi     turn
        [4.362,   -1.000,   -0.153,    0.561,    1.117,    0.023,    0.554,   -0.573,   -0.111,   -1.065,    0.575,   -7.066],
        [2.274,   -1.446,   -1.659,    1.066,    4.545,    4.630,   -1.155,   -1.113,    0.172,    0.681,    0.399,    0.711],
        [2.069,   -0.342,   -1.271,    1.108,    5.679,    2.650,   -3.521,   -0.676,   -0.019,   -0.400,    0.045,   -2.746],
        [1.415,    0.052,   -1.370,    1.708,    8.605,    3.157,   -5.923,    0.372,   -0.063,   -0.096,    0.046,   -2.325],
        [1.003,    0.346,   -1.120,    2.781,   15.166,    3.159,   -9.684,    1.452,   -0.081,   -0.249,    0.010,   -2.334],
        [0.470,    0.687,   -0.764,    7.362,   11.938,   -1.592,  -14.141,    1.182,   -0.078,   -0.227,    0.239,   -2.429],
        [0.366,   -0.063,   -0.249,    0.000,    3.669,   -0.316,  -11.114,   -0.001,   -0.398,   -0.520,   -0.069,   -0.448],
    ],
    moves: [
    //   mobility potentia frontier stable-d  corners open-cor X-square C-square    discs last-mov odd-regi
        [1.732,   -0.930,   -0.384,    0.515,    3.668,    2.350,    0.552,    0.105,   -0.007,    0.000,    0.840],
        [1.677,   -1.376,   -1.088,    0.993,    8.563,    5.137,   -1.482,   -3.353,   -0.007,    0.000,    0.639],
        [1.236,   -0.652,   -1.205,    0.993,    9.119,    5.844,   -4.200,   -6.863,   -0.168,    0.000,    0.206],
        [0.932,   -0.243,   -1.267,    1.435,   11.806,    5.781,   -8.332,   -9.134,   -0.277,    0.000,    0.085],
        [0.810,   -0.031,   -1.267,    3.074,   15.022,    6.074,  -10.492,   -9.791,   -0.257,    0.000,    0.012],
        [0.555,    0.294,   -1.175,   13.401,   16.672,    3.209,  -12.007,   -8.949,   -0.218,    0.000,    0.067],
        [0.324,    0.528,   -0.664,    0.000,    7.735,   -2.042,  -11.592,   -5.864,    0.218,    0.000,   -0.027],
    ],
};

/// By knot, with the number of positions that judged.
#[rustfmt::skip]
pub const SHARES: [Share; KNOTS.len()] = [
    Share { positions: 0.779, moves: 0.462 }, // 9239
    Share { positions: 0.855, moves: 0.498 }, // 9271
    Share { positions: 0.862, moves: 0.557 }, // 9335
    Share { positions: 0.826, moves: 0.626 }, // 9333
    Share { positions: 0.768, moves: 0.698 }, // 9325
    Share { positions: 0.664, moves: 0.776 }, // 9330
    Share { positions: 0.329, moves: 0.756 }, // 14000
];
