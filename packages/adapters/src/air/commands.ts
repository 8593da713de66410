import { randomUUID } from 'node:crypto'
import { type Command, isLasting, type Outcome } from '@solstice/playout'
import { type Asker, type Bus, Failure } from '@solstice/station'
import { answered } from '../redis/connection.ts'
import { type BusLines, keys, pause } from './wire.ts'

/** Nobody waits longer than this for the outcome of a command. */
const OUTCOME_LIMIT_MS = 6_000
/** To take a command back must not keep its sender waiting when Redis is away. */
const TAKE_BACK_LIMIT_MS = 1_000
/** A worker that could not save for so long has lost the lease: what it had taken up is not done any more. */
const TAKEN_UP_LIMIT_MS = 4_000
const KEPT_COMMANDS = 10_000
/** A connection that broke may send again what had arrived. */
const KNOWN_FOR_MS = 60_000
const RETRY_MS = 100

/** Writes a command once, and tells its id. */
const ASK = `
local known = redis.call('GET', KEYS[2])
if known then return known end
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 3))
redis.call('SET', KEYS[2], id, 'PX', ARGV[2])
return id`

/** The lease holder takes a command out of the stream, so that its sender cannot; tells its age in ms by Redis's clock. */
const TAKE_UP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('XDEL', KEYS[2], ARGV[2]) == 0 then return false end
local time = redis.call('TIME')
return math.floor(time[1] * 1000 + time[2] / 1000) - tonumber(string.match(ARGV[2], '^%d+'))`

/**
 * Sends commands, as the bus does. Either the worker takes a request out of the stream, and its outcome is waited for, or
 * the sender does when its time is up: so what was answered AIR_UNAVAILABLE is never done later (rule C2). The deadline
 * is for those whose sender is gone.
 */
export function createSender({ redis, clock, log, subscribe }: BusLines): Bus['send'] {
  const asker = randomUUID()
  const waiting = new Map<string, (outcome: Outcome) => void>()
  let outcomes: Promise<unknown> | null = null
  const listenForOutcomes = () => {
    outcomes ??= subscribe(keys.outcomes(asker), (message) => {
      const { token, outcome } = JSON.parse(message) as { token: string; outcome: Outcome }
      waiting.get(token)?.(outcome)
    })
    return outcomes
  }

  const ask = async (token: string, command: Command): Promise<string> => {
    const untilMs = isLasting(command) ? '' : clock.nowMs() + OUTCOME_LIMIT_MS
    await listenForOutcomes()
    const fields = ['asker', asker, 'token', token, 'command', JSON.stringify(command), 'until', untilMs]
    const places = [keys.commands, keys.asked(token)]
    const id = await redis.eval(ASK, places.length, ...places, KEPT_COMMANDS, KNOWN_FOR_MS, ...fields)
    return String(id)
  }
  /** True when no worker will carry it out. While Redis is away none can. */
  const takeBack = async (asked: Promise<string>): Promise<boolean> => {
    const takenBack = asked.then((id) => redis.xdel(keys.commands, id))
    return (await within(takenBack, TAKE_BACK_LIMIT_MS).catch(() => null)) !== 0
  }

  return async <C extends Command>(command: C) => {
    const token = randomUUID()
    const answer = new Promise<Outcome>((resolve) => waiting.set(token, resolve))
    try {
      const asked = ask(token, command)
      asked.catch((error) => log.warn({ err: error }, 'a command could not be sent'))
      const outcome = await within(answer, OUTCOME_LIMIT_MS)
      const isTakenUp = !outcome && !isLasting(command) && !(await takeBack(asked))
      const late = isTakenUp ? await within(answer, TAKEN_UP_LIMIT_MS) : null
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
  /** Station time; null = none was said, as by versions before there were deadlines. */
  untilMs: number | null
}

/** null for what is no command. */
export function readCommand(fields: Buffer[]): SentCommand | null {
  const texts = fields.map((field) => field.toString())
  try {
    const command = JSON.parse(texts[5]!) as Command
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
 * Whether a command is to be carried out: a fact always, a request when nobody else has taken it and its sender still waits.
 * One without a deadline has the usual one from the moment that its id tells: replicas of the version before go on
 * beside this one for as long as an upgrade lasts, and what they asked for before is over.
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
    if (ageMs === undefined) await pause(RETRY_MS)
  }
  if (ageMs === null) return false
  const isInTime = untilMs === null ? ageMs <= OUTCOME_LIMIT_MS : clock.nowMs() <= untilMs
  if (isInTime) return true
  log.info({ command: command.type, ageMs }, 'command refused: its sender waits no longer')
  answer({ redis }, asker, { ok: false, code: 'AIR_UNAVAILABLE' }).catch(() => {})
  return false
}

/** Resolves when the answer is on its way. */
export async function answer({ redis }: Pick<BusLines, 'redis'>, { bus, token }: Asker, outcome: Outcome) {
  await answered(redis, redis.publish(keys.outcomes(bus), JSON.stringify({ token, outcome })))
}

/** What comes within a time; null when nothing does. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
