/* The C interface of Emilia, an Othello engine. Made by cbindgen from src/capi. examples/c/README.md shows how to build the library.
 *
 * A board is passed by value, seen from the side to move. Squares are numbers, a1 = 0, b1 = 1 to h8 = 63, in the order
 * of the bits of a bitboard. Scores are in discs for the side to move. A function that can fail returns false, 0, -1 or
 * null and stores a message for emilia_error.
 *
 * A pointer is null or valid. A text is UTF-8 and ends in a zero byte. The caller owns an object until it frees it, and
 * uses it on one thread at a time, except for emilia_stop_request. An array has room for its capacity. */

#ifndef EMILIA_H
#define EMILIA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The number of the binary interface: a change that breaks programs raises it. The library's file has it in its name.
#define EMILIA_ABI 1

// A pass.
#define EMILIA_PASS 64

// The longest line that is reported, in plies.
#define EMILIA_LINE_MOVES 64

// How much of a score is proven.
typedef enum EmiliaProof {
  // Nothing: an estimate.
  EMILIA_PROOF_NONE = 0,
  // Nothing, and the score is only a lower bound: the search was cut short.
  EMILIA_PROOF_AT_LEAST = 1,
  // Nothing, and the score is only an upper bound.
  EMILIA_PROOF_AT_MOST = 2,
  // The winner: the sign of the score.
  EMILIA_PROOF_WINNER = 3,
  // All: the score is the result of best play by both sides.
  EMILIA_PROOF_EXACT = 4,
} EmiliaProof;

// The goal of a search.
typedef enum EmiliaGoal {
  // The best move within the limits.
  EMILIA_GOAL_PLAY = 0,
  // The exact score.
  EMILIA_GOAL_EXACT = 1,
  // Only the winner: faster than the exact score.
  EMILIA_GOAL_WINNER = 2,
} EmiliaGoal;

// An open book.
typedef struct EmiliaBook EmiliaBook;

// A searcher: its table, its threads and the evaluation.
typedef struct EmiliaEngine EmiliaEngine;

// A wish to stop, for one search: another search would stop at once.
typedef struct EmiliaStop EmiliaStop;

// A board, seen from the side to move. No square may be in both sets.
typedef struct EmiliaBoard {
  // Discs of the side to move: bit 0 is a1, bit 1 b1, bit 63 h8.
  uint64_t player;
  // Discs of the other side.
  uint64_t opponent;
} EmiliaBoard;

// A move and its value, during a search and at its end.
typedef struct EmiliaReport {
  // The move: a square or `EMILIA_PASS`.
  uint8_t best;
  // Depth in plies of the search behind the score; the number of empties where it went to the end.
  uint8_t depth;
  // Its selectivity in percent; 100 is a full-width search.
  uint8_t selectivity;
  // How much of the score is proven.
  enum EmiliaProof proof;
  // In discs, for the side to move.
  double score;
  // Positions that the whole search visited.
  uint64_t nodes;
  // Seconds since the search began.
  double seconds;
  // Length of `line`.
  uint8_t line_length;
  // The expected line, `best` first: squares and passes.
  uint8_t line[EMILIA_LINE_MOVES];
} EmiliaReport;

// Called after each finished iteration, on the searching thread; return `false` to stop the search.
typedef bool (*EmiliaObserver)(const struct EmiliaReport *report, void *data);

// The task of a search. A field of 0 is no limit; to find the best move, a task has a limit.
typedef struct EmiliaTask {
  // The goal, an `EmiliaGoal`.
  uint8_t goal;
  // Midgame depth in plies, 1 to 60; only to find the best move.
  uint8_t depth;
  // Selectivity of midgame searches in percent: 73, 87, 95, 98, 99 or 100. 0 is 73.
  uint8_t selectivity;
  // Nodes.
  uint64_t nodes;
  // Seconds for the move, 0.001 or more: about all of them are used.
  double seconds;
  // Stops the search, or null.
  const struct EmiliaStop *stop;
  // Gets the reports of the best move during the search, or null.
  EmiliaObserver observer;
  // Passed to the observer.
  void *data;
} EmiliaTask;

// A move of a book.
typedef struct EmiliaBookMove {
  // The square; of squares that the position's symmetry makes equal, only one.
  uint8_t square;
  // Whether there is a score; only games contain a move without one.
  bool has_score;
  // In discs, for the side to move.
  double score;
  // Games won by the side to move.
  uint32_t wins;
  // Games drawn.
  uint32_t draws;
  // Games lost by the side to move.
  uint32_t losses;
} EmiliaBookMove;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version, such as `0.2.0`.
const char *emilia_version(void);

// The `EMILIA_ABI` of the library.
uint32_t emilia_abi(void);

// The message of the last failure on this thread: one line, valid until the next failure.
const char *emilia_error(void);

// The start of a game: Black to move.
struct EmiliaBoard emilia_start(void);

// Reads a position in any notation of `emilia show`: 64 letters and the side to move, FEN, moves from the start, a
// game. Writes its last position, and whether Black is to move if `black_to_move` is not null.
bool emilia_parse(const char *position,
                  struct EmiliaBoard *board,
                  bool *black_to_move);

// The legal moves, a bit for each square; 0 if the side to move must pass.
uint64_t emilia_moves(struct EmiliaBoard board);

// Plays a move, `EMILIA_PASS` for a pass, and turns the board to the other side. Returns `false` and changes nothing
// if the move is illegal.
bool emilia_play(struct EmiliaBoard *board,
                 uint8_t square);

// Whether neither side has a move.
bool emilia_is_over(struct EmiliaBoard board);

// The result of a game that is over, in discs for the side to move; empty squares count for the winner.
int32_t emilia_final_score(struct EmiliaBoard board);

// Makes a searcher of 1 to 256 threads with a table of 1 to 65536 MiB. `weights` names a file of weights; null selects
// those of the library. Returns null if a number is outside its range, the memory is too small for the table, or the
// weights cannot be read.
struct EmiliaEngine *emilia_engine_new(uint32_t threads,
                                       uint32_t hash_mib,
                                       const char *weights);

// Frees a searcher; null is allowed.
void emilia_engine_free(struct EmiliaEngine *engine);

// Clears the hash table: the next search then visits the same positions on every machine.
void emilia_engine_clear(struct EmiliaEngine *engine);

// Makes a stop for the next search.
struct EmiliaStop *emilia_stop_new(void);

// Frees a stop; null is allowed. Its search must have ended.
void emilia_stop_free(struct EmiliaStop *stop);

// Stops the search of a task with this stop within milliseconds, from any thread; at once if it begins later.
void emilia_stop_request(const struct EmiliaStop *stop);

// Searches the best moves, at most `capacity` of them: 1 for the best one, 64 for all legal ones. Writes a report of
// each, best first, and returns their number: 0 if the game is over, -1 after an error. A stopped search reports its last
// finished iteration.
int32_t emilia_search(struct EmiliaEngine *engine,
                      struct EmiliaBoard board,
                      const struct EmiliaTask *task,
                      struct EmiliaReport *reports,
                      size_t capacity);

// Plays a move like a person of `rating`, 1000 to 2000, and writes its report. `last` is the move before, or
// `EMILIA_PASS` where there is none. The same seed and board give the same move. False after an error, also where no
// move is legal.
bool emilia_person(const struct EmiliaEngine *engine,
                   struct EmiliaBoard board,
                   uint8_t last,
                   uint32_t rating,
                   uint64_t seed,
                   struct EmiliaReport *report);

// Writes for each of the 64 squares the probability that a player of `rating`, 1000 to 2000, plays there: 0 where that
// is illegal; together 1. `last` is the move before, or `EMILIA_PASS` where there is none. False after an error, also
// where no move is legal.
bool emilia_find_chances(const struct EmiliaEngine *engine,
                         struct EmiliaBoard board,
                         uint8_t last,
                         uint32_t rating,
                         double *chances);

// The evaluation of a position without a search, in discs for the side to move.
bool emilia_evaluate(const struct EmiliaEngine *engine, struct EmiliaBoard board, double *discs);

// Opens a book; null opens the small book of the library. Returns null if it cannot be read.
struct EmiliaBook *emilia_book_open(const char *file);

// Closes a book; null is allowed.
void emilia_book_free(struct EmiliaBook *book);

// The number of positions of the book.
uint64_t emilia_book_positions(const struct EmiliaBook *book);

// Writes the book's moves of a position, the best score first, at most `capacity` of them. Returns the number of known
// moves: 0 if the book does not have the position or the side to move must pass; -1 if the book cannot be read.
int32_t emilia_book_moves(const struct EmiliaBook *book,
                          struct EmiliaBoard board,
                          struct EmiliaBookMove *moves,
                          size_t capacity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EMILIA_H */
