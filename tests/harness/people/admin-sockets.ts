import { randomUUID } from 'node:crypto'
import type { AuditEntry, Privilege } from '@solstice/contracts'
import { type Admin, SUPER_ADMIN_ID } from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { type OpenApp, openApp } from '../stations/app.ts'
import { openSocket, type SocketClient } from './socket-client.ts'

const log = pino({ level: 'silent' })

export interface Replica extends OpenApp {
  /** A socket that has heard all that a new one is told. */
  join(headers?: Record<string, string>): Promise<SocketClient>
  tokenOf(admin: Admin): string
}

export async function replica(t: Test, env: Record<string, string> = {}, beside?: OpenApp): Promise<Replica> {
  const open = await openApp(t, env, log, beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  return {
    ...open,
    async join(headers = {}) {
      const client = openSocket(t, url, { headers })
      await client.first('radio_hosts_mode')
      return client
    },
    tokenOf: (admin) => adminTokensOf(open).issue(admin),
  }
}

export const adminTokensOf = ({ app, ports }: OpenApp) =>
  createAdminTokens(app.jwt, ports.config.jwtSecret, ports.clock)

/** Puts an account into the store, activated unless told otherwise. */
export async function addHelper(
  { data }: OpenApp['ports'],
  privileges: Privilege[],
  isActivated = true,
): Promise<Admin> {
  const adminId = randomUUID()
  const account = { adminId, login: adminId, privileges, authorized: isActivated }
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  await data.admins.put({ ...account, ...times, loginKey: adminId, passwordHash: '-' })
  return { ...account, role: 'admin' }
}

/** A socket that was confirmed as the admin; all that it heard before that is forgotten. */
export async function joinAs(replica: Replica, admin: Admin): Promise<SocketClient> {
  const client = await replica.join()
  client.socket.emit('admin_active', replica.tokenOf(admin))
  await client.first('admin_confirmed')
  client.forget()
  return client
}

/** Resolves with the answer to an event, or null when a later question is answered first. */
export async function answerTo(client: SocketClient, event: string, ...args: unknown[]): Promise<unknown> {
  let answer: unknown = null
  client.socket.emit(event, ...args, (given: unknown) => {
    answer = given
  })
  await client.ask('stream_ping', 1)
  return answer
}

export const isAdmin = async (client: SocketClient) => (await answerTo(client, 'get_queue')) !== null

export const entry: AuditEntry = {
  id: 1_000_000,
  adminId: SUPER_ADMIN_ID,
  adminLogin: 'admin',
  operationType: 'login',
  createdAt: 1,
  data: {},
}
