// The time that is shown: it runs, stands, or is set; whoever shows it is told.

export class Clock {
  #listeners = [];
  #last = null;

  constructor([begin, end]) {
    this.begin = begin;
    this.end = end;
    this.time = begin;
    this.playing = false;
    this.loop = true;
    this.speed = 1;
  }

  /** There is one instant only, as in a static equilibrium. */
  get stands() {
    return this.end <= this.begin;
  }

  /** Calls back now and after every change. */
  watch(listener) {
    this.#listeners.push(listener);
    listener(this);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    this.#tell();
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  play() {
    if (this.time >= this.end) this.time = this.begin;
    this.playing = true;
    this.#last = null;
    requestAnimationFrame((now) => this.#tick(now));
    this.#tell();
  }

  pause() {
    this.playing = false;
    this.#tell();
  }

  #tick(now) {
    if (!this.playing) return;
    const passed = this.#last === null ? 0 : Math.min(0.1, (now - this.#last) / 1000);
    this.#last = now;
    this.#advance(passed * this.speed);
    if (this.playing) requestAnimationFrame((next) => this.#tick(next));
  }

  #advance(seconds) {
    this.time += seconds;
    if (this.time >= this.end) {
      if (this.loop && this.end > this.begin) {
        this.time = this.begin + (this.time - this.end) % (this.end - this.begin);
      } else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.#tell();
  }

  #tell() {
    for (const listener of this.#listeners) listener(this);
  }
}
