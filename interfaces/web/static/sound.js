// A short tone when it is one's turn, made by the browser: no file, and off until wanted.

import { recall, remember } from "./memory.js";

let context = null;

export function soundIsOn() {
  return recall("sound", false);
}

export function setSound(on) {
  remember("sound", on);
  if (on) tone();
}

/** Sound a tone, if sound is on and the browser lets us. */
export function tone(pitch = 523) {
  if (!soundIsOn()) return;
  context ??= new AudioContext();
  const now = context.currentTime;
  const oscillator = context.createOscillator();
  const volume = context.createGain();
  oscillator.frequency.value = pitch;
  volume.gain.setValueAtTime(0.12, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.25);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(now);
  oscillator.stop(now + 0.25);
}
