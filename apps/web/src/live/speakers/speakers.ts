import { createStore, type Store } from '../../ui/store.ts'
import type { LiveConnection } from '../live-connection.ts'
import { type Level, SILENCE } from '../voice-capture.ts'

/** How loud everybody on air is, as the station tells those on air and moderators. */
export interface Speakers {
  /** By id of the roster, with their gain; who is missing is silent. */
  readonly levels: Store<ReadonlyMap<string, Level>>
  /** When the time of each guest on air is up, by id: station time, epoch ms. */
  readonly endsAt: Store<ReadonlyMap<string, number>>
}

/** Levels come four times a second while somebody is heard; after this long without any, the station is silent or away. */
const SILENT_AFTER_MS = 1_500
/** −45 dB: above the noise of a room, below a quiet voice. */
const SPEAKS = 0.0056

export function followSpeakers(connection: Pick<LiveConnection, 'on' | 'link'>): Speakers {
  const levels = createStore<ReadonlyMap<string, Level>>(new Map())
  const endsAt = createStore<ReadonlyMap<string, number>>(new Map())
  let timer: ReturnType<typeof setTimeout> | undefined
  connection.on('live_levels', (told) => {
    clearTimeout(timer)
    timer = setTimeout(() => levels.set(new Map()), SILENT_AFTER_MS)
    levels.set(new Map(told.map(({ id, peak, rms }) => [id, { peak, rms }])))
  })
  connection.on('live_guest_times', (told) =>
    endsAt.set(new Map(told.map(({ id, endsAt: atMs }) => [id, atMs]))),
  )
  connection.link.subscribe((link) => {
    if (link === 'online') return
    levels.set(new Map())
    endsAt.set(new Map())
  })
  return { levels, endsAt }
}

/** Calls back with the level of one person, now and whenever it is told. Returns the function that ends that. */
export function followLevel({ levels }: Speakers, id: string, draw: (level: Level) => void): () => void {
  const look = () => draw(levels.value.get(id) ?? SILENCE)
  look()
  return levels.subscribe(look)
}

export const isSpeaking = ({ rms }: Level): boolean => rms >= SPEAKS
