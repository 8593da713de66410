import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { User } from '@solstice/contracts'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Persona } from './personas.ts'

/** A full list to everybody grows with the square of the audience: so it is told seldom, and more seldom to many. */
const PACE_MS = 2_000
const SLOW_PACE_MS = 10_000
const MANY_SOCKETS = 500
/** Replicas tell each other their part so often at least, and forget a part that was not told for longer. */
const TELL_EVERY_MS = 10_000
const FORGET_AFTER_MS = 25_000
const CHANNEL = 'solstice:roster'

/** Who is here, over all replicas. Each tells the others its newest, so every list is their union. */
export interface Roster {
  /** Gives a new socket its persona; call what comes back when it leaves. */
  enter(): () => void
  /** The newest first, at most `limit`. */
  list(): User[]
  close(): void
}

interface Member {
  user: User
  sinceMs: number
}

/** What a replica says; without members it only asks the others to say theirs. */
interface News {
  from: string
  members?: Member[]
}

/**
 * @param deps.subscriber a connection in subscribed state, `deps.redis` one for all else.
 * @param deps.onChange gets the new list, at most once per 2 s, per 10 s above 500 sockets.
 */
export function createRoster(deps: {
  redis: Redis
  subscriber: Redis
  personas: readonly Persona[]
  limit: number
  nowMs: () => number
  onChange: (list: User[]) => void
  log: Logger
}): Roster {
  const { redis, subscriber, personas, limit, nowMs, log } = deps
  const here = randomUUID()
  const own: Member[] = []
  const worn = personas.map(() => 0)
  const others = new Map<string, { members: Member[]; toldAtMs: number }>()
  let told = ''
  let tellTimer: NodeJS.Timeout | undefined
  let lastTellMs = Number.NEGATIVE_INFINITY

  const list = () => {
    const all = [...others.values()].flatMap(({ members }) => members).concat(own.slice(-limit))
    return all
      .sort((a, b) => b.sinceMs - a.sinceMs)
      .slice(0, limit)
      .map(({ user }) => user)
  }

  const publish = (news: News) => {
    if (redis.status !== 'ready') return
    redis.publish(CHANNEL, JSON.stringify(news)).catch(() => {})
  }
  const tellOthers = () => publish({ from: here, members: own.slice(-limit) })

  const tell = () => {
    tellTimer = undefined
    lastTellMs = performance.now()
    const current = list()
    const json = JSON.stringify(current)
    if (json === told) return
    told = json
    deps.onChange(current)
  }
  const changed = () => {
    const paceMs = own.length > MANY_SOCKETS ? SLOW_PACE_MS : PACE_MS
    tellTimer ??= setTimeout(tell, Math.max(0, lastTellMs + paceMs - performance.now()))
  }

  let shareTimer: NodeJS.Timeout | undefined
  const changedHere = () => {
    changed()
    shareTimer ??= setTimeout(() => {
      shareTimer = undefined
      tellOthers()
    }, PACE_MS)
  }

  const hear = (channel: string, message: string) => {
    if (channel !== CHANNEL) return
    const news = readNews(message)
    if (!news || news.from === here) return
    if (news.members === undefined) return tellOthers()
    if (news.members.length === 0) others.delete(news.from)
    else others.set(news.from, { members: news.members, toldAtMs: performance.now() })
    changed()
  }
  const forgetTheSilent = () => {
    for (const [replica, { toldAtMs }] of others) {
      if (performance.now() - toldAtMs > FORGET_AFTER_MS) others.delete(replica)
    }
  }

  subscriber.on('message', hear)
  subscriber.subscribe(CHANNEL).then(
    () => publish({ from: here }),
    (error) => log.warn({ err: error }, 'the roster of the other replicas is unknown'),
  )
  const beat = setInterval(() => {
    tellOthers()
    forgetTheSilent()
    changed()
  }, TELL_EVERY_MS)

  return {
    enter() {
      const index = leastWorn(worn)
      worn[index]!++
      const { name, img } = personas[index]!
      const member = { user: { name, img, color: randomColor() }, sinceMs: nowMs() }
      own.push(member)
      changedHere()
      return () => {
        worn[index]!--
        own.splice(own.lastIndexOf(member), 1)
        changedHere()
      }
    },
    list,
    close() {
      subscriber.off('message', hear)
      clearInterval(beat)
      clearTimeout(tellTimer)
      clearTimeout(shareTimer)
      publish({ from: here, members: [] })
    },
  }
}

/** Any of those that the fewest wear. */
function leastWorn(worn: number[]): number {
  const fewest = Math.min(...worn)
  const candidates = worn.flatMap((count, index) => (count === fewest ? [index] : []))
  return candidates[randomInt(candidates.length)]!
}

function randomColor(): string {
  return `#${randomBytes(3).toString('hex')}`
}

function readNews(message: string): News | null {
  try {
    const news = JSON.parse(message) as News
    return typeof news.from === 'string' && (news.members === undefined || Array.isArray(news.members))
      ? news
      : null
  } catch {
    return null
  }
}
