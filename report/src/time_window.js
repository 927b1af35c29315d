// The span of time that all time plots show together.

export class TimeWindow {
  #listeners = [];

  constructor([begin, end]) {
    this.whole = [begin, end];
    this.span = [begin, end];
  }

  watch(listener) {
    this.#listeners.push(listener);
    listener(this.span);
  }

  show(begin, end) {
    const [first, last] = this.whole;
    const length = Math.min(Math.max(end - begin, (last - first) * 1e-4), last - first);
    const start = Math.min(Math.max(begin, first), last - length);
    this.span = [start, start + length];
    for (const listener of this.#listeners) listener(this.span);
  }

  /** Shorter (factor < 1) or longer, around a time. */
  zoom(factor, time) {
    const [begin, end] = this.span;
    const middle = time >= begin && time <= end ? time : (begin + end) / 2;
    this.show(middle - (middle - begin) * factor, middle + (end - middle) * factor);
  }

  reset() {
    this.show(...this.whole);
  }
}
