/* Uniformly random games of Odd on a hexhex board: the yardstick for engines/kernels.

   cc -O3 -march=native -o odd_reference odd_reference.c
   ./odd_reference SIZE PLAYOUTS SEED   ->   playouts seconds drops black_wins

   What it does to be fast, all of which paid when it was tried:
   - a game ends in an independent random colouring, so whole words of random bits are drawn;
   - the board is a string of bits, and each question about a neighbour one shift of it;
   - groups are labelled in one scan: a cell takes the label of an earlier neighbour, and since two
     of the three earlier neighbours that lie side by side are in one group already where they have
     one colour, only one cell in eight can join two groups; these cells come out as a bit mask;
   - where a label comes from is a byte per cell, made from the bits eight cells at a time;
   - joining has no test for two parts of one group, which could not be predicted;
   - the size is a constant of the compiler for the board that the benchmark asks for.
   Flood fill was slower when tried: by tables or cell by cell by a third or more, by shifts by
   more than half. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALWAYS static inline __attribute__((always_inline))
enum { LARGEST = 13, WORDS = 10, AREA = 64 * WORDS, LEAST = 5 };

typedef uint8_t narrow;
typedef uint16_t wide;

static uint64_t on_board[WORDS], has_below[WORDS], has_left[WORDS], has_corner[WORDS], spread[256];
static int16_t points[AREA];
static uint64_t state;

ALWAYS uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Where every label comes from (below is one to the left and then a row less one back), and the
   cells that join the label on the left to the corner's. */
ALWAYS void find_steps(uint8_t *steps, uint64_t *bridges, int stride, int words) {
    uint64_t before = 0;
    for (int w = 0; w < words; w++) {
        uint64_t now = draw() & on_board[w];
        uint64_t below = has_below[w] & ~(now ^ (now << stride | before >> (64 - stride)));
        uint64_t left = has_left[w] & ~(now ^ (now << 1 | before >> 63));
        uint64_t corner = has_corner[w] & ~(now ^ (now << (stride - 1) | before >> (65 - stride)));
        before = now;
        bridges[w] = left & corner & ~below;
        uint64_t by_one = below | left, by_row = below | (corner & ~left);
        for (int b = 0; b < 64; b += 8) {
            uint64_t eight = spread[by_one >> b & 255]
                             + spread[by_row >> b & 255] * (uint64_t)(stride - 1);
            memcpy(steps + 64 * w + b, &eight, 8);
        }
    }
}

#define PLAYOUT(name, label)                                                                  \
    ALWAYS int name(int stride, int words, int cells) {                                       \
        _Alignas(64) uint8_t steps[AREA];                                                     \
        _Alignas(64) label labels[AREA], sizes[AREA];                                         \
        uint64_t bridges[WORDS];                                                              \
        find_steps(steps, bridges, stride, words);                                            \
        for (int p = 0; p < 64 * words; p++) { labels[p] = (label)p; sizes[p] = 0; }          \
        for (int i = 0; i < cells; i++) {                                                     \
            int p = points[i];                                                                \
            label from = labels[p - steps[p]];                                                \
            labels[p] = from;                                                                 \
            sizes[from]++;                                                                    \
        }                                                                                     \
        for (int w = 0; w < words; w++)                                                       \
            for (uint64_t rest = bridges[w]; rest; rest &= rest - 1) {                        \
                int p = 64 * w + __builtin_ctzll(rest);                                       \
                int one = labels[p], two = labels[p - stride + 1];                            \
                while (labels[one] != one) one = labels[one];                                 \
                while (labels[two] != two) two = labels[two];                                 \
                label size = sizes[two];                                                      \
                sizes[two] = 0;                                                               \
                sizes[one] += size;                                                           \
                labels[two] = (label)one;                                                     \
            }                                                                                 \
        label odd = 0;                                                                        \
        for (int p = 0; p < 64 * words; p++) odd ^= sizes[p] >= LEAST;                        \
        return odd;                                                                           \
    }

PLAYOUT(playout, narrow)
PLAYOUT(playout_wide, wide)

static void set_up(int size) {
    int width = 2 * size - 1, cells = 0, first = size - 1;
    for (int row = 0; row < width; row++)
        for (int column = 0; column < width; column++) {
            int q = column - size + 1, r = row - size + 1, p = row * width + column - first;
            if (abs(q + r) >= size) continue;
            uint64_t bit = UINT64_C(1) << (p & 63);
            int is_below = row > 0 && abs(q + r - 1) < size;
            int is_left = column > 0 && abs(q + r - 1) < size;
            int is_corner = row > 0 && column < width - 1;
            on_board[p >> 6] |= bit;
            if (is_below) has_below[p >> 6] |= bit;
            if (is_left) has_left[p >> 6] |= bit;
            if (is_corner) has_corner[p >> 6] |= bit;
            points[cells++] = (int16_t)p;
        }
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++) spread[byte] |= (uint64_t)(byte >> bit & 1) << 8 * bit;
}

int main(int count, char **values) {
    if (count != 4) return 2;
    int size = atoi(values[1]);
    if (size < 2 || size > LARGEST) return 2;
    long playouts = atol(values[2]), wins = 0;
    state = strtoull(values[3], 0, 10) * 0x9E3779B97F4A7C15u + 0x94D049BB133111EBu;
    int cells = 3 * size * (size - 1) + 1, stride = 2 * size - 1;
    int words = (stride * stride - 2 * (size - 1) + 63) / 64;
    set_up(size);
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    if (size == 5) for (long i = 0; i < playouts; i++) wins += playout(9, 2, 61);
    else if (words <= 4) for (long i = 0; i < playouts; i++) wins += playout(stride, words, cells);
    else for (long i = 0; i < playouts; i++) wins += playout_wide(stride, words, cells);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    printf("%ld %.6f %ld %ld\n", playouts, seconds, playouts * cells, wins);
    return 0;
}
