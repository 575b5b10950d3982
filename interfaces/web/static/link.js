// Requests to the server, and WebSockets that reconnect.

/** Return an address of this server, which may lie below a path; a page of it says how deep it lies itself. */
export function here(path) {
  const root = document.documentElement.dataset.root || "";
  return new URL(root + path.replace(/^\//, ""), location.href.replace(/[?#].*/, "")).href;
}

const SILENT = "The server does not answer. Is it still running?";

/** Return the JSON at an address. Throws an Error with the server's sentence. */
export async function ask(address, body) {
  const request = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(here(address), request);
  } catch {
    throw new Error(SILENT);
  }
  if (!response.ok) throw await refusal(response);
  return response.json();
}

/** Return the Error of an answer that is a refusal: its message is a sentence, never raw data. */
async function refusal(response) {
  const text = await response.text();
  const isPlain = /^text\/plain\b/.test(response.headers.get("content-type") || "");
  let value = isPlain ? { sentence: text.trim() } : {};
  try {
    value = JSON.parse(text);
  } catch {
    // It is no JSON: a proxy may answer in its own way.
  }
  return Object.assign(new Error(value.sentence || `The server answered ${response.status}.`),
    { status: response.status, game: value.game });
}

const boards = new Map();

/** Return the geometry of a board, which is requested once. */
export function geometry(shape, size) {
  const address = `/api/boards/${shape}/${size}`;
  if (!boards.has(address)) {
    boards.set(address, ask(address).catch((error) => {
      boards.delete(address);
      throw error;
    }));
  }
  return boards.get(address);
}

const MAX_PAUSE = 5000;
const FINAL = [4404, 1008];
/** Milliseconds without a word after which a connection is dead; the server says something every 20 seconds. */
const SILENCE = 45_000;
/** The same after a message, which the server answers at once, and while a connection is opened. */
const ANSWER = 10_000;

/** A WebSocket that reconnects until it is closed here, or for good by the server; also when it dies in silence. */
export class Link {
  constructor(path, { received, state = () => {}, gone = () => {} }) {
    this.path = path;
    this.received = received;
    this.state = state;
    this.gone = gone;
    this.pause = 250;
    this.closed = false;
    this.socket = null;
    // The time of day goes on while the machine sleeps.
    this.watch = setInterval(() => Date.now() > this.deadline && this.lose(), 1000);
    // A connection does not outlive the network that it began in.
    this.renew = () => this.lose();
    window.addEventListener("online", this.renew);
    this.open();
  }

  open() {
    const socket = new WebSocket(here(this.path).replace(/^http/, "ws"));
    this.socket = socket;
    this.deadline = Date.now() + ANSWER;
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return;
      this.pause = 250;
      this.state(true);
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.deadline = Date.now() + SILENCE;
      const message = JSON.parse(event.data);
      if (message.kind !== "alive") this.received(message);
    });
    socket.addEventListener("close", (event) => {
      if (this.closed || socket !== this.socket) return;
      if (!FINAL.includes(event.code)) {
        this.lose(event.reason);
        return;
      }
      this.close();
      this.gone(event.code, event.reason);
    });
  }

  /** Give a connection up that has ended or is dead, and open another after a pause. */
  lose(reason = "") {
    if (!this.socket) return;
    const { socket } = this;
    // A dead one would take its time to close, and is heard no more.
    this.socket = null;
    socket.close();
    this.deadline = Infinity;
    this.state(false, reason);
    setTimeout(() => this.closed || this.open(), this.pause);
    this.pause = Math.min(2 * this.pause, MAX_PAUSE);
  }

  /** Send a message. Returns whether it was sent. */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    this.deadline = Math.min(this.deadline, Date.now() + ANSWER);
    return true;
  }

  close() {
    this.closed = true;
    clearInterval(this.watch);
    window.removeEventListener("online", this.renew);
    this.socket?.close();
  }
}

/** Call `heard` with each JSON line of an answer, as it comes. Throws an Error with a sentence. */
export async function stream(address, body, heard, signal) {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  const fail = (error) => {
    throw error.name === "AbortError" ? error : new Error(SILENT);
  };
  const response = await fetch(here(address), request).catch(fail);
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(fail);
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) heard(JSON.parse(line));
  }
}
