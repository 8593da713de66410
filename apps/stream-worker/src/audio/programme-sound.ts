import type { AirEntry, AirPlan, Phrase } from '@solstice/playout'
import { type Cue, FRAME_SAMPLES, type MediaKey, SAMPLE_RATE } from '@solstice/station'
import type { Logger } from 'pino'
import { ASSUMED_CLIP_MS, aboutEntry, type Placed, placedBy } from './air-entry.ts'
import { type Decoder, openDecoder } from './decoder.ts'
import type { Speech } from './microphones.ts'
import { createMixer, type Fade, gainAt, isOver, type Part } from './mixer.ts'
import { SAMPLES_PER_MS } from './pcm-ring.ts'

/** What the sound asks of the engine, and tells it. Answered at once; all moments are station time. */
export interface Programme {
  /** What is to be heard at a moment, and what follows it. */
  plan(atMs: number): AirPlan
  /** The last sample of a song, a jingle or filler was mixed, or its crossfade began; what follows starts at that moment. */
  soundEnded(entryId: string, atMs: number): void
  /** An entry cannot be decoded. On air it gives way at that moment, further back it leaves the queue. */
  unplayable(entryId: string, atMs: number): void
  /** A song or a jingle on air gave no sound for long; `wasHeard`: it did before. It gives way at that moment. */
  silent(entryId: string, atMs: number, wasHeard: boolean): void
  /** A jingle, a phrase or filler cannot be decoded. On air it gives way at that moment, but for a phrase. */
  clipUnplayable(clipId: string, atMs: number): void
}

/** The next track is opened when so much of the current one is left. */
const PREPARE_SAMPLES = 20 * SAMPLE_RATE
const READ_AHEAD_SAMPLES = 4 * SAMPLE_RATE
/** Decoding ends so long after the duration that the library knows (contract: stream engine, watchdog). */
const OVERRUN_MS = 5_000
/** A change that is not a track's end is heard as a fade of 20 ms, not as a click. */
const QUICK_FADE_SAMPLES = 20 * SAMPLES_PER_MS
/** Where a chat begins or ends the music gives way more slowly. */
const CHAT_FADE_SAMPLES = 700 * SAMPLES_PER_MS
/** A track that died within 5 s is followed by 2 s of silence, so that a broken library cannot race through. */
const EARLY_SAMPLES = 5 * SAMPLE_RATE
const EARLY_SHORTFALL_SAMPLES = SAMPLE_RATE
const EARLY_SILENCE_SAMPLES = 2 * SAMPLE_RATE
/** What gives no sound for so long is left (rule T6). */
const LONGEST_SILENCE_SAMPLES = 8 * SAMPLE_RATE
/** What is not louder than −60 dBFS is no sound. */
const SILENT_UP_TO = 32_768 / 1000
/** Over the end of a song a phrase is so much louder than its file. */
const PHRASE_GAIN = 9
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
/** What is mixed so late, or later, is not the present any more. */
const PRESENT_MS = PATIENCE_MS + 500
/** When the worker itself was held up for so long, the delay is not held against the decoders. */
const HELD_UP_MS = 500

/** A file that is heard. */
interface Sound extends Part {
  decoder: Decoder
  /** Sample of the broadcast at which its position 0 lies. */
  startsAt: number
}

interface Voice extends Sound, Placed {
  /** Position of the first sample that was decoded. */
  from: number
  /** The phrase, from some time before it is heard. */
  overlay: Sound | null
  /** So many of the last samples, while nothing else was heard, were silent. */
  silentSamples: number
  /** Something of it was heard, or may have been before this worker came. */
  wasHeard: boolean
  /** The engine knows already that this one is over: only its end is still to be heard. */
  isTail: boolean
  /** At this sample what follows takes over, where that is before its end: it was cut; null = it was not. */
  cutAt: number | null
}

/** The programme as samples: songs and jingles without a gap, phrases over them, each decoded ahead of its time. */
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
  source(media: MediaKey): Promise<string>
  /** What is said over the programme. */
  speech: Pick<Speech, 'mix' | 'open'> | null
  start: number
  firstHeard: number
  lastCue: Cue | null
  /** Station time of a sample of the broadcast. */
  timeOf(sample: number): number
  ffmpegPath: string
  crossfadeMs: number
  /** What is heard from this sample on; null = silence. */
  onHeard(sample: number, placed: Placed | null): void
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
  let following: AirEntry | null = null
  /** Everything that sounds: the current voice and those that fade out. */
  let voices: Voice[] = []
  /** The entry that was over or undecodable last: it is not begun again, whatever the plan says. */
  let overId: string | null = null
  /** The id of the silence of a chat; null = there is nothing to be heard at all; undefined = something is heard. */
  let silence: string | null | undefined = null
  let lagMs = 0
  /** The smallest lag since the beginning: what was late before anybody had to be waited for. */
  let ownLagMs = Infinity
  const mix = createMixer()
  const closing = new Set<Promise<void>>()

  function open(entry: AirEntry, startsAt: number, from: number): Voice {
    const { media, endMs, isTrimmed, gain } = aboutEntry(entry)
    if (media === null) throw new Error('silence has no file')
    const lengthMs = endMs ?? (isJingle(entry) ? ASSUMED_CLIP_MS : Infinity)
    return {
      ...openSound(media, lengthMs + (isTrimmed ? 0 : OVERRUN_MS), startsAt, from),
      gain,
      entry,
      from,
      phrase: null,
      overlay: null,
      silentSamples: 0,
      wasHeard: from - startOf(entry) > SAMPLE_RATE,
      isTail: false,
      cutAt: null,
    }
  }

  function openSound(media: MediaKey, limitMs: number, startsAt: number, from: number): Sound {
    const decoder = openDecoder({
      ffmpegPath: options.ffmpegPath,
      source: () => options.source(media),
      from,
      limit: Math.round(limitMs * SAMPLES_PER_MS),
      readAhead: READ_AHEAD_SAMPLES + crossfadeSamples,
      onProgress: options.onProgress,
      log: log.child({ media }),
    })
    return { decoder, startsAt, fade: null, samples: new Int16Array(FRAME_SAMPLES * 2) }
  }

  function close(voice: Voice | null) {
    if (!voice) return
    closeSound(voice)
    if (voice.overlay) closeSound(voice.overlay)
  }

  function closeSound({ decoder }: Sound) {
    const closed = decoder.close().finally(() => closing.delete(closed))
    closing.add(closed)
  }

  function setPhrase(voice: Voice, phrase: Phrase | null) {
    const isSame = voice.phrase?.clip.id === phrase?.clip.id && voice.phrase?.fromMs === phrase?.fromMs
    if (isSame) return
    voice.phrase = phrase
    if (voice.overlay) closeSound(voice.overlay)
    voice.overlay = null
    if (voices.includes(voice)) tellHeard(voice, cursor)
  }

  /** Opens the phrase of the current voice when it comes near. */
  function preparePhrase(voice: Voice) {
    const { phrase, overlay } = voice
    if (!phrase) return
    const { clip, fromMs } = phrase
    if (!overlay) {
      const startsAt = voice.startsAt + Math.round(fromMs * SAMPLES_PER_MS)
      if (startsAt - cursor > PREPARE_SAMPLES) return
      const limitMs = (clip.durationMs ?? ASSUMED_CLIP_MS) + OVERRUN_MS
      const from = Math.max(0, cursor - startsAt)
      voice.overlay = { ...openSound(clip.media, limitMs, startsAt, from), gain: PHRASE_GAIN }
      return
    }
    if (overlay.decoder.phase !== 'unplayable') return
    setPhrase(voice, null)
    programme.clipUnplayable(clip.id, timeOf(cursor))
  }

  /** What cannot be decoded leaves the programme. */
  function refuse(entry: AirEntry) {
    const { clip } = aboutEntry(entry)
    if (clip) programme.clipUnplayable(clip.id, timeOf(cursor))
    else programme.unplayable(entry.entryId, timeOf(cursor))
  }

  /** Puts on air what the plan says for sample `at`. */
  function begin(plan: AirPlan, at: number, fade: Fade | null) {
    const planned = plan.current
    if (!planned || planned.entry.entryId === overId) return beSilent(plan, at, null)
    const { entry } = planned
    if (aboutEntry(entry).media === null) {
      const startsAt = at - Math.round(planned.positionMs * SAMPLES_PER_MS)
      return beSilent(plan, at, { entry, startsAt, phrase: null })
    }
    const exact = Math.round(planned.positionMs * SAMPLES_PER_MS)
    const opened = prepared?.entry.entryId === entry.entryId ? prepared : null
    const isBeginning = opened && Math.abs(exact - opened.from) < ROUNDING_MS * SAMPLES_PER_MS
    const position = isBeginning ? opened.from : exact
    const startsAt = at - position
    if (opened && position >= opened.from && position < opened.decoder.ready + CATCH_UP_SAMPLES) {
      // The track may have been measured since it was opened.
      current = Object.assign(opened, { entry, startsAt, gain: aboutEntry(entry).gain })
    } else {
      close(prepared)
      current = open(entry, startsAt, Math.max(0, cursor - startsAt))
    }
    prepared = null
    current.fade = fade
    setPhrase(current, planned.phrase ?? null)
    following = plan.next
    sound(current, at)
    const positionMs = Math.round(planned.positionMs)
    log.info({ media: aboutEntry(entry).media, entryId: entry.entryId, positionMs }, 'on air')
  }

  /** Nothing is heard; `chat`: what is shown meanwhile. */
  function beSilent(plan: AirPlan, at: number, chat: Placed | null) {
    current = null
    following = plan.next
    const entryId = chat?.entry.entryId ?? null
    if (silence !== entryId) options.onHeard(at, chat)
    silence = entryId
  }

  /** Puts on air what the plan says now, although what sounds is not over. */
  function change(plan: AirPlan) {
    const isToChat = plan.current !== null && aboutEntry(plan.current.entry).isChat
    const isFromChat = current !== null && aboutEntry(current.entry).isChat
    const isJoined = (plan.current?.positionMs ?? 0) > 0 || voices.length > 0
    const length = (isSlow: boolean) => (isSlow ? CHAT_FADE_SAMPLES : QUICK_FADE_SAMPLES)
    for (const sound of allSounds(voices)) {
      const level = gainAt(sound.fade, cursor)
      const left = sound.fade?.direction === 'out' ? sound.fade.from + sound.fade.length - cursor : Infinity
      const outLength = Math.min(left, length(isToChat || isFromChat))
      sound.fade = { direction: 'out', from: cursor, length: outLength, level }
    }
    begin(
      plan,
      cursor,
      isJoined ? { direction: 'in', from: cursor, length: length(isToChat), level: 1 } : null,
    )
  }

  function sound(voice: Voice, at: number) {
    voices.push(voice)
    silence = undefined
    tellHeard(voice, at)
  }

  function tellHeard({ entry, startsAt, phrase }: Voice, at: number) {
    options.onHeard(Math.max(at, startsAt), { entry, startsAt, phrase })
  }

  /** Takes the programme up where the last broadcast left it. */
  function takeUp(at: number, lastCue: Cue | null) {
    const plan = programme.plan(timeOf(at))
    const planned = plan.current
    if (lastCue === null || lastCue.entryId === null) return begin(plan, at, null)
    const { entry, startsAt, phrase } = placedBy(lastCue)
    if (aboutEntry(entry).media === null) return begin(plan, at, null)
    const positionMs = (at - startsAt) / SAMPLES_PER_MS
    if (planned?.entry.entryId === lastCue.entryId) {
      // What was heard is exact to the sample; the engine's moment may lie a frame beside it.
      const isSame = Math.abs(planned.positionMs - positionMs) < ROUNDING_MS
      return begin(isSame ? { ...plan, current: { ...planned, positionMs } } : plan, at, null)
    }
    const { endMs } = aboutEntry(entry)
    const cutMs = (plan.beginsAtMs ?? Infinity) - timeOf(at)
    const isCut = cutMs <= TAIL_MS
    if (!isCut && (endMs === null || endMs - positionMs > TAIL_MS)) return begin(plan, at, null)
    current = open(entry, startsAt, Math.max(0, cursor - startsAt))
    current.isTail = true
    current.cutAt = isCut ? at + Math.round(cutMs * SAMPLES_PER_MS) : null
    setPhrase(current, phrase)
    following = followerIn(plan)
    sound(current, at)
  }

  function followerIn(plan: AirPlan): AirEntry | null {
    return current?.isTail ? (plan.current?.entry ?? plan.next) : plan.next
  }

  /** Where a voice is over, once that is known. */
  function endOf({ decoder, entry, startsAt }: Voice): number | null {
    if (decoder.end === null) return null
    if (aboutEntry(entry).clip) return startsAt + decoder.end
    const { endMs } = aboutEntry(entry)
    const expected = endMs === null ? EARLY_SAMPLES : endMs * SAMPLES_PER_MS
    const diedEarly = decoder.end < EARLY_SAMPLES && decoder.end < expected - EARLY_SHORTFALL_SAMPLES
    return startsAt + decoder.end + (diedEarly ? EARLY_SILENCE_SAMPLES : 0)
  }

  /** Where the crossfade of the current voice begins, when there is to be one. */
  function crossfadeOf(voice: Voice, end: number): number | null {
    if (!crossfadeSamples || voice.isTail || !prepared || prepared.decoder.phase === 'unplayable') return null
    if (aboutEntry(voice.entry).clip || aboutEntry(prepared.entry).clip) return null
    if (end > voice.startsAt + voice.decoder.end!) return null
    const { endMs } = aboutEntry(prepared.entry)
    const nextEnd = prepared.decoder.end ?? (endMs === null ? Infinity : endMs * SAMPLES_PER_MS)
    const length = voice.decoder.end! - startOf(voice.entry)
    return end - Math.floor(Math.min(crossfadeSamples, length / 2, (nextEnd - prepared.from) / 2))
  }

  function hasPatience(): boolean {
    return lagMs < ownLagMs + PATIENCE_MS
  }

  function leave(voice: Voice, at: number) {
    overId = voice.entry.entryId
    if (!voice.isTail) programme.soundEnded(overId, timeOf(at))
  }

  /** Rule T6. Operators have to see this: the file is at fault, or something on the way to it. */
  function leaveSilent(voice: Voice) {
    const { entry, wasHeard } = voice
    const { entryId } = entry
    log.error({ media: aboutEntry(entry).media, entryId, wasHeard }, 'the stream is silent; the song is left')
    remove(voice)
    current = null
    overId = entryId
    programme.silent(entryId, timeOf(cursor), wasHeard)
  }

  /** Whether the current voice is heard in what was mixed last; only where it sounds alone that can be told. */
  function noteSilence(block: Int16Array, count: number, isAlone: boolean) {
    if (!current || current.isTail || aboutEntry(current.entry).isChat) return
    const silent = isAlone ? silentAtEnd(block, filled, count) : 0
    current.silentSamples = silent === count ? current.silentSamples + count : silent
    if (isAlone && silent < count) current.wasHeard = true
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
        if (!voice.isTail) refuse(voice.entry)
        begin(programme.plan(timeOf(cursor)), cursor, null)
        if (!current) return untilFadesEnd(Infinity)
        continue
      }
      if (voice.silentSamples >= LONGEST_SILENCE_SAMPLES) {
        leaveSilent(voice)
        continue
      }
      const end = endOf(voice)
      const { cutAt } = voice
      // An end that falls on that moment, but for rounding, is no cut.
      if (cutAt !== null && (end === null || end - cutAt > ROUNDING_MS * SAMPLES_PER_MS)) {
        if (cursor < cutAt) return untilFadesEnd(cutAt - cursor)
        leave(voice, cursor)
        change(programme.plan(timeOf(cursor) + 1))
        if (!current) return untilFadesEnd(Infinity)
        continue
      }
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
    const isLate = current && (isShort(current, count + crossfadeSamples) || isPhraseShort(current, count))
    return isLate ? hasPatience() : false
  }

  function isPhraseShort({ overlay }: Voice, count: number): boolean {
    return overlay !== null && overlay.decoder.phase !== 'unplayable' && isShort(overlay, count)
  }

  /** True when a sound has less than `count` more samples ready, and there may be more. */
  function isShort({ decoder, startsAt }: Sound, count: number): boolean {
    const needed = cursor + count - startsAt
    return needed > 0 && decoder.phase !== 'ended' && decoder.ready < needed
  }

  function prepare() {
    if (prepared?.decoder.phase === 'unplayable') {
      const { entry } = prepared
      const { entryId } = entry
      close(prepared)
      prepared = null
      refuse(entry)
      const follower = followerIn(programme.plan(timeOf(cursor)))
      following = follower?.entryId === entryId ? null : follower
    }
    if (following && aboutEntry(following).media !== null && isNextNeededSoon())
      prepared ??= open(following, 0, startOf(following))
    if (current) preparePhrase(current)
  }

  function isNextNeededSoon(): boolean {
    if (!current || current.silentSamples > LONGEST_SILENCE_SAMPLES / 2) return true
    const { endMs } = aboutEntry(current.entry)
    const end = endOf(current) ?? (endMs === null ? Infinity : current.startsAt + endMs * SAMPLES_PER_MS)
    return end - cursor <= PREPARE_SAMPLES + crossfadeSamples
  }

  function openSounds(): Sound[] {
    return allSounds(prepared ? [...voices, prepared] : voices)
  }

  /** What is heard in the next samples: phrases only from their beginning to their end. */
  function heardSounds(count: number): Sound[] {
    const isHeard = ({ startsAt, decoder: { end } }: Sound) =>
      startsAt < cursor + count && (end === null || cursor < startsAt + end)
    return allSounds(voices).filter((sound) => 'entry' in sound || isHeard(sound))
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
        const sounds = heardSounds(count)
        for (const { decoder, startsAt, samples } of sounds) {
          decoder.read(cursor - startsAt, count, samples, filled)
        }
        // Where sound is made up for, nobody speaks: what is said now belongs to the present.
        const over = lagMs < PRESENT_MS ? options.speech?.mix(filled, count) : null
        mix(sounds, block, filled, count, cursor, over)
        noteSilence(block, count, sounds.length === 1 && !over && !options.speech?.open)
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
      if (!current && silence !== null && silence === entryId) return
      const heardId = current?.isTail ? following?.entryId : current?.entry.entryId
      const follower = followerIn(plan)
      if (current && heardId === (current.isTail ? follower?.entryId : entryId)) {
        following = follower
        if (!current.isTail) setPhrase(current, plan.current?.phrase ?? null)
        return
      }
      change(plan)
    },

    check(elapsedMs) {
      if (elapsedMs > HELD_UP_MS) ownLagMs = Infinity
      for (const { decoder } of openSounds()) decoder.check(elapsedMs)
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
      return openSounds()
        .map(({ decoder }) => decoder.pid)
        .filter((pid) => pid !== undefined)
    },

    async close() {
      for (const voice of [...voices, prepared]) close(voice)
      voices = []
      prepared = null
      await Promise.all(closing)
    },
  }
}

/** Voices with what is mixed over them. */
function allSounds(voices: readonly Voice[]): Sound[] {
  return voices.flatMap((voice) => (voice.overlay ? [voice, voice.overlay] : [voice]))
}

/** Position at which an entry begins when it is heard from its beginning. */
function startOf(entry: AirEntry): number {
  return Math.round(aboutEntry(entry).startMs * SAMPLES_PER_MS)
}

/** How many of the last of `count` samples of interleaved stereo, from sample `from` on, are silent. */
function silentAtEnd(block: Int16Array, from: number, count: number): number {
  let at = (from + count) * 2 - 1
  while (at >= from * 2 && Math.abs(block[at]!) <= SILENT_UP_TO) at--
  return from + count - 1 - (at >> 1)
}

function isJingle(entry: AirEntry): boolean {
  return 'clip' in entry
}
