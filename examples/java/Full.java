import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An engine for all four games, Yodd, Xodd, Odd and Ayu: Monte Carlo on all cores.
 *
 * <p>Java 17 or later, no libraries: {@code java Full.java [PLAYOUTS]}
 *
 * <p>From the top: the board, turns, the rules, random turns, choosing a turn, the clock, the protocol.
 */
public final class Full {

    static final int EMPTY = 0;
    static final int BLACK = 1;
    static final int WHITE = 2;
    static final String[] COLOUR_NAMES = {"", "Black", "White"};
    static final String LETTERS = ".BW";

    static int other(int colour) {
        return BLACK + WHITE - colour;
    }

    /** What stands after the {@code ?} of a reply. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String text) {
            super(text, null, false, false);
        }
    }

    // --- The board ------------------------------------------------------------------------------

    record Point(int letter, int number) {
        @Override
        public String toString() {
            return (char) ('a' + letter - 1) + "" + number;
        }
    }

    /** Cells are numbers, lower rows first, so that their order is that of written drops. */
    static final class Board {
        final List<Point> points = new ArrayList<>();
        final Map<String, Integer> cells = new HashMap<>();
        final int[][] neighbours;

        Board(boolean isHexhex, int size) {
            for (int number = 1; number < 2 * size; number++) {
                for (int letter = 1; letter < 2 * size; letter++) {
                    if (exists(isHexhex, size, letter, number)) {
                        Point point = new Point(letter, number);
                        cells.put(point.toString(), points.size());
                        points.add(point);
                    }
                }
            }
            int[][] steps = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
            neighbours = points.stream()
                    .map(point -> Arrays.stream(steps, 0, isHexhex ? 6 : 4)
                            .map(step -> new Point(point.letter + step[0], point.number + step[1]))
                            .map(near -> cells.getOrDefault(near.toString(), -1))
                            .mapToInt(Integer::intValue)
                            .filter(cell -> cell >= 0)
                            .toArray())
                    .toArray(int[][]::new);
        }

        private static boolean exists(boolean isHexhex, int size, int letter, int number) {
            int q = letter - size;
            int r = number - size;
            if (isHexhex) {
                return Math.abs(q) < size && Math.abs(r) < size && Math.abs(q + r) < size;
            }
            return letter <= size && number <= size;
        }

        int cells() {
            return points.size();
        }

        /** The cells of the group that a stone belongs to, the stone first; marks them in seen. */
        int[] groupAt(byte[] stones, int start, boolean[] seen) {
            int[] group = new int[stones.length];
            int count = 1;
            group[0] = start;
            seen[start] = true;
            for (int i = 0; i < count; i++) {
                for (int near : neighbours[group[i]]) {
                    if (stones[near] == stones[start] && !seen[near]) {
                        seen[near] = true;
                        group[count++] = near;
                    }
                }
            }
            return Arrays.copyOf(group, count);
        }

        /** Empty points between a unit of Ayu and the closest friendly one; -1 without a path. */
        int distance(byte[] stones, int[] unit) {
            int[] queue = Arrays.copyOf(unit, stones.length);
            int[] steps = new int[stones.length];
            boolean[] seen = new boolean[stones.length];
            for (int cell : unit) {
                seen[cell] = true;
            }
            int count = unit.length;
            for (int i = 0; i < count; i++) {
                for (int near : neighbours[queue[i]]) {
                    if (seen[near]) {
                        continue;
                    }
                    if (stones[near] == stones[unit[0]]) {
                        return steps[i];
                    }
                    if (stones[near] == EMPTY) {
                        seen[near] = true;
                        steps[count] = steps[i] + 1;
                        queue[count++] = near;
                    }
                }
            }
            return -1;
        }
    }

    /** The number of groups, and for each cell the number of its group. */
    record Groups(int number, int[] labels, int black, int white) {
        /** The groups of at least so many stones; {@code black} and {@code white} count these. */
        static Groups of(Board board, byte[] stones, int least) {
            int[] labels = new int[stones.length];
            boolean[] seen = new boolean[stones.length];
            int[] counts = new int[3];
            int number = 0;
            for (int start = 0; start < stones.length; start++) {
                if (stones[start] == EMPTY || seen[start]) {
                    continue;
                }
                int[] group = board.groupAt(stones, start, seen);
                for (int cell : group) {
                    labels[cell] = number;
                }
                number++;
                if (group.length >= least) {
                    counts[stones[start]]++;
                }
            }
            return new Groups(number, labels, counts[BLACK], counts[WHITE]);
        }
    }

    // --- Turns ----------------------------------------------------------------------------------

    sealed interface Turn permits Pass, Swap, Move, Drops {}

    record Pass() implements Turn {}

    record Swap() implements Turn {}

    record Move(int origin, int destination) implements Turn {}

    record Drop(int cell, int colour) {}

    /** The lower cell first. */
    record Drops(List<Drop> drops) implements Turn {
        Drops {
            drops = drops.stream().sorted(Comparator.comparingInt(Drop::cell)).toList();
        }

        static Drops of(Drop... drops) {
            return new Drops(List.of(drops));
        }
    }

    static final String VERTEX = "[a-z][1-9][0-9]?";
    static final Pattern MOVE = Pattern.compile("(" + VERTEX + ")-(" + VERTEX + ")");
    static final Pattern DROPS = Pattern.compile("[bw]" + VERTEX + "(,[bw]" + VERTEX + ")*");

    /** Reads a turn, legal or not. Fails if it is none, or off the board. */
    static Turn readTurn(String text, Board board) throws Failure {
        String lower = text.toLowerCase(Locale.ROOT);
        Matcher move = MOVE.matcher(lower);
        if (lower.equals("pass")) {
            return new Pass();
        } else if (lower.equals("swap")) {
            return new Swap();
        } else if (move.matches()) {
            return new Move(cellAt(move.group(1), board), cellAt(move.group(2), board));
        } else if (!DROPS.matcher(lower).matches()) {
            throw new Failure("syntax error: malformed turn '" + text + "'");
        }
        List<Drop> drops = new ArrayList<>();
        for (String drop : lower.split(",")) {
            int colour = drop.charAt(0) == 'b' ? BLACK : WHITE;
            drops.add(new Drop(cellAt(drop.substring(1), board), colour));
        }
        return new Drops(drops);
    }

    static int cellAt(String name, Board board) throws Failure {
        Integer cell = board.cells.get(name);
        if (cell == null) {
            throw new Failure("illegal move: " + name + " is off the board");
        }
        return cell;
    }

    static String written(Turn turn, Board board) {
        if (turn instanceof Move move) {
            return board.points.get(move.origin) + "-" + board.points.get(move.destination);
        }
        if (turn instanceof Drops drops) {
            return drops.drops.stream()
                    .map(drop -> LETTERS.charAt(drop.colour) + "" + board.points.get(drop.cell))
                    .collect(Collectors.joining(","));
        }
        return turn instanceof Pass ? "pass" : "swap";
    }

    // --- The rules ------------------------------------------------------------------------------

    /** A game with its settings. */
    record Game(String name, int size, boolean isHexhex, int minGroup, boolean pie) {
        static final List<String> NAMES = List.of("yodd", "xodd", "odd", "ayu");

        static Game named(String name) throws Failure {
            return switch (name) {
                case "yodd" -> new Game(name, 8, true, 1, false);
                case "xodd" -> new Game(name, 12, false, 1, false);
                case "odd" -> new Game(name, 5, true, 5, false);
                case "ayu" -> new Game(name, 11, false, 1, false);
                default -> throw new Failure("unknown game '" + name + "'");
            };
        }

        boolean isOdd() {
            return name.equals("odd");
        }

        boolean isAyu() {
            return name.equals("ayu");
        }

        Game withSize(int size) throws Failure {
            if (size < 2 || size > (isHexhex ? 13 : 19) || (isAyu() && size % 2 == 0)) {
                throw new Failure("unacceptable size");
            }
            return new Game(name, size, isHexhex, minGroup, pie);
        }

        Game with(String setting, String value) throws Failure {
            switch (name + " " + setting + " " + value) {
                case "odd board hexhex":
                case "odd board square":
                    return new Game(name, size, value.equals("hexhex"), minGroup, pie);
                case "ayu pie true":
                case "ayu pie false":
                    return new Game(name, size, isHexhex, minGroup, value.equals("true"));
                default:
                    if (isOdd() && setting.equals("min_group") && value.matches("0*[1-9][0-9]*")) {
                        // Beyond the largest board all numbers are the same.
                        BigInteger least = new BigInteger(value).min(BigInteger.valueOf(1000));
                        return new Game(name, size, isHexhex, least.intValue(), pie);
                    }
                    throw new Failure(name + " has no setting " + setting + " " + value);
            }
        }
    }

    static final class Position {
        final Game game;
        final Board board;
        final byte[] stones;
        int toMove = BLACK;
        int turnsPlayed;
        int passes;
        /** Ayu: this position was there before. */
        boolean isDraw;

        Position(Game game) {
            this.game = game;
            board = new Board(game.isHexhex, game.size);
            stones = new byte[board.cells()];
            for (int cell = 0; cell < stones.length && game.isAyu(); cell++) {
                Point point = board.points.get(cell);
                if ((point.letter + point.number) % 2 == 1) {
                    stones[cell] = (byte) (point.number % 2 == 1 ? BLACK : WHITE);
                }
            }
        }

        Position(Position original) {
            game = original.game;
            board = original.board;
            stones = original.stones.clone();
            toMove = original.toMove;
            turnsPlayed = original.turnsPlayed;
            passes = original.passes;
            isDraw = original.isDraw;
        }

        boolean isSameAs(Position earlier) {
            return toMove == earlier.toMove && Arrays.equals(stones, earlier.stones);
        }

        int[] empty() {
            return IntStream.range(0, stones.length).filter(c -> stones[c] == EMPTY).toArray();
        }

        /** All groups, and how many of each colour the game counts. */
        Groups groups() {
            return Groups.of(board, stones, game.minGroup);
        }

        boolean isOver() {
            return eachTurn(turn -> false);
        }

        /** The winner of a game that is over; EMPTY for a draw. */
        int winner() {
            if (game.isAyu()) {
                return isDraw ? EMPTY : toMove;
            }
            Groups groups = groups();
            if (game.isOdd()) {
                return (groups.black + groups.white) % 2 == 1 ? BLACK : WHITE;
            }
            return groups.black < groups.white ? BLACK : WHITE;
        }

        String score() {
            int winner = winner();
            if (winner == EMPTY) {
                return "0";
            }
            Groups groups = groups();
            boolean hasMargin = !game.isOdd() && !game.isAyu();
            String margin = hasMargin ? "" + Math.abs(groups.black - groups.white) : "";
            return LETTERS.charAt(winner) + "+" + margin;
        }

        /** The position after a legal turn. Draws take the game's past to see. */
        Position after(Turn turn) {
            Position next = new Position(this);
            next.apply(turn);
            return next;
        }

        private void apply(Turn turn) {
            turnsPlayed++;
            if (turn instanceof Swap) {
                return;
            }
            if (turn instanceof Drops drops) {
                drops.drops.forEach(drop -> stones[drop.cell] = (byte) drop.colour);
            } else if (turn instanceof Move move) {
                stones[move.origin] = EMPTY;
                stones[move.destination] = (byte) toMove;
            }
            passes = turn instanceof Pass ? passes + 1 : 0;
            toMove = other(toMove);
        }

        boolean maySwap() {
            return game.pie && turnsPlayed == 1;
        }

        boolean takesOneDrop() {
            return game.isOdd() || turnsPlayed == 0;
        }

        /** Fails with the reason if a turn is illegal. */
        void judge(Turn turn) throws Failure {
            String problem = isOver() ? "the game is over" : problemWith(turn);
            if (problem != null) {
                throw new Failure("illegal move: " + problem);
            }
        }

        /** Why a turn is illegal; null if it is not. */
        private String problemWith(Turn turn) {
            if (game.isAyu()) {
                if (turn instanceof Move move) {
                    return problemWithMove(move.origin, move.destination);
                }
                return turn instanceof Swap && maySwap() ? null : "a turn is a move";
            }
            if (turn instanceof Drops drops) {
                return problemWithDrops(drops.drops);
            }
            boolean isPass = turn instanceof Pass && !game.isOdd();
            return isPass ? problemWithDrops(List.of()) : "no such turn in this game";
        }

        private String problemWithDrops(List<Drop> drops) {
            if (drops.size() > 2 || (drops.size() != 1 && takesOneDrop())) {
                return "a wrong number of drops";
            }
            if (drops.stream().anyMatch(drop -> stones[drop.cell] != EMPTY)) {
                return "an occupied cell";
            }
            if (drops.size() == 2 && drops.get(0).cell == drops.get(1).cell) {
                return "two drops on one cell";
            }
            int total = after(new Drops(drops)).groups().number;
            boolean isRight = game.isOdd() || total % 2 == 1;
            return isRight ? null : "that would leave " + total + " groups, an even number";
        }

        private String problemWithMove(int origin, int destination) {
            if (stones[origin] != toMove) {
                return "no piece of yours to move";
            }
            if (stones[destination] != EMPTY) {
                return "an occupied destination";
            }
            boolean[] inUnit = new boolean[stones.length];
            int[] unit = board.groupAt(stones, origin, inUnit);
            if (Arrays.stream(board.neighbours[destination]).noneMatch(near -> inUnit[near])) {
                return "not a point next to the unit";
            }
            int before = board.distance(stones, unit);
            if (before < 0) {
                return "no path to a friendly unit";
            }
            byte[] moved = stones.clone();
            moved[origin] = EMPTY;
            moved[destination] = (byte) toMove;
            unit[0] = destination;
            boolean[] joined = new boolean[stones.length];
            board.groupAt(moved, destination, joined);
            if (Arrays.stream(unit).anyMatch(cell -> !joined[cell])) {
                return "that would split the group";
            }
            int after = board.distance(moved, unit);
            return after >= 0 && after < before ? null : "no closer to the closest friendly unit";
        }

        /** Where a piece of Ayu may move to. */
        int[] destinations(int origin) {
            if (stones[origin] != toMove) {
                return new int[0];
            }
            int[] unit = board.groupAt(stones, origin, new boolean[stones.length]);
            return Arrays.stream(unit)
                    .flatMap(cell -> Arrays.stream(board.neighbours[cell]))
                    .distinct()
                    .filter(cell -> problemWithMove(origin, cell) == null)
                    .toArray();
        }

        /** Shows each legal turn once, until {@code visit} answers false; whether it never did. */
        boolean eachTurn(Predicate<Turn> visit) {
            if (isDraw || passes == 2) {
                return true;
            }
            return game.isAyu() ? eachMove(visit) : eachDrops(visit);
        }

        private boolean eachMove(Predicate<Turn> visit) {
            if (maySwap() && !visit.test(new Swap())) {
                return false;
            }
            for (int origin = 0; origin < stones.length; origin++) {
                for (int destination : destinations(origin)) {
                    if (!visit.test(new Move(origin, destination))) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean eachDrops(Predicate<Turn> visit) {
            Groups groups = groups();
            if (!game.isOdd() && groups.number % 2 == 1 && !visit.test(new Pass())) {
                return false;
            }
            for (int cell : empty()) {
                for (int colour = BLACK; colour <= WHITE; colour++) {
                    Drop first = new Drop(cell, colour);
                    int total = groups.number + change(groups, first);
                    if ((game.isOdd() || total % 2 == 1) && !visit.test(Drops.of(first))) {
                        return false;
                    }
                    if (!takesOneDrop() && !eachSecondDrop(first, total, visit)) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean eachSecondDrop(Drop first, int total, Predicate<Turn> visit) {
            Position next = after(Drops.of(first));
            Groups groups = next.groups();
            for (int cell = first.cell + 1; cell < stones.length; cell++) {
                for (int colour = BLACK; colour <= WHITE && stones[cell] == EMPTY; colour++) {
                    Drop second = new Drop(cell, colour);
                    boolean isLegal = (total + next.change(groups, second)) % 2 != 0;
                    if (isLegal && !visit.test(Drops.of(first, second))) {
                        return false;
                    }
                }
            }
            return true;
        }

        /** What a drop adds to the number of groups: one, less those that it joins. */
        int change(Groups groups, Drop drop) {
            int[] joined = new int[6];
            int count = 0;
            for (int near : board.neighbours[drop.cell]) {
                int label = groups.labels[near];
                boolean isNew = stones[near] == drop.colour;
                for (int i = 0; i < count; i++) {
                    isNew &= joined[i] != label;
                }
                if (isNew) {
                    joined[count++] = label;
                }
            }
            return 1 - count;
        }
    }

    // --- Random turns ---------------------------------------------------------------------------

    static final int TRIES = 20;

    /** A legal turn by lot, a pass only if no drop was found; null if the game is over. */
    static Turn randomTurn(Position position, SplittableRandom random) {
        if (position.isDraw || position.passes == 2) {
            return null;
        }
        if (position.game.isAyu()) {
            return randomMove(position, random);
        }
        int[] empty = position.empty();
        if (position.game.isOdd()) {
            return empty.length == 0 ? null : Drops.of(randomDrop(empty, random));
        }
        return randomDrops(position, empty, random);
    }

    private static Drop randomDrop(int[] empty, SplittableRandom random) {
        return new Drop(empty[random.nextInt(empty.length)], BLACK + random.nextInt(2));
    }

    private static Turn randomDrops(Position position, int[] empty, SplittableRandom random) {
        Groups groups = position.groups();
        for (int i = 0; i < TRIES && empty.length > 0; i++) {
            Drop first = randomDrop(empty, random);
            int total = groups.number + position.change(groups, first);
            if (position.takesOneDrop() || (total % 2 == 1 && random.nextBoolean())) {
                return Drops.of(first);
            }
            Position next = position.after(Drops.of(first));
            Groups after = next.groups();
            for (int j = 0; j < TRIES; j++) {
                Drop second = randomDrop(empty, random);
                boolean isOdd = (total + next.change(after, second)) % 2 != 0;
                if (isOdd && second.cell != first.cell) {
                    return Drops.of(first, second);
                }
            }
        }
        return new Pass();
    }

    /** A move of the first piece that has one, from a random cell on. */
    private static Turn randomMove(Position position, SplittableRandom random) {
        int cells = position.stones.length;
        int start = random.nextInt(cells);
        for (int i = 0; i < cells; i++) {
            int origin = (start + i) % cells;
            int[] destinations = position.destinations(origin);
            if (destinations.length > 0) {
                return new Move(origin, destinations[random.nextInt(destinations.length)]);
            }
        }
        return null;
    }

    // --- Choosing a turn ------------------------------------------------------------------------

    static final int MOST_CANDIDATES = 60;
    static final int LONGEST_PLAYOUT = 1000;

    /** Plays random turns to the end: 2 if the player wins, 0 if not, 1 if nobody does. */
    static int playout(Position start, int player, SplittableRandom random) {
        Position position = new Position(start);
        for (int i = 0; i < LONGEST_PLAYOUT; i++) {
            Turn turn = randomTurn(position, random);
            if (turn == null) {
                int winner = position.winner();
                return winner == EMPTY ? 1 : winner == player ? 2 : 0;
            }
            position.apply(turn);
        }
        return 1;
    }

    /**
     * The candidate that wins most of its playouts. In a round each candidate gets one, all at once
     * on all cores. A playout's lot hangs on its number alone and not on the thread that plays it,
     * so the same seed makes the same turn on any machine, unless the time runs out.
     */
    static Turn choose(Position position, SplittableRandom random, int playouts, long deadline) {
        List<Turn> turns = drawCandidates(position, random);
        List<Position> after = turns.stream().map(position::after).toList();
        int[] points = new int[turns.size()];
        int rounds = Math.max(1, playouts / turns.size());
        for (int round = 0; round < rounds && System.nanoTime() < deadline; round++) {
            long[] seeds = random.longs(turns.size()).toArray();
            IntStream.range(0, turns.size()).parallel()
                    .filter(i -> System.nanoTime() < deadline)
                    .forEach(i -> points[i] += playout(
                            after.get(i), position.toMove, new SplittableRandom(seeds[i])));
        }
        int best = IntStream.range(0, points.length).boxed()
                .max(Comparator.comparingInt(i -> points[i])).orElseThrow();
        return turns.get(best);
    }

    /** Different legal turns by lot, a legal pass always among them. */
    private static List<Turn> drawCandidates(Position position, SplittableRandom random) {
        Set<Turn> turns = new LinkedHashSet<>();
        if (position.problemWith(new Pass()) == null) {
            turns.add(new Pass());
        }
        for (int i = 0; i < 2 * MOST_CANDIDATES && turns.size() < MOST_CANDIDATES; i++) {
            turns.add(randomTurn(position, random));
        }
        return List.copyOf(turns);
    }

    // --- The clock ------------------------------------------------------------------------------

    static final String SECONDS = "[0-9]+(?:\\.[0-9]+)?";
    static final Pattern CONTROL =
            Pattern.compile("none|(" + SECONDS + ")(\\+(?:[0-9]+[/x])?" + SECONDS + ")?");

    /** What the controller said of time. */
    static final class Clock {
        private final String control;
        private final double[] left;
        private final long[] turns = new long[3];

        Clock(String control) throws Failure {
            Matcher matcher = CONTROL.matcher(control);
            if (!matcher.matches()) {
                throw new Failure("syntax error: malformed time control '" + control + "'");
            }
            String main = matcher.group(1);
            double seconds = main == null ? 0 : Double.parseDouble(main);
            this.control = control;
            this.left = new double[] {0, seconds, seconds};
        }

        void set(int player, double seconds, long turnsLeft) {
            left[player] = seconds;
            turns[player] = turnsLeft;
        }

        /** How long to think, with something left for the way there and back. */
        double secondsForATurn(int player) {
            if (control.equals("none")) {
                return 60;
            }
            if (!control.contains("+")) {
                return 0.8 * left[player];
            }
            boolean isBlock = control.contains("/") && turns[player] > 0;
            return 0.8 * left[player] / (isBlock ? turns[player] : 30);
        }
    }

    // --- The protocol ---------------------------------------------------------------------------

    static final List<String> COMMANDS = List.of(
            "protocol_version", "oddly_version", "name", "version", "known_command",
            "list_commands", "quit", "list_games", "set_game", "boardsize", "clear_board", "play",
            "genmove", "undo", "legal_turns", "group_counts", "final_score", "list_options",
            "set_option", "time_control", "time_left");
    static final BigInteger LARGEST_SEED = BigInteger.valueOf(Long.MAX_VALUE);

    private Position position = new Position(Game.named("yodd"));
    private final List<Position> past = new ArrayList<>();
    private Clock clock = new Clock("none");
    private SplittableRandom random = new SplittableRandom(0);
    private final int defaultPlayouts;
    private int playouts;

    private Full(int playouts) throws Failure {
        this.playouts = playouts;
        defaultPlayouts = playouts;
    }

    /** The text of the reply to a command. */
    String answer(List<String> words) throws Failure {
        String name = words.isEmpty() ? "" : words.get(0);
        if (!COMMANDS.contains(name)) {
            throw new Failure("unknown command");
        }
        List<String> given = words.subList(1, words.size());
        return switch (name) {
            case "set_game" -> setGame(atLeast(1, given));
            case "known_command" -> "" + COMMANDS.contains(exactly(1, given).get(0));
            case "boardsize" -> setSize(whole(exactly(1, given).get(0)));
            case "play" -> play(playerOf(exactly(2, given).get(0)), given.get(1));
            case "genmove" -> genmove(playerOf(exactly(1, given).get(0)));
            case "legal_turns" ->
                legalTurns(given.isEmpty() ? Long.MAX_VALUE : whole(exactly(1, given).get(0)));
            case "set_option" -> setOption(exactly(2, given).get(0), given.get(1));
            case "time_control" -> {
                clock = new Clock(exactly(1, given).get(0));
                yield "";
            }
            case "time_left" -> timeLeft(atLeast(2, given));
            default -> {
                exactly(0, given);
                yield answerWithoutArguments(name);
            }
        };
    }

    private String answerWithoutArguments(String name) throws Failure {
        return switch (name) {
            case "protocol_version" -> "2";
            case "oddly_version", "version" -> "1";
            case "name" -> "full-java";
            case "list_commands" -> String.join("\n", COMMANDS);
            case "list_games" -> String.join("\n", Game.NAMES);
            case "list_options" -> "seed type integer default 0 min 0 max " + LARGEST_SEED
                    + "\nplayouts type integer default " + defaultPlayouts + " min 1 max 1000000000";
            case "clear_board" -> begin(position.game);
            case "undo" -> undo();
            case "group_counts" -> position.groups().black + " " + position.groups().white;
            case "final_score" -> finalScore();
            default -> "";
        };
    }

    private String begin(Game game) {
        position = new Position(game);
        past.clear();
        return "";
    }

    /** Plays a legal turn, and remembers the position before it. */
    private void advance(Turn turn) {
        past.add(position);
        Position next = position.after(turn);
        next.isDraw = turn instanceof Move && past.stream().anyMatch(next::isSameAs);
        position = next;
    }

    private String setGame(List<String> words) throws Failure {
        Game game = Game.named(words.get(0));
        if (words.size() % 2 == 0) {
            throw new Failure("syntax error: expected pairs of setting and value");
        }
        for (int i = 1; i < words.size(); i += 2) {
            game = game.with(words.get(i), words.get(i + 1));
        }
        return begin(game);
    }

    private String setSize(long size) throws Failure {
        return begin(position.game.withSize((int) Math.min(size, Integer.MAX_VALUE)));
    }

    private String play(int player, String text) throws Failure {
        Turn turn = readTurn(text, position.board);
        if (player != position.toMove) {
            throw new Failure("illegal move: it is " + COLOUR_NAMES[position.toMove] + "'s turn");
        }
        position.judge(turn);
        advance(turn);
        return "";
    }

    private String genmove(int player) throws Failure {
        long nanoseconds = (long) (1e9 * Math.min(clock.secondsForATurn(player), 1e6));
        long deadline = System.nanoTime() + nanoseconds;
        if (position.isOver()) {
            throw new Failure("the game is over");
        }
        if (player != position.toMove) {
            throw new Failure("it is " + COLOUR_NAMES[position.toMove] + "'s turn");
        }
        Turn turn = choose(position, random, playouts, deadline);
        advance(turn);
        return written(turn, position.board);
    }

    private String undo() throws Failure {
        if (past.isEmpty()) {
            throw new Failure("cannot undo");
        }
        position = past.remove(past.size() - 1);
        return "";
    }

    private String legalTurns(long limit) {
        List<String> lines = new ArrayList<>();
        position.eachTurn(turn -> {
            if (lines.size() < limit) {
                lines.add(written(turn, position.board));
            }
            return lines.size() < limit;
        });
        return String.join("\n", lines);
    }

    private String finalScore() throws Failure {
        if (!position.isOver()) {
            throw new Failure("game is not over");
        }
        return position.score();
    }

    private String setOption(String name, String value) throws Failure {
        long number = whole(value);
        if (name.equals("seed")) {
            random = new SplittableRandom(number);
        } else if (name.equals("playouts") && number >= 1 && number <= 1_000_000_000) {
            playouts = (int) number;
        } else {
            throw new Failure("no such option, or no such value");
        }
        return "";
    }

    private String timeLeft(List<String> words) throws Failure {
        int player = playerOf(words.get(0));
        if (words.size() > 3 || !words.get(1).matches(SECONDS)) {
            throw new Failure("syntax error: expected a colour, seconds, and perhaps turns");
        }
        long turns = words.size() == 3 ? whole(words.get(2)) : 0;
        clock.set(player, Double.parseDouble(words.get(1)), turns);
        return "";
    }

    private static List<String> exactly(int count, List<String> words) throws Failure {
        if (words.size() != count) {
            throw new Failure("syntax error: expected " + count + " arguments");
        }
        return words;
    }

    private static List<String> atLeast(int count, List<String> words) throws Failure {
        if (words.size() < count) {
            throw new Failure("syntax error: expected at least " + count + " arguments");
        }
        return words;
    }

    private static int playerOf(String word) throws Failure {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "b", "black" -> BLACK;
            case "w", "white" -> WHITE;
            default -> throw new Failure("syntax error: '" + word + "' is no colour");
        };
    }

    private static long whole(String word) throws Failure {
        if (word.matches("[0-9]+") && new BigInteger(word).compareTo(LARGEST_SEED) <= 0) {
            return Long.parseLong(word);
        }
        throw new Failure("syntax error: '" + word + "' is no whole number up to " + LARGEST_SEED);
    }

    /** The words of the next line, without its comment and control characters; null at the end. */
    private static List<String> readWords(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        boolean isComment = false;
        int value;
        while ((value = input.read()) != '\n') {
            if (value < 0) {
                return null;
            }
            isComment |= value == '#';
            boolean isControl = (value < ' ' && value != '\t') || value == 127;
            if (!isComment && !isControl) {
                line.write(value == '\t' ? ' ' : value);
            }
        }
        String[] words = line.toString(StandardCharsets.UTF_8).split(" ");
        return Arrays.stream(words).filter(word -> !word.isEmpty()).toList();
    }

    public static void main(String[] arguments) throws IOException, Failure {
        Full engine = new Full(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000);
        InputStream input = new BufferedInputStream(System.in);
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        List<String> words = List.of();
        while (!words.equals(List.of("quit")) && (words = readWords(input)) != null) {
            if (words.isEmpty()) {
                continue;
            }
            String first = words.get(0);
            boolean isId = first.matches("[0-9]{1,10}") && Long.parseLong(first) < 1L << 31;
            String id = isId ? first : "";
            words = words.subList(id.isEmpty() ? 0 : 1, words.size());
            String reply;
            try {
                String text = engine.answer(words);
                reply = "=" + id + (text.isEmpty() ? "" : " " + text);
            } catch (Failure failure) {
                reply = "?" + id + " " + failure.getMessage();
            }
            output.print(reply + "\n\n");
            output.flush();
        }
    }
}
