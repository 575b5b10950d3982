/* An engine for all four games, Yodd, Xodd, Odd and Ayu: plain Monte Carlo.
 *
 * C99 and a POSIX clock:  cc -std=c99 -O2 -o full full.c && ./full [PLAYOUTS]
 *
 * From the top: the board, the rules, random turns, choosing a turn, the clock, the protocol.
 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EMPTY, BLACK, WHITE };
enum game { YODD, XODD, ODD, AYU };
enum { MAX_CELLS = 469, MAX_LETTER = 26, MAX_NUMBER = 99 }; /* hexhex base 13 has 469 cells */

static const char *const GAME_NAMES[] = {"yodd", "xodd", "odd", "ayu"};
static const char *const COLOUR_NAMES[] = {"", "Black", "White"};

static int other(int colour) { return BLACK + WHITE - colour; }

/* --- The board ------------------------------------------------------------------------------- */

struct settings {
    enum game game;
    int size;
    bool hexhex;
    int min_group; /* Odd */
    bool pie;      /* Ayu */
};

/* Cells are numbered from the lowest row up, so their order is that of written drops. */
struct board {
    int cells;
    char name[MAX_CELLS][12];
    int letter[MAX_CELLS], number[MAX_CELLS];
    int neighbours[MAX_CELLS][6], degree[MAX_CELLS];
    int cell_at[MAX_LETTER + 2][MAX_NUMBER + 2]; /* -1 where there is none */
};

static struct settings settings;
static struct board board;

static bool exists(int letter, int number)
{
    int size = settings.size, q = letter - size, r = number - size;
    if (settings.hexhex)
        return abs(q) < size && abs(r) < size && abs(q + r) < size;
    return letter >= 1 && letter <= size && number >= 1 && number <= size;
}

static void make_board(void)
{
    static const int steps[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    int directions = settings.hexhex ? 6 : 4;

    board.cells = 0;
    memset(board.cell_at, -1, sizeof board.cell_at);
    for (int number = 1; number < 2 * settings.size; number++)
        for (int letter = 1; letter < 2 * settings.size && letter <= MAX_LETTER; letter++)
            if (exists(letter, number)) {
                int cell = board.cells++;
                board.letter[cell] = letter;
                board.number[cell] = number;
                board.cell_at[letter][number] = cell;
                snprintf(board.name[cell], sizeof board.name[cell], "%c%d", 'a' + letter - 1, number);
            }
    for (int cell = 0; cell < board.cells; cell++) {
        board.degree[cell] = 0;
        for (int i = 0; i < directions; i++) {
            int letter = board.letter[cell] + steps[i][0], number = board.number[cell] + steps[i][1];
            if (board.cell_at[letter][number] >= 0)
                board.neighbours[cell][board.degree[cell]++] = board.cell_at[letter][number];
        }
    }
}

/* --- The rules ------------------------------------------------------------------------------- */

struct position {
    unsigned char stones[MAX_CELLS];
    int to_move, turns_played, passes;
    bool is_draw; /* Ayu: this position was there before */
};

enum kind { PASS, DROPS, MOVE, SWAP };

struct turn {
    enum kind kind;
    int count;     /* drops */
    int cell[2];   /* of the drops, or origin and destination; -1 is off the board */
    int colour[2]; /* of the drops */
};

struct groups {
    int label[MAX_CELLS]; /* the number of each stone's group, from 0 */
    int number;
    int size[MAX_CELLS], colour[MAX_CELLS]; /* of each group */
};

static void start(struct position *p)
{
    memset(p, 0, sizeof *p);
    p->to_move = BLACK;
    if (settings.game == AYU)
        for (int cell = 0; cell < board.cells; cell++)
            if ((board.letter[cell] + board.number[cell]) % 2 == 1)
                p->stones[cell] = board.number[cell] % 2 == 1 ? BLACK : WHITE;
}

/* Lists the cells of the group at `start` in `group`, `is_member` says which; answers how many. */
static int find_group(const unsigned char *stones, int start, int *group, bool *is_member)
{
    int count = 1;
    memset(is_member, 0, sizeof(bool) * (size_t)board.cells);
    group[0] = start;
    is_member[start] = true;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < board.degree[group[i]]; j++) {
            int near = board.neighbours[group[i]][j];
            if (!is_member[near] && stones[near] == stones[start]) {
                is_member[near] = true;
                group[count++] = near;
            }
        }
    return count;
}

static void find_groups(const struct position *p, struct groups *groups)
{
    int queue[MAX_CELLS];
    groups->number = 0;
    memset(groups->label, -1, sizeof groups->label);
    for (int cell = 0; cell < board.cells; cell++) {
        if (p->stones[cell] == EMPTY || groups->label[cell] >= 0)
            continue;
        int count = 1, label = groups->number++;
        queue[0] = cell;
        groups->label[cell] = label;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < board.degree[queue[i]]; j++) {
                int near = board.neighbours[queue[i]][j];
                if (p->stones[near] == p->stones[cell] && groups->label[near] < 0) {
                    groups->label[near] = label;
                    queue[count++] = near;
                }
            }
        groups->size[label] = count;
        groups->colour[label] = p->stones[cell];
    }
}

/* Groups of each colour, of those that the game counts; answers how many there are together. */
static int count_groups(const struct position *p, int counts[3])
{
    struct groups groups;
    int least = settings.game == ODD ? settings.min_group : 1;
    find_groups(p, &groups);
    counts[BLACK] = counts[WHITE] = 0;
    for (int i = 0; i < groups.number; i++)
        if (groups.size[i] >= least)
            counts[groups.colour[i]]++;
    return counts[BLACK] + counts[WHITE];
}

/* What a drop adds to the number of groups: one, less those that it joins. */
static int change(const struct position *p, const struct groups *groups, int cell, int colour)
{
    int joined[6], count = 0;
    for (int i = 0; i < board.degree[cell]; i++) {
        int near = board.neighbours[cell][i], j = 0;
        if (p->stones[near] != colour)
            continue;
        while (j < count && joined[j] != groups->label[near])
            j++;
        if (j == count)
            joined[count++] = groups->label[near];
    }
    return 1 - count;
}

/* Empty points between a unit of Ayu and the closest friendly one; -1 without a path. */
static int distance(const unsigned char *stones, const int *unit, int size)
{
    int queue[MAX_CELLS], steps[MAX_CELLS], count = size;
    bool seen[MAX_CELLS];
    memset(seen, 0, sizeof(bool) * (size_t)board.cells);
    for (int i = 0; i < size; i++) {
        queue[i] = unit[i];
        steps[i] = 0;
        seen[unit[i]] = true;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < board.degree[queue[i]]; j++) {
            int near = board.neighbours[queue[i]][j];
            if (seen[near])
                continue;
            if (stones[near] == stones[unit[0]])
                return steps[i];
            if (stones[near] == EMPTY) {
                seen[near] = true;
                steps[count] = steps[i] + 1;
                queue[count++] = near;
            }
        }
    return -1;
}

/* Why a move of Ayu is illegal; NULL if it is not. */
static const char *problem_with_move(const struct position *p, int origin, int destination)
{
    unsigned char stones[MAX_CELLS];
    int unit[MAX_CELLS], whole[MAX_CELLS], size, before, after;
    bool is_member[MAX_CELLS], is_adjacent = false;

    if (p->stones[origin] != p->to_move)
        return "no piece of yours to move";
    if (p->stones[destination] != EMPTY)
        return "an occupied destination";
    size = find_group(p->stones, origin, unit, is_member);
    for (int i = 0; i < board.degree[destination]; i++)
        is_adjacent |= is_member[board.neighbours[destination][i]];
    if (!is_adjacent)
        return "not a point next to the unit";
    if ((before = distance(p->stones, unit, size)) < 0)
        return "no path to a friendly unit";

    memcpy(stones, p->stones, (size_t)board.cells);
    stones[origin] = EMPTY;
    stones[destination] = (unsigned char)p->to_move;
    unit[0] = destination; /* find_group lists the origin first */
    find_group(stones, destination, whole, is_member);
    for (int i = 0; i < size; i++)
        if (!is_member[unit[i]])
            return "that would split the group";
    after = distance(stones, unit, size);
    return after >= 0 && after < before ? NULL : "no closer to the closest friendly unit";
}

/* The position after a legal turn; but for a draw, which takes the game's past to see. */
static void apply(struct position *p, const struct turn *turn)
{
    p->turns_played++;
    if (turn->kind == SWAP)
        return;
    p->passes = turn->kind == PASS ? p->passes + 1 : 0;
    if (turn->kind == DROPS)
        for (int i = 0; i < turn->count; i++)
            p->stones[turn->cell[i]] = (unsigned char)turn->colour[i];
    if (turn->kind == MOVE) {
        p->stones[turn->cell[0]] = EMPTY;
        p->stones[turn->cell[1]] = (unsigned char)p->to_move;
    }
    p->to_move = other(p->to_move);
}

static bool may_swap(const struct position *p) { return settings.pie && p->turns_played == 1; }

static bool takes_one_drop(const struct position *p)
{
    return settings.game == ODD || p->turns_played == 0;
}

/* Calls `visit` with each legal turn until it answers false. */
typedef bool visitor(const struct turn *turn, void *context);

/* Lists where a piece of Ayu may move to; answers how many places that are. */
static int find_destinations(const struct position *p, int origin, int *destinations)
{
    int unit[MAX_CELLS], count = 0, size;
    bool seen[MAX_CELLS];
    if (p->stones[origin] != p->to_move)
        return 0;
    size = find_group(p->stones, origin, unit, seen);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < board.degree[unit[i]]; j++) {
            int near = board.neighbours[unit[i]][j];
            if (!seen[near] && !problem_with_move(p, origin, near))
                destinations[count++] = near;
            seen[near] = true;
        }
    return count;
}

static void each_move(const struct position *p, visitor *visit, void *context)
{
    int destinations[MAX_CELLS];
    struct turn swap = {.kind = SWAP};
    if (may_swap(p) && !visit(&swap, context))
        return;
    for (int origin = 0; origin < board.cells; origin++) {
        int count = find_destinations(p, origin, destinations);
        for (int i = 0; i < count; i++) {
            struct turn move = {.kind = MOVE, .cell = {origin, destinations[i]}};
            if (!visit(&move, context))
                return;
        }
    }
}

static void each_drops(const struct position *p, visitor *visit, void *context)
{
    struct groups groups, after;
    struct position next = *p;
    struct turn pass = {.kind = PASS};
    bool odd = settings.game == ODD;

    find_groups(p, &groups);
    if (!odd && groups.number % 2 == 1 && !visit(&pass, context))
        return;
    for (int first = 0; first < board.cells; first++)
        for (int colour = BLACK; colour <= WHITE && p->stones[first] == EMPTY; colour++) {
            struct turn turn = {DROPS, 1, {first, -1}, {colour, EMPTY}};
            int total = groups.number + change(p, &groups, first, colour);
            if ((odd || total % 2 == 1) && !visit(&turn, context))
                return;
            if (takes_one_drop(p))
                continue;
            next.stones[first] = (unsigned char)colour;
            find_groups(&next, &after);
            turn.count = 2;
            for (int second = first + 1; second < board.cells; second++)
                for (int stone = BLACK; stone <= WHITE && p->stones[second] == EMPTY; stone++) {
                    turn.cell[1] = second;
                    turn.colour[1] = stone;
                    if ((total + change(&next, &after, second, stone)) % 2 != 0 &&
                        !visit(&turn, context))
                        return;
                }
            next.stones[first] = EMPTY;
        }
}

static void each_turn(const struct position *p, visitor *visit, void *context)
{
    if (p->passes == 2 || p->is_draw)
        return;
    if (settings.game == AYU)
        each_move(p, visit, context);
    else
        each_drops(p, visit, context);
}

static bool stop_at_once(const struct turn *turn, void *found)
{
    *(struct turn *)found = *turn;
    return false;
}

static bool is_over(const struct position *p)
{
    struct turn found = {.kind = PASS, .count = -1};
    each_turn(p, stop_at_once, &found);
    return found.count == -1;
}

/* Why a turn is illegal; NULL if it is not. */
static const char *problem_with(const struct position *p, const struct turn *turn)
{
    struct position after = *p;
    int counts[3];

    if (is_over(p))
        return "the game is over";
    for (int i = 0; i < (turn->kind == MOVE ? 2 : turn->count) && i < 2; i++)
        if (turn->cell[i] < 0)
            return "off the board";
    if (settings.game == AYU) {
        if (turn->kind == MOVE)
            return problem_with_move(p, turn->cell[0], turn->cell[1]);
        return turn->kind == SWAP && may_swap(p) ? NULL : "a turn is a move";
    }
    if (turn->kind == MOVE || turn->kind == SWAP || (turn->kind == PASS && settings.game == ODD))
        return "no such turn in this game";
    if (turn->count > 2 || (turn->count != 1 && takes_one_drop(p)))
        return "a wrong number of drops";
    for (int i = 0; i < turn->count; i++)
        if (p->stones[turn->cell[i]] != EMPTY)
            return "an occupied cell";
    if (turn->count == 2 && turn->cell[0] == turn->cell[1])
        return "two drops on one cell";
    apply(&after, turn);
    if (settings.game != ODD && count_groups(&after, counts) % 2 == 0)
        return "the total number of groups would be even";
    return NULL;
}

/* The winner of a game that is over; EMPTY for a draw. */
static int winner(const struct position *p)
{
    int counts[3], total = count_groups(p, counts);
    if (settings.game == AYU)
        return p->is_draw ? EMPTY : p->to_move;
    if (settings.game == ODD)
        return total % 2 == 1 ? BLACK : WHITE;
    return counts[BLACK] < counts[WHITE] ? BLACK : WHITE;
}

/* --- Random turns ---------------------------------------------------------------------------- */

enum { TRIES = 20 };

static uint64_t random_state = 1;

/* Seeds that lie close together must not make games alike: the seed is scrambled. */
static void seed_random(uint64_t seed)
{
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    random_state = (seed ^ (seed >> 31)) | 1;
}

/* A whole number below `bound` (xorshift64*). */
static int random_below(int bound)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (int)((random_state * 0x2545f4914f6cdd1du >> 33) % (uint64_t)bound);
}

/* Drops; a pass if none was found; false if the game is over. */
static bool random_drops(const struct position *p, struct turn *turn)
{
    int empty[MAX_CELLS], count = 0;
    struct groups groups, after;

    for (int cell = 0; cell < board.cells; cell++)
        if (p->stones[cell] == EMPTY)
            empty[count++] = cell;
    turn->kind = PASS;
    turn->count = 0;
    if (settings.game == ODD && count == 0)
        return false;
    if (settings.game != ODD)
        find_groups(p, &groups);
    for (int i = 0; i < TRIES && count > 0; i++) {
        struct position next;
        int first = random_below(count), colour = BLACK + random_below(2), total;
        turn->kind = DROPS;
        turn->count = 1;
        turn->cell[0] = empty[first];
        turn->colour[0] = colour;
        if (takes_one_drop(p))
            return true;
        total = groups.number + change(p, &groups, empty[first], colour);
        if (total % 2 == 1 && random_below(2))
            return true;
        next = *p;
        next.stones[empty[first]] = (unsigned char)colour;
        find_groups(&next, &after);
        turn->count = 2;
        for (int j = 0; j < TRIES; j++) {
            int second = random_below(count), stone = BLACK + random_below(2);
            turn->cell[1] = empty[second];
            turn->colour[1] = stone;
            if (second != first && (total + change(&next, &after, empty[second], stone)) % 2 != 0)
                return true;
        }
        if (total % 2 == 1) {
            turn->count = 1;
            return true;
        }
    }
    turn->kind = PASS;
    turn->count = 0;
    return p->passes < 2;
}

/* A move of the first piece that has one, from a random cell on; false if none has. */
static bool random_move(const struct position *p, struct turn *turn)
{
    int destinations[MAX_CELLS], first = random_below(board.cells);
    for (int i = 0; i < board.cells; i++) {
        int origin = (first + i) % board.cells;
        int count = find_destinations(p, origin, destinations);
        if (count > 0) {
            *turn = (struct turn){.kind = MOVE, .cell = {origin, destinations[random_below(count)]}};
            return true;
        }
    }
    return false;
}

static bool random_turn(const struct position *p, struct turn *turn)
{
    if (p->passes == 2 || p->is_draw)
        return false;
    return settings.game == AYU ? random_move(p, turn) : random_drops(p, turn);
}

/* --- Choosing a turn ------------------------------------------------------------------------- */

enum { MAX_CANDIDATES = 60, LONGEST_PLAYOUT = 1000 };

static int default_playouts = 1000, max_playouts;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Plays random turns to the end: 1 if `player` wins, 0 if not, 0.5 if nobody does. */
static double playout(struct position p, int player)
{
    struct turn turn;
    for (int i = 0; i < LONGEST_PLAYOUT; i++) {
        if (!random_turn(&p, &turn)) {
            int won = winner(&p);
            return won == EMPTY ? 0.5 : won == player;
        }
        apply(&p, &turn);
    }
    return 0.5;
}

static bool is_same(const struct turn *a, const struct turn *b)
{
    int cells = a->kind == MOVE ? 2 : a->count;
    if (a->kind != b->kind || a->count != b->count)
        return false;
    for (int i = 0; i < cells; i++)
        if (a->cell[i] != b->cell[i] || (a->kind == DROPS && a->colour[i] != b->colour[i]))
            return false;
    return true;
}

/* Different legal turns by lot, a legal pass always among them; answers how many. */
static int draw_candidates(const struct position *p, struct turn *candidates)
{
    struct turn pass = {.kind = PASS};
    int count = 0;
    if (!problem_with(p, &pass))
        candidates[count++] = pass;
    for (int i = 0; i < 2 * MAX_CANDIDATES && count < MAX_CANDIDATES; i++) {
        struct turn turn;
        int j = 0;
        if (!random_turn(p, &turn))
            continue;
        while (j < count && !is_same(&turn, &candidates[j]))
            j++;
        if (j == count)
            candidates[count++] = turn;
    }
    return count;
}

/* The candidate that wins most of its playouts. They all get the same number, until the time or
 * the number is up. */
static struct turn choose(const struct position *p, double deadline)
{
    struct turn candidates[MAX_CANDIDATES];
    double won[MAX_CANDIDATES] = {0.0};
    int tried[MAX_CANDIDATES] = {0}, best = 0, count = draw_candidates(p, candidates);

    for (int i = 0; i < max_playouts && now() < deadline; i++) {
        struct position next = *p;
        apply(&next, &candidates[i % count]);
        won[i % count] += playout(next, p->to_move);
        tried[i % count]++;
    }
    for (int i = 1; i < count && tried[i] > 0; i++)
        if (won[i] / tried[i] > won[best] / tried[best])
            best = i;
    return candidates[best];
}

/* --- The clock ------------------------------------------------------------------------------- */

static struct {
    bool none, has_main_time, is_canadian;
    double left[3];
    int turns[3];
} thinking = {.none = true};

/* What follows a number, decimals included; NULL if there is no number. */
static const char *after_number(const char *text)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    text += strspn(text, "0123456789");
    if (text[0] == '.' && isdigit((unsigned char)text[1]))
        text += 1 + strspn(text + 1, "0123456789");
    return text;
}

/* Understands SECONDS, MAIN+SECONDS, MAIN+TURNS/SECONDS, MAIN+PERIODSxSECONDS and none. */
static bool set_time_control(const char *text)
{
    const char *rest = after_number(text);
    bool none = strcmp(text, "none") == 0, canadian = false, has_main_time = rest && *rest == '+';
    if (has_main_time) {
        const char *digits = ++rest;
        digits += strspn(digits, "0123456789");
        canadian = digits > rest && *digits == '/';
        if (digits > rest && (*digits == '/' || *digits == 'x'))
            rest = digits + 1;
        rest = after_number(rest);
    }
    if (!none && (!rest || *rest))
        return false;
    thinking.none = none;
    thinking.has_main_time = has_main_time;
    thinking.is_canadian = canadian;
    thinking.left[BLACK] = thinking.left[WHITE] = strtod(text, NULL);
    thinking.turns[BLACK] = thinking.turns[WHITE] = 0;
    return true;
}

/* How long to think, with something left for the way there and back. */
static double seconds_for_a_turn(int player)
{
    int turns = thinking.turns[player];
    if (thinking.none)
        return 60.0;
    if (!thinking.has_main_time)
        return 0.8 * thinking.left[player];
    return 0.8 * thinking.left[player] / (thinking.is_canadian && turns > 0 ? turns : 30);
}

/* --- The protocol ---------------------------------------------------------------------------- */

enum { LONGEST_LINE = 65536, MAX_WORDS = 32, MANY = 100 };

static char id[16]; /* of the command that is being answered, or "" */
static struct position position, *past;
static size_t past_count, past_capacity;
static bool has_quit;

static void reply(char mark, const char *format, va_list values)
{
    printf("%c%s%s", mark, id, *format ? " " : "");
    vprintf(format, values);
    printf("\n\n");
}

static void succeed(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    reply('=', format, values);
    va_end(values);
}

static void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    reply('?', format, values);
    va_end(values);
}

/* A whole number up to 2^63-1, or -1. */
static long long whole(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long long value = strtoull(text, NULL, 10);
    return digits == 0 || digits > 19 || text[digits] || value > INT64_MAX ? -1 : (long long)value;
}

static bool equal_ignoring_case(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == *b)
        a++, b++;
    return !*a && !*b;
}

/* BLACK, WHITE, or EMPTY for what is no colour. */
static int player_of(const char *word)
{
    if (equal_ignoring_case(word, "b") || equal_ignoring_case(word, "black"))
        return BLACK;
    return equal_ignoring_case(word, "w") || equal_ignoring_case(word, "white") ? WHITE : EMPTY;
}

static void begin(struct settings chosen)
{
    settings = chosen;
    make_board();
    start(&position);
    past_count = 0;
}

/* Plays a legal turn, and remembers the position before it. */
static void advance(const struct turn *turn)
{
    if (past_count == past_capacity) {
        past_capacity = 2 * past_capacity + 64;
        past = realloc(past, past_capacity * sizeof *past);
        if (!past)
            exit(1);
    }
    past[past_count++] = position;
    apply(&position, turn);
    if (settings.game == AYU && turn->kind != SWAP)
        for (size_t i = 0; i < past_count; i++)
            if (past[i].to_move == position.to_move &&
                memcmp(past[i].stones, position.stones, sizeof position.stones) == 0)
                position.is_draw = true;
}

/* Reads a vertex; answers what follows it, or NULL. A cell off the board is -1. */
static const char *read_vertex(const char *text, int *cell)
{
    int letter = tolower((unsigned char)text[0]) - 'a' + 1, number = 0;
    if (letter < 1 || letter > MAX_LETTER || text[1] < '1' || text[1] > '9')
        return NULL;
    text++;
    for (int i = 0; i < 2 && isdigit((unsigned char)*text); i++)
        number = 10 * number + *text++ - '0';
    *cell = board.cell_at[letter][number];
    return text;
}

static bool read_drops(const char *text, struct turn *turn)
{
    turn->kind = DROPS;
    for (turn->count = 0;; text++) {
        int colour = player_of((char[]){*text, '\0'}), cell;
        if (colour == EMPTY || !(text = read_vertex(text + 1, &cell)))
            return false;
        if (turn->count < 2) {
            turn->cell[turn->count] = cell;
            turn->colour[turn->count] = colour;
        }
        turn->count++;
        if (*text != ',')
            return *text == '\0';
    }
}

/* Reads a turn, legal or not; false if it is none. */
static bool read_turn(const char *text, struct turn *turn)
{
    const char *rest = read_vertex(text, &turn->cell[0]);
    turn->count = 0;
    if (equal_ignoring_case(text, "pass"))
        turn->kind = PASS;
    else if (equal_ignoring_case(text, "swap"))
        turn->kind = SWAP;
    else if (rest && *rest == '-' && (rest = read_vertex(rest + 1, &turn->cell[1])) && !*rest)
        turn->kind = MOVE;
    else
        return read_drops(text, turn);
    return true;
}

/* The lower cell first, as turns are written. */
static void write_turn(const struct turn *turn, char *text, size_t size)
{
    int first = turn->count == 2 && turn->cell[1] < turn->cell[0], second = !first;
    const int *cell = turn->cell, *colour = turn->colour;
    if (turn->kind == PASS || turn->kind == SWAP)
        snprintf(text, size, "%s", turn->kind == PASS ? "pass" : "swap");
    else if (turn->kind == MOVE)
        snprintf(text, size, "%s-%s", board.name[cell[0]], board.name[cell[1]]);
    else if (turn->count == 1)
        snprintf(text, size, "%c%s", " BW"[colour[0]], board.name[cell[0]]);
    else
        snprintf(text, size, "%c%s,%c%s", " BW"[colour[first]], board.name[cell[first]],
                 " BW"[colour[second]], board.name[cell[second]]);
}

/* Each command: its words without the name, and how many. Their number was checked. */
typedef void handler(char **words, int count);

static handler do_known_command, do_list_commands;

static void do_protocol_version(char **words, int count) { (void)words, (void)count, succeed("2"); }
static void do_oddly_version(char **words, int count) { (void)words, (void)count, succeed("1"); }
static void do_name(char **words, int count) { (void)words, (void)count, succeed("full-c"); }
static void do_version(char **words, int count) { (void)words, (void)count, succeed("1"); }

static void do_quit(char **words, int count)
{
    (void)words, (void)count;
    has_quit = true;
    succeed("");
}

static void do_list_games(char **words, int count)
{
    (void)words, (void)count;
    succeed("yodd\nxodd\nodd\nayu");
}

static bool apply_setting(struct settings *s, const char *name, const char *value)
{
    if (s->game == ODD && strcmp(name, "board") == 0) {
        s->hexhex = strcmp(value, "hexhex") == 0;
        return s->hexhex || strcmp(value, "square") == 0;
    }
    if (s->game == ODD && strcmp(name, "min_group") == 0) {
        bool is_large = strlen(value) > 18 && value[strspn(value, "0123456789")] == '\0';
        long long number = is_large ? MAX_CELLS + 1 : whole(value);
        s->min_group = number > MAX_CELLS ? MAX_CELLS + 1 : (int)number;
        return number >= 1;
    }
    if (s->game == AYU && strcmp(name, "pie") == 0) {
        s->pie = strcmp(value, "true") == 0;
        return s->pie || strcmp(value, "false") == 0;
    }
    return false;
}

static void do_set_game(char **words, int count)
{
    static const int default_sizes[] = {8, 12, 5, 11};
    struct settings chosen = {.min_group = 5, .pie = false};
    int game = 0;
    while (game < 4 && strcmp(words[0], GAME_NAMES[game]) != 0)
        game++;
    if (game == 4) {
        fail("unknown game");
        return;
    }
    if (count % 2 == 0) {
        fail("syntax error: expected pairs of setting and value");
        return;
    }
    chosen.game = (enum game)game;
    chosen.size = default_sizes[game];
    chosen.hexhex = game == YODD || game == ODD;
    for (int i = 1; i < count; i += 2)
        if (!apply_setting(&chosen, words[i], words[i + 1])) {
            fail("%s has no such setting, or not with such a value", words[0]);
            return;
        }
    begin(chosen);
    succeed("");
}

static void do_boardsize(char **words, int count)
{
    struct settings chosen = settings;
    long long size = whole(words[0]);
    (void)count;
    if (size < 0)
        fail("syntax error: a size is a whole number");
    else if (size < 2 || size > (settings.hexhex ? 13 : 19) || (settings.game == AYU && size % 2 == 0))
        fail("unacceptable size");
    else {
        chosen.size = (int)size;
        begin(chosen);
        succeed("");
    }
}

static void do_clear_board(char **words, int count)
{
    (void)words, (void)count;
    begin(settings);
    succeed("");
}

static void do_play(char **words, int count)
{
    struct turn turn;
    const char *problem;
    int player = player_of(words[0]);
    (void)count;
    if (player == EMPTY || !read_turn(words[1], &turn))
        fail("syntax error: expected a colour and a turn");
    else if (player != position.to_move)
        fail("illegal move: it is %s's turn", COLOUR_NAMES[position.to_move]);
    else if ((problem = problem_with(&position, &turn)))
        fail("illegal move: %s", problem);
    else {
        advance(&turn);
        succeed("");
    }
}

static void do_genmove(char **words, int count)
{
    double began = now();
    int player = player_of(words[0]);
    (void)count;
    if (player == EMPTY)
        fail("syntax error: expected a colour");
    else if (is_over(&position))
        fail("the game is over");
    else if (player != position.to_move)
        fail("it is %s's turn", COLOUR_NAMES[position.to_move]);
    else {
        struct turn turn = choose(&position, began + seconds_for_a_turn(player));
        char text[32];
        write_turn(&turn, text, sizeof text);
        advance(&turn);
        succeed("%s", text);
    }
}

static void do_undo(char **words, int count)
{
    (void)words, (void)count;
    if (past_count == 0) {
        fail("cannot undo");
        return;
    }
    position = past[--past_count];
    succeed("");
}

struct listing {
    long long limit;
    bool is_first;
};

static bool print_turn(const struct turn *turn, void *context)
{
    struct listing *listing = context;
    char text[32];
    if (listing->limit-- <= 0)
        return false;
    write_turn(turn, text, sizeof text);
    printf("%s%s", listing->is_first ? " " : "\n", text);
    listing->is_first = false;
    return true;
}

static void do_legal_turns(char **words, int count)
{
    struct listing listing = {.limit = count ? whole(words[0]) : INT64_MAX, .is_first = true};
    if (listing.limit < 0) {
        fail("syntax error: a limit is a whole number");
        return;
    }
    printf("=%s", id);
    each_turn(&position, print_turn, &listing);
    printf("\n\n");
}

static void do_group_counts(char **words, int count)
{
    int counts[3];
    (void)words, (void)count;
    count_groups(&position, counts);
    succeed("%d %d", counts[BLACK], counts[WHITE]);
}

static void do_final_score(char **words, int count)
{
    int counts[3], won = winner(&position);
    (void)words, (void)count;
    count_groups(&position, counts);
    if (!is_over(&position))
        fail("game is not over");
    else if (won == EMPTY)
        succeed("0");
    else if (settings.game == YODD || settings.game == XODD)
        succeed("%c+%d", " BW"[won], abs(counts[BLACK] - counts[WHITE]));
    else
        succeed("%c+", " BW"[won]);
}

static void do_list_options(char **words, int count)
{
    (void)words, (void)count;
    succeed("seed type integer default 0 min 0 max 9223372036854775807\n"
            "playouts type integer default %d min 1 max 1000000000", default_playouts);
}

static void do_set_option(char **words, int count)
{
    long long value = whole(words[1]);
    (void)count;
    if (strcmp(words[0], "seed") == 0 && value >= 0)
        seed_random((uint64_t)value);
    else if (strcmp(words[0], "playouts") == 0 && value >= 1 && value <= 1000000000)
        max_playouts = (int)value;
    else {
        fail("no such option, or no such value");
        return;
    }
    succeed("");
}

static void do_time_control(char **words, int count)
{
    (void)count;
    if (set_time_control(words[0]))
        succeed("");
    else
        fail("syntax error: malformed time control");
}

static void do_time_left(char **words, int count)
{
    int player = player_of(words[0]);
    long long turns = count == 3 ? whole(words[2]) : 0;
    const char *rest = after_number(words[1]);
    if (player == EMPTY || turns < 0 || !rest || *rest) {
        fail("syntax error: expected a colour, seconds, and perhaps turns");
        return;
    }
    thinking.left[player] = strtod(words[1], NULL);
    thinking.turns[player] = turns > 1000000 ? 1000000 : (int)turns;
    succeed("");
}

static const struct command {
    const char *name;
    int fewest, most; /* words after the name */
    handler *handle;
} commands[] = {
    {"protocol_version", 0, 0, do_protocol_version},
    {"oddly_version", 0, 0, do_oddly_version},
    {"name", 0, 0, do_name},
    {"version", 0, 0, do_version},
    {"known_command", 1, 1, do_known_command},
    {"list_commands", 0, 0, do_list_commands},
    {"quit", 0, 0, do_quit},
    {"list_games", 0, 0, do_list_games},
    {"set_game", 1, MANY, do_set_game},
    {"boardsize", 1, 1, do_boardsize},
    {"clear_board", 0, 0, do_clear_board},
    {"play", 2, 2, do_play},
    {"genmove", 1, 1, do_genmove},
    {"undo", 0, 0, do_undo},
    {"legal_turns", 0, 1, do_legal_turns},
    {"group_counts", 0, 0, do_group_counts},
    {"final_score", 0, 0, do_final_score},
    {"list_options", 0, 0, do_list_options},
    {"set_option", 2, 2, do_set_option},
    {"time_control", 1, 1, do_time_control},
    {"time_left", 2, 3, do_time_left},
    {NULL, 0, 0, NULL},
};

static const struct command *find_command(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static void do_known_command(char **words, int count)
{
    (void)count;
    succeed(find_command(words[0]) ? "true" : "false");
}

static void do_list_commands(char **words, int count)
{
    (void)words, (void)count;
    printf("=%s", id);
    for (const struct command *command = commands; command->name; command++)
        printf("%s%s", command == commands ? " " : "\n", command->name);
    printf("\n\n");
}

/* Reads a line without its comment and control characters; false at the end of the input. What is
 * too long is cut. */
static bool read_line(char *line)
{
    int byte, length = 0;
    bool is_comment = false;
    while ((byte = getchar()) != EOF && byte != '\n') {
        is_comment |= byte == '#';
        if (byte == '\t')
            byte = ' ';
        if (!is_comment && byte >= ' ' && byte != 127 && length < LONGEST_LINE)
            line[length++] = (char)byte;
    }
    line[length] = '\0';
    return byte != EOF;
}

static void answer(char **words, int count)
{
    const struct command *command = count > 0 ? find_command(words[0]) : NULL;
    if (!command)
        fail("unknown command");
    else if (count - 1 < command->fewest || count - 1 > command->most)
        fail("syntax error: a wrong number of arguments");
    else
        command->handle(words + 1, count - 1);
}

int main(int count_of_arguments, char **arguments)
{
    static char line[LONGEST_LINE + 1];

    if (count_of_arguments > 1 && whole(arguments[1]) > 0 && whole(arguments[1]) <= 1000000000)
        default_playouts = (int)whole(arguments[1]);
    max_playouts = default_playouts;
    begin((struct settings){.game = YODD, .size = 8, .hexhex = true});
    while (!has_quit && read_line(line)) {
        char *words[MAX_WORDS] = {NULL}, **first = words;
        int count = 0;
        for (char *word = strtok(line, " "); word && count < MAX_WORDS; word = strtok(NULL, " "))
            words[count++] = word;
        if (count == 0)
            continue;
        id[0] = '\0';
        if (strlen(words[0]) <= 10 && whole(words[0]) >= 0 && whole(words[0]) <= INT32_MAX) {
            strcpy(id, words[0]);
            first++, count--;
        }
        answer(first, count);
        fflush(stdout);
    }
    return 0;
}
