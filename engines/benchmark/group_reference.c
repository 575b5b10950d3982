/* Uniformly random Yodd and Xodd games, drop by drop: the yardstick for engines/kernels.

   cc -O3 -march=native -o group_reference group_reference.c
   ./group_reference yodd|xodd SIZE PLAYOUTS SEED   ->   playouts seconds drops black_wins

   What it does to be fast, all of which paid when it was tried:
   - per colour and cell, one byte of ring mask says which neighbours hold that colour; a drop
     changes it with one exclusive-or per neighbour;
   - a table on the mask gives the number of runs of neighbours that hang together locally and a
     member of each, so groups are asked for only where there are two runs or more;
   - group names are bytes in a flat array and a merge is one compare-and-blend over the board,
     which the compiler turns into vector instructions;
   - empty cells are a list with swap-remove; draws are (cell, colour) with rejection on parity;
   - the board's stride is a constant of the compiler for the sizes that the benchmark asks for;
   - a first drop that changes the parity is placed before its second is looked for, and taken
     back in the rare case that there is none. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALWAYS static inline __attribute__((always_inline))
enum { AREA = 1024, MISSES = 8 };

#ifdef WIDE
typedef uint16_t name_type;
#else
typedef uint8_t name_type;
#endif

static struct {
    _Alignas(64) uint8_t ring[2][AREA];
    _Alignas(64) name_type name[AREA];
    _Alignas(64) name_type saved[AREA];
    int16_t empty[AREA];
    int empties, groups[2], next_name;
} board;

static struct {
    _Alignas(64) uint8_t ring[2][AREA];
    int16_t empty[AREA];
    int cells;
} start;

static struct { int8_t runs; int16_t at[4]; } table[256];
static uint64_t state;

ALWAYS uint32_t below(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(((state >> 32) * bound) >> 32);
}

/* Different groups of `colour` beside `p`; their names in a[0..3], repeated where fewer. On the
   hexhex board without a branch, which would be a coin toss; on the square board one run or none
   is much the likelier, and worth one. */
ALWAYS int touching(int p, int colour, int hex, name_type *a) {
    int mask = board.ring[colour][p];
    const int16_t *at = table[mask].at;
    a[0] = board.name[p + at[0]];
    if (hex) {
        a[1] = board.name[p + at[1]];
        a[2] = board.name[p + at[2]];
        a[3] = a[0];
        return (a[0] != 0) + (a[1] != a[0]) + ((a[2] != a[0]) & (a[2] != a[1]));
    }
    a[1] = a[2] = a[3] = a[0];
    if (table[mask].runs < 2) return table[mask].runs;
    a[1] = board.name[p + at[1]];
    a[2] = board.name[p + at[2]];
    a[3] = board.name[p + at[3]];
    return 1 + (a[1] != a[0]) + ((a[2] != a[0]) & (a[2] != a[1])) +
           ((a[3] != a[0]) & (a[3] != a[1]) & (a[3] != a[2]));
}

ALWAYS void flip(int p, int colour, int S, int hex) {
    uint8_t *r = board.ring[colour] + p;
    if (hex) {  /* circular: E, N, NW, W, S, SE; the neighbour sees us opposite */
        r[1] ^= 8; r[S] ^= 16; r[S - 1] ^= 32; r[-1] ^= 1; r[-S] ^= 2; r[1 - S] ^= 4;
    } else {    /* E, NE, N, NW, W, SW, S, SE */
        r[1] ^= 16; r[S + 1] ^= 32; r[S] ^= 64; r[S - 1] ^= 128;
        r[-1] ^= 1; r[-S - 1] ^= 2; r[-S] ^= 4; r[1 - S] ^= 8;
    }
}

ALWAYS void place(int p, int colour, int found, const name_type *a, int S, int area, int hex) {
    flip(p, colour, S, hex);
    board.groups[colour] += 1 - found;
    if (found == 0) { board.name[p] = (name_type)board.next_name++; return; }
    name_type keep = a[0];
    board.name[p] = keep;
    if (found == 1) return;
    for (int i = 1; i < (hex ? 3 : 4); i++) {
        name_type gone = a[i];
        if (gone == keep) continue;
        for (int k = 0; k < area; k++)
            board.name[k] = board.name[k] == gone ? keep : board.name[k];
    }
}

ALWAYS void remove_empty(int i) { board.empty[i] = board.empty[--board.empties]; }

ALWAYS int count_seconds(int want_odd, int hex) {
    int count = 0;
    name_type a[4];
    for (int r = 0; r < 2 * board.empties; r++)
        count += (touching(board.empty[r >> 1], r & 1, hex, a) & 1) == want_odd;
    return count;
}

ALWAYS long playout(int S, int area, int hex, int *black_wins) {
    memcpy(board.ring, start.ring, sizeof board.ring);
    memset(board.name, 0, area * sizeof(name_type));
    memcpy(board.empty, start.empty, start.cells * sizeof(int16_t));
    board.empties = start.cells;
    board.groups[0] = board.groups[1] = 0;
    board.next_name = 1;
    name_type a[4];
    long drops = 1;
    int r = below(2 * board.empties), passes = 0;
    place(board.empty[r >> 1], r & 1, 0, a, S, area, hex);
    remove_empty(r >> 1);
    while (passes < 2) {
        r = below(2 * board.empties + 1);
        if (r == 2 * board.empties) { passes++; continue; }
        int i = r >> 1, c = r & 1, p = board.empty[i];
        int found = touching(p, c, hex, a);
        int keeps = found & 1;
        if (!keeps && board.empties == 1) continue;
        int had_name = board.next_name, had_groups = board.groups[c];
        if (found >= 2 && !keeps) memcpy(board.saved, board.name, area * sizeof(name_type));
        place(p, c, found, a, S, area, hex);
        remove_empty(i);
        int moves = 2 * board.empties + keeps, misses = 0, second = 1;
        if (keeps) {
            for (;;) {
                r = below(moves);
                if (r == moves - 1) { second = 0; break; }
                found = touching(board.empty[r >> 1], r & 1, hex, a);
                if (found & 1) break;
            }
        } else {
            for (;;) {
                r = below(moves);
                found = touching(board.empty[r >> 1], r & 1, hex, a);
                if (!(found & 1)) break;
                if (++misses == MISSES && count_seconds(0, hex) == 0) {
                    second = -1;
                    break;
                }
            }
        }
        if (second < 0) {
            flip(p, c, S, hex);
            if (had_groups - board.groups[c] > 0) memcpy(board.name, board.saved, area * sizeof(name_type));
            board.name[p] = 0;
            board.next_name = had_name;
            board.groups[c] = had_groups;
            board.empty[board.empties] = board.empty[i];
            board.empty[i] = p;
            board.empties++;
            continue;
        }
        passes = 0;
        drops++;
        if (second) {
            place(board.empty[r >> 1], r & 1, found, a, S, area, hex);
            remove_empty(r >> 1);
            drops++;
        }
    }
    *black_wins += board.groups[0] < board.groups[1];
    return drops;
}

static void set_up(int hex, int size, int S) {
    int width = hex ? 2 * size - 1 : size, around = hex ? 6 : 8, step = hex ? 1 : 2;
    int hexes[6] = {1, S, S - 1, -1, -S, 1 - S};
    int squares[8] = {1, S + 1, S, S - 1, -1, -S - 1, -S, 1 - S};
    int *at = hex ? hexes : squares;
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            int q = x - size + 1, r = y - size + 1;
            if (hex && abs(q + r) >= size) continue;
            start.empty[start.cells++] = (int16_t)((y + 1) * S + x + 1);
        }
    for (int mask = 0; mask < 1 << around; mask++) {
        int seen = 0;
        for (int d = 0; d < around; d += step) {
            if (!(mask >> d & 1) || seen >> d & 1) continue;
            table[mask].at[(int)table[mask].runs++] = (int16_t)at[d];
            for (int turn = 1; turn >= -1; turn -= 2)
                for (int e = d; mask >> e & 1 && !(turn < 0 && e != d && seen >> e & 1 && 0);) {
                    seen |= 1 << e;
                    e = (e + turn + around) % around;
                    if (e == d) break;
                }
        }
    }
}

ALWAYS void play(int S, int area, int hex, long playouts, long *drops, int *wins) {
    for (long i = 0; i < playouts; i++) *drops += playout(S, area, hex, wins);
}

int main(int count, char **words) {
    if (count != 5) return 2;
    int hex = words[1][0] == 'y', size = atoi(words[2]), wins = 0;
    long playouts = atol(words[3]), drops = 0;
    state = strtoull(words[4], 0, 10) * 0x9E3779B97F4A7C15u + 0x94D049BB133111EBu;
    int width = hex ? 2 * size - 1 : size, S = width + 1;
    set_up(hex, size, S);
    for (int mask = 0; mask < 256; mask++)
        for (int i = table[mask].runs; i < 4; i++)
            table[mask].at[i] = table[mask].runs ? table[mask].at[0] : 0;
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    if (hex && size == 8) play(16, 272, 1, playouts, &drops, &wins);
    else if (!hex && size == 12) play(13, 192, 0, playouts, &drops, &wins);
    else if (hex) play(S, (width + 2) * S + 1, 1, playouts, &drops, &wins);
    else play(S, (width + 2) * S + 1, 0, playouts, &drops, &wins);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    printf("%ld %.6f %ld %d\n", playouts, (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec), drops, wins);
    return 0;
}
