/* A first engine: Odd on hexhex boards, random turns.
 *
 * C99:  cc -std=c99 -O2 -o tiny tiny.c
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 13, WIDTH = 2 * LARGEST, LONGEST_LINE = 65536 };

static int size = 5, dropped;
static char stones[27][100]; /* by letter and number: 'B', 'W', or 0 for an empty cell */
static char id[16];          /* of the command that is being answered, or "" */

static void reply(char mark, const char *text)
{
    printf("%c%s%s%s\n\n", mark, id, *text ? " " : "", text);
    fflush(stdout);
}

static void begin(int chosen)
{
    size = chosen;
    dropped = 0;
    memset(stones, 0, sizeof stones);
}

/* A cell of the hexhex board, by the numbers of its letter and its row. */
static int exists(int letter, int number)
{
    int q = letter - size, r = number - size;
    return abs(q) < size && abs(r) < size && abs(q + r) < size;
}

/* What follows a vertex, as in `c3`; NULL if there is none. */
static const char *after_vertex(const char *text)
{
    if (!text || !isalpha((unsigned char)text[0]) || text[1] < '1' || text[1] > '9')
        return NULL;
    return text + (isdigit((unsigned char)text[2]) ? 3 : 2);
}

/* What follows a drop, as in `Bc3`; NULL if there is none. */
static const char *after_drop(const char *text)
{
    return *text && strchr("BWbw", *text) ? after_vertex(text + 1) : NULL;
}

/* Whether this is a turn of any of the games. Those of the others are illegal, not malformed. */
static int is_turn(const char *text)
{
    const char *rest = after_vertex(text);
    if (strcmp(text, "pass") == 0 || strcmp(text, "swap") == 0)
        return 1;
    if (rest && *rest == '-' && (rest = after_vertex(rest + 1)) && !*rest)
        return 1;
    for (rest = after_drop(text); rest && *rest == ',';)
        rest = after_drop(rest + 1);
    return rest && !*rest;
}

/* 'b', 'w', or 0 for what is no colour. */
static char player_of(const char *word)
{
    static const char *const names[] = {"black", "white"};
    char player = (char)tolower((unsigned char)word[0]);
    const char *name = names[player == 'w'];
    size_t i = 0;
    while (name[i] && tolower((unsigned char)word[i]) == name[i])
        i++;
    return i > 0 && !word[i] && (i == 1 || !name[i]) ? player : 0;
}

/* Every turn is one drop, so their number says whose turn it is. */
static char to_move(void) { return "bw"[dropped % 2]; }

static void drop(char colour, int letter, int number)
{
    stones[letter][number] = colour;
    dropped++;
}

static void do_boardsize(const char *text)
{
    long chosen = strtol(text, NULL, 10);
    if (!isdigit((unsigned char)text[0])) {
        reply('?', "syntax error: a size is a whole number");
    } else if (chosen < 2 || chosen > LARGEST) {
        reply('?', "unacceptable size");
    } else {
        begin(chosen);
        reply('=', "");
    }
}

static void do_play(const char *player, const char *turn)
{
    const char *rest = after_drop(turn);
    int letter = tolower((unsigned char)turn[1]) - 'a' + 1, number = rest ? atoi(turn + 2) : 0;
    if (!player_of(player) || !is_turn(turn)) {
        reply('?', "syntax error: expected a colour and a turn");
    } else if (player_of(player) != to_move()) {
        reply('?', "illegal move: it is the other player's turn");
    } else if (!rest || *rest || !exists(letter, number) || stones[letter][number]) {
        reply('?', "illegal move: expected one drop on an empty cell");
    } else {
        drop((char)toupper((unsigned char)turn[0]), letter, number);
        reply('=', "");
    }
}

static void do_genmove(const char *player)
{
    int letters[WIDTH * WIDTH], numbers[WIDTH * WIDTH], count = 0;
    for (int letter = 1; letter < 2 * size; letter++)
        for (int number = 1; number < 2 * size; number++)
            if (exists(letter, number) && !stones[letter][number]) {
                letters[count] = letter;
                numbers[count++] = number;
            }
    if (!player_of(player)) {
        reply('?', "syntax error: expected a colour");
    } else if (count == 0) {
        reply('?', "the game is over");
    } else if (player_of(player) != to_move()) {
        reply('?', "it is the other player's turn");
    } else {
        char text[32], colour = "BW"[rand() % 2];
        int i = rand() % count;
        drop(colour, letters[i], numbers[i]);
        snprintf(text, sizeof text, "%c%c%d", colour, 'a' + letters[i] - 1, numbers[i]);
        reply('=', text);
    }
}

static const struct {
    const char *name;
    int words; /* its own name included */
} commands[] = {{"play", 3},    {"genmove", 2}, {"boardsize", 2}, {"clear_board", 1}, {"name", 1},
                {"version", 1}, {"quit", 1},    {"list_commands", 1}};
enum { PLAY, GENMOVE, BOARDSIZE, CLEAR_BOARD, NAME, VERSION, QUIT, LIST_COMMANDS, COMMANDS };

/* Carries out one command; 0 if it was the last. */
static int answer(char **words, int count)
{
    int command = 0;
    while (command < COMMANDS && (count == 0 || strcmp(words[0], commands[command].name) != 0))
        command++;
    if (command < COMMANDS && count != commands[command].words)
        return reply('?', "syntax error: a wrong number of arguments"), 1;
    switch (command) {
    case PLAY: do_play(words[1], words[2]); break;
    case GENMOVE: do_genmove(words[1]); break;
    case BOARDSIZE: do_boardsize(words[1]); break;
    case CLEAR_BOARD: begin(size), reply('=', ""); break;
    case NAME: reply('=', "tiny-c"); break;
    case VERSION: reply('=', "1"); break;
    case QUIT: reply('=', ""); break;
    case LIST_COMMANDS:
        reply('=', "play\ngenmove\nboardsize\nclear_board\nname\nversion\nquit\nlist_commands");
        break;
    default: reply('?', "unknown command");
    }
    return command != QUIT;
}

/* Reads a line without its comment and control characters; 0 at the end of the input. */
static int read_line(char *line)
{
    int byte, length = 0, is_comment = 0;
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

int main(void)
{
    static char line[LONGEST_LINE + 1];
    while (read_line(line)) {
        char *words[5];
        int count = 0, first;
        for (char *word = strtok(line, " "); word && count < 5; word = strtok(NULL, " "))
            words[count++] = word;
        if (count == 0)
            continue;
        first = strlen(words[0]) <= 10 && !words[0][strspn(words[0], "0123456789")] &&
                strtoll(words[0], NULL, 10) <= INT32_MAX;
        strcpy(id, first ? words[0] : "");
        if (!answer(words + first, count - first))
            break;
    }
    return 0;
}
