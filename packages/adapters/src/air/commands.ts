import { randomUUID } from 'node:crypto'
import { type Command, isLasting, type Outcome, parseSaved } from '@solstice/playout'
import { type Asker, type Bus, Failure, type OutboxEntry, sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { hasReplicas } from '../redis/address.ts'
import { answered } from '../redis/connection.ts'
import { createReplicationWait } from '../redis/replication.ts'
import { readScript } from '../redis/script.ts'
import { maxHeldMs } from './lease/keeper.ts'
import { type BusLines, keys } from './wire.ts'

/** A sender gives up on the outcome of a command after this time. */
const OUTCOME_TIMEOUT_MS = 6_000
/** While Redis is away, taking a command back must not keep its sender waiting. */
const TAKE_BACK_TIMEOUT_MS = 1_000
/** The answer to what was saved at the last moment is on its way. */
const ANSWER_TIMEOUT_MS = 1_000
/** A failover may be under way when a sender looks for the last time. */
const FAILOVER_MS = 8_000
const KEPT_COMMANDS = 10_000
/** A broken connection may send a command again for less than this. */
const RESEND_WINDOW_MS = 60_000
const RETRY_MS = 100
/** A sender waits for less than this. */
const KEPT_OUTCOME_MS = 60_000
const LOOK_EVERY_MS = 500
/** A worker tries to save for less than this. */
const GIVEN_UP_MS = 3_600_000

const SEND = readScript(new URL('./send-command.lua', import.meta.url))
const ANSWER = readScript(new URL('./answer.lua', import.meta.url))
const GIVE_UP = readScript(new URL('./give-up.lua', import.meta.url))
const TAKE_UP = readScript(new URL('./take-up-command.lua', import.meta.url))

/**
 * Sends commands. Either the worker takes a request out of the stream and the sender waits for its outcome, or the sender
 * takes it back when its time is up: a request answered with AIR_UNAVAILABLE is never applied later (rule C2). The deadline
 * covers requests whose sender died.
 */
export function createSender({ redis, clock, log, subscriptions }: BusLines): Bus['send'] {
  const asker = randomUUID()
  const waiting = new Map<string, (outcome: Outcome) => void>()
  let outcomes: Promise<unknown> | null = null
  const listenForOutcomes = () => {
    outcomes ??= subscriptions
      .subscribe(keys.outcomes(asker), (message) => {
        const { token, outcome } = JSON.parse(message) as { token: string; outcome: Outcome }
        waiting.get(token)?.(outcome)
      })
      .catch((error) => {
        // The next command asks again.
        outcomes = null
        throw error
      })
    return outcomes
  }

  const ask = async (token: string, command: Command): Promise<string> => {
    const untilMs = isLasting(command) ? '' : clock.nowMs() + OUTCOME_TIMEOUT_MS
    await listenForOutcomes()
    const fields = ['asker', asker, 'token', token, 'command', JSON.stringify(command), 'until', untilMs]
    const places = [keys.commands, keys.asked(token)]
    const id = await redis.eval(SEND, places.length, ...places, KEPT_COMMANDS, RESEND_WINDOW_MS, ...fields)
    return String(id)
  }
  let breaks = 0
  if (hasReplicas(redis)) redis.on('close', () => breaks++)
  /**
   * True when no worker will apply it. While Redis is away none can, unless another server may take its place: then a worker may save
   * there what it took up before, and the new server may know of neither.
   */
  const takeBack = async (
    asked: Promise<string>,
    breaksBefore: number,
    untilMs: number,
  ): Promise<boolean> => {
    const takenBack = asked.then((id) => redis.xdel(keys.commands, id))
    const timeoutMs = hasReplicas(redis) ? untilMs - performance.now() : TAKE_BACK_TIMEOUT_MS
    const count = await within(takenBack, timeoutMs).catch(() => null)
    if (count === null) return !hasReplicas(redis)
    return count > 0 && breaks === breaksBefore
  }

  const replicated = createReplicationWait(log)
  const keptOutcome = async (token: string): Promise<Outcome | null> => {
    const kept = await redis.get(keys.outcome(token))
    return kept ? parseSaved<Outcome>(kept) : null
  }
  /**
   * The outcome that is kept, or that a worker saved with the state and died before it told. null = none: nobody saves one from now
   * on. Rejects when a failover may lose either.
   */
  const giveUp = async (token: string): Promise<Outcome | null> => {
    const places = [keys.outcome(token), keys.air, keys.givenUp(token)]
    const found = await redis.eval(GIVE_UP, places.length, ...places, token, GIVEN_UP_MS)
    const [kept, due] = (found ?? []) as (string | null)[]
    if (kept) return parseSaved<Outcome>(kept)
    const owed = parseSaved<OutboxEntry[]>(due ?? '[]')
    const entry = owed.find((each) => each.type === 'answer' && each.asker.token === token)
    const outcome = entry?.type === 'answer' ? entry.outcome : null
    // A replica that has the answer has the state, which was written before it.
    if (outcome) await answered(redis, answer(redis, { bus: asker, token }, outcome))
    await replicated(redis)
    return outcome
  }
  /** Without Redis nobody knows: null. */
  const lastLook = async (token: string): Promise<Outcome | null> => {
    const untilMs = performance.now() + (hasReplicas(redis) ? FAILOVER_MS : ANSWER_TIMEOUT_MS)
    for (;;) {
      const leftMs = untilMs - performance.now()
      const found = await within(
        giveUp(token).then((outcome) => ({ outcome })),
        leftMs,
      ).catch(() => null)
      if (found) return found.outcome
      if (leftMs <= 0) return null
      await sleep(RETRY_MS)
    }
  }

  /** Also finds an outcome that was published while this process was not connected. */
  const lateOutcome = async (token: string, answer: Promise<Outcome>, untilMs: number) => {
    for (;;) {
      const leftMs = untilMs - performance.now()
      const told = await within(answer, Math.min(LOOK_EVERY_MS, leftMs))
      if (told) return told
      if (leftMs <= 0) return lastLook(token)
      const kept = await within(keptOutcome(token), leftMs).catch(() => null)
      if (kept) return kept
    }
  }

  return async <C extends Command>(command: C) => {
    const token = randomUUID()
    const answer = new Promise<Outcome>((resolve) => waiting.set(token, resolve))
    // A worker takes it up in time, and then saves it or loses the lease.
    const untilMs = performance.now() + OUTCOME_TIMEOUT_MS + maxHeldMs(redis) + ANSWER_TIMEOUT_MS
    const breaksBefore = breaks
    try {
      const asked = ask(token, command)
      asked.catch((error) => log.warn({ err: error }, 'command could not be sent'))
      const outcome = await within(answer, OUTCOME_TIMEOUT_MS)
      const isDone = outcome !== null || isLasting(command)
      const isTakenUp = !isDone && !(await takeBack(asked, breaksBefore, untilMs))
      const late = isTakenUp ? await lateOutcome(token, answer, untilMs) : null
      if (outcome ?? late) return (outcome ?? late) as Outcome<C['type']>
      throw new Failure('AIR_UNAVAILABLE')
    } finally {
      waiting.delete(token)
    }
  }
}

/** A command as it stands in the stream. */
export interface SentCommand {
  asker: Asker
  command: Command
  /** Station time; null in commands of versions without deadlines. */
  untilMs: number | null
}

/** null for an entry that is no command. */
export function readCommand(fields: Buffer[]): SentCommand | null {
  const texts = fields.map((field) => field.toString())
  try {
    const command = parseSaved<Command>(texts[5]!)
    return {
      asker: { bus: texts[1]!, token: texts[3]! },
      command,
      untilMs: texts[7] ? Number(texts[7]) : null,
    }
  } catch {
    return null
  }
}

/**
 * Decides if a command is applied: a fact always, a request when this worker took it and its sender still waits.
 * A request without a deadline, from a replica of the version before during an upgrade, has the usual one counted from
 * the time in its id.
 */
export async function takeUp(
  { redis, clock, log }: Pick<BusLines, 'redis' | 'clock' | 'log'>,
  lease: { token: string; lost: AbortSignal },
  id: string,
  { asker, command, untilMs }: SentCommand,
): Promise<boolean> {
  if (isLasting(command)) return true
  let ageMs: number | null | undefined
  while (ageMs === undefined) {
    if (lease.lost.aborted) return false
    const taken = redis.eval(TAKE_UP, 2, keys.lease, keys.commands, lease.token, id)
    ageMs = (await answered(redis, taken).catch(() => undefined)) as number | null | undefined
    if (ageMs === undefined) await sleep(RETRY_MS)
  }
  if (ageMs === null) return false
  const isInTime = untilMs === null ? ageMs <= OUTCOME_TIMEOUT_MS : clock.nowMs() <= untilMs
  if (isInTime) return true
  log.info({ command: command.type, ageMs }, 'command refused: sender no longer waits')
  answered(redis, answer(redis, asker, { ok: false, code: 'AIR_UNAVAILABLE' })).catch(() => {})
  return false
}

/** Resolves when the answer is on its way. */
export function answer(redis: Redis, { bus, token }: Asker, outcome: Outcome): Promise<unknown> {
  const places = [keys.outcome(token), keys.outcomes(bus)]
  const told = [JSON.stringify(token), JSON.stringify(outcome), KEPT_OUTCOME_MS]
  return redis.eval(ANSWER, places.length, ...places, ...told)
}

/** The value, or null when it does not come in time. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
