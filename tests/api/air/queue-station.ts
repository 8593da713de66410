import type { AuditEntry } from '@solstice/contracts'
import type { Test } from 'tap'
import { SUPER_ADMIN } from '../../harness/people/admin.ts'
import type { SocketClient } from '../../harness/people/socket-client.ts'
import { openReplica, type Replica } from '../../harness/stations/replica.ts'
import { type Air, startAir } from '../../harness/stations/workers.ts'

/** Always day, though a switch can still be requested. Behind a proxy, so that tests can use several addresses. */
export const DAY = { ...SUPER_ADMIN, DAY_START_HOUR: '6', NIGHT_START_HOUR: '6', TRUST_PROXY_HOPS: '1' }

export const FREE = {
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  GROUP_INSERT_COOLDOWN_S: '0',
}

/** Fifteen songs of ten minutes are on air; `wish` was added later, so that no list has it by chance. */
export async function station(t: Test, env: Record<string, string>): Promise<[Replica, Replica, Air]> {
  const one = await openReplica(t, env)
  const two = await openReplica(t, env, one)
  const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
  await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
  await one.addTrack('night/owl.mp3', null, { duration: 600 })
  const air = await startAir(t, one.ports)
  await one.addTrack('day/wish.mp3', null, { artist: 'Wished', duration: 600 })
  return [one, two, air]
}

export const WISH = { id: 'day/wish.mp3', title: 'wish', artist: 'Wished' }

export const logged = (client: SocketClient, operationType: string) =>
  client.first<AuditEntry>('audit_new_entry', (entry) => entry.operationType === operationType)
