// A first engine: Odd on hexhex boards, random turns. Go, no packages but its own.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

const vertex = "[a-z][1-9][0-9]?"

// A turn of any of the games. Those of the others are illegal, not malformed.
var turnPattern = regexp.MustCompile(
	"^(pass|swap|" + vertex + "-" + vertex + "|[bw]" + vertex + "(,[bw]" + vertex + ")*)$")

var (
	size   = 5
	stones = map[string]bool{} // the cells that are not empty
)

// empty lists the empty cells of the hexhex board.
func empty() []string {
	var cells []string
	for q := 1 - size; q < size; q++ {
		for r := 1 - size; r < size; r++ {
			cell := fmt.Sprintf("%c%d", 'a'+q+size-1, r+size)
			if q+r > -size && q+r < size && !stones[cell] {
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// mustBeToMove fails unless it is that player's turn: every turn is one drop, so their number says
// whose.
func mustBeToMove(colour, prefix string) error {
	switch strings.ToLower(colour) {
	case "b", "black", "w", "white":
	default:
		return fmt.Errorf("syntax error: no colour: %s", colour)
	}
	if strings.ToLower(colour)[0] != "bw"[len(stones)%2] {
		return errors.New(prefix + "it is the other player's turn")
	}
	return nil
}

func setSize(text string) error {
	if strings.Trim(text, "0123456789") != "" {
		return errors.New("syntax error: a size is a whole number")
	}
	chosen, err := strconv.Atoi(text)
	if err != nil || chosen < 2 || chosen > 13 {
		return errors.New("unacceptable size")
	}
	size, stones = chosen, map[string]bool{}
	return nil
}

func play(colour, text string) error {
	turn := strings.ToLower(text)
	if !turnPattern.MatchString(turn) {
		return fmt.Errorf("syntax error: no turn: %s", text)
	}
	if err := mustBeToMove(colour, "illegal move: "); err != nil {
		return err
	}
	for _, cell := range empty() {
		if cell == turn[1:] {
			stones[cell] = true
			return nil
		}
	}
	return errors.New("illegal move: expected a drop on an empty cell")
}

func genmove(colour string) (string, error) {
	cells := empty()
	if len(cells) == 0 {
		return "", errors.New("the game is over")
	}
	if err := mustBeToMove(colour, ""); err != nil {
		return "", err
	}
	cell := cells[rand.Intn(len(cells))]
	stones[cell] = true
	return string("BW"[rand.Intn(2)]) + cell, nil
}

// words is the number of words of each command, its name included.
var words = map[string]int{
	"name": 1, "version": 1, "list_commands": 1, "quit": 1, "clear_board": 1, "boardsize": 2,
	"play": 3, "genmove": 2,
}

func answer(command []string) (string, error) {
	if len(command) == 0 || words[command[0]] == 0 {
		return "", errors.New("unknown command")
	}
	if len(command) != words[command[0]] {
		return "", errors.New("syntax error: a wrong number of arguments")
	}
	switch command[0] {
	case "name":
		return "tiny-go", nil
	case "version":
		return "1", nil
	case "list_commands":
		var names []string
		for name := range words {
			names = append(names, name)
		}
		sort.Strings(names)
		return strings.Join(names, "\n"), nil
	case "clear_board":
		stones = map[string]bool{}
	case "boardsize":
		return "", setSize(command[1])
	case "play":
		return "", play(command[1], command[2])
	case "genmove":
		return genmove(command[1])
	}
	return "", nil
}

// clean returns a line without its comment and control characters.
func clean(line string) string {
	text, _, _ := strings.Cut(line, "#")
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 127 {
			return -1
		}
		return r
	}, text)
}

func isID(word string) bool {
	number, err := strconv.ParseInt(word, 10, 32)
	return err == nil && number >= 0 && word[0] != '+' && word[0] != '-'
}

func main() {
	rand.Seed(time.Now().UnixNano())
	// A reader, not a scanner: that one gives up at a line of 64 KiB.
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err == io.EOF {
			return
		}
		command := strings.Fields(clean(line))
		if len(command) == 0 {
			continue
		}
		id := ""
		if isID(command[0]) {
			id, command = command[0], command[1:]
		}
		mark := "="
		text, failure := answer(command)
		if failure != nil {
			mark, text = "?", failure.Error()
		}
		fmt.Printf("%s\n\n", strings.TrimRight(mark+id+" "+text, " "))
		if len(command) == 1 && command[0] == "quit" {
			return
		}
	}
}
