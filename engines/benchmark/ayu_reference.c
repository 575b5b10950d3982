/* Uniformly random Ayu games, move by move: the yardstick for engines/kernels.

   cc -O3 -march=native -o ayu_reference ayu_reference.c
   ./ayu_reference SIZE PLAYOUTS SEED   ->   playouts seconds moves black_wins

   What it does to be fast, all of which paid when it was tried:
   - sets of points are bits, on 11x11 two words; the number of words and the size are constants of
     the compiler for that board;
   - for every unit, its pieces, the points beside it, and those beside two of its pieces are kept;
     one pass over these finds all points where two units can join, and with them the legal moves
     of most units, without a flood;
   - only units that cannot join at once, one in seven, send out a wave; they are listed first,
     without a branch, since the processor cannot guess which they are;
   - loops over units take whole blocks, so that none has a rest of unforeseeable length;
   - a move is drawn as (piece, place among the most targets that a unit has) and rejected, with
     one branch that the processor can guess, where there is no such move; which point that place
     is, one instruction tells where there is BMI2;
   - whether a piece may leave is read from the 3x3 points around it and the Euler number of its
     colour, which tells whether there is any hole; a search is left for the few cases with one;
   - units of pieces are a flat byte array, renamed at once when two join;
   - positions are compared only since the last join, after which none can come again. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#define ALWAYS static inline __attribute__((always_inline))
enum { LARGEST = 25, CELLS = LARGEST * LARGEST, WORDS = 10, LANES = 32, ROOM = CELLS / 4 / LANES * LANES + LANES, PAST = 1024 };

typedef uint64_t word;
typedef struct { word w[WORDS + 1]; } set;

typedef struct {
    int units, euler, pieces;
    uint16_t piece[ROOM];
    uint8_t unit[ROOM];
    uint32_t rows[LARGEST + 2];
    _Alignas(64) word stones[WORDS][ROOM], beside[WORDS][ROOM], twice[WORDS][ROOM];
} side;

typedef struct {
    side sides[2];
    set empty;
    word hash;
} position;

static position start, board;
static struct {
    _Alignas(64) word targets[WORDS][ROOM];
    word choices[ROOM], special[ROOM];
} found;
static set left_edge, right_edge;
static uint8_t slot_at[CELLS], start_slot_at[CELLS], row[CELLS], column[CELLS];
static int8_t euler[512];
static uint16_t alone[ROOM];
static word keys[2][CELLS], past[PAST], state;

ALWAYS word next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* A step in all four directions from `now`: across and along, and where two of them meet. */
ALWAYS word grown(word before, word now, word after, int size, int w, word *meet) {
    word right = (now << 1 | before >> 63) & ~left_edge.w[w];
    word left = (now >> 1 | after << 63) & ~right_edge.w[w];
    word up = now << size | before >> (64 - size), down = now >> size | after << (64 - size);
    if (meet) *meet = (right & left) | (up & down) | ((right | left) & (up | down));
    return right | left | up | down;
}

ALWAYS unsigned pattern(const uint32_t *rows, int point) {
    int y = row[point], x = column[point];
    return (rows[y] >> x & 7) | (rows[y + 1] >> x & 7) << 3 | (rows[y + 2] >> x & 7) << 6;
}

/* The place of the bit of `points` that has `place` lower ones. */
ALWAYS int nth_one(word points, word place) {
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64(1ull << place, points));
#else
    while (place--) points &= points - 1;
    return __builtin_ctzll(points);
#endif
}

/* The targets of a unit that cannot join another at once. Faster when not inlined. */
static __attribute__((noinline)) void send_wave(const side *s, int u, const set *around, int size, int words) {
    set wave;
    word count = 0, growth = 1;
    for (int w = 0; w < words; w++) wave.w[w] = around->w[w] & ~s->beside[w][u];
    while (!count && growth) {
        word before = 0;
        growth = 0;
        for (int w = 0; w < words; w++) {
            word now = wave.w[w], after = w + 1 < words ? wave.w[w + 1] : 0;
            word more = grown(before, now, after, size, w, 0) & board.empty.w[w] & ~now;
            word reached = more & s->beside[w][u];
            before = now;
            wave.w[w] = now | more;
            growth |= more;
            found.targets[w][u] = reached;
            found.special[u] |= reached & s->twice[w][u];
            count += __builtin_popcountll(reached);
        }
    }
    found.choices[u] = count;
}

/* Finds the targets of every unit of a side; the most that one has. */
ALWAYS word survey(const side *s, int size, int words) {
    set around;
    int units = s->units;
    word most = 0, hole = units != s->euler;
    for (int u = 0; u < units; u += 8)
        for (int i = u; i < u + 8; i++) found.choices[i] = 0, found.special[i] = hole;
    for (int w = 0; w < words; w++) {
        word once = 0, twice = 0;
        for (int u = 0; u < units; u += 8)
            for (int i = u; i < u + 8; i++) {
                twice |= once & s->beside[w][i];
                once |= s->beside[w][i];
            }
        around.w[w] = once & board.empty.w[w];
        twice &= board.empty.w[w];
        for (int u = 0; u < units; u += 8)
            for (int i = u; i < u + 8; i++) {
                word points = s->beside[w][i] & twice;
                found.targets[w][i] = points;
                found.choices[i] += __builtin_popcountll(points);
                found.special[i] |= points & s->twice[w][i];
            }
    }
    int count = 0;
    for (int u = 0; u < units; u++) {
        alone[count] = u;
        count += !found.choices[u];
    }
    for (int i = 0; i < count; i++) send_wave(s, alone[i], &around, size, words);
    for (int u = 0; u < units; u += 8)
        for (int i = u; i < u + 8; i++)
            most = found.choices[i] > most ? found.choices[i] : most;
    return most;
}

static __attribute__((noinline)) int hangs_together(const side *s, int u, int p, int q, int size,
                                                    int words) {
    set wave = {{0}}, rest = {{0}};
    word growth = 1, out = 0;
    for (int w = 0; w < words; w++) rest.w[w] = s->stones[w][u];
    rest.w[p >> 6] ^= 1ull << (p & 63);
    wave.w[q >> 6] = 1ull << (q & 63);
    while (growth) {
        word before = 0;
        growth = 0;
        for (int w = 0; w < words; w++) {
            word now = wave.w[w];
            word more = grown(before, now, wave.w[w + 1], size, w, 0) & rest.w[w];
            before = now;
            rest.w[w] ^= more;
            wave.w[w] |= more;
            growth |= more;
        }
    }
    for (int w = 0; w < words; w++) out |= rest.w[w];
    return !out;
}

/* Moves the piece in slot k, of unit u, from p to q; whether that joined units. */
ALWAYS int move(side *s, int c, int k, int u, int p, int q, unsigned ring, int size, int words) {
    int units = s->units;
    s->piece[k] = q;
    s->euler -= euler[ring];
    s->rows[row[p] + 1] ^= 2u << column[p];
    ring = pattern(s->rows, q);
    s->euler += euler[ring];
    s->rows[row[q] + 1] ^= 2u << column[q];
    board.empty.w[p >> 6] ^= 1ull << (p & 63);
    board.empty.w[q >> 6] ^= 1ull << (q & 63);
    s->stones[p >> 6][u] ^= 1ull << (p & 63);
    s->stones[q >> 6][u] ^= 1ull << (q & 63);
    board.hash ^= keys[c][p] ^ keys[c][q];
    slot_at[q] = k;
    const int offset[9] = {0, -size, 0, -1, 0, 1, 0, size, 0};
    for (unsigned m = ring & 0xAA; m; m &= m - 1) {
        int v = s->unit[slot_at[q + offset[__builtin_ctz(m)]]];
        if (v == u) continue;
        int last = --s->units;
        for (int w = 0; w < words; w++) {
            s->stones[w][u] |= s->stones[w][v];
            s->stones[w][v] = s->stones[w][last];
            s->beside[w][v] = s->beside[w][last];
            s->twice[w][v] = s->twice[w][last];
            s->beside[w][last] = 0;
        }
        for (int i = 0; i < s->pieces; i += LANES)
            for (int j = i; j < i + LANES; j++) {
                uint8_t name = s->unit[j];
                name = name == v ? u : name;
                s->unit[j] = name == last ? v : name;
            }
        if (u == last) u = v;
    }
    word before = 0, now = s->stones[0][u];
    for (int w = 0; w < words; w++) {
        word after = w + 1 < words ? s->stones[w + 1][u] : 0;
        s->beside[w][u] = grown(before, now, after, size, w, &s->twice[w][u]);
        before = now;
        now = after;
    }
    return s->units < units;
}

/* Makes the board equal to the start, as far as that is used. */
ALWAYS void clear(int words) {
    board.empty = start.empty;
    board.hash = start.hash;
    memcpy(slot_at, start_slot_at, sizeof slot_at);
    for (int c = 0; c < 2; c++) {
        side *to = &board.sides[c];
        const side *from = &start.sides[c];
        memcpy(to, from, offsetof(side, stones));
        for (int w = 0; w < words; w++)
            for (int u = 0; u < (from->units + 7) / 8 * 8; u++) {
                to->stones[w][u] = from->stones[w][u];
                to->beside[w][u] = from->beside[w][u];
                to->twice[w][u] = from->twice[w][u];
            }
    }
}

/* Plays one game; adds to the wins in halves: two for a win of Black, one for a draw. */
ALWAYS long playout(int size, int words, long *halves) {
    clear(words);
    int c = 0, remembered = 0;
    for (long moves = 0;; moves++, c = !c) {
        side *s = &board.sides[c];
        word most = survey(s, size, words);
        if (!most) {
            *halves += c ? 0 : 2;
            return moves;
        }
        int k, u, p, q;
        unsigned lifted;
        for (;;) {
            word r = next(), place = (r & 0xFFFFFFFF) * most >> 32;
            k = (r >> 32) * s->pieces >> 32;
            u = s->unit[k];
            p = s->piece[k];
            unsigned ring = lifted = pattern(s->rows, p);
            if ((place >= found.choices[u]) | ((euler[ring] < 0) & !found.special[u])) continue;
            int w = 0;
            word points = found.targets[0][u];
            for (word count; place >= (count = __builtin_popcountll(points));) {
                place -= count;
                points = found.targets[++w][u];
            }
            q = 64 * w + nth_one(points, place);
            unsigned up = 1 + row[q] - row[p], right = 1 + column[q] - column[p];
            if (up <= 2 && right <= 2) ring |= 1 << (3 * up + right);
            if (euler[ring] >= 0) break;
            if (s->units == s->euler && !(s->twice[q >> 6][u] >> (q & 63) & 1)) continue;
            if (hangs_together(s, u, p, q, size, words)) break;
        }
        if (move(s, c, k, u, p, q, lifted, size, words)) remembered = 0;
        word now = board.hash ^ (word)c;
        for (int i = 0; i < remembered; i++)
            if (past[i] == now) {
                *halves += 1;
                return moves + 1;
            }
        if (remembered == PAST) remembered = 0;
        past[remembered++] = now;
    }
}

static void set_up(int size, int words) {
    for (int pattern = 0; pattern < 512; pattern++) {
        int change = 1;
        for (int i = 1; i < 9; i += 2) change -= pattern >> i & 1;
        for (int up = -3; up <= 3; up += 6)
            for (int side = -1; side <= 1; side += 2)
                change += pattern >> (4 + up) & pattern >> (4 + side) & pattern >> (4 + up + side) & 1;
        euler[pattern] = change;
    }
    for (int p = 0; p < size * size; p++) {
        int x = p % size, y = p / size;
        row[p] = y, column[p] = x;
        keys[0][p] = next(), keys[1][p] = next();
        if (x == 0) left_edge.w[p >> 6] |= 1ull << (p & 63);
        if (x == size - 1) right_edge.w[p >> 6] |= 1ull << (p & 63);
        if (x % 2 == y % 2) {
            start.empty.w[p >> 6] |= 1ull << (p & 63);
            continue;
        }
        side *s = &start.sides[y % 2];
        int u = s->units++;
        s->euler++;
        start_slot_at[p] = s->pieces;
        s->piece[s->pieces] = p;
        s->unit[s->pieces++] = u;
        s->rows[y + 1] |= 2u << x;
        s->stones[p >> 6][u] = 1ull << (p & 63);
    }
    for (int c = 0; c < 2; c++)
        for (int u = 0; u < start.sides[c].units; u++)
            for (int w = 0; w < words; w++) {
                side *s = &start.sides[c];
                word before = w ? s->stones[w - 1][u] : 0, now = s->stones[w][u];
                word after = w + 1 < words ? s->stones[w + 1][u] : 0;
                s->beside[w][u] = grown(before, now, after, size, w, &s->twice[w][u]);
            }
}

ALWAYS void play(int size, int words, long playouts, long *moves, long *halves) {
    for (long i = 0; i < playouts; i++) *moves += playout(size, words, halves);
}

int main(int count, char **argument) {
    if (count != 4) return 2;
    int size = atoi(argument[1]), words = (size * size + 63) / 64;
    long playouts = atol(argument[2]), moves = 0, halves = 0;
    if (size < 3 || size > LARGEST || size % 2 == 0) return 2;
    state = strtoull(argument[3], 0, 10) * 0x9E3779B97F4A7C15u + 0x94D049BB133111EBu;
    set_up(size, words);
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    if (size == 11) play(11, 2, playouts, &moves, &halves);
    else play(size, words, playouts, &moves, &halves);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    printf("%ld %.6f %ld %ld\n", playouts, (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec),
           moves, halves / 2);
    return 0;
}
