/* Plays a game of the engine against itself, a few positions a move, by the C interface; README.md says how to build it. */

#include <stdio.h>

#include "emilia.h"

/* Called after each iteration; the search continues. */
static bool show(const EmiliaReport *report, void *data) {
    (void)data;
    fprintf(stderr, "  %d plies at %d %%: %+.2f\n", report->depth, report->selectivity, report->score);
    return true;
}

static void print_move(uint8_t square) {
    if (square == EMILIA_PASS)
        printf(" pass");
    else
        printf(" %c%c", 'a' + square % 8, '1' + square / 8);
}

int main(void) {
    EmiliaEngine *engine = emilia_engine_new(1, 16, NULL);
    EmiliaBook *book = emilia_book_open(NULL);
    if (emilia_abi() != EMILIA_ABI) {
        fprintf(stderr, "the library has another binary interface than the header\n");
        return 1;
    }
    if (engine == NULL || book == NULL) {
        fprintf(stderr, "%s\n", emilia_error());
        return 1;
    }
    printf("Emilia %s\n", emilia_version());

    EmiliaBoard board = emilia_start();
    const EmiliaTask task = {.depth = 4};
    int turns = 0;
    for (; !emilia_is_over(board); turns++) {
        EmiliaBookMove known;
        EmiliaReport report;
        uint8_t move;
        if (emilia_book_moves(book, board, &known, 1) > 0 && known.has_score) {
            move = known.square;
        } else if (emilia_search(engine, board, &task, &report, 1) > 0) {
            move = report.best;
        } else {
            fprintf(stderr, "%s\n", emilia_error());
            return 1;
        }
        print_move(move);
        if (!emilia_play(&board, move)) {
            fprintf(stderr, "%s\n", emilia_error());
            return 1;
        }
    }
    /* The board is seen from the side to move: Black after an even number of turns. */
    int score = emilia_final_score(board);
    printf("\nBlack's result: %+d discs\n", turns % 2 == 0 ? score : -score);

    /* FFO #1: 14 empties, all moves solved, then only the winner. */
    EmiliaReport solved[64], winner;
    const EmiliaTask solve = {.goal = EMILIA_GOAL_EXACT, .observer = show};
    const EmiliaTask win = {.goal = EMILIA_GOAL_WINNER};
    int count = -1;
    if (emilia_parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X", &board, NULL))
        count = emilia_search(engine, board, &solve, solved, 64);
    if (count < 1 || emilia_search(engine, board, &win, &winner, 1) < 1) {
        fprintf(stderr, "%s\n", emilia_error());
        return 1;
    }
    printf("FFO #1, %s:", winner.score > 0 ? "won" : "not won");
    for (int i = 0; i < count; i++) {
        print_move(solved[i].best);
        printf(" %+.0f%s", solved[i].score, solved[i].proof == EMILIA_PROOF_EXACT ? "" : "?");
    }
    printf("\n");

    emilia_book_free(book);
    emilia_engine_free(engine);
    return 0;
}
