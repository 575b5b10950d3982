/* An engine that answers at once: it replays a game from a file, one turn a line.
 * C99 and POSIX read/write; all replies to one read go out in one write.
 * usage: instant_engine SCRIPT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TURNS = 4096, TURN = 32, BUFFER = 1 << 16 };

static char turns[MOST_TURNS][TURN];
static int number_of_turns, played;
static char output[BUFFER];
static size_t pending;

static void load(const char *path)
{
    FILE *script = fopen(path, "r");
    if (!script)
        exit(2);
    while (number_of_turns < MOST_TURNS && fgets(turns[number_of_turns], TURN, script)) {
        turns[number_of_turns][strcspn(turns[number_of_turns], "\n")] = '\0';
        number_of_turns++;
    }
    fclose(script);
}

static void reply(const char *id, const char *text)
{
    if (pending < BUFFER)
        pending += (size_t)snprintf(output + pending, BUFFER - pending, "=%s%s%s\n\n", id,
                                    *text ? " " : "", text);
}

static void flush_output(void)
{
    for (size_t sent = 0; sent < pending;) {
        ssize_t n = write(1, output + sent, pending - sent);
        if (n <= 0)
            exit(1);
        sent += (size_t)n;
    }
    pending = 0;
}

static void command(char *line)
{
    const char *id = "";
    char *name = strtok(line, " \r");
    if (name && *name >= '0' && *name <= '9') {
        id = name;
        name = strtok(NULL, " \r");
    }
    if (!name)
        return;
    if (!strcmp(name, "genmove"))
        reply(id, played < number_of_turns ? turns[played++] : "pass");
    else if (!strcmp(name, "play")) {
        played++;
        reply(id, "");
    } else if (!strcmp(name, "list_commands"))
        reply(id, "protocol_version\nname\nversion\nlist_commands\nset_game\nboardsize\n"
                  "clear_board\nplay\ngenmove\ntime_left\ntime_control\nquit");
    else if (!strcmp(name, "protocol_version"))
        reply(id, "2");
    else if (!strcmp(name, "name"))
        reply(id, "instant");
    else if (!strcmp(name, "quit")) {
        reply(id, "");
        flush_output();
        exit(0);
    } else {
        if (!strcmp(name, "clear_board") || !strcmp(name, "boardsize"))
            played = 0;
        reply(id, "");
    }
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
        flush_output();
    }
}
