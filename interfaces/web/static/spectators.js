// Brings the pages for spectators to life that the server has drawn. Without it they show the same, and stand still.

import { openExhibition } from "./exhibition.js";
import { openGame } from "./watched-game.js";
import { openTournament } from "./tournament.js";

const page = document.getElementById("page");
const open = { tournament: openTournament, game: openGame, exhibition: openExhibition }[page.dataset.view];
if (open) open(page);
