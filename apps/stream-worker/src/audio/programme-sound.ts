import type { AirPlan, QueueEntry, TrackRef } from '@solstice/playout'
import { type Cue, FRAME_SAMPLES, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { type Decoder, openDecoder } from './decoder.ts'
import { type Fade, gainAt, isOver, mix, type Part } from './mixer.ts'
import { SAMPLES_PER_MS } from './pcm-ring.ts'

/** What the sound asks of the engine, and tells it. Answered at once; all moments are station time. */
export interface Programme {
  /** What is to be heard at a moment, and what follows it. */
  plan(atMs: number): AirPlan
  /** The last sample of an entry was mixed, or its crossfade began; the next one starts at that moment. */
  soundEnded(entryId: string, atMs: number): void
  /** An entry cannot be decoded. On air it gives way at that moment, further back it leaves the queue. */
  unplayable(entryId: string, atMs: number): void
}

/** The next track is opened when so much of the current one is left. */
const PREPARE_SAMPLES = 20 * SAMPLE_RATE
const READ_AHEAD_SAMPLES = 4 * SAMPLE_RATE
/** Decoding ends so long after the duration that the library knows (contract: stream engine, watchdog). */
const OVERRUN_MS = 5_000
/** A change that is not a track's end is heard as a fade of 20 ms, not as a click. */
const QUICK_FADE_SAMPLES = 20 * SAMPLES_PER_MS
/** A track that died within 5 s is followed by 2 s of silence, so that a broken library cannot race through. */
const EARLY_SAMPLES = 5 * SAMPLE_RATE
const EARLY_SHORTFALL_SAMPLES = SAMPLE_RATE
const EARLY_SILENCE_SAMPLES = 2 * SAMPLE_RATE
/** The next track starts with its first sample even if the engine's moments differ by rounding. */
const ROUNDING_MS = 50
/** A track that the last chunk left off so short before its end is played to that end by whoever goes on. */
const TAIL_MS = 2_000
/** How far behind a prepared decoder may be and still be used rather than opened anew. */
const CATCH_UP_SAMPLES = 2 * SAMPLE_RATE
/**
 * How far the sound may fall behind its time while it waits for a decoder. Then it goes on with silence, as slowly as
 * time passes. Listeners hold more than that, so a wait is not heard.
 */
const PATIENCE_MS = 2_000
/** When the worker itself was held up for so long, the delay is not held against the decoders. */
const HELD_UP_MS = 500

interface Voice extends Part {
  entry: QueueEntry
  decoder: Decoder
  /** Sample of the broadcast at which the track's position 0 lies. */
  startsAt: number
  /** The engine knows already that this one is over: only its end is still to be heard. */
  isTail: boolean
}

/** The programme as samples: track after track without a gap, each decoded ahead of its time. */
export interface ProgrammeSound {
  /** Mixes the rest of the next frame; false = a decoder is not ready and is worth waiting for. */
  fill(block: Int16Array, nowMs: number): boolean
  /** To be called when the plan may be another one for a reason that did not come from here. */
  planChanged(): void
  /** Replaces decoders that hang; about every 100 ms, with the ms since the last call. */
  check(elapsedMs: number): void
  /** The station time of what comes next is another one: the programme is taken up anew. */
  restart(): void
  /** Process ids of the decoders. */
  readonly pids: number[]
  close(): Promise<void>
}

/**
 * @param options.start sample of the broadcast to begin with, a multiple of a frame.
 * @param options.firstHeard the programme is taken up at this sample; what lies before it only lets the encoder settle.
 * @param options.lastCue what was heard just before, when this broadcast goes on without a pause. A worker that died may
 *   have told the engine of a track's end that it could not publish any more; that end is then heard first.
 */
export function createProgrammeSound(options: {
  programme: Programme
  source(track: TrackRef): Promise<string>
  start: number
  firstHeard: number
  lastCue: Cue | null
  /** Station time of a sample of the broadcast. */
  timeOf(sample: number): number
  ffmpegPath: string
  crossfadeMs: number
  /** From this sample on an entry is heard whose position 0 lies at `startsAt`; null = silence. */
  onHeard(sample: number, entry: QueueEntry | null, startsAt: number): void
  /** A decoder has something new. */
  onProgress(): void
  log: Logger
}): ProgrammeSound {
  const { programme, timeOf, log } = options
  const crossfadeSamples = Math.round(options.crossfadeMs * SAMPLES_PER_MS)

  let cursor = options.start
  let filled = 0
  let current: Voice | null = null
  let prepared: Voice | null = null
  let following: QueueEntry | null = null
  /** Everything that sounds: the current voice and those that fade out. */
  let voices: Voice[] = []
  /** The entry that was over or undecodable last: it is not begun again, whatever the plan says. */
  let overId: string | null = null
  let isSilent = true
  let lagMs = 0
  /** The smallest lag since the beginning: what was late before anybody had to be waited for. */
  let ownLagMs = Infinity
  const closing = new Set<Promise<void>>()

  function open(entry: QueueEntry, startsAt: number, from: number): Voice {
    const { track } = entry
    const limit =
      track.durationMs === null
        ? Number.POSITIVE_INFINITY
        : Math.round((track.durationMs + OVERRUN_MS) * SAMPLES_PER_MS)
    const decoder = openDecoder({
      ffmpegPath: options.ffmpegPath,
      source: () => options.source(track),
      from,
      limit,
      readAhead: READ_AHEAD_SAMPLES + crossfadeSamples,
      onProgress: options.onProgress,
      log: log.child({ trackId: track.id }),
    })
    const samples = new Int16Array(FRAME_SAMPLES * 2)
    return { entry, decoder, startsAt, fade: null, samples, isTail: false }
  }

  function close(voice: Voice | null) {
    if (!voice) return
    const closed = voice.decoder.close().finally(() => closing.delete(closed))
    closing.add(closed)
  }

  /** Puts on air what the plan says for sample `at`. */
  function begin(plan: AirPlan, at: number, fade: Fade | null) {
    const planned = plan.current
    if (!planned || planned.entry.entryId === overId) {
      current = null
      following = plan.next
      if (!isSilent) options.onHeard(at, null, at)
      isSilent = true
      return
    }
    const { entry } = planned
    const position = Math.round(planned.positionMs * SAMPLES_PER_MS)
    const isPrepared =
      prepared?.entry.entryId === entry.entryId && position < prepared.decoder.ready + CATCH_UP_SAMPLES
    if (prepared && isPrepared) {
      current = prepared
      current.startsAt = at - (planned.positionMs < ROUNDING_MS ? 0 : position)
    } else {
      close(prepared)
      const startsAt = at - position
      current = open(entry, startsAt, Math.max(0, cursor - startsAt))
    }
    prepared = null
    current.fade = fade
    following = plan.next
    sound(current, at)
    log.info({ trackId: entry.track.id, entryId: entry.entryId, positionMs: planned.positionMs }, 'on air')
  }

  function sound(voice: Voice, at: number) {
    voices.push(voice)
    isSilent = false
    options.onHeard(Math.max(at, voice.startsAt), voice.entry, voice.startsAt)
  }

  /** Takes the programme up where the last broadcast left it. */
  function takeUp(at: number, lastCue: Cue | null) {
    const plan = programme.plan(timeOf(at))
    const planned = plan.current
    if (!lastCue) return begin(plan, at, null)
    const startsAt = lastCue.frame * FRAME_SAMPLES - Math.round(lastCue.positionMs * SAMPLES_PER_MS)
    const positionMs = (at - startsAt) / SAMPLES_PER_MS
    if (planned?.entry.entryId === lastCue.entryId) {
      // What was heard is exact to the sample; the engine's moment may lie a frame beside it.
      const isSame = Math.abs(planned.positionMs - positionMs) < ROUNDING_MS
      return begin(isSame ? { ...plan, current: { ...planned, positionMs } } : plan, at, null)
    }
    if (lastCue.durationMs === null || lastCue.durationMs - positionMs > TAIL_MS) return begin(plan, at, null)
    current = open(entryOf(lastCue), startsAt, Math.max(0, cursor - startsAt))
    current.isTail = true
    following = followerIn(plan)
    sound(current, at)
  }

  function followerIn(plan: AirPlan): QueueEntry | null {
    return current?.isTail ? (plan.current?.entry ?? plan.next) : plan.next
  }

  /** Where a voice is over, once that is known. */
  function endOf({ decoder, entry, startsAt }: Voice): number | null {
    if (decoder.end === null) return null
    const durationMs = entry.track.durationMs
    const expected = durationMs === null ? EARLY_SAMPLES : durationMs * SAMPLES_PER_MS
    const diedEarly = decoder.end < EARLY_SAMPLES && decoder.end < expected - EARLY_SHORTFALL_SAMPLES
    return startsAt + decoder.end + (diedEarly ? EARLY_SILENCE_SAMPLES : 0)
  }

  /** Where the crossfade of the current voice begins, when there is to be one. */
  function crossfadeOf(voice: Voice, end: number): number | null {
    if (!crossfadeSamples || voice.isTail || !prepared || prepared.decoder.phase === 'unplayable') return null
    if (end > voice.startsAt + voice.decoder.end!) return null
    const nextMs = prepared.entry.track.durationMs
    const nextLength = prepared.decoder.end ?? (nextMs === null ? Infinity : nextMs * SAMPLES_PER_MS)
    return end - Math.floor(Math.min(crossfadeSamples, voice.decoder.end! / 2, nextLength / 2))
  }

  function hasPatience(): boolean {
    return lagMs < ownLagMs + PATIENCE_MS
  }

  function leave(voice: Voice, at: number) {
    overId = voice.entry.entryId
    if (!voice.isTail) programme.soundEnded(overId, timeOf(at))
  }

  /**
   * Does everything that falls on the cursor.
   * @returns how many samples can be mixed before something else does; 0 = what falls there is not ready.
   */
  function settle(): number {
    for (;;) {
      if (voices.some(isFadedOut)) {
        for (const voice of voices.filter(isFadedOut)) close(voice)
        voices = voices.filter((voice) => !isFadedOut(voice))
      }
      if (!current) {
        begin(programme.plan(timeOf(cursor)), cursor, null)
        if (!current) return untilFadesEnd(Infinity)
      }
      const voice: Voice = current
      if (voice.decoder.phase === 'unplayable') {
        remove(voice)
        overId = voice.entry.entryId
        if (!voice.isTail) programme.unplayable(overId, timeOf(cursor))
        begin(programme.plan(timeOf(cursor)), cursor, null)
        if (!current) return untilFadesEnd(Infinity)
        continue
      }
      const end = endOf(voice)
      if (end === null) return untilFadesEnd(Infinity)
      if (cursor >= end) {
        remove(voice)
        leave(voice, cursor)
        // After a tail the engine's moment was computed by another worker, and may lie a hair's breadth later.
        begin(programme.plan(timeOf(cursor) + (voice.isTail ? 1 : 0)), cursor, null)
        if (!current) return untilFadesEnd(Infinity)
        continue
      }
      const fadeFrom = crossfadeOf(voice, end)
      if (fadeFrom === null || cursor < fadeFrom) return untilFadesEnd((fadeFrom ?? end) - cursor)
      if (prepared?.decoder.phase === 'opening') return hasPatience() ? 0 : untilFadesEnd(end - cursor)
      const fade = { from: cursor, length: end - cursor, level: 1 }
      leave(voice, cursor)
      const plan = programme.plan(timeOf(cursor))
      if (plan.current?.entry.entryId !== prepared?.entry.entryId) {
        // The engine has thought again: this one sounds to its end after all, the other one joins in now.
        voice.fade = { ...fade, direction: 'out', length: Math.min(fade.length, QUICK_FADE_SAMPLES) }
        begin(plan, cursor, null)
      } else {
        voice.fade = { ...fade, direction: 'out' }
        begin(plan, cursor, { ...fade, direction: 'in' })
      }
    }
  }

  function isFadedOut(voice: Voice): boolean {
    return voice !== current && voice.fade !== null && isOver(voice.fade, cursor)
  }

  function untilFadesEnd(limit: number): number {
    let count = limit
    for (const { fade } of voices) {
      if (fade && !isOver(fade, cursor)) count = Math.min(count, fade.from + fade.length - cursor)
    }
    return count
  }

  function remove(voice: Voice) {
    voices = voices.filter((other) => other !== voice)
    close(voice)
  }

  /** True while the current voice cannot give `count` samples and is worth waiting for. */
  function mustWait(count: number): boolean {
    // A crossfade can only begin in time when the end is known that much ahead.
    const needed = current ? cursor + count - current.startsAt + crossfadeSamples : 0
    if (!current || needed <= 0 || current.decoder.phase === 'ended' || current.decoder.ready >= needed) {
      return false
    }
    return hasPatience()
  }

  function prepare() {
    if (prepared?.decoder.phase === 'unplayable') {
      const { entryId } = prepared.entry
      close(prepared)
      prepared = null
      programme.unplayable(entryId, timeOf(cursor))
      const follower = followerIn(programme.plan(timeOf(cursor)))
      following = follower?.entryId === entryId ? null : follower
    }
    if (following && isNextNeededSoon()) prepared ??= open(following, 0, 0)
  }

  function isNextNeededSoon(): boolean {
    if (!current) return true
    const lengthMs = current.entry.track.durationMs
    const end =
      endOf(current) ?? (lengthMs === null ? Infinity : current.startsAt + lengthMs * SAMPLES_PER_MS)
    return end - cursor <= PREPARE_SAMPLES + crossfadeSamples
  }

  takeUp(options.firstHeard, options.lastCue)

  return {
    fill(block, nowMs) {
      lagMs = nowMs - timeOf(cursor)
      ownLagMs = Math.min(ownLagMs, lagMs)
      prepare()
      while (filled < FRAME_SAMPLES) {
        const count = Math.min(FRAME_SAMPLES - filled, settle())
        if (count === 0 || mustWait(count)) return false
        for (const voice of voices) {
          voice.decoder.read(cursor - voice.startsAt, count, voice.samples, filled)
        }
        mix(voices, block, filled, count, cursor)
        cursor += count
        filled += count
      }
      filled = 0
      return true
    },

    planChanged() {
      const plan = programme.plan(timeOf(cursor))
      const entryId = plan.current?.entry.entryId
      if (prepared && prepared.entry.entryId !== plan.next?.entryId && prepared.entry.entryId !== entryId) {
        close(prepared)
        prepared = null
      }
      const heardId = current?.isTail ? following?.entryId : current?.entry.entryId
      const follower = followerIn(plan)
      if (current && heardId === (current.isTail ? follower?.entryId : entryId)) {
        following = follower
        return
      }
      for (const voice of voices) {
        const level = gainAt(voice.fade, cursor)
        voice.fade = { direction: 'out', from: cursor, length: QUICK_FADE_SAMPLES, level }
      }
      const isJoined = (plan.current?.positionMs ?? 0) > 0 || voices.length > 0
      begin(
        plan,
        cursor,
        isJoined ? { direction: 'in', from: cursor, length: QUICK_FADE_SAMPLES, level: 1 } : null,
      )
    },

    check(elapsedMs) {
      if (elapsedMs > HELD_UP_MS) ownLagMs = Infinity
      for (const voice of voices) voice.decoder.check(elapsedMs)
      prepared?.decoder.check(elapsedMs)
    },

    restart() {
      cursor -= filled
      filled = 0
      ownLagMs = Infinity
      for (const voice of [...voices, prepared]) close(voice)
      voices = []
      current = null
      prepared = null
      begin(programme.plan(timeOf(cursor)), cursor, null)
    },

    get pids() {
      return [...voices, prepared].map((voice) => voice?.decoder.pid).filter((pid) => pid !== undefined)
    },

    async close() {
      for (const voice of [...voices, prepared]) close(voice)
      voices = []
      prepared = null
      await Promise.all(closing)
    },
  }
}

/** As much of an entry as is needed to hear its end. */
function entryOf({ entryId, trackId, title, artist, durationMs }: Cue): QueueEntry {
  const track = { id: trackId, title, artist, album: '', year: null, durationMs }
  return { entryId, track, orderType: null, tier: null }
}
