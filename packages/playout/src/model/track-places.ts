/** Up to this many tracks, one search for each is quicker than a walk through the playlist. */
const FEW = 16

interface Entry {
  track: { id: string }
}

/** A hash of the track id for each entry of a playlist; different ids may have the same hash. */
const known = new WeakMap<readonly Entry[], Int32Array>()

/** Indices of the entries of some tracks, in order. For a known playlist only hashes are compared. */
export function placesOf(entries: readonly Entry[], trackIds: ReadonlySet<string>): number[] {
  const numbers = known.get(entries) ?? learnPlaces(entries)
  const wanted = new Set([...trackIds].map(numberOf))
  const places = wanted.size <= FEW ? [...wanted].flatMap((number) => occurrences(numbers, number)) : []
  if (wanted.size > FEW) numbers.forEach((number, at) => void (wanted.has(number) && places.push(at)))
  return places.filter((at) => trackIds.has(entries[at]!.track.id)).sort((a, b) => a - b)
}

function occurrences(numbers: Int32Array, number: number): number[] {
  const places: number[] = []
  for (let at = numbers.indexOf(number); at >= 0; at = numbers.indexOf(number, at + 1)) places.push(at)
  return places
}

/** Makes a playlist known. Call it where its tracks are in memory anyway. */
export function learnPlaces(entries: readonly Entry[]): Int32Array {
  const numbers = Int32Array.from(entries, ({ track }) => numberOf(track.id))
  known.set(entries, numbers)
  return numbers
}

/** Makes a playlist known that derives from a known one, without hashing shared entries again. */
export function carryPlaces(entries: readonly Entry[], before: readonly Entry[]): void {
  const numbersBefore = known.get(before)
  if (!numbersBefore) return
  const shift = entries.length - before.length
  let moved = 0
  const numbers = new Int32Array(entries.length)
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!
    // Behind the first entry added or removed, the others are shifted by that many places.
    if (entry !== before[at - moved] && entry === before[at - shift]) moved = shift
    const isSame = entry === before[at - moved]
    numbers[at] = isSame ? numbersBefore[at - moved]! : numberOf(entry.track.id)
  }
  known.set(entries, numbers)
}

function numberOf(id: string): number {
  let number = 0
  for (let i = 0; i < id.length; i++) number = (Math.imul(number, 31) + id.charCodeAt(i)) | 0
  return number
}
