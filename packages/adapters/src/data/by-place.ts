/** Most deletions that are made one by one. */
const FEW = 16

/**
 * Values by rising numbers, nearly all of which are added behind the others: two arrays take a fraction of the memory of a Map, and
 * grow in small steps.
 */
export class ByPlace<T> {
  readonly #places: number[] = []
  readonly #values: T[] = []

  get size(): number {
    return this.#places.length
  }

  get(place: number): T | undefined {
    return this.#values[this.#find(place)]
  }

  has(place: number): boolean {
    return this.#find(place) >= 0
  }

  set(place: number, value: T): void {
    const index = this.#find(place)
    if (index >= 0) {
      this.#values[index] = value
      return
    }
    const behind = this.#firstBehind(place)
    if (behind === this.#places.length) {
      this.#places.push(place)
      this.#values.push(value)
    } else {
      this.#places.splice(behind, 0, place)
      this.#values.splice(behind, 0, value)
    }
  }

  /** Many in one pass. */
  delete(places: ReadonlySet<number>): void {
    if (places.size <= FEW) {
      for (const index of [...places].map((place) => this.#find(place)).sort((a, b) => b - a)) {
        if (index < 0) continue
        this.#places.splice(index, 1)
        this.#values.splice(index, 1)
      }
      return
    }
    let kept = 0
    for (let index = 0; index < this.#places.length; index++) {
      const place = this.#places[index]!
      if (places.has(place)) continue
      this.#places[kept] = place
      this.#values[kept++] = this.#values[index]!
    }
    this.#places.length = kept
    this.#values.length = kept
  }

  /** In order of the places. */
  values(): T[] {
    return [...this.#values]
  }

  *[Symbol.iterator](): Generator<[number, T]> {
    for (let index = 0; index < this.#places.length; index++)
      yield [this.#places[index]!, this.#values[index]!]
  }

  /** -1 = it is not there. */
  #find(place: number): number {
    const places = this.#places
    // Where nothing was deleted.
    const guess = place - (places[0] ?? 0)
    if (places[guess] === place) return guess
    const index = this.#firstBehind(place) - 1
    return places[index] === place ? index : -1
  }

  #firstBehind(place: number): number {
    const places = this.#places
    let [low, high] = [0, places.length]
    // Most are added at the end.
    if (high > 0 && places[high - 1]! <= place) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (places[middle]! <= place) low = middle + 1
      else high = middle
    }
    return low
  }
}
