// An engine for all four games, Yodd, Xodd, Odd and Ayu: Monte Carlo with Thompson sampling, that
// listens while it thinks. Go, no packages but its own:
//
//	go build -o full full.go && ./full [PLAYOUTS]
//
// From the top: the board, turns, the rules, random turns, choosing a turn, the clock, the protocol.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

type colour byte

const (
	none colour = iota
	black
	white
)

func (c colour) other() colour  { return black + white - c }
func (c colour) String() string { return [...]string{"nobody", "Black", "White"}[c] }

// --- The board -----------------------------------------------------------------------------------

type point struct{ letter, number int }

// A board numbers its cells, lower rows first, so that their order is that of written drops.
type board struct {
	points     []point
	names      []string
	cells      map[string]int
	neighbours [][]int
}

func newBoard(hexhex bool, size int) *board {
	b := &board{cells: map[string]int{}}
	at := map[point]int{}
	for number := 1; number < 2*size; number++ {
		for letter := 1; letter < 2*size; letter++ {
			exists := letter <= size && number <= size
			if hexhex {
				exists = letter+number > size && letter+number < 3*size
			}
			if exists {
				p, name := point{letter, number}, fmt.Sprintf("%c%d", 'a'+letter-1, number)
				at[p], b.cells[name] = len(b.points), len(b.points)
				b.points, b.names = append(b.points, p), append(b.names, name)
			}
		}
	}
	steps := []point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}}
	if !hexhex {
		steps = steps[:4]
	}
	for _, p := range b.points {
		var near []int
		for _, step := range steps {
			if cell, ok := at[point{p.letter + step.letter, p.number + step.number}]; ok {
				near = append(near, cell)
			}
		}
		b.neighbours = append(b.neighbours, near)
	}
	return b
}

// groupAt lists the cells of the group that a stone belongs to, the stone first.
func (b *board) groupAt(stones []colour, start int) []int {
	group, seen := []int{start}, make([]bool, len(stones))
	seen[start] = true
	for i := 0; i < len(group); i++ {
		for _, near := range b.neighbours[group[i]] {
			if stones[near] == stones[start] && !seen[near] {
				seen[near] = true
				group = append(group, near)
			}
		}
	}
	return group
}

// groups numbers the groups: for each cell the number of its group, and the cells of each.
func (b *board) groups(stones []colour) (labels []int, groups [][]int) {
	labels = make([]int, len(stones))
	for cell := range labels {
		labels[cell] = -1
	}
	for start, stone := range stones {
		if stone == none || labels[start] >= 0 {
			continue
		}
		group := b.groupAt(stones, start)
		for _, cell := range group {
			labels[cell] = len(groups)
		}
		groups = append(groups, group)
	}
	return labels, groups
}

// distance counts the empty points between a unit of Ayu and the closest friendly one; -1 without
// a path.
func (b *board) distance(stones []colour, unit []int) int {
	own, seen := stones[unit[0]], make([]bool, len(stones))
	for _, cell := range unit {
		seen[cell] = true
	}
	for frontier, steps := unit, 0; len(frontier) > 0; steps++ {
		var reached []int
		for _, cell := range frontier {
			for _, near := range b.neighbours[cell] {
				switch {
				case seen[near]:
				case stones[near] == own:
					return steps
				case stones[near] == none:
					seen[near] = true
					reached = append(reached, near)
				}
			}
		}
		frontier = reached
	}
	return -1
}

// --- Turns ---------------------------------------------------------------------------------------

type drop struct {
	cell  int
	stone colour
}

type kind byte

const (
	pass kind = iota
	swap
	drops
	move
)

// A turn; drops have the lower cell first, and a cell that is off the board is -1.
type turn struct {
	kind                kind
	drops               []drop
	origin, destination int
}

const vertex = "[a-z][1-9][0-9]?"

var (
	dropsPattern = regexp.MustCompile("^[bw]" + vertex + "(,[bw]" + vertex + ")*$")
	movePattern  = regexp.MustCompile("^" + vertex + "-" + vertex + "$")
)

// lower turns capital letters of ASCII into small ones, and nothing else: strings.ToLower knows
// letters that no turn has.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// readTurn reads a turn, legal or not.
func readTurn(text string, b *board) (turn, error) {
	small := lower(text)
	cell := func(name string) int {
		if found, ok := b.cells[name]; ok {
			return found
		}
		return -1
	}
	switch {
	case small == "pass":
		return turn{kind: pass}, nil
	case small == "swap":
		return turn{kind: swap}, nil
	case movePattern.MatchString(small):
		origin, destination, _ := strings.Cut(small, "-")
		return turn{kind: move, origin: cell(origin), destination: cell(destination)}, nil
	case dropsPattern.MatchString(small):
		t := turn{kind: drops}
		for _, word := range strings.Split(small, ",") {
			stone := black
			if word[0] == 'w' {
				stone = white
			}
			t.drops = append(t.drops, drop{cell(word[1:]), stone})
		}
		sort.SliceStable(t.drops, func(i, j int) bool { return t.drops[i].cell < t.drops[j].cell })
		return t, nil
	}
	return turn{}, fmt.Errorf("syntax error: malformed turn '%s'", text)
}

// written writes a turn in canonical form.
func (t turn) written(b *board) string {
	switch t.kind {
	case pass:
		return "pass"
	case swap:
		return "swap"
	case move:
		return b.names[t.origin] + "-" + b.names[t.destination]
	}
	var words []string
	for _, d := range t.drops {
		words = append(words, string(" BW"[d.stone])+b.names[d.cell])
	}
	return strings.Join(words, ",")
}

// --- The rules -----------------------------------------------------------------------------------

type game struct {
	name     string
	size     int
	hexhex   bool
	minGroup int  // Odd
	pie      bool // Ayu
}

var games = []game{
	{"yodd", 8, true, 5, false},
	{"xodd", 12, false, 5, false},
	{"odd", 5, true, 5, false},
	{"ayu", 11, false, 5, false},
}

func (g game) isSize(size int) bool {
	largest := 19
	if g.hexhex {
		largest = 13
	}
	return size >= 2 && size <= largest && (g.name != "ayu" || size%2 == 1)
}

// A position without its past, which only undo and repetition ask for.
type position struct {
	game        *game
	board       *board
	stones      []colour
	toMove      colour
	turnsPlayed int
	passes      int
	isDraw      bool // Ayu: this position was there before
}

func start(g *game, b *board) position {
	p := position{game: g, board: b, stones: make([]colour, len(b.points)), toMove: black}
	if g.name == "ayu" {
		for cell, at := range b.points {
			if (at.letter+at.number)%2 == 1 {
				p.stones[cell] = white - colour(at.number%2)
			}
		}
	}
	return p
}

func (p *position) empty() []int {
	var cells []int
	for cell, stone := range p.stones {
		if stone == none {
			cells = append(cells, cell)
		}
	}
	return cells
}

// counts counts the groups of Black and of White, of those that the game counts.
func (p *position) counts() (blacks, whites int) {
	_, groups := p.board.groups(p.stones)
	for _, group := range groups {
		switch {
		case p.game.name == "odd" && len(group) < p.game.minGroup:
		case p.stones[group[0]] == black:
			blacks++
		default:
			whites++
		}
	}
	return blacks, whites
}

func (p *position) isOver() bool {
	isOver := true
	p.eachTurn(func(turn) bool {
		isOver = false
		return false
	})
	return isOver
}

// winner answers who won a game that is over; none for a draw.
func (p *position) winner() colour {
	if p.game.name == "ayu" {
		if p.isDraw {
			return none
		}
		return p.toMove
	}
	blacks, whites := p.counts()
	if p.game.name == "odd" && (blacks+whites)%2 == 1 || p.game.name != "odd" && blacks < whites {
		return black
	}
	return white
}

func (p *position) score() string {
	won := p.winner()
	if won == none {
		return "0"
	}
	if p.game.name == "odd" || p.game.name == "ayu" {
		return string(" BW"[won]) + "+"
	}
	blacks, whites := p.counts()
	return fmt.Sprintf("%c+%d", " BW"[won], int(math.Abs(float64(blacks-whites))))
}

// after answers the position after a legal turn. Draws take the game's past to see.
func (p *position) after(t turn) position {
	next := *p
	next.turnsPlayed++
	if t.kind == swap {
		return next
	}
	next.stones = append([]colour(nil), p.stones...)
	next.passes = 0
	switch t.kind {
	case pass:
		next.passes = p.passes + 1
	case drops:
		for _, d := range t.drops {
			next.stones[d.cell] = d.stone
		}
	case move:
		next.stones[t.origin], next.stones[t.destination] = none, p.toMove
	}
	next.toMove = p.toMove.other()
	return next
}

// isSame tells whether two positions of Ayu are one for the rule of repetition.
func (p *position) isSame(other *position) bool {
	if p.toMove != other.toMove || p.maySwap() != other.maySwap() {
		return false
	}
	for cell, stone := range p.stones {
		if other.stones[cell] != stone {
			return false
		}
	}
	return true
}

func (p *position) maySwap() bool      { return p.game.pie && p.turnsPlayed == 1 }
func (p *position) takesOneDrop() bool { return p.game.name == "odd" || p.turnsPlayed == 0 }

// problemWith answers why a turn is illegal; empty if it is not.
func (p *position) problemWith(t turn) string {
	if p.isOver() {
		return "the game is over"
	}
	if p.game.name == "ayu" {
		switch {
		case t.kind == move:
			return p.problemWithMove(t.origin, t.destination)
		case t.kind == swap && p.maySwap():
			return ""
		}
		return "a turn is a move"
	}
	if t.kind == move || t.kind == swap || t.kind == pass && p.game.name == "odd" {
		return "no such turn in this game"
	}
	return p.problemWithDrops(t)
}

// problemWithDrops is about drops and, where there are none, about a pass.
func (p *position) problemWithDrops(t turn) string {
	if len(t.drops) > 2 || len(t.drops) != 1 && p.takesOneDrop() {
		return "a wrong number of drops"
	}
	for _, d := range t.drops {
		if d.cell < 0 {
			return "off the board"
		}
		if p.stones[d.cell] != none {
			return "an occupied cell"
		}
	}
	if len(t.drops) == 2 && t.drops[0].cell == t.drops[1].cell {
		return "two drops on one cell"
	}
	after := p.after(t)
	blacks, whites := after.counts()
	if p.game.name != "odd" && (blacks+whites)%2 == 0 {
		return "the total number of groups would be even"
	}
	return ""
}

func (p *position) problemWithMove(origin, destination int) string {
	switch {
	case origin < 0 || destination < 0:
		return "off the board"
	case p.stones[origin] != p.toMove:
		return "no piece of yours to move"
	case p.stones[destination] != none:
		return "an occupied destination"
	}
	unit := p.board.groupAt(p.stones, origin)
	isAdjacent := false
	for _, near := range p.board.neighbours[destination] {
		isAdjacent = isAdjacent || contains(unit, near)
	}
	if !isAdjacent {
		return "not a point next to the unit"
	}
	before := p.board.distance(p.stones, unit)
	if before < 0 {
		return "no path to a friendly unit"
	}
	stones := append([]colour(nil), p.stones...)
	stones[origin], stones[destination] = none, p.toMove
	unit[0] = destination // groupAt lists the origin first
	joined := p.board.groupAt(stones, destination)
	for _, cell := range unit {
		if !contains(joined, cell) {
			return "that would split the group"
		}
	}
	if after := p.board.distance(stones, unit); after < 0 || after >= before {
		return "no closer to the closest friendly unit"
	}
	return ""
}

func contains(cells []int, wanted int) bool {
	for _, cell := range cells {
		if cell == wanted {
			return true
		}
	}
	return false
}

// destinations lists where a piece of Ayu may move to.
func (p *position) destinations(origin int) []int {
	if p.stones[origin] != p.toMove {
		return nil
	}
	var found []int
	seen := map[int]bool{}
	for _, cell := range p.board.groupAt(p.stones, origin) {
		for _, near := range p.board.neighbours[cell] {
			if !seen[near] && p.problemWithMove(origin, near) == "" {
				found = append(found, near)
			}
			seen[near] = true
		}
	}
	return found
}

// eachTurn shows each legal turn once, until `visit` answers false.
func (p *position) eachTurn(visit func(turn) bool) {
	switch {
	case p.isDraw || p.passes == 2:
	case p.game.name == "ayu":
		p.eachMove(visit)
	default:
		p.eachDrops(visit)
	}
}

func (p *position) eachMove(visit func(turn) bool) {
	if p.maySwap() && !visit(turn{kind: swap}) {
		return
	}
	for origin := range p.stones {
		for _, destination := range p.destinations(origin) {
			if !visit(turn{kind: move, origin: origin, destination: destination}) {
				return
			}
		}
	}
}

func (p *position) eachDrops(visit func(turn) bool) {
	isOdd := p.game.name == "odd"
	labels, groups := p.board.groups(p.stones)
	if !isOdd && len(groups)%2 == 1 && !visit(turn{kind: pass}) {
		return
	}
	empty := p.empty()
	for place, cell := range empty {
		for first := black; first <= white; first++ {
			one := turn{kind: drops, drops: []drop{{cell, first}}}
			total := len(groups) + p.change(labels, cell, first)
			if (isOdd || total%2 == 1) && !visit(one) {
				return
			}
			if p.takesOneDrop() {
				continue
			}
			next := p.after(one)
			after, _ := p.board.groups(next.stones)
			for _, other := range empty[place+1:] {
				for second := black; second <= white; second++ {
					// In Go what is left over by a division may be below 0.
					if (total+next.change(after, other, second))%2 == 0 {
						continue
					}
					if !visit(turn{kind: drops, drops: []drop{{cell, first}, {other, second}}}) {
						return
					}
				}
			}
		}
	}
}

// change answers what a drop adds to the number of groups: one, less those that it joins.
func (p *position) change(labels []int, cell int, stone colour) int {
	var joined [6]int
	count := 0
	for _, near := range p.board.neighbours[cell] {
		if p.stones[near] == stone && !contains(joined[:count], labels[near]) {
			joined[count] = labels[near]
			count++
		}
	}
	return 1 - count
}

// --- Random turns --------------------------------------------------------------------------------

const tries = 20

// randomTurn draws a legal turn, a pass only if no drop was found; false if the game is over.
func (p *position) randomTurn(lot *rand.Rand) (turn, bool) {
	if p.isDraw || p.passes == 2 {
		return turn{}, false
	}
	if p.game.name == "ayu" {
		return p.randomMove(lot)
	}
	empty := p.empty()
	if p.game.name != "odd" {
		return p.randomDrops(empty, lot), true
	}
	if len(empty) == 0 {
		return turn{}, false
	}
	return turn{kind: drops, drops: []drop{randomDrop(empty, lot)}}, true
}

func randomDrop(empty []int, lot *rand.Rand) drop {
	return drop{empty[lot.Intn(len(empty))], black + colour(lot.Intn(2))}
}

func (p *position) randomDrops(empty []int, lot *rand.Rand) turn {
	labels, groups := p.board.groups(p.stones)
	for i := 0; i < tries && len(empty) > 0; i++ {
		first := randomDrop(empty, lot)
		one := turn{kind: drops, drops: []drop{first}}
		total := len(groups) + p.change(labels, first.cell, first.stone)
		if p.takesOneDrop() || total%2 == 1 && lot.Intn(2) == 0 {
			return one
		}
		next := p.after(one)
		after, _ := p.board.groups(next.stones)
		for j := 0; j < tries; j++ {
			second := randomDrop(empty, lot)
			if second.cell == first.cell || (total+next.change(after, second.cell, second.stone))%2 == 0 {
				continue
			}
			if second.cell < first.cell {
				first, second = second, first
			}
			return turn{kind: drops, drops: []drop{first, second}}
		}
	}
	return turn{kind: pass}
}

// randomMove draws a move of the first piece that has one, from a random cell on.
func (p *position) randomMove(lot *rand.Rand) (turn, bool) {
	first := lot.Intn(len(p.stones))
	for i := range p.stones {
		origin := (first + i) % len(p.stones)
		if found := p.destinations(origin); len(found) > 0 {
			return turn{kind: move, origin: origin, destination: found[lot.Intn(len(found))]}, true
		}
	}
	return turn{}, false
}

// --- Choosing a turn -----------------------------------------------------------------------------

const (
	mostCandidates = 64
	longestPlayout = 1000
)

type candidate struct {
	turn       turn
	after      position
	won, tried float64
}

// rate answers how often a candidate wins, with one win and one loss that nobody played.
func (c *candidate) rate() float64 { return (c.won + 1) / (c.tried + 2) }

// A search knows what random games have shown of some turns.
type search struct {
	position   position
	candidates []*candidate
	lot        *rand.Rand
}

// newSearch draws different legal turns by lot, a legal pass always among them.
func newSearch(p position, lot *rand.Rand) *search {
	s := &search{position: p, lot: lot}
	seen := map[string]bool{}
	add := func(t turn) {
		if name := t.written(p.board); !seen[name] {
			seen[name] = true
			s.candidates = append(s.candidates, &candidate{turn: t, after: p.after(t)})
		}
	}
	if p.problemWith(turn{kind: pass}) == "" {
		add(turn{kind: pass})
	}
	for i := 0; i < 2*mostCandidates && len(s.candidates) < mostCandidates; i++ {
		if t, ok := p.randomTurn(lot); ok {
			add(t)
		}
	}
	return s
}

// playout plays random turns to the end: 1 if the player wins, 0 if not, 0.5 if nobody does.
func (s *search) playout(p position) float64 {
	for i := 0; i < longestPlayout; i++ {
		t, ok := p.randomTurn(s.lot)
		if !ok {
			switch p.winner() {
			case none:
				return 0.5
			case s.position.toMove:
				return 1
			}
			return 0
		}
		p = p.after(t)
	}
	return 0.5
}

// step plays one random game after the candidate that may be the best: for each a win rate is drawn
// from all that its games so far allow, and the highest has it (Thompson sampling).
func (s *search) step() {
	best, highest := s.candidates[0], math.Inf(-1)
	for _, c := range s.candidates {
		spread := math.Sqrt(c.rate() * (1 - c.rate()) / (c.tried + 3))
		if drawn := c.rate() + spread*s.lot.NormFloat64(); drawn > highest {
			best, highest = c, drawn
		}
	}
	best.won += s.playout(best.after)
	best.tried++
}

// ranked sorts the candidates, the one that was tried most first, and answers them.
func (s *search) ranked() []*candidate {
	sort.SliceStable(s.candidates, func(i, j int) bool {
		a, b := s.candidates[i], s.candidates[j]
		return a.tried > b.tried || a.tried == b.tried && a.rate() > b.rate()
	})
	return s.candidates
}

// --- The clock -----------------------------------------------------------------------------------

const seconds = "[0-9]+(?:\\.[0-9]+)?"

var (
	secondsPattern = regexp.MustCompile("^" + seconds + "$")
	controlPattern = regexp.MustCompile(
		"^(?:none|(" + seconds + ")(\\+(?:[0-9]+/|[0-9]+x)?" + seconds + ")?)$")
)

// A clock keeps what the controller said of time, by colour.
type clock struct {
	control string
	left    [3]float64
	turns   [3]int
}

func (c *clock) set(control string) error {
	matched := controlPattern.FindStringSubmatch(control)
	if matched == nil {
		return fmt.Errorf("syntax error: malformed time control '%s'", control)
	}
	main, _ := strconv.ParseFloat(matched[1], 64)
	*c = clock{control: control, left: [3]float64{0, main, main}}
	return nil
}

// secondsForATurn answers how long to think, with something left for the way there and back.
func (c *clock) secondsForATurn(player colour) float64 {
	switch {
	case c.control == "none":
		return 60
	case !strings.Contains(c.control, "+"):
		return 0.8 * c.left[player]
	case strings.Contains(c.control, "/") && c.turns[player] > 0:
		return 0.8 * c.left[player] / float64(c.turns[player])
	}
	return 0.8 * c.left[player] / 30
}

// --- The protocol --------------------------------------------------------------------------------

// Input is read by a goroutine of its own, so that a search can see what waits.
type input struct {
	commands       chan []string
	waiting, stops int64 // commands that were read and not taken, and those among them that stop
	hasEnded       int64
}

func (in *input) read(source io.Reader) {
	// A reader, not a scanner: that one gives up at a line of 64 KiB.
	reader := bufio.NewReader(source)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			atomic.StoreInt64(&in.hasEnded, 1)
			close(in.commands)
			return
		}
		if words := wordsOf(line); len(words) > 0 {
			in.count(words, 1)
			in.commands <- words
		}
	}
}

// count keeps the numbers of waiting commands, when one comes (1) or is taken (-1).
func (in *input) count(words []string, change int64) {
	if _, command := split(words); len(command) > 0 && command[0] == "stop" {
		atomic.AddInt64(&in.stops, change)
	}
	atomic.AddInt64(&in.waiting, change)
}

func (in *input) hasStop() bool { return atomic.LoadInt64(&in.stops) > 0 }
func (in *input) hasMore() bool {
	return atomic.LoadInt64(&in.waiting) > 0 || atomic.LoadInt64(&in.hasEnded) > 0
}

// wordsOf answers the words of a line without its comment and control characters.
func wordsOf(line []byte) []string {
	text, _, _ := bytes.Cut(line, []byte("#"))
	var kept []byte
	for _, char := range text {
		if char == '\t' {
			char = ' '
		}
		if char >= ' ' && char != 127 {
			kept = append(kept, char)
		}
	}
	return strings.FieldsFunc(string(kept), func(r rune) bool { return r == ' ' })
}

// split takes the id, if there is one, from the words of a command.
func split(words []string) (id string, command []string) {
	if number, err := whole(words[0]); err == nil && number <= math.MaxInt32 && len(words[0]) <= 10 {
		return words[0], words[1:]
	}
	return "", words
}

type engine struct {
	game     game
	board    *board
	position position
	past     []position
	clock    clock
	lot      *rand.Rand
	default_ int // playouts without an option
	playouts int
	expected string // the answer to last_evaluation, if there is one
	input    *input
	stream   func() // what comes behind a reply's first line, after analyze
}

func (e *engine) begin(g game) {
	e.game, e.board = g, newBoard(g.hexhex, g.size)
	e.position, e.past, e.expected = start(&g, e.board), nil, ""
}

// advance plays a legal turn and remembers the position before it.
func (e *engine) advance(t turn) {
	e.past = append(e.past, e.position)
	e.position = e.position.after(t)
	if e.game.name != "ayu" || t.kind == swap {
		return
	}
	for i := range e.past {
		e.position.isDraw = e.position.isDraw || e.past[i].isSame(&e.position)
	}
}

// mustBeToMove fails unless the game goes on and it is that player's turn.
func (e *engine) mustBeToMove(word, prefix string) error {
	player, err := playerOf(word)
	switch {
	case err != nil:
		return err
	case e.position.isOver():
		return errors.New(prefix + "the game is over")
	case player != e.position.toMove:
		return fmt.Errorf("%sit is %v's turn", prefix, e.position.toMove)
	}
	return nil
}

func (e *engine) play(words []string) (string, error) {
	t, err := readTurn(words[1], e.board)
	if err == nil {
		err = e.mustBeToMove(words[0], "illegal move: ")
	}
	if err != nil {
		return "", err
	}
	if problem := e.position.problemWith(t); problem != "" {
		return "", errors.New("illegal move: " + problem)
	}
	e.advance(t)
	return "", nil
}

// choose thinks until the playouts or the time are up, or until a stop comes.
func (e *engine) choose(began time.Time) turn {
	s := newSearch(e.position, e.lot)
	allowed := time.Duration(e.clock.secondsForATurn(e.position.toMove) * float64(time.Second))
	played := 0
	for ; played < e.playouts && time.Since(began) < allowed && !e.input.hasStop(); played++ {
		s.step()
	}
	best := s.ranked()[0]
	e.expected = fmt.Sprintf("win_rate %.4f depth 1 visits %d", best.rate(), played)
	return best.turn
}

func (e *engine) genmove(words []string) (string, error) {
	began := time.Now()
	if err := e.mustBeToMove(words[0], ""); err != nil {
		return "", err
	}
	chosen := e.choose(began)
	e.advance(chosen)
	return chosen.written(e.board), nil
}

func (e *engine) regGenmove(words []string) (string, error) {
	began, expected := time.Now(), e.expected
	if err := e.mustBeToMove(words[0], ""); err != nil {
		return "", err
	}
	chosen := e.choose(began).written(e.board)
	e.expected = expected
	return chosen, nil
}

// analyze answers nothing yet: its lines come behind the reply's first one.
func (e *engine) analyze(words []string) (string, error) {
	interval, err := strconv.ParseFloat(words[0], 64)
	if !secondsPattern.MatchString(words[0]) || err != nil || interval < 0.01 || interval > 1e6 {
		return "", fmt.Errorf("syntax error: '%s' is not from 0.01 to 1000000 s", words[0])
	}
	if e.position.isOver() {
		return "", errors.New("the game is over")
	}
	e.stream = func() {
		s := newSearch(e.position, e.lot)
		for next := time.Now(); !e.input.hasMore(); {
			s.step()
			if time.Now().After(next) {
				fmt.Println(s.line())
				next = time.Now().Add(time.Duration(interval * float64(time.Second)))
			}
		}
	}
	return "", nil
}

// line writes what a search has found in the form of analyze.
func (s *search) line() string {
	var infos []string
	for _, c := range s.ranked() {
		if c.tried > 0 && len(infos) < 10 {
			name := c.turn.written(s.position.board)
			infos = append(infos, fmt.Sprintf("info turn %s visits %.0f win_rate %.4f variation %s",
				name, c.tried, c.rate(), name))
		}
	}
	return strings.Join(infos, " ")
}

func (e *engine) lastEvaluation([]string) (string, error) {
	if e.expected == "" {
		return "", errors.New("no evaluation")
	}
	return e.expected, nil
}

func (e *engine) undo([]string) (string, error) {
	last := len(e.past) - 1
	if last < 0 {
		return "", errors.New("cannot undo")
	}
	e.position, e.past = e.past[last], e.past[:last]
	return "", nil
}

func (e *engine) legalTurns(words []string) (string, error) {
	limit := int64(math.MaxInt64)
	if len(words) > 0 {
		number, err := whole(words[0])
		if err != nil {
			return "", err
		}
		limit = number
	}
	var lines []string
	length := 0
	e.position.eachTurn(func(t turn) bool {
		if int64(len(lines)) >= limit || length > 1<<20-20 {
			return false
		}
		lines = append(lines, t.written(e.board))
		length += len(lines[len(lines)-1]) + 1
		return true
	})
	if length > 1<<20-20 {
		return "", errors.New("too many turns for a reply")
	}
	return strings.Join(lines, "\n"), nil
}

func (e *engine) groupCounts([]string) (string, error) {
	blacks, whites := e.position.counts()
	return fmt.Sprintf("%d %d", blacks, whites), nil
}

func (e *engine) finalScore([]string) (string, error) {
	if !e.position.isOver() {
		return "", errors.New("game is not over")
	}
	return e.position.score(), nil
}

func (e *engine) setGame(words []string) (string, error) {
	for _, g := range games {
		if g.name != words[0] {
			continue
		}
		if len(words)%2 == 0 {
			return "", errors.New("syntax error: expected pairs of setting and value")
		}
		for i := 1; i < len(words); i += 2 {
			if !g.set(words[i], words[i+1]) {
				return "", fmt.Errorf("%s has no setting '%s' that can be '%s'", g.name, words[i], words[i+1])
			}
		}
		e.begin(g)
		return "", nil
	}
	return "", fmt.Errorf("unknown game '%s'", words[0])
}

// set changes a setting, and answers whether there is one with such a value.
func (g *game) set(name, value string) bool {
	switch g.name + " " + name {
	case "odd board":
		g.hexhex = value == "hexhex"
		return g.hexhex || value == "square"
	case "odd min_group":
		digits := strings.TrimLeft(value, "0")
		if len(digits) > 9 {
			// Beyond the largest board all numbers are the same.
			digits = digits[:9]
		}
		least, err := whole(digits)
		g.minGroup = int(least)
		return err == nil && strings.Trim(value, "0123456789") == ""
	case "ayu pie":
		g.pie = value == "true"
		return g.pie || value == "false"
	}
	return false
}

func (e *engine) boardsize(words []string) (string, error) {
	size, err := whole(words[0])
	if err != nil {
		return "", err
	}
	if size > 99 || !e.game.isSize(int(size)) {
		return "", errors.New("unacceptable size")
	}
	chosen := e.game
	chosen.size = int(size)
	e.begin(chosen)
	return "", nil
}

func (e *engine) clearBoard([]string) (string, error) {
	e.begin(e.game)
	return "", nil
}

func (e *engine) listOptions([]string) (string, error) {
	return fmt.Sprintf("seed type integer default 0 min 0 max %d\n"+
		"playouts type integer default %d min 1 max 1000000000", math.MaxInt64, e.default_), nil
}

func (e *engine) setOption(words []string) (string, error) {
	value, err := whole(words[1])
	switch {
	case err != nil:
		return "", err
	case words[0] == "seed":
		e.lot = rand.New(rand.NewSource(value))
	case words[0] == "playouts" && value >= 1 && value <= 1000000000:
		e.playouts = int(value)
	default:
		return "", errors.New("no such option, or no such value")
	}
	return "", nil
}

func (e *engine) timeControl(words []string) (string, error) { return "", e.clock.set(words[0]) }

func (e *engine) timeLeft(words []string) (string, error) {
	player, err := playerOf(words[0])
	if err != nil {
		return "", err
	}
	if !secondsPattern.MatchString(words[1]) {
		return "", fmt.Errorf("syntax error: '%s' is not a number of seconds", words[1])
	}
	turns := int64(0)
	if len(words) == 3 {
		if turns, err = whole(words[2]); err != nil {
			return "", err
		}
	}
	e.clock.left[player], _ = strconv.ParseFloat(words[1], 64)
	e.clock.turns[player] = int(turns)
	return "", nil
}

func playerOf(word string) (colour, error) {
	switch lower(word) {
	case "b", "black":
		return black, nil
	case "w", "white":
		return white, nil
	}
	return none, fmt.Errorf("syntax error: '%s' is no colour", word)
}

// whole reads a whole number up to 2^63-1.
func whole(word string) (int64, error) {
	number, err := strconv.ParseInt(word, 10, 64)
	if err != nil || strings.Trim(word, "0123456789") != "" {
		return 0, fmt.Errorf("syntax error: '%s' is not a whole number", word)
	}
	return number, nil
}

// A command: how many words it takes behind its name, and what it does.
type command struct {
	fewest, most int
	do           func(*engine, []string) (string, error)
}

func says(text string) command {
	return command{0, 0, func(*engine, []string) (string, error) { return text, nil }}
}

var commands map[string]command

func init() {
	commands = map[string]command{
		"protocol_version": says("2"), "oddly_version": says("1"), "name": says("full-go"),
		"version": says("1"), "quit": says(""), "stop": says(""),
		"list_games":    says("yodd\nxodd\nodd\nayu"),
		"list_commands": {0, 0, listCommands}, "known_command": {1, 1, knownCommand},
		"set_game":  {1, math.MaxInt, (*engine).setGame},
		"boardsize": {1, 1, (*engine).boardsize}, "clear_board": {0, 0, (*engine).clearBoard},
		"play": {2, 2, (*engine).play}, "undo": {0, 0, (*engine).undo},
		"genmove": {1, 1, (*engine).genmove}, "reg_genmove": {1, 1, (*engine).regGenmove},
		"legal_turns": {0, 1, (*engine).legalTurns}, "group_counts": {0, 0, (*engine).groupCounts},
		"final_score": {0, 0, (*engine).finalScore}, "list_options": {0, 0, (*engine).listOptions},
		"set_option": {2, 2, (*engine).setOption}, "time_control": {1, 1, (*engine).timeControl},
		"time_left": {2, 3, (*engine).timeLeft}, "analyze": {1, 1, (*engine).analyze},
		"last_evaluation": {0, 0, (*engine).lastEvaluation},
	}
}

func listCommands(*engine, []string) (string, error) {
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, "\n"), nil
}

func knownCommand(_ *engine, words []string) (string, error) {
	_, known := commands[words[0]]
	return strconv.FormatBool(known), nil
}

func (e *engine) answer(words []string) (string, error) {
	if len(words) == 0 {
		return "", errors.New("syntax error: an id alone")
	}
	found, known := commands[words[0]]
	switch count := len(words) - 1; {
	case !known:
		return "", errors.New("unknown command")
	case count < found.fewest || count > found.most:
		return "", errors.New("syntax error: a wrong number of arguments")
	}
	return found.do(e, words[1:])
}

func main() {
	e := &engine{default_: 1000, input: &input{commands: make(chan []string, 256)}}
	if len(os.Args) > 1 {
		if number, err := whole(os.Args[1]); err == nil && number >= 1 && number <= 1000000000 {
			e.default_ = int(number)
		}
	}
	e.playouts, e.clock.control = e.default_, "none"
	e.lot = rand.New(rand.NewSource(time.Now().UnixNano()))
	e.begin(games[0])
	go e.input.read(os.Stdin)
	for words := range e.input.commands {
		e.input.count(words, -1)
		id, command := split(words)
		mark := "="
		text, failure := e.answer(command)
		if failure != nil {
			mark, text = "?", failure.Error()
		}
		fmt.Printf("%s\n", strings.TrimRight(mark+id+" "+text, " "))
		if e.stream != nil {
			e.stream()
			e.stream = nil
		}
		fmt.Println()
		if len(command) == 1 && command[0] == "quit" {
			return
		}
	}
}
