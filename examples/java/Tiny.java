import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * A first engine: Odd on hexhex boards, random turns.
 *
 * <p>Java 17 or later, no libraries: {@code java Tiny.java}
 */
public final class Tiny {

    /** What stands after the {@code ?} of a reply. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String text) {
            super(text);
        }
    }

    /** A turn of any of the games. Those of the others are illegal, not malformed. */
    static final Pattern TURN = Pattern.compile(
            "pass|swap|V-V|[bw]V(,[bw]V)*".replace("V", "[a-z][1-9][0-9]?"),
            Pattern.CASE_INSENSITIVE);

    private static final Map<String, Integer> ARGUMENTS = Map.of(
            "name", 0, "version", 0, "list_commands", 0, "quit", 0,
            "boardsize", 1, "clear_board", 0, "play", 2, "genmove", 1);

    private final Random random = new Random();
    private final Map<String, Character> stones = new HashMap<>();
    private int size = 5;

    /** The empty cells of the hexhex board. */
    private List<String> empty() {
        List<String> cells = new ArrayList<>();
        for (int q = 1 - size; q < size; q++) {
            for (int r = 1 - size; r < size; r++) {
                String cell = (char) ('a' + q + size - 1) + "" + (r + size);
                if (Math.abs(q + r) < size && !stones.containsKey(cell)) {
                    cells.add(cell);
                }
            }
        }
        return cells;
    }

    /** Every turn is one drop, so their number says whose turn it is. */
    private boolean isToMove(String colour) throws Failure {
        return switch (colour.toLowerCase(Locale.ROOT)) {
            case "b", "black" -> stones.size() % 2 == 0;
            case "w", "white" -> stones.size() % 2 == 1;
            default -> throw new Failure("syntax error: '" + colour + "' is no colour");
        };
    }

    private String setSize(String text) throws Failure {
        if (!text.matches("[0-9]+")) {
            throw new Failure("syntax error: a size is a whole number");
        }
        if (!text.matches("[2-9]|1[0-3]")) {
            throw new Failure("unacceptable size");
        }
        size = Integer.parseInt(text);
        stones.clear();
        return "";
    }

    private String play(String colour, String turn) throws Failure {
        boolean isToMove = isToMove(colour);
        if (!TURN.matcher(turn).matches()) {
            throw new Failure("syntax error: '" + turn + "' is not a turn");
        }
        if (!isToMove) {
            throw new Failure("illegal move: it is the other player's turn");
        }
        String cell = turn.substring(1).toLowerCase(Locale.ROOT);
        if (!empty().contains(cell)) {
            throw new Failure("illegal move: expected one drop on an empty cell");
        }
        stones.put(cell, Character.toUpperCase(turn.charAt(0)));
        return "";
    }

    private String genmove(String colour) throws Failure {
        boolean isToMove = isToMove(colour);
        List<String> empty = empty();
        if (empty.isEmpty()) {
            throw new Failure("the game is over");
        }
        if (!isToMove) {
            throw new Failure("it is the other player's turn");
        }
        String cell = empty.get(random.nextInt(empty.size()));
        char stone = "BW".charAt(random.nextInt(2));
        stones.put(cell, stone);
        return stone + cell;
    }

    /** The text of the reply to a command. */
    private String answer(List<String> words) throws Failure {
        String name = words.isEmpty() ? "" : words.get(0);
        if (!ARGUMENTS.containsKey(name)) {
            throw new Failure("unknown command");
        }
        if (words.size() != ARGUMENTS.get(name) + 1) {
            throw new Failure("syntax error: a wrong number of arguments");
        }
        return switch (name) {
            case "name" -> "tiny-java";
            case "version" -> "1";
            case "list_commands" -> String.join("\n", ARGUMENTS.keySet());
            case "boardsize" -> setSize(words.get(1));
            case "clear_board" -> setSize("" + size);
            case "play" -> play(words.get(1), words.get(2));
            case "genmove" -> genmove(words.get(1));
            default -> "";
        };
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

    public static void main(String[] arguments) throws IOException {
        Tiny engine = new Tiny();
        InputStream input = new BufferedInputStream(System.in);
        List<String> words = List.of();
        while (!words.equals(List.of("quit")) && (words = readWords(input)) != null) {
            if (words.isEmpty()) {
                continue;
            }
            String first = words.get(0);
            boolean isId = first.matches("[0-9]{1,10}") && Long.parseLong(first) < 1L << 31;
            String id = isId ? first : "";
            words = words.subList(id.isEmpty() ? 0 : 1, words.size());
            try {
                String text = engine.answer(words);
                System.out.print("=" + id + (text.isEmpty() ? "" : " " + text) + "\n\n");
            } catch (Failure failure) {
                System.out.print("?" + id + " " + failure.getMessage() + "\n\n");
            }
            System.out.flush();
        }
    }
}
