/** Gives the oldest browsers that run the pages what they lack. What else is newer than they are, the pages go without. */
const missing: Record<string, (this: unknown[], ...args: never[]) => unknown> = {
  at(index: number) {
    return this[index < 0 ? this.length + index : index]
  },
  findLast(fits: (item: unknown, i: number, list: unknown[]) => boolean) {
    return this[this.findLastIndex(fits)]
  },
  findLastIndex(fits: (item: unknown, i: number, list: unknown[]) => boolean) {
    let i = this.length - 1
    while (i >= 0 && !fits(this[i], i, this)) i--
    return i
  },
}
for (const [name, value] of Object.entries(missing))
  if (!(name in Array.prototype))
    Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true })

export {}
