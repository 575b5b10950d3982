"use strict";
// Plays the embedded games through. It knows how turns are written, and no rules: what the groups
// come to after each turn was worked out when the page was made.
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("games").textContent);
  const EMPTY = 0, BLACK = 1, WHITE = 2;
  const CLASSES = ["", "black", "white"];
  const PAUSE = 700;
  const state = { game: 0, turn: 0, frames: [], groups: new Map(), board: null, timer: null };

  // The board after each turn: its stones, and what the turn touched.
  function framesOf(game) {
    const board = data.boards[game.board];
    const index = new Map(board.vertices.map((vertex, number) => [vertex, number]));
    let stones = board.start.slice();
    const frames = [{ stones, placed: [], left: [] }];
    for (const turn of game.turns) {
      stones = stones.slice();
      const placed = [], left = [];
      if (turn.includes("-")) {
        const [origin, destination] = turn.split("-");
        stones[index.get(destination)] = stones[index.get(origin)];
        stones[index.get(origin)] = EMPTY;
        placed.push(destination);
        left.push(origin);
      } else if (turn !== "pass" && turn !== "swap") {
        for (const drop of turn.split(",")) {
          stones[index.get(drop.slice(1))] = drop[0] === "B" ? BLACK : WHITE;
          placed.push(drop.slice(1));
        }
      }
      frames.push({ stones, placed, left });
    }
    return frames;
  }

  function layOut(number) {
    if (state.board === number) return;
    state.board = number;
    const board = find(`board-${number}`).content.cloneNode(true);
    state.groups = new Map();
    for (const group of board.querySelectorAll("[data-vertex]")) {
      state.groups.set(group.dataset.vertex, group);
    }
    find("board").replaceChildren(board);
  }

  // Players take turns throughout; a swap exchanges their colours and not their order.
  function colourOf(game, player, turns) {
    return game.turns.slice(0, turns).includes("swap") ? 1 - player : player;
  }

  function playersOf(game, turns) {
    return game.players.map((name, player) => {
      const line = document.createElement("div");
      const disc = document.createElement("span");
      const label = document.createElement("bdi");
      disc.className = `disc ${CLASSES[1 + colourOf(game, player, turns)]}`;
      label.textContent = name;
      line.append(disc, label);
      if (turns === game.turns.length && game.winner === player) line.append("\u00a0wins");
      return line;
    });
  }

  function saying(game, turn) {
    if (turn === 0) return "The start.";
    const number = turn - 1;
    const name = game.players[number % 2];
    const by = turn <= game.opening ? "opening, played for" : "by";
    const seconds = turn <= game.opening ? "" : `, ${game.seconds[number].toFixed(2)} s`;
    const chance = game.chances?.[number] ?? null;
    const rate = chance === null ? "" : `, Black wins ${(100 * chance).toFixed(0)} %`;
    return `Turn ${turn} of ${game.turns.length}: ${game.turns[number]}, ${by} ${name}${seconds}${rate}.`;
  }

  // Black's win rate turn by turn, as the engine that played the turn sees it.
  function drawChances(game) {
    const chart = find("chances");
    chart.toggleAttribute("hidden", !game.chances);
    if (!game.chances) return;
    const last = Math.max(1, game.turns.length);
    const runs = [[], []];
    game.chances.forEach((chance, number) => {
      if (chance === null) return;
      runs[number % 2].push(`${(600 * (number + 1)) / last},${(100 * (1 - chance)).toFixed(1)}`);
    });
    find("chances-first").setAttribute("points", runs[0].join(" "));
    find("chances-second").setAttribute("points", runs[1].join(" "));
  }

  function ending(game) {
    let said = ` ${game.score}, ${game.ending}`;
    if (game.reason) said += `: ${game.reason}`;
    if (game.evidence) said += ` (${game.evidence})`;
    return `${said}.`;
  }

  function show(turn) {
    const game = data.games[state.game];
    const last = game.turns.length;
    state.turn = Math.max(0, Math.min(last, turn));
    const { stones, placed, left } = state.frames[state.turn];
    data.boards[game.board].vertices.forEach((vertex, number) => {
      const classes = [CLASSES[stones[number]]];
      if (placed.includes(vertex)) classes.push("placed");
      if (left.includes(vertex)) classes.push("vacated");
      state.groups.get(vertex).setAttribute("class", classes.join(" "));
    });
    find("players").replaceChildren(...playersOf(game, state.turn));
    find("said").textContent = saying(game, state.turn) + (state.turn === last ? ending(game) : "");
    find("statement").textContent = data.sentences[game.says[state.turn]];
    find("slider").value = state.turn;
    const along = (600 * state.turn) / Math.max(1, last);
    find("chances-now").setAttribute("d", `M${along},0V100`);
    find("slider").setAttribute("aria-valuetext", `turn ${state.turn} of ${last}`);
    for (const id of ["first", "back"]) find(id).disabled = state.turn === 0;
    for (const id of ["last", "on"]) find(id).disabled = state.turn === last;
    for (const button of find("turns").querySelectorAll("[aria-current]")) {
      button.removeAttribute("aria-current");
    }
    const current = find("turns").children[state.turn - 1];
    if (current) {
      current.firstChild.setAttribute("aria-current", "step");
      const list = find("turns");
      const top = current.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    }
    if (state.turn === last) pause();
  }

  function open(number, turn) {
    pause();
    state.game = number;
    const game = data.games[number];
    state.frames = framesOf(game);
    layOut(game.board);
    drawChances(game);
    find("slider").max = game.turns.length;
    find("turns").replaceChildren(...game.turns.map((text, index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${index + 1}. ${text}`;
      button.addEventListener("click", () => { pause(); go(index + 1); });
      item.append(button);
      return item;
    }));
    find("turns").scrollTop = 0;
    show(turn);
  }

  function go(turn) {
    show(turn);
    const game = data.games[state.game];
    history.replaceState(null, "", `#replay=${encodeURIComponent(game.id)}/${state.turn}`);
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = null;
    find("run").textContent = "play";
    find("run").setAttribute("aria-label", "Play");
  }

  function run() {
    if (state.timer !== null) return pause();
    if (state.turn === data.games[state.game].turns.length) go(0);
    state.timer = setInterval(() => go(state.turn + 1), PAUSE);
    find("run").textContent = "pause";
    find("run").setAttribute("aria-label", "Pause");
  }

  function option(value, text) {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    return element;
  }

  // The list of games that fit both filters.
  function list() {
    const board = find("of-board").value, engine = find("of-engine").value;
    const chosen = data.games.map((game, number) => [game, number]).filter(([game]) =>
      (board === "" || game.board === Number(board)) && (engine === "" || game.players.includes(engine)));
    find("which").replaceChildren(...chosen.map(([game, number]) => option(number,
      `${game.players[0]} – ${game.players[1]}: ${game.score}, ${game.ending}, ${game.turns.length} turns, ${data.boards[game.board].title}`)));
    find("which").disabled = chosen.length === 0;
    return chosen.map(([, number]) => number);
  }

  function chooseFirst() {
    const chosen = list();
    if (chosen.length) open(chosen[0], data.games[chosen[0]].turns.length);
  }

  function fromAddress() {
    const found = /^#replay=([^/]+)\/(\d+)$/.exec(location.hash);
    if (!found) return false;
    const number = data.games.findIndex((game) => encodeURIComponent(game.id) === found[1]);
    if (number < 0) return false;
    find("of-board").value = find("of-engine").value = "";
    list();
    find("which").value = number;
    open(number, Number(found[2]));
    find("replays").scrollIntoView();
    return true;
  }

  function keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("select, input")) return;
    const last = data.games[state.game].turns.length;
    const keys = {
      ArrowLeft: () => go(state.turn - 1), ArrowRight: () => go(state.turn + 1),
      Home: () => go(0), End: () => go(last), " ": run,
    };
    if (event.key === " " && event.target.matches("button, a")) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    if (event.key !== " ") pause();
    keys[event.key]();
  }

  data.boards.forEach((board, number) => find("of-board").append(option(number, board.title)));
  const engines = new Set(data.games.flatMap((game) => game.players));
  [...engines].sort().forEach((name) => find("of-engine").append(option(name, name)));
  find("of-board").addEventListener("change", chooseFirst);
  find("of-engine").addEventListener("change", chooseFirst);
  find("which").addEventListener("change", (event) => {
    const number = Number(event.target.value);
    open(number, data.games[number].turns.length);
    go(state.turn);
  });
  const jumps = {
    first: () => 0, back: () => state.turn - 1, on: () => state.turn + 1,
    last: () => data.games[state.game].turns.length,
  };
  for (const [id, where] of Object.entries(jumps)) {
    find(id).addEventListener("click", () => { pause(); go(where()); });
  }
  find("run").addEventListener("click", run);
  find("slider").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
  find("replays").addEventListener("keydown", keyed);
  addEventListener("hashchange", fromAddress);
  find("player").hidden = false;
  if (!fromAddress()) chooseFirst();
})();
