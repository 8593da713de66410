import { randomUUID } from 'node:crypto'
import { type Channel, readMessage } from '@solstice/adapters'
import { repeatTogether } from '@solstice/station'
import type { Member } from './members.ts'

/** Every replica repeats its part this often; a part that was not repeated for longer is dropped. */
const HEARTBEAT_MS = 10_000
const FORGET_AFTER_MS = 25_000
/** Arrivals and departures within this time are shared together. */
const SHARE_DELAY_MS = 100

/** The members at the other replicas. Each replica publishes its own part; the roster is their union. */
export interface ReplicaRosters {
  members(): Member[]
  /** Publishes the part of this replica. */
  share(): void
  shareSoon(): void
  /** Tells the others that this replica has no members any more. */
  close(): void
}

/** Without members it asks the others to publish their parts. On the channel a rank is called `claim`. */
interface RosterMessage {
  from: string
  members?: Member[]
}

/** @param deps.onChange called with the members of a part that arrived; with none when old parts were dropped. */
export function openReplicaRosters(deps: {
  channel: Channel
  ownMembers: () => Member[]
  onChange: (arrived: readonly Member[]) => void
  heartbeatMs?: number
  forgetAfterMs?: number
}): ReplicaRosters {
  const { channel, ownMembers, onChange, heartbeatMs = HEARTBEAT_MS, forgetAfterMs = FORGET_AFTER_MS } = deps
  const here = randomUUID()
  const parts = new Map<string, { members: Member[]; toldAtMs: number }>()

  const publish = (members?: Member[]) => channel.publish(JSON.stringify(toWire({ from: here, members })))
  const share = () => publish(ownMembers())
  const onMessage = (message: string) => {
    const { from, members } = fromWire(message) ?? { from: here }
    if (from === here) return
    if (members === undefined) return share()
    if (members.length === 0) parts.delete(from)
    else parts.set(from, { members, toldAtMs: performance.now() })
    onChange(members)
  }
  // Messages may have been missed in both directions.
  const catchUp = () => {
    publish()
    share()
  }
  const unsubscribe = channel.subscribe({ onMessage, onCaughtUp: catchUp })
  let soon: NodeJS.Timeout | undefined
  const stopHeartbeat = repeatTogether(heartbeatMs, () => {
    share()
    for (const [replica, { toldAtMs }] of parts) {
      if (performance.now() - toldAtMs > forgetAfterMs) parts.delete(replica)
    }
    onChange([])
  })

  return {
    members: () => [...parts.values()].flatMap(({ members }) => members),
    share,
    shareSoon() {
      soon ??= setTimeout(() => {
        soon = undefined
        share()
      }, SHARE_DELAY_MS)
    },
    close() {
      unsubscribe()
      stopHeartbeat()
      clearTimeout(soon)
      publish([])
    },
  }
}

function toWire({ from, members }: RosterMessage): object {
  return {
    from,
    members: members?.map(({ admin, ...member }) => {
      if (!admin) return member
      const { rank: claim, adminId, mayAnswer, socketId } = admin
      return { ...member, admin: { adminId, mayAnswer, claim, socketId } }
    }),
  }
}

type WireMember = Omit<Member, 'admin'> & {
  admin?: Omit<Member['admin'] & object, 'rank'> & { claim: number }
}

/** null for a message that is not of this protocol. */
function fromWire(message: string): RosterMessage | null {
  const { from, members } = (readMessage(message) ?? {}) as { from?: unknown; members?: unknown }
  if (typeof from !== 'string') return null
  if (members === undefined) return { from }
  if (!Array.isArray(members) || !members.every(isWireMember)) return null
  return {
    from,
    members: members.map(({ admin, ...member }) => {
      if (!admin) return member
      const { claim: rank, ...rest } = admin
      return { ...member, admin: { ...rest, rank } }
    }),
  }
}

function isWireMember(told: unknown): told is WireMember {
  const { user, sinceMs, admin } = (told ?? {}) as Partial<WireMember>
  return !!user && Number.isFinite(sinceMs) && (admin === undefined || Number.isFinite(admin?.claim))
}
