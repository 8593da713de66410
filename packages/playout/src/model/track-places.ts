import { finish, PIECE, type Pieces } from './pieces.ts'

/** Up to this many tracks, one search for each is quicker than a walk through the playlist. */
const FEW = 16

interface Entry {
  track: { id: string }
  orderType?: string | null
  orderId?: string
}

/** A hash of the track id for each entry of a playlist; different ids may have the same hash. */
const numbersIn = new WeakMap<readonly Entry[], Int32Array>()
/** Indices of the requested and donated entries of a playlist. */
const ordersIn = new WeakMap<readonly Entry[], readonly number[]>()

/** A place of a playlist where another one differs: `coming` entries stand for the `leaving` ones from index `at` on. */
export interface Cut {
  at: number
  leaving: number
  coming: number
}

const madeFrom = new WeakMap<readonly Entry[], { before: WeakRef<readonly Entry[]>; cuts: readonly Cut[] }>()

/** How a playlist differs from the one that it was made from, in order; null where that is another one, or unknown. */
export function cutsSince(before: readonly Entry[], entries: readonly Entry[]): readonly Cut[] | null {
  const made = madeFrom.get(entries)
  return made && made.before.deref() === before ? made.cuts : null
}

function noteCuts(before: readonly Entry[], entries: readonly Entry[], cuts: readonly Cut[]): void {
  // A strong reference would keep all playlists there ever were.
  madeFrom.set(entries, { before: new WeakRef(before), cuts })
}

/** A look through a whole playlist: what it was compared with, and the ids of tracks that came or changed since. */
export interface Look {
  by: object
  news: ReadonlySet<string>
}

const lastLooks = new WeakMap<readonly Entry[], Look>()
/** With more of them a playlist is looked through anew. */
const MAX_NEWS = 500

/** Notes that a playlist was looked through. */
export function noteLook(entries: readonly Entry[], look: Look): void {
  lastLooks.set(entries, look)
}

/** The last look through a playlist, or through the one that it was made from; undefined where none is known. */
export function lastLook(entries: readonly Entry[]): Look | undefined {
  return lastLooks.get(entries)
}

function carryLook(before: readonly Entry[], entries: readonly Entry[], coming: readonly Entry[]): void {
  const look = lastLooks.get(before)
  if (!look) return
  const news = new Set([...look.news, ...coming.map(({ track }) => track.id)])
  if (news.size <= MAX_NEWS) lastLooks.set(entries, { by: look.by, news })
}

/** Indices of the entries of some tracks, in order. For a known playlist only hashes are compared. */
export function placesOf(entries: readonly Entry[], trackIds: ReadonlySet<string>): number[] {
  const numbers = numbersIn.get(entries) ?? learnPlaces(entries)
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

/** Indices of the entries that somebody asked or paid for, in order, played ones included. */
export function ordersOf(entries: readonly Entry[]): readonly number[] {
  return ordersIn.get(entries) ?? learnOrders(entries)
}

function learnOrders(entries: readonly Entry[]): readonly number[] {
  const orders: number[] = []
  for (let at = 0; at < entries.length; at++) if (isOrder(entries[at]!)) orders.push(at)
  ordersIn.set(entries, orders)
  return orders
}

/** Makes the tracks of a playlist known. Call it where they are in memory anyway. */
export function learnPlaces(entries: readonly Entry[]): Int32Array {
  return finish(learnPlacesInPieces(entries))
}

/** … with interruptions. */
export function* learnPlacesInPieces(entries: readonly Entry[]): Pieces<Int32Array> {
  const numbers = new Int32Array(entries.length)
  for (let at = 0; at < entries.length; at++) {
    if (at % PIECE === 0) yield
    numbers[at] = numberOf(entries[at]!.track.id)
  }
  numbersIn.set(entries, numbers)
  return numbers
}

/** The playlist with `coming` in the place of the `leaving` entries from an index on. As well known as it was before. */
export function spliced<E extends Entry>(
  entries: readonly E[],
  at: number,
  leaving: number,
  coming: readonly E[],
): E[] {
  const end = at + leaving
  const shift = coming.length - leaving
  const next = entries.toSpliced(at, leaving, ...coming)
  noteCuts(entries, next, [{ at, leaving, coming: coming.length }])
  carryLook(entries, next, coming)
  const numbers = numbersIn.get(entries)
  if (numbers) {
    const changed = new Int32Array(next.length)
    changed.set(numbers.subarray(0, at))
    for (const [i, { track }] of coming.entries()) changed[at + i] = numberOf(track.id)
    changed.set(numbers.subarray(end), at + coming.length)
    numbersIn.set(next, changed)
  }
  const orders = ordersOf(entries)
  ordersIn.set(next, [
    ...orders.filter((place) => place < at),
    ...coming.flatMap((entry, i) => (isOrder(entry) ? [at + i] : [])),
    ...orders.filter((place) => place >= end).map((place) => place + shift),
  ])
  return next
}

/** The playlist without the entries at some indices, which are in order. As well known as it was before. */
export function without<E extends Entry>(entries: readonly E[], places: readonly number[]): E[] {
  if (places.length === 1) return spliced(entries, places[0]!, 1, [])
  const next: E[] = []
  const numbers = numbersIn.get(entries)
  const left = new Int32Array(numbers ? entries.length - places.length : 0)
  for (let at = 0, gone = 0; at < entries.length; at++) {
    if (at === places[gone]) {
      gone++
      continue
    }
    if (numbers) left[next.length] = numbers[at]!
    next.push(entries[at]!)
  }
  if (numbers) numbersIn.set(next, left)
  carryLook(entries, next, [])
  noteCuts(
    entries,
    next,
    places.map((at) => ({ at, leaving: 1, coming: 0 })),
  )
  return next
}

/** The playlist with other facts of the same tracks at some indices. As well known as it was before. */
export function replaced<E extends Entry>(
  entries: readonly E[],
  places: readonly number[],
  other: (entry: E) => E,
): E[] {
  const next = entries.slice()
  for (const place of places) next[place] = other(next[place]!)
  // Numbers are never changed, and these tracks keep theirs.
  const numbers = numbersIn.get(entries)
  if (numbers) numbersIn.set(next, numbers)
  ordersIn.set(next, ordersOf(entries))
  carryLook(
    entries,
    next,
    places.map((place) => next[place]!),
  )
  noteCuts(
    entries,
    next,
    places.map((at) => ({ at, leaving: 1, coming: 1 })),
  )
  return next
}

const isOrder = ({ orderType, orderId }: Entry) => (orderType ?? orderId ?? null) !== null

function numberOf(id: string): number {
  let number = 0
  for (let i = 0; i < id.length; i++) number = (Math.imul(number, 31) + id.charCodeAt(i)) | 0
  return number
}
