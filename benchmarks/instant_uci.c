/* A UCI engine that answers at once: it replays a game of chess from a file, its moves in one line.
 * C99 and POSIX read/write. usage: instant_uci SCRIPT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MOVES = 1024, MOVE = 8, BUFFER = 1 << 16 };

static char moves[MOST_MOVES][MOVE];
static int number_of_moves, played;

static void load(const char *path)
{
    FILE *script = fopen(path, "r");
    if (!script)
        exit(2);
    while (number_of_moves < MOST_MOVES && fscanf(script, "%7s", moves[number_of_moves]) == 1)
        number_of_moves++;
    fclose(script);
}

static void say(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t n = write(1, text, left);
        if (n <= 0)
            exit(1);
        text += n;
        left -= (size_t)n;
    }
}

static void count(const char *line)
{
    const char *at = strstr(line, " moves ");
    played = 0;
    for (at = at ? at + 6 : NULL; at; at = strchr(at + 1, ' '))
        played++;
}

static void command(char *line)
{
    char answer[MOVE + 16];
    if (!strncmp(line, "position", 8))
        count(line);
    else if (!strncmp(line, "go", 2)) {
        snprintf(answer, sizeof answer, "bestmove %s\n",
                 played < number_of_moves ? moves[played] : "0000");
        say(answer);
    } else if (!strncmp(line, "isready", 7))
        say("readyok\n");
    else if (!strncmp(line, "ucinewgame", 10))
        played = 0;
    else if (!strncmp(line, "uci", 3))
        say("id name instant\nid author nobody\nuciok\n");
    else if (!strncmp(line, "quit", 4))
        exit(0);
}

int main(int argc, char **argv)
{
    static char input[BUFFER];
    size_t held = 0;
    if (argc != 2)
        return 2;
    load(argv[1]);
    for (;;) {
        ssize_t n = read(0, input + held, BUFFER - 1 - held);
        if (n <= 0)
            return 0;
        held += (size_t)n;
        input[held] = '\0';
        char *line = input, *end;
        while ((end = strchr(line, '\n'))) {
            *end = '\0';
            command(line);
            line = end + 1;
        }
        held -= (size_t)(line - input);
        memmove(input, line, held);
    }
}
