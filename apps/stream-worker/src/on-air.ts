import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bareEnvironment, type Ports } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import {
  advance,
  apply,
  type Command,
  type Fact,
  initialState,
  learn,
  nextDueMs,
  noHosting,
  type PlayoutState,
  projectAir,
  type Rendition,
  resume,
  type Step,
  wantedLists,
  withRenditions,
} from '@solstice/playout'
import {
  type AirDesk,
  airClips,
  type Consequence,
  chunkEndMs,
  type FrameChunk,
  hostingOf,
  libraryOf,
  type MediaKey,
  programmeSettings,
  renditionsOf,
  type Saved,
  scheduleNow,
  trackRef,
} from '@solstice/station'
import type { AirMemory } from './air-memory.ts'
import { aboutEntry } from './audio/air-entry.ts'
import { type Broadcast, madeUpFrom, startBroadcast } from './audio/broadcast.ts'
import { createSpeech, type Speech } from './audio/microphones.ts'
import { createConsequences } from './consequences.ts'
import type { Figures } from './figures.ts'
import { createLibraryFiles } from './library-files.ts'
import { type ComingEntry, createNextFile } from './next-file.ts'
import { createProbing } from './probing.ts'
import { createSavedAir } from './saved-air.ts'
import { createSecondChance } from './second-chance.ts'
import { isSameAhead, soonHeard } from './soon-heard.ts'

/** An ffmpeg that does not say its version in this time says nothing at all. */
const FFMPEG_LIMIT_MS = 10_000
/** The schedule covers some days; so often it grows. */
const SCHEDULE_EVERY_MS = 60_000
const RETRY_MS = 1_000
/** Tracks that could not be played are tried again so often when there is nothing else: a disk may be back. */
const SECOND_CHANCE_MS = 20_000
/** The first track of a list that was waited for starts so much later: by then its sound is ready. */
const FIRST_SOUND_MS = 600
/** Commands wait at most so long for sound that is made up for; whoever sent them waits, too. */
const LONGEST_CATCH_UP_MS = 3_000
const CATCH_UP_CHECK_MS = 20
/** What follows from the last states is waited for at most so long. */
const LONGEST_LAST_WORK_MS = 2_000
/** So often it is asked whether the replicas that hold people on the air are alive. */
const REPLICAS_EVERY_MS = 2_000

/**
 * The engine's shell, while the desk is held: inputs → step → save → answer → act. Everything that changes the state
 * goes through `take`; nothing is answered, recorded or published that is not in the saved state. What a state has to be
 * followed by is saved with it until it is done: whoever takes over does it first.
 */
export async function goOnAir(
  ports: Ports,
  desk: AirDesk,
  saved: Saved | null,
  memory: Pick<AirMemory, 'lastChunk'>,
  stopping: AbortSignal,
  figures: Figures,
): Promise<void> {
  const { config, log, data, media, clock } = ports
  let broadcast: Broadcast | null = null
  const consequences = createConsequences(ports, desk, (atMs) => broadcast?.frameAt(atMs) ?? null)
  for (const consequence of saved?.due ?? []) consequences.carryOut(consequence)
  const air = createSavedAir(desk, consequences, clock)
  const canHearItself = config.streamMode && (await hasFfmpeg(config.ffmpegPath))
  if (config.streamMode && !canHearItself)
    log.error(`${config.ffmpegPath} cannot be started: there is no stream`)
  const lastChunk = canHearItself ? ((await desk.lastChunk()) ?? memory.lastChunk) : null

  const off = new AbortController()
  const offAir = AbortSignal.any([desk.lost, stopping, off.signal])
  let state: PlayoutState
  let dueTimer: NodeJS.Timeout | undefined
  const hasMicrophones = canHearItself && config.radioHostsMode
  const speech = hasMicrophones ? createSpeech({ askForHead: ports.microphones.askForHead, log }) : null
  /** Sound is made up for: nothing may end what listeners have still to hear. */
  let isCatchingUp = canHearItself
  let libraryVersion = 0
  let clipsVersion = 0
  const files = createLibraryFiles(ports)
  const secondChance = createSecondChance(media)
  const probe = <T>(find: (key: MediaKey) => Promise<T>) =>
    createProbing(find, secondChance.noteFilesBack, offAir)
  const leaveOut = (entryId: string) => tell({ type: 'unplayable', entryId })
  const nextFile = canHearItself ? null : createNextFile(probe(files.find), leaveOut, log, offAir)
  /** What was looked at to know what is heard soon. */
  let ahead: PlayoutState | null = null
  let missingReplicas: string[] = []
  let renditions: Record<string, Rendition> = {}
  const reading = new Set<Mode>()

  const station = (): Extract<Fact, { type: 'station' }> => ({
    type: 'station',
    pace: canHearItself ? 'sound' : 'clock',
    schedule: scheduleNow(config, clock),
    nightMode: config.nightMode,
    limits: {
      modeSwitchCooldownMs: config.modeSwitchCooldownS * 1000,
      preparingMinMs: config.preparingMinS * 1000,
      groupInsertCooldownMs: config.groupInsertCooldownS * 1000,
      queueAddCooldownMs: config.queueAddCooldownS * 1000,
      queueRemoveCooldownMs: config.queueRemoveCooldownS * 1000,
      queueSkipCooldownMs: config.queueSkipCooldownS * 1000,
      suggestCooldownMs: config.suggestCooldownS * 1000,
      suggestExpiryMs: config.suggestExpiryS * 1000,
    },
  })

  const take = (step: Step, answers: readonly Consequence[] = []) => {
    if (step.state === state && step.effects.length === 0) return
    air.takeIn(state, step, answers)
    // Another mode is prepared from the library and settings of now, not from what was being read before.
    if (step.state.onAir.phase === 'preparing' && step.state.onAir !== state.onAir) libraryVersion++
    state = step.state
    followPeople()
    if (offAir.aborted) return
    keepTime()
    readWantedLists()
    lookAhead()
    air.save().catch(fail)
  }
  /** What is heard soon is to be on this machine before its time; where listeners hear the files, the next one is to exist. */
  const lookAhead = () => {
    if (ahead && isSameAhead(ahead, state)) return
    ahead = state
    nextFile?.follow(comingEntry(state, clock.nowMs()))
    if (canHearItself && config.mediaStorage !== 'local') media.keepAtHand(soonHeard(state, clock.nowMs()))
  }
  const tell = (fact: Fact, atMs = clock.nowMs()) => take(learn(state, fact, atMs))
  const followPeople = () => {
    speech?.follow(state.live.participants).catch((error) => log.error({ err: error }, 'a microphone failed'))
  }
  const passTime = (nowMs = clock.nowMs()) => {
    if (!isCatchingUp) take(advance(state, nowMs))
  }

  const fail = (error: unknown) => {
    if (!offAir.aborted) log.error({ err: error }, 'the air cannot be kept')
    off.abort()
  }

  const keepTime = () => {
    clearTimeout(dueTimer)
    if (isCatchingUp) return
    const dueMs = nextDueMs(state)
    // A timer may fire a little early: advance() then does nothing and the rest is waited for.
    if (dueMs !== null)
      dueTimer = setTimeout(onDue, Math.min(Math.max(0, Math.ceil(dueMs - clock.nowMs())), 2 ** 31 - 1))
  }
  const onDue = () => {
    passTime()
    keepTime()
    broadcast?.planChanged()
  }

  const readWantedLists = () => {
    for (const mode of wantedLists(state)) if (!reading.has(mode)) void readLibrary(mode)
  }
  const readLibrary = async (mode: Mode) => {
    reading.add(mode)
    await files.turn(mode, state.onAir.phase === 'preparing', offAir)
    const version = libraryVersion
    try {
      const [library, settings] = await Promise.all([
        libraryOf(data, mode),
        programmeSettings(data, mode),
        readRenditions(),
      ])
      const present = await files.present(mode, library)
      reading.delete(mode)
      if (offAir.aborted) return
      if (version !== libraryVersion) return readWantedLists()
      passTime()
      const startMs = clock.nowMs() + (canHearItself ? FIRST_SOUND_MS : 0)
      const atHand = media.atHand()
      secondChance.noteLeftOut('tracks')
      const tracks = within(present, atHand).map((track) => trackRef(track, renditions[track.id]))
      tell({ type: 'library', mode, tracks, settings }, startMs)
      broadcast?.planChanged()
    } catch (error) {
      log.error({ err: error, mode }, 'the library could not be read')
      setTimeout(() => {
        reading.delete(mode)
        if (!offAir.aborted) readWantedLists()
      }, RETRY_MS)
    }
  }

  const readClips = async () => {
    const version = ++clipsVersion
    try {
      const [clips, hosting] = await Promise.all([airClips(data, config), hostingOf(data, config)])
      if (offAir.aborted || version !== clipsVersion) return
      tell({ type: 'clips', clips })
      tell({ type: 'hosting', hosting: { ...hosting, isOn: hosting.isOn && canHearItself } })
      broadcast?.planChanged()
    } catch (error) {
      log.error({ err: error }, 'the clips could not be read')
      setTimeout(() => {
        if (!offAir.aborted && version === clipsVersion) void readClips()
      }, RETRY_MS)
    }
  }

  const readRenditions = async () => {
    try {
      renditions = await renditionsOf(data, { ...config, streamMode: canHearItself })
      if (!offAir.aborted) tell({ type: 'renditions', renditions })
    } catch (error) {
      // Tracks that it knows nothing of are played as they are.
      log.error({ err: error }, 'how loud tracks are could not be read')
    }
  }

  /** The hours of day and night come by the wall clock, which may be set. */
  const reviseSchedule = () => {
    const fact = station()
    if (JSON.stringify(fact.schedule) !== JSON.stringify(state.schedule)) tell(fact)
  }

  /** The queue was lost, if there was one: what was paid for comes back to it. */
  const restoreOrders = () => {
    if (ports.payments.configured.size === 0) return
    // What fails here is done within a minute all the same.
    ports.jobs.add('sweep-donations', {}, { id: 'sweep-donations', again: true }).catch(() => {})
  }

  /** Who is on the air from a replica that is gone is gone, too. It has to be missing twice: it may have just begun. */
  const checkReplicas = async () => {
    const { participants, requests, approvals } = state.live
    const replicas = [...participants, ...requests, ...approvals].map(({ replica }) => replica)
    const missing = replicas.length > 0 ? await ports.replicas.missing([...new Set(replicas)]) : []
    const gone = missing.filter((replica) => missingReplicas.includes(replica))
    missingReplicas = missing
    if (offAir.aborted || isCatchingUp) return
    for (const replica of gone) {
      const nowMs = Math.max(clock.nowMs(), broadcast?.mixedUntilMs ?? 0)
      passTime(nowMs)
      log.warn({ replica }, 'a replica is gone with all who were on the air from there')
      take(apply(state, { type: 'replica-gone', replica }, nowMs))
      broadcast?.planChanged()
    }
  }

  const listen = async (sound: Speech): Promise<void> => {
    try {
      const unsubscribe = await ports.microphones.receive(sound.receive)
      if (offAir.aborted) unsubscribe()
      else offAir.addEventListener('abort', unsubscribe)
    } catch (error) {
      if (offAir.aborted) return
      log.warn({ err: error }, 'microphones cannot be heard yet')
      await sleep(RETRY_MS)
      if (!offAir.aborted) await listen(sound)
    }
  }

  const giveSecondChance = () => {
    const due = secondChance.due(state, files.areMissing)
    if (due.has('clips')) void readClips()
    if (!due.has('tracks')) return
    libraryVersion++
    take(apply(state, { type: 'library-changed' }, clock.nowMs()))
  }

  /** Resolves when the sound has reached the present; from then on the clock counts. */
  const catchUp = async (sound: Broadcast) => {
    const endMs = performance.now() + LONGEST_CATCH_UP_MS
    while (!offAir.aborted && sound.mixedUntilMs < clock.nowMs() && performance.now() < endMs)
      await sleep(CATCH_UP_CHECK_MS)
    isCatchingUp = false
    if (!offAir.aborted) onDue()
  }

  const obey = async () => {
    for await (const { id, asker, command } of desk.commands(state.appliedThrough, offAir)) {
      if (offAir.aborted) return
      // Where the sound is mixed ahead, what follows begins with its first sample behind what is mixed.
      const isCut = cuts.has(command.type) || state.onAir.phase === 'chat'
      const aheadMs = (isCut && broadcast?.mixedUntilMs) || 0
      const nowMs = Math.max(clock.nowMs(), aheadMs)
      passTime(nowMs)
      try {
        const step = apply(state, withRenditions(command, renditions), nowMs)
        if (command.type === 'library-changed' || command.type === 'settings-changed') libraryVersion++
        if (command.type === 'clips-changed') void readClips()
        const answer = { type: 'answer', asker, outcome: step.outcome } as const
        take({ ...step, state: { ...step.state, appliedThrough: id } }, [answer])
        if (command.type === 'renditions-changed') void readRenditions()
        broadcast?.planChanged()
      } catch (error) {
        // A command that this version does not know must not stop the air, nor be read again for ever.
        log.error({ err: error, command }, 'a command could not be understood')
        const answer = { type: 'answer', asker, outcome: { ok: false, code: 'INTERNAL' } } as const
        take({ state: { ...state, appliedThrough: id }, effects: [] }, [answer])
      }
    }
  }

  const nowMs = clock.nowMs()
  // Sound that is made up for was planned when it was due.
  const atMs = (lastChunk && madeUpFrom(lastChunk, nowMs)) ?? nowMs
  const fact = station()
  // In stream mode a worker may be alive and not be heard.
  const isHeard = saved?.state.pace === 'sound' && lastChunk !== null
  const start = saved
    ? resume(saved.state, isHeard ? chunkEndMs(lastChunk) : saved.aliveAtMs, atMs)
    : { state: await firstState(desk, fact, atMs), effects: [] }
  const informed = learn(start.state, fact, atMs)
  state = informed.state
  const effects = [...start.effects, ...informed.effects]
  air.takeIn(saved?.state ?? state, { state, effects })
  await air.save()
  if (!saved) restoreOrders()
  await readRenditions()
  lookAhead()
  keepTime()
  readWantedLists()

  if (!canHearItself) tell({ type: 'hosting', hosting: noHosting })
  else {
    await readClips()
    broadcast = startBroadcast({
      programme: {
        plan: (at) => projectAir(state, at),
        soundEnded: (entryId, at) => tell({ type: 'sound-ended', entryId }, at),
        unplayable: (entryId, at) => {
          secondChance.noteLeftOut('tracks')
          tell({ type: 'unplayable', entryId }, at)
        },
        silent: (entryId, at, wasHeard) => {
          figures.silencesLeft++
          if (!wasHeard) secondChance.noteLeftOut('tracks')
          tell({ type: 'silent', entryId, wasHeard }, at)
        },
        clipUnplayable: (clipId, at) => {
          secondChance.noteLeftOut('clips')
          tell({ type: 'clip-unplayable', clipId }, at)
        },
      },
      source: probe(media.source),
      ...(speech && { speech }),
      publish: async (chunk: FrameChunk) => {
        if (!air.isSaved) await air.save()
        await desk.publish(chunk).catch((error) => {
          // Without sound nobody shall hold the desk.
          fail(error)
          throw error
        })
      },
      nowMs: clock.nowMs,
      after: lastChunk,
      settings: {
        ffmpegPath: config.ffmpegPath,
        bitrate: config.streamBitrate,
        crossfadeMs: config.crossfadeMs,
      },
      onEncoderReplaced: () => figures.encodersReplaced++,
      log,
    })
  }
  const scheduleTimer = setInterval(reviseSchedule, SCHEDULE_EVERY_MS)
  const stopRevising = clock.onSet(reviseSchedule)
  const secondChanceTimer = setInterval(giveSecondChance, SECOND_CHANCE_MS)
  const replicasTimer = setInterval(() => {
    checkReplicas().catch(() => {}) // Redis is away: nobody can be told from who is gone.
  }, REPLICAS_EVERY_MS)
  followPeople()
  if (speech) void listen(speech)
  const ready = broadcast ? catchUp(broadcast) : Promise.resolve()
  ready.then(obey).catch(fail)
  log.info({ about: 'desk', mode: state.mode, streaming: canHearItself }, 'the station is on air')

  await new Promise<void>((resolve) => {
    if (offAir.aborted) resolve()
    else offAir.addEventListener('abort', () => resolve())
  })
  clearTimeout(dueTimer)
  clearInterval(scheduleTimer)
  stopRevising()
  clearInterval(secondChanceTimer)
  clearInterval(replicasTimer)
  await broadcast?.stop()
  speech?.close()
  if (!desk.lost.aborted) {
    const saveLast = () =>
      air.saveAgain().catch((error) => log.error({ err: error }, 'the last state was not saved'))
    await saveLast()
    // What is done by now shall not be done again by whoever is next.
    await Promise.race([consequences.done(), sleep(LONGEST_LAST_WORK_MS, undefined, { ref: false })])
    await saveLast()
    await desk.handOver()
  }
}

/** What was asked of an air that is forgotten is not asked of this one. */
async function firstState(
  desk: AirDesk,
  { pace, schedule }: Extract<Fact, { type: 'station' }>,
  atMs: number,
): Promise<PlayoutState> {
  const appliedThrough = await desk.lastCommand()
  return { ...initialState(randomInt(2 ** 31), pace, schedule, atMs), appliedThrough }
}

/** The entry that follows the one on air, as things stand. */
function comingEntry(state: PlayoutState, nowMs: number): ComingEntry | null {
  const { next } = projectAir(state, nowMs)
  const media = next && aboutEntry(next).media
  return next && media !== null ? { entryId: next.entryId, media } : null
}

/** What ends the sound that is on air; in a chat that may be anything that ends a pause or chooses filler. */
const cuts = new Set<Command['type']>(['skip', 'switch-mode', 'pause-queue'])

/** Those tracks that can be had, unless there is none of them. */
function within(
  tracks: readonly Readonly<Track>[],
  atHand: ReadonlySet<MediaKey> | null,
): readonly Readonly<Track>[] {
  const found = atHand ? tracks.filter(({ storageKey }) => atHand.has(storageKey)) : []
  return found.length > 0 ? found : tracks
}

async function hasFfmpeg(path: string): Promise<boolean> {
  return promisify(execFile)(path, ['-version'], {
    timeout: FFMPEG_LIMIT_MS,
    killSignal: 'SIGKILL',
    env: bareEnvironment(),
  }).then(
    () => true,
    () => false,
  )
}
